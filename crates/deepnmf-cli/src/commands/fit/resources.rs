//! What a fit will take, and whether there is as much.

use anyhow::{Result, bail};
use deepnmf::{DataMatrix, Estimate, Scalar, Settings};
use deepnmf_data::{Columns, Values};
use serde_json::json;

use super::plan::Plan;
use crate::args::{FitArgs, PartName};
use crate::input::on_threads;
use crate::output::{Outcome, Output};
use crate::resources::{bytes, disk_left, memory_left, speed};

/// Prints what the fit would take.
pub(super) fn plan<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: &Values<T>,
    output: Output,
) -> Result<Outcome> {
    let Estimate { memory, file, iteration, most_iterations } = estimate(plan, x);
    let held = Held::of(x);
    let clusters = args.parts.iter().fold(0, |sum: usize, part| match part {
        PartName::Clusters(sizes) => sum.saturating_add(sizes.in_layer(1)),
        PartName::Auto | PartName::Attribute(_) => sum,
    });
    let first = args.layers.first().copied().unwrap_or(clusters.clamp(1, 1000));
    let seconds = iteration / on_threads(args.threads, || speed(x, first))?;
    let (left, disk) = (memory_left(), args.out.as_deref().and_then(disk_left));
    let of = |left: Option<u64>| {
        left.map_or(String::new(), |left| format!(", {} are left", bytes(left)))
    };
    let text = format!(
        "{} samples of {} features\n{}  \
         memory      about {}{}\n  \
         model file  about {}{}\n  \
         iteration   about {seconds:.2} s on these cores, at most {most_iterations} of them: {:.0} s\n",
        x.samples(),
        x.features(),
        held.text(),
        bytes(memory),
        of(left),
        bytes(file),
        of(disk),
        seconds * most_iterations as f64,
    );
    let object = json!({
        "samples": x.samples(),
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
    output.result(&text, &object)?;
    Ok(Outcome::Done)
}

/// Refuses a fit whose model the disk has no room for; says so where memory may not suffice.
pub(super) fn check<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: &Values<T>,
    output: Output,
) -> Result<()> {
    let Estimate { memory, file, .. } = estimate(plan, x);
    if let Some(out) = &args.out
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

/// What a fit takes with the samples where they are.
pub(super) fn estimate<T: Scalar>(plan: &Plan, x: &Values<T>) -> Estimate {
    let settings: Settings = match plan {
        Plan::Model(settings) => (**settings).clone(),
        Plan::Transfer(both) => both.1.clone().into(),
    };
    let (p, n) = (x.features(), x.samples());
    let mut estimate = settings.estimate_held(p, n, x.entries_held(), T::DTYPE);
    if let Values::InFile(_) = x {
        estimate.memory = estimate.memory.saturating_sub(all_numbers::<T>(x)) + x.bytes();
    }
    estimate
}

/// Bytes of all numbers of samples that are not sparse.
pub(super) fn all_numbers<T: Scalar>(x: &Values<T>) -> u64 {
    (x.features() as u64).saturating_mul(x.samples() as u64).saturating_mul(size_of::<T>() as u64)
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
        match x {
            Values::InFile(_) => Self { in_file: Some(all_numbers(x)), blocks: Some(x.bytes()) },
            _ => Self::default(),
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
