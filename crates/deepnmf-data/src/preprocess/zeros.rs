//! Samples that are zero in every feature: no scaling gives them norm 1.

use super::{Prepare, Step};
use crate::{DataError, DatasetOf};

/// What is done with samples that are zero in every feature. It is said when a chain is applied, and no
/// part of what a model remembers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ZeroSamples {
    /// They are refused where they would have to be scaled to norm 1.
    #[default]
    Error,
    /// They stay zero.
    Keep,
    /// They are removed, with their labels and names.
    Drop,
}

/// The samples that were zero, by their numbers counted from 0 before any was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Zeros {
    /// Those that stayed zero, by their numbers after others were removed.
    pub kept: Vec<usize>,
    /// Those that were removed.
    pub dropped: Vec<usize>,
}

/// Applies steps one after the other and sees to the samples that are zero.
pub(super) struct Watch {
    how: ZeroSamples,
    zeros: Zeros,
    /// The first numbers of the samples that are left.
    left: Vec<usize>,
}

impl Watch {
    pub(super) fn new<X: Prepare>(
        how: ZeroSamples,
        data: &mut DatasetOf<X>,
    ) -> Result<Self, DataError> {
        let left = (0..data.samples()).collect();
        let mut watch = Self { how, zeros: Zeros::default(), left };
        if how == ZeroSamples::Drop {
            watch.drop_zeros(data)?;
        }
        Ok(watch)
    }

    pub(super) fn apply<X: Prepare>(
        &mut self,
        step: &Step,
        data: &mut DatasetOf<X>,
    ) -> Result<(), DataError> {
        match (step, self.how) {
            (Step::Unit, ZeroSamples::Drop) => self.drop_zeros(data)?,
            (Step::Unit, ZeroSamples::Keep) => return self.scale_others(data),
            _ => {}
        }
        X::take(data, step)
    }

    fn drop_zeros<X: Prepare>(&mut self, data: &mut DatasetOf<X>) -> Result<(), DataError> {
        let zeros = data.x.zeros()?;
        if zeros.is_empty() {
            return Ok(());
        }
        if zeros.len() == data.samples() {
            return Err(DataError::AllZero { samples: zeros.len() });
        }
        let others: Vec<usize> =
            (0..data.samples()).filter(|sample| zeros.binary_search(sample).is_err()).collect();
        *data = data.select(&others)?;
        self.zeros.dropped.extend(zeros.iter().map(|&sample| self.left[sample]));
        self.left = others.iter().map(|&sample| self.left[sample]).collect();
        Ok(())
    }

    /// Scales all samples to norm 1 but those that are zero.
    fn scale_others<X: Prepare>(&mut self, data: &mut DatasetOf<X>) -> Result<(), DataError> {
        let zeros = data.x.zeros()?;
        let done = X::scale_others(data, &zeros);
        self.zeros.kept = zeros;
        done
    }

    pub(super) fn finish(mut self) -> Zeros {
        self.zeros.dropped.sort_unstable();
        self.zeros
    }
}

#[cfg(test)]
#[path = "zeros_tests.rs"]
mod tests;
