//! Which samples are in memory, so that a fit takes no more of it than it may (`--memory`).

use anyhow::{Result, bail};
use deepnmf::Scalar;
use deepnmf_data::{AnyDataset, Values};
use deepnmf_mpi::ranks_on_this_machine;

use super::plan::Plan;
use super::resources::{all_numbers, estimate};
use crate::args::FitArgs;
use crate::input::samples_within;
use crate::output::Output;
use crate::ranks::Ranks;
use crate::resources::{bytes, memory_left};

/// What the program takes beside what a fit computes: itself, stacks, scratch of products, caches of files.
const PROGRAM: u64 = 64 << 20;

/// Blocks smaller than this would make reading slow.
const LEAST_BLOCKS: u64 = 4 << 20;

/// Reads the samples of this rank; those of a large table stay in their file for the time being.
pub(super) fn read<T: Scalar>(args: &FitArgs, ranks: &Ranks) -> Result<AnyDataset<T>> {
    let budget = args.long.memory.map(|budget| budget / 4);
    // One of several ranks reads nothing but its own, if the file lets it.
    let memory = if ranks.count() > 1 { Some(0) } else { budget.or_else(memory_left) };
    let mut data = ranks.own_samples(samples_within::<T>(&args.data, memory)?)?;
    if let Some(budget) = budget {
        data.x = within(data.x, budget);
    } else if ranks.count() > 1 {
        let share = memory_left().map(|left| left / ranks_on_this_machine() as u64);
        if share.is_none_or(|share| all_numbers(&data.x) <= share) {
            data.x = in_memory(data.x)?;
        }
    }
    Ok(data)
}

/// The same samples, none of which stay in their file.
fn in_memory<T: Scalar>(x: Values<T>) -> Result<Values<T>> {
    Ok(match x {
        Values::InFile(_) => Values::Dense(x.into_dense()?),
        held => held,
    })
}

/// Brings samples into memory where they fit beside everything else, and else leaves as much as fits to their blocks.
pub(super) fn settle<T: Scalar>(
    args: &FitArgs,
    plan: &Plan,
    x: Values<T>,
    output: Output,
) -> Result<Values<T>> {
    let Some(budget) = args.long.memory else { return Ok(x) };
    let blocks = x.bytes();
    let others = PROGRAM + estimate(plan, &x).memory.saturating_sub(blocks);
    let all = if let Values::InFile(_) = x { all_numbers(&x) } else { blocks };
    if others.saturating_add(all) <= budget {
        return in_memory(x);
    }
    let Values::InFile(_) = x else {
        bail!(
            "the fit takes about {}, of which the samples take {}, but --memory allows {}: allow more, or \
             write the samples as .npy or dense .h5ad, of which only blocks are in memory",
            bytes(others + blocks),
            bytes(blocks),
            bytes(budget)
        );
    };
    let left = budget.saturating_sub(others);
    let x = within(x, left);
    if left < LEAST_BLOCKS.max(x.bytes()) {
        bail!(
            "beside the samples, which stay in their file, the fit takes about {}, but --memory allows {}: \
             allow {}, or use fewer components or --dtype f32",
            bytes(others),
            bytes(budget),
            bytes(others + 4 * LEAST_BLOCKS.max(x.bytes()))
        );
    }
    output.remark(format!(
        "the samples ({}) stay in their file, and are read in blocks of {}",
        bytes(all),
        bytes(x.bytes())
    ));
    Ok(x)
}

/// Blocks of so many bytes at most.
fn within<T: Scalar>(x: Values<T>, memory: u64) -> Values<T> {
    match x {
        Values::InFile(x) => {
            Values::InFile(x.within(usize::try_from(memory).unwrap_or(usize::MAX)))
        }
        held => held,
    }
}
