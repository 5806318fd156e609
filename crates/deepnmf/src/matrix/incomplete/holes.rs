//! Which entries are missing.

use crate::error::{Error, Result};
use crate::matrix::{Matrix, Scalar};

/// The features that each sample of this part lacks; they rise, and none comes twice.
#[derive(Debug, Clone)]
pub(super) struct Holes {
    /// Those of sample `j` are `starts[j]..starts[j + 1]`.
    starts: Vec<usize>,
    features: Vec<u32>,
}

impl Holes {
    /// None in `n` samples.
    pub(super) fn none(n: usize) -> Self {
        Self { starts: vec![0; n + 1], features: vec![] }
    }

    /// Where a dense matrix has no number.
    pub(super) fn of_nan<T: Scalar>(x: &Matrix<T>) -> Result<Self> {
        check_features(x.rows())?;
        let mut holes = Self { starts: vec![0], features: vec![] };
        for column in x.columns() {
            let missing = column.iter().enumerate().filter(|(_, v)| v.to_f64().is_nan());
            holes.features.extend(missing.map(|(i, _)| narrow(i)));
            holes.starts.push(holes.features.len());
        }
        Ok(holes)
    }

    /// A list of `(feature, sample)` in any order; a place may come twice.
    pub(super) fn of_list((p, n): (usize, usize), list: &[(usize, usize)]) -> Result<Self> {
        check_features(p)?;
        for (at, (feature, sample)) in list.iter().enumerate() {
            for (what, place, limit) in [("feature", *feature, p), ("sample", *sample, n)] {
                if place >= limit {
                    let name = format!("the {what} of missing entry {}", at + 1);
                    let accepted = format!("counted from 0, it must be below {limit}");
                    return Err(Error::parameter(name, place, accepted));
                }
            }
        }
        let mut sorted: Vec<(usize, usize)> = list.iter().map(|(i, j)| (*j, *i)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut holes = Self::none(n);
        for (sample, feature) in sorted {
            holes.starts[sample + 1] += 1;
            holes.features.push(narrow(feature));
        }
        (0..n).for_each(|j| holes.starts[j + 1] += holes.starts[j]);
        Ok(holes)
    }

    /// The features that a sample lacks.
    pub(super) fn of(&self, sample: usize) -> &[u32] {
        &self.features[self.starts[sample]..self.starts[sample + 1]]
    }

    /// How many samples there are.
    pub(super) fn samples(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.features.len()
    }

    /// Calls `see(feature, sample)` for each.
    pub(super) fn for_each(&self, mut see: impl FnMut(usize, usize)) {
        for sample in 0..self.samples() {
            self.of(sample).iter().for_each(|i| see(*i as usize, sample));
        }
    }
}

/// Features are numbers of 32 bits, which halves the memory of the list.
fn check_features(p: usize) -> Result<()> {
    if u32::try_from(p).is_ok() {
        return Ok(());
    }
    Err(Error::parameter(
        "the number of features",
        p,
        "lists of missing entries take fewer than 2^32",
    ))
}

#[allow(clippy::cast_possible_truncation)] // checked
fn narrow(feature: usize) -> u32 {
    feature as u32
}
