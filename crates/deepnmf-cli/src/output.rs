//! What the program says: a text for people or one JSON object for programs on standard output,
//! remarks on standard error.

use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use deepnmf::{Divergence, Settings, Summary};
use serde_json::{Value, json};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Interrupted,
}

/// Where things are said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    speaker: Speaker,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    /// This process, the only one.
    Alone,
    /// This process for several. Their launcher stands between it and the terminal, even where it looks like one.
    First,
    /// Another process.
    Other,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet, speaker: Speaker::Alone }
    }

    /// What one of several processes says: nothing, if it is not the first.
    pub(crate) fn of_several(self, is_first: bool) -> Self {
        let speaker = if is_first { Speaker::First } else { Speaker::Other };
        Self { quiet: self.quiet || !is_first, speaker, ..self }
    }

    /// The result: `text` for people, `object` for programs.
    pub(crate) fn result(self, text: &str, object: &Value) -> Result<()> {
        if self.speaker == Speaker::Other {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let said = if self.json { writeln!(out, "{object}") } else { write!(out, "{text}") };
        said.and_then(|()| out.flush()).context("cannot write to standard output")
    }

    /// A remark beside the result.
    pub(crate) fn remark(self, text: impl Display) {
        if !self.quiet {
            // Standard error may be closed; nobody can read the remark then.
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// Why there is no result.
    pub(crate) fn failure(self, error: &anyhow::Error) {
        if self.speaker == Speaker::Other {
            return;
        }
        let sentence = sentence(error);
        let _ = writeln!(io::stderr(), "error: {sentence}");
        if self.json {
            say_failure(&sentence);
        }
    }

    /// Whether a program reads standard output.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Whether a person watches standard error and wants to see progress.
    pub(crate) fn shows_progress(self) -> bool {
        !self.quiet && self.is_at(&io::stderr())
    }

    /// Whether progress is wanted on standard error, which is no terminal: a file or another program.
    pub(crate) fn logs_progress(self) -> bool {
        !self.quiet && !self.is_at(&io::stderr())
    }

    fn is_at(self, stream: &impl IsTerminal) -> bool {
        self.speaker == Speaker::Alone && stream.is_terminal()
    }

    /// Whether a person reads standard output.
    pub(crate) fn shows_pictures(self) -> bool {
        !self.json && !self.quiet && self.is_at(&io::stdout())
    }
}

/// What is wrong with the flags, for programs: the first paragraph of what people are told.
pub(crate) fn refusal(text: &str) {
    let lines: Vec<&str> =
        text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let sentence = lines.join(" ");
    say_failure(sentence.strip_prefix("error: ").unwrap_or(&sentence));
}

fn say_failure(sentence: &str) {
    // Standard output may be closed; nobody can read the failure then.
    let _ = writeln!(io::stdout(), "{}", json!({ "failure": sentence }));
}

/// An error and its causes, leaving out those that the one above has already told.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !told.last().is_some_and(|above| above.ends_with(&cause)) {
            told.push(cause);
        }
    }
    told.join(": ")
}

/// Whether the reader of standard output has had enough (`deepnmf info m | head -1`).
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The summary of a fit for people.
pub(crate) fn summary_text(settings: &Settings, summary: &Summary) -> String {
    let layers: Vec<String> = settings.layers().iter().map(usize::to_string).collect();
    let rank = layers.last().map_or("", String::as_str);
    let mut text = format!(
        "{}: {} samples of {} features, layers {}\n",
        settings.name(),
        summary.samples,
        summary.features,
        layers.join("-")
    );
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<12}{value}");
    };
    let share = 100.0 * summary.relative_error;
    let least = settings.divergence().least_model();
    line("error", format!("{:.4}, {share:.3}% of {least}", summary.error));
    if settings.divergence() == Divergence::KullbackLeibler {
        line(
            "divergence",
            format!("{:.4}, half of the squared error", summary.error.powi(2) / 2.0),
        );
    }
    if summary.missing > 0 {
        let all = summary.missing + summary.observed();
        let share = 100.0 * summary.missing as f64 / all as f64;
        line("missing", format!("{} of {all} entries ({share:.1}%), left out", summary.missing));
    }
    if let Some(bound) = summary.svd_bound {
        line("SVD bound", format!("{bound:.4}, the least that {rank} linear components can reach"));
    }
    if let Some(gap) = summary.gap {
        // Four digits of a percentage are shown.
        let side = if gap < -5e-7 { "below" } else { "above" };
        line("gap", format!("{:.4}% {side} the bound", 100.0 * gap.abs()));
    }
    line("iterations", format!("{}; {}", summary.iterations, summary.stop));
    line("time", format!("{:.2} s", summary.seconds));
    for notice in &summary.notices {
        line("note", notice.to_string());
    }
    text
}

/// The summary of a fit for programs; the named keys are a promise.
pub(crate) fn summary_json(settings: &Settings, summary: &Summary) -> Value {
    let notices: Vec<String> = summary.notices.iter().map(ToString::to_string).collect();
    json!({
        "model": settings.name(),
        "layers": settings.layers(),
        "features": summary.features,
        "samples": summary.samples,
        "missing": summary.missing,
        "error": summary.error,
        "relative_error": summary.relative_error,
        "svd_bound": summary.svd_bound,
        "gap": summary.gap,
        "iterations": summary.iterations,
        "stop": summary.stop,
        "seconds": summary.seconds,
        "history": summary.history,
        "clock": summary.clock,
        "runs": summary.runs,
        "notices": notices,
    })
}

/// Adds entries to a JSON object.
pub(crate) fn extended(mut object: Value, entries: Value) -> Value {
    if let (Value::Object(object), Value::Object(entries)) = (&mut object, entries) {
        object.extend(entries);
    }
    object
}
