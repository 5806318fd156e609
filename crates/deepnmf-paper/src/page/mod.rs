//! What was found, as pages: HTML with everything in one file, Markdown for the repository, CSV.

mod csv;
mod html;
mod markdown;

pub(crate) use csv::{cells, table};
pub(crate) use html::html;
pub(crate) use markdown::markdown;

use crate::record::Machine;
use crate::rules::{Claim, Source, Verdict};
use crate::section::Section;

/// What stands above all sections.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) quick: bool,
    pub(crate) machine: Machine,
    pub(crate) workers: usize,
}

impl Head {
    /// What kind of run this is, in sentences.
    fn sentences(&self, sections: &[Section]) -> Vec<String> {
        let done: usize = sections.iter().map(|s| s.done).sum();
        let cells: usize = sections.iter().map(|s| s.cells).sum();
        let seconds: f64 = sections.iter().map(|s| s.seconds).sum();
        let mut told = Vec::new();
        if self.quick {
            told.push(
                "This is a quick run: small drawn faces stand in for every set and the models are \
                 small. It shows that all parts work and says nothing about the paper."
                    .into(),
            );
        }
        if done < cells {
            let open = cells - done;
            told.push(format!(
                "{open} of {cells} cells are not finished; run the same command again to go on."
            ));
        }
        let Machine { cores, cpu, system } = &self.machine;
        told.push(format!(
            "{done} cells took {} one by one; {} ran at a time, so about {} by the clock, other programs \
             included, with version {} on {cores} cores ({cpu}, {system}). Numbers do not depend on how \
             many run at a time.",
            duration(seconds),
            self.workers,
            duration(seconds / self.workers as f64),
            env!("CARGO_PKG_VERSION")
        ));
        told
    }
}

/// How many claims of the paper have each verdict: on its own data, and on stand-ins.
pub(crate) fn tally(sections: &[Section]) -> Vec<(String, usize)> {
    let papers = sections.iter().flat_map(|section| &section.claims);
    let papers: Vec<_> = papers.filter(|claim| claim.source == Source::Paper).collect();
    let count = |verdict: Verdict, stand_in: bool| {
        let same = |c: &&&Claim| c.verdict == verdict && c.stand_in_for.is_some() == stand_in;
        papers.iter().filter(same).count()
    };
    let untested = count(Verdict::CannotBeTested, false) + count(Verdict::CannotBeTested, true);
    let rows = [
        ("hold", count(Verdict::Holds, false)),
        ("do not hold", count(Verdict::DoesNotHold, false)),
        ("cannot be tested here; hold on a stand-in", count(Verdict::Holds, true)),
        ("cannot be tested here; do not hold on a stand-in", count(Verdict::DoesNotHold, true)),
        ("cannot be tested here", untested),
    ];
    rows.into_iter().map(|(what, count)| (what.to_owned(), count)).collect()
}

/// A duration in the unit that fits.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Text that stands in HTML, SVG or Markdown.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
