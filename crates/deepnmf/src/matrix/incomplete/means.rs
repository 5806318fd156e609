//! The means of features over what is observed, which stand for missing entries before there is a model.

use super::store::Store;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Parts, Scalar};

/// Sums and counts of the observed entries of each feature, by their weights, and which samples have any.
pub(super) struct Means {
    sums: Vec<f64>,
    counts: Vec<f64>,
    first_empty: Option<usize>,
}

impl Means {
    pub(super) fn of<T: Scalar>(store: &Store<T>) -> Self {
        let (p, n) = store.shape();
        // Zeros that sparse data do not hold are observed, if holes are listed.
        let zeros = matches!(store, Store::Listed { .. });
        let (mut sums, mut counts) = (vec![0.0; p], vec![if zeros { n as f64 } else { 0.0 }; p]);
        let mut of_samples = vec![if zeros { p } else { 0 }; n];
        store.observed(|i, j, v| {
            let weight = store.weight(i, j);
            sums[i] += weight * v.to_f64();
            if !zeros {
                counts[i] += weight;
                of_samples[j] += 1;
            }
            true
        });
        if zeros {
            store.for_each_hole(|i, j| {
                counts[i] -= 1.0;
                of_samples[j] -= 1;
            });
        }
        let first_empty = of_samples.iter().position(|count| *count == 0);
        Self { sums, counts, first_empty }
    }

    pub(super) fn means(&self) -> Vec<f64> {
        let both = self.sums.iter().zip(&self.counts);
        both.map(|(sum, count)| if *count > 0.0 { sum / count } else { 0.0 }).collect()
    }

    /// *Together*: the means over all parts. Refuses a sample of which nothing is observed, and a feature if every one is
    /// needed.
    pub(super) fn of_all_parts(
        mut self,
        parts: Parts<'_>,
        every_feature: bool,
    ) -> Result<Vec<f64>> {
        let mut first =
            [self.first_empty.map_or(f64::INFINITY, |j| (parts.range().start + j) as f64)];
        parts.min(&mut first)?;
        parts.sum(&mut self.sums)?;
        parts.sum(&mut self.counts)?;
        let nothing = |what: &'static str, number: usize| Error::NothingObserved { what, number };
        if first[0].is_finite() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a place
            return Err(nothing("sample", first[0] as usize + 1));
        }
        let empty = self.counts.iter().position(|count| *count <= 0.0);
        if let Some(feature) = empty.filter(|_| every_feature) {
            return Err(nothing("feature", feature + 1));
        }
        Ok(self.means())
    }
}

/// Fills the missing entries of each feature with a number of its own.
pub(super) fn fill_with<T: Scalar>(store: &mut Store<T>, means: &[f64]) {
    let n = store.shape().1;
    let phi = Matrix::from_fn(means.len(), 1, |i, _| T::from_f64(means[i]));
    let filled = store.fill(&phi, &Matrix::from_fn(1, n, |_, _| T::ONE));
    debug_assert!(filled.is_ok(), "data in memory can be filled");
}
