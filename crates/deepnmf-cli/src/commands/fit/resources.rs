//! What a fit will take, and whether there is as much.

use anyhow::{Result, bail};
use deepnmf::matrix::Parts;
use deepnmf::{DataMatrix, Estimate, Scalar, Settings};
use deepnmf_data::{Columns, Values};
use serde_json::json;

use super::plan::Plan;
use crate::args::{FitArgs, PartName};
use crate::input::on_threads;
use crate::output::{Outcome, Output, extended};
use crate::ranks::Ranks;
use crate::resources::{bytes, disk_left, memory_left, speed};

/// Prints what the fit would take.
pub(super) fn plan<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: &Values<T>,
    ranks: &Ranks,
    parts: Parts<'_>,
    output: Output,
) -> Result<Outcome> {
    let Estimate { memory, iteration, most_iterations, .. } = estimate(plan, x);
    let file = file_of(plan, x, parts);
    let held = Held::of(x);
    let clusters = args.parts.iter().fold(0, |sum: usize, part| match part {
        PartName::Clusters(sizes) => sum.saturating_add(sizes.in_layer(1)),
        PartName::Auto | PartName::Attribute(_) => sum,
    });
    let first = args.sizes().first().copied().unwrap_or(clusters.clamp(1, 1000));
    let seconds = iteration / on_threads(args.threads, || speed(x, first))?;
    let (left, disk) = (memory_left(), args.out.as_deref().and_then(disk_left));
    let of = |left: Option<u64>| {
        left.map_or(String::new(), |left| format!(", {} are left", bytes(left)))
    };
    let text = format!(
        "{} samples of {} features\n{}  \
         memory      about {}{}\n  \
         model file  about {}{}\n  \
         iteration   about {seconds:.2} s on these cores, at most {most_iterations} of them: {:.0} s\n{}",
        parts.total(),
        x.features(),
        held.text(),
        bytes(memory),
        of(left),
        bytes(file),
        of(disk),
        seconds * most_iterations as f64,
        ranks.plan_text(x.samples()),
    );
    let object = json!({
        "samples": parts.total(),
        "features": x.features(),
        "entries": x.entries_held(),
        "in_file": held.in_file,
        "blocks": held.blocks,
        "memory": memory,
        "memory_left": left,
        "file": file,
        "disk_left": disk,
        "seconds_of_an_iteration": seconds,
        "most_iterations": most_iterations,
    });
    output.result(&text, &extended(object, ranks.object()))?;
    Ok(Outcome::Done)
}

/// Refuses a fit whose model the disk has no room for; says so where memory may not suffice.
pub(super) fn check<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: &Values<T>,
    parts: Parts<'_>,
    output: Output,
) -> Result<()> {
    let (memory, file) = (estimate(plan, x).memory, file_of(plan, x, parts));
    if let Some(out) = args.out.as_ref().filter(|_| parts.is_first())
        && let Some(left) = disk_left(out).filter(|left| *left < file)
    {
        bail!(
            "the model will have {}, but the disk of {} has {} left: name another place, or use \
                 --dtype f32 or fewer components",
            bytes(file),
            out.display(),
            bytes(left)
        );
    }
    // The data are in memory already.
    let more = memory.saturating_sub(x.bytes());
    if let Some(left) = memory_left().filter(|left| *left < more) {
        output.remark(format!(
            "the fit will take about {} more memory, but {} are left: if it ends for want of it, use \
             --dtype f32, fewer components or fewer samples",
            bytes(more),
            bytes(left)
        ));
    }
    Ok(())
}

/// Bytes of the model file, which has the features of all samples.
fn file_of<T: Scalar>(plan: &Plan, x: &Values<T>, parts: Parts<'_>) -> u64 {
    estimate_of(plan, x, parts.total()).file
}

/// What a fit takes with the samples where they are.
pub(super) fn estimate<T: Scalar>(plan: &Plan, x: &Values<T>) -> Estimate {
    let mut estimate = estimate_of(plan, x, x.samples());
    estimate.memory = estimate.memory.saturating_sub(x.bytes_of_all()) + x.bytes();
    estimate
}

/// What a fit takes to so many samples in memory.
fn estimate_of<T: Scalar>(plan: &Plan, x: &Values<T>, samples: usize) -> Estimate {
    let settings: Settings = match plan {
        Plan::Model(settings) => (**settings).clone(),
        Plan::Transfer(both) => both.1.clone().into(),
    };
    settings.estimate_held(x.features(), samples, x.entries_held(), T::DTYPE)
}

/// Where the samples are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Held {
    /// Bytes that stay in their file.
    pub(super) in_file: Option<u64>,
    /// Bytes of the blocks that are in memory then.
    pub(super) blocks: Option<u64>,
}

impl Held {
    pub(super) fn of<T: Scalar>(x: &Values<T>) -> Self {
        match x.in_file() {
            Some(_) => Self { in_file: Some(x.bytes_of_all()), blocks: Some(x.bytes()) },
            None => Self::default(),
        }
    }

    fn text(self) -> String {
        match (self.in_file, self.blocks) {
            (Some(all), Some(blocks)) => {
                let (all, blocks) = (bytes(all), bytes(blocks));
                format!(
                    "  data        {all} stay in their file, {blocks} of them are in memory at a time\n"
                )
            }
            _ => String::new(),
        }
    }
}
