//! Which samples are in memory, so that a fit takes no more of it than it may (`--memory`).

use std::env;

use anyhow::{Result, bail};
use deepnmf::Scalar;
use deepnmf_data::{AnyDataset, Values};
use deepnmf_mpi::ranks_on_this_machine;

use super::plan::Plan;
use super::resources::estimate;
use crate::args::FitArgs;
use crate::input::{Held, samples_held};
use crate::output::Output;
use crate::ranks::Ranks;
use crate::resources::{bytes, disk_left, memory_left};
use crate::spill;

/// What the program takes beside what a fit computes: itself, stacks, scratch of products, caches of files.
const PROGRAM: u64 = 64 << 20;

/// Blocks smaller than this would make reading slow.
const LEAST_BLOCKS: u64 = 4 << 20;

/// Where what a fit computes is in files, arrays of this share of the budget go there.
const SHARE_OF_ARRAYS: u64 = 32;

/// Reads the samples of this rank; those of a large table stay in their file for the time being.
pub(super) fn read<T: Scalar>(args: &FitArgs, ranks: &Ranks) -> Result<AnyDataset<T>> {
    let budget = args.long.memory.map(|budget| budget / 4);
    let share = || memory_left().map(|left| left / ranks_on_this_machine() as u64);
    // One of several ranks reads nothing but its own, if the file lets it.
    let held = Held { memory: budget.or_else(share), in_file: ranks.count() > 1 };
    let mut data = ranks.own_samples(samples_held::<T>(&args.data, held)?)?;
    if let Some(budget) = budget {
        data.x = within(data.x, budget)?;
    } else if ranks.count() > 1 && share().is_none_or(|share| data.x.bytes_of_all() <= share) {
        data.x = data.x.into_memory()?;
    }
    Ok(data)
}

/// Where the samples of a fit are, and what it computes.
pub(super) struct Settled<T: Scalar> {
    pub(super) x: Values<T>,
    /// From this size on, arrays are in temporary files.
    arrays: Option<u64>,
}

impl<T: Scalar> Settled<T> {
    /// Begins to put arrays into files, if they are to be there.
    pub(super) fn begin(&self, budget: Option<u64>) {
        if let (Some(least), Some(budget)) = (self.arrays, budget) {
            spill::begin(least, budget);
        }
    }
}

/// Brings samples into memory where they fit beside everything else, and else leaves as much as fits to their blocks.
pub(super) fn settle<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: Values<T>,
    output: Output,
) -> Result<Settled<T>> {
    let Some(budget) = args.long.memory else { return Ok(Settled { x, arrays: None }) };
    let (blocks, all) = (x.bytes(), x.bytes_of_all());
    let computed = estimate(plan, &x).memory.saturating_sub(blocks);
    let others = PROGRAM + computed;
    if others.saturating_add(all) <= budget {
        return Ok(Settled { x: x.into_memory()?, arrays: None });
    }
    if x.in_file().is_none() && PROGRAM + blocks > budget {
        bail!(
            "the samples take {}, but --memory allows {}: allow more, or write them as .npy, .npz or .h5ad, of \
             which only blocks are in memory",
            bytes(blocks),
            bytes(budget)
        );
    }
    let left = budget.saturating_sub(others);
    let x = within(x, left.max(budget / 8))?;
    let least = if x.in_file().is_some() { LEAST_BLOCKS.max(x.bytes()) } else { x.bytes() };
    let arrays = (left < least).then_some(budget / SHARE_OF_ARRAYS);
    if arrays.is_some() {
        check_files(budget, least, computed)?;
        output.remark(format!(
            "what the fit computes (about {}) is in files of the temporary folder {} where it exceeds the memory",
            bytes(computed),
            env::temp_dir().display()
        ));
    }
    if x.in_file().is_some() {
        output.remark(format!(
            "the samples ({}) stay in their file, and are read in blocks of {}",
            bytes(all),
            bytes(x.bytes())
        ));
    }
    Ok(Settled { x, arrays })
}

/// Refuses a budget that is too small even with arrays in files, and files that the disk has no room for.
fn check_files(budget: u64, least: u64, computed: u64) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!(
            "beside the samples the fit takes about {}, but --memory allows {}: allow more, or use fewer components \
             or --dtype f32",
            bytes(computed),
            bytes(budget)
        );
    }
    let needed = 2 * (PROGRAM + least);
    if budget < needed {
        bail!("--memory allows {}, but the least that works is {}", bytes(budget), bytes(needed));
    }
    let folder = env::temp_dir();
    match disk_left(&folder.join("deepnmf")).filter(|left| *left < computed) {
        Some(left) => bail!(
            "what the fit computes takes about {}, but the temporary folder {} has {} left: set TMPDIR to a \
             folder with more room, allow more memory, or use fewer components or --dtype f32",
            bytes(computed),
            folder.display(),
            bytes(left)
        ),
        None => Ok(()),
    }
}

/// Blocks of so many bytes at most.
fn within<T: Scalar>(x: Values<T>, memory: u64) -> Result<Values<T>> {
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    Ok(x.with_file(|x| Ok(Values::InFile(x.within(memory))))?)
}
