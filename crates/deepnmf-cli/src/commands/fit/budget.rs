//! Which samples are in memory, so that a fit takes no more of it than it may (`--memory`).

use anyhow::{Result, bail};
use deepnmf::Scalar;
use deepnmf_data::{AnyDataset, Values};

use super::plan::Plan;
use super::resources::{all_numbers, estimate};
use crate::args::FitArgs;
use crate::input::samples_within;
use crate::output::Output;
use crate::resources::{bytes, memory_left};

/// What the program takes beside what a fit computes: itself, stacks, scratch of products, caches of files.
const PROGRAM: u64 = 64 << 20;

/// Blocks smaller than this would make reading slow.
const LEAST_BLOCKS: u64 = 4 << 20;

/// Reads the samples; those of a large table stay in their file for the time being.
pub(super) fn read<T: Scalar>(args: &FitArgs) -> Result<AnyDataset<T>> {
    let Some(budget) = args.long.memory else {
        return samples_within(&args.data, memory_left());
    };
    let data = samples_within::<T>(&args.data, Some(budget / 4))?;
    Ok(data.holding(|x| within(x, budget / 4)))
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
        return Ok(match x {
            Values::InFile(_) => Values::Dense(x.into_dense()?),
            held => held,
        });
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
