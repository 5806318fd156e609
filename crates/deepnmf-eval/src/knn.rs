//! The nearest neighbour as a classifier: trivial, and often hard to beat.
//!
//! Distances come block by block from matrix products. Those that rounding leaves undecided are
//! computed again without cancellation, so the neighbour is truly the nearest.
//!
//! The core has a search of its own for graphs: of several neighbours of each sample among the others of
//! the same set. Here one neighbour is wanted, of new samples among known ones, and nothing but the least
//! distance has to be kept.

use deepnmf::matrix::{check_data, product};
use deepnmf::{Matrix, Scalar};

use crate::error::{EvalError, Result, check_lengths, counted};
use crate::instances::Instances;
use crate::numbers::{distance_sq, rounding_share, squared_lengths};

/// Samples to be classified at a time.
const BLOCK: usize = 256;

/// Remembers its samples, and gives a new one the class of the nearest.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf_eval::NearestNeighbour;
/// let known = Matrix::from_vec(1, 2, vec![0.0, 10.0])?;
/// let judge = NearestNeighbour::fit(&known, &[4, 2])?;
/// assert_eq!(judge.predict(&Matrix::from_vec(1, 2, vec![9.0, 1.0])?)?, [2, 4]);
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
#[derive(Debug, Clone)]
pub struct NearestNeighbour<T> {
    x: Matrix<T>,
    lengths: Vec<f64>,
    labels: Vec<usize>,
}

impl<T: Scalar> NearestNeighbour<T> {
    /// Remembers the samples (columns) of `x` and their labels.
    ///
    /// # Errors
    /// If there is not one label per sample, or if a feature is not finite or its square overflows.
    pub fn fit(x: &Matrix<T>, labels: &[usize]) -> Result<Self> {
        check_data(x)?;
        check_lengths(counted("the list of labels", labels.len()), counted("the data", x.cols()))?;
        let lengths = checked_lengths(x)?;
        Ok(Self { x: x.clone(), lengths, labels: labels.to_vec() })
    }

    /// For each sample the place of its nearest neighbour, the first of them if several.
    ///
    /// # Errors
    /// If the samples have other features than those remembered, or a feature is not finite or
    /// its square overflows.
    pub fn neighbours(&self, x: &Matrix<T>) -> Result<Vec<usize>>
    where
        T: Instances,
    {
        T::neighbours(self, x)
    }

    pub(crate) fn neighbours_here(&self, x: &Matrix<T>) -> Result<Vec<usize>> {
        check_data(x)?;
        check_lengths(
            counted("a sample", x.rows()),
            counted("a sample learned from", self.x.rows()),
        )?;
        let lengths = checked_lengths(x)?;
        let mut found = Vec::with_capacity(x.cols());
        for start in (0..x.cols()).step_by(BLOCK) {
            let end = (start + BLOCK).min(x.cols());
            let along = product(self.x.t(), x.view_columns(start..end));
            let nearest = |j: usize| self.nearest(along.col(j - start), x.col(j), lengths[j]);
            found.extend((start..end).map(nearest));
        }
        Ok(found)
    }

    /// The class of each sample.
    ///
    /// # Errors
    /// As [`neighbours`](Self::neighbours).
    pub fn predict(&self, x: &Matrix<T>) -> Result<Vec<usize>>
    where
        T: Instances,
    {
        Ok(self.neighbours(x)?.into_iter().map(|j| self.labels[j]).collect())
    }

    fn nearest(&self, along: &[T], sample: &[T], length: f64) -> usize {
        let distance = |j: usize| self.lengths[j] - 2.0 * along[j].to_f64();
        let least = |best: usize, j: usize| if distance(j) < distance(best) { j } else { best };
        let first = (1..along.len()).fold(0, least);
        // Both distances may be off by their shares.
        let room = |j: usize| rounding_share::<T>(self.x.rows()) * (length + self.lengths[j]);
        let limit = distance(first) + room(first);
        let undecided = (0..along.len()).filter(|&j| distance(j) - room(j) <= limit);
        let mut best = (0, f64::INFINITY);
        for j in undecided {
            let distance = distance_sq(sample, self.x.col(j));
            if distance < best.1 {
                best = (j, distance);
            }
        }
        best.0
    }
}

/// Squared lengths, of which sums of four fit into the number type.
fn checked_lengths<T: Scalar>(x: &Matrix<T>) -> Result<Vec<f64>> {
    let lengths = squared_lengths(x);
    if lengths.iter().all(|l| T::from_f64(8.0 * l).finite()) {
        return Ok(lengths);
    }
    Err(EvalError::Overflow { dtype: T::DTYPE })
}

#[cfg(test)]
mod tests;
