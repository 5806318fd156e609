//! Samples spread over parts that work together: the processes of a cluster, the threads of a test.
//!
//! Every part runs the same program on samples of its own. What does not belong to a sample (bases,
//! Gram matrices, errors) is the same on all parts, to the bit, because all of them compute it from
//! the same reduced sums. Data in one place are one part, which has nobody to ask.

use std::ops::Range;

use super::{Matrix, Scalar};
use crate::error::{Error, Result};

/// How the numbers of all parts become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// How one part reaches the others.
///
/// All parts call [`reduce`](Self::reduce) equally often, with equally many numbers and the same
/// reduction each time. The algorithms of this crate do.
pub trait Communicator: Sync {
    /// Return the number of this part, counted from 0. Its samples stand before those of all parts
    /// with larger numbers.
    fn rank(&self) -> usize;

    /// Return the number of parts.
    fn size(&self) -> usize;

    /// Replace each number by its sum, minimum or maximum over all parts. Every part gets the same
    /// bits, in every run with as many parts: sums are taken in a fixed order.
    ///
    /// # Errors
    /// If another part has failed or cannot be reached. It must not wait for a part that has called
    /// [`abort`](Self::abort).
    fn reduce(&self, reduction: Reduction, values: &mut [f64]) -> Result<()>;

    /// Tell the others that this part has failed, so that nobody waits for it. Their calls of
    /// [`reduce`](Self::reduce) that this part has not joined fail, pending ones and later ones; a call
    /// that all parts have joined still returns its answer.
    fn abort(&self, why: &Error);
}

/// Where the samples of this part stand among all, and how the parts reach each other.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    first: usize,
    samples: usize,
    total: usize,
    communicator: Option<&'a dyn Communicator>,
}

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "samples {:?} of {}", self.range(), self.total)
    }
}

impl<'a> Parts<'a> {
    /// All samples in one place.
    pub fn whole(samples: usize) -> Self {
        Self { first: 0, samples, total: samples, communicator: None }
    }

    /// One part of several, with so many samples of its own. All parts call this together.
    ///
    /// # Errors
    /// If another part cannot be reached.
    pub fn new(communicator: &'a dyn Communicator, samples: usize) -> Result<Self> {
        let whole = Self { communicator: Some(communicator), ..Self::whole(samples) };
        let counts = whole.of_each_part(samples as f64)?;
        let (first, total) = (whole_sum(&counts[..communicator.rank()]), whole_sum(&counts));
        Ok(Self { first, total, ..whole })
    }

    /// The same parts with fewer samples: so many of this part, the first of which has this place among all.
    pub(crate) fn of_fewer(self, first: usize, samples: usize, total: usize) -> Self {
        Self { first, samples, total, ..self }
    }

    /// Whether all samples are in one place.
    pub fn is_whole(&self) -> bool {
        self.communicator.is_none()
    }

    /// The number of this part, counted from 0.
    pub(crate) fn rank(&self) -> usize {
        self.communicator.map_or(0, Communicator::rank)
    }

    /// The number of samples of this part.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The number of samples of all parts.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The samples of this part among all, counted from 0.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.samples
    }

    /// Replaces each number by its sum over all parts.
    ///
    /// # Errors
    /// If another part has failed or cannot be reached.
    pub fn sum(&self, values: &mut [f64]) -> Result<()> {
        self.reduce(Reduction::Sum, values)
    }

    /// Replaces each number by the largest of all parts.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub fn max(&self, values: &mut [f64]) -> Result<()> {
        self.reduce(Reduction::Max, values)
    }

    /// Replaces each number by the smallest of all parts.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub fn min(&self, values: &mut [f64]) -> Result<()> {
        self.reduce(Reduction::Min, values)
    }

    /// The sum of one number over all parts.
    pub(crate) fn sum_of(&self, value: f64) -> Result<f64> {
        let mut values = [value];
        self.sum(&mut values)?;
        Ok(values[0])
    }

    /// Replaces a matrix by its sum over all parts, carried out in `f64`.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    pub fn sum_matrix<T: Scalar>(&self, matrix: &mut Matrix<T>) -> Result<()> {
        if self.is_whole() {
            return Ok(());
        }
        let mut wide: Vec<f64> = matrix.as_slice().iter().map(|v| v.to_f64()).collect();
        self.sum(&mut wide)?;
        matrix.as_mut_slice().iter_mut().zip(wide).for_each(|(m, w)| *m = T::from_f64(w));
        Ok(())
    }

    /// One number of each part, by rank.
    pub(crate) fn of_each_part(&self, value: f64) -> Result<Vec<f64>> {
        let size = self.communicator.map_or(1, Communicator::size);
        self.gather_places(&[value], self.rank(), size)
    }

    /// Lists of any length, those of all parts one after the other.
    pub(crate) fn gather_lists(&self, own: &[f64]) -> Result<Vec<f64>> {
        let lengths = self.of_each_part(own.len() as f64)?;
        let start = whole_sum(&lengths[..self.rank()]);
        self.gather_places(own, start, whole_sum(&lengths))
    }

    /// The columns of all parts, in the order of the samples; this part holds those of its own.
    /// Every part gets all of them, so this is for what is small, or needs them all.
    pub(crate) fn gather<T: Scalar>(&self, own: &Matrix<T>) -> Result<Matrix<T>> {
        debug_assert_eq!(own.cols(), self.samples);
        if self.is_whole() {
            return Ok(own.clone());
        }
        let (rows, wide) = (own.rows(), own.cast::<f64>());
        let all = self.gather_places(wide.as_slice(), self.first * rows, self.total * rows)?;
        Matrix::from_vec(rows, self.total, all.into_iter().map(T::from_f64).collect())
    }

    /// `length` numbers of which this part holds those from `start` on.
    fn gather_places(&self, own: &[f64], start: usize, length: usize) -> Result<Vec<f64>> {
        // Others hold zeros where this part holds numbers, so a sum changes none of them.
        let mut all = vec![0.0; length];
        all[start..start + own.len()].copy_from_slice(own);
        self.sum(&mut all)?;
        Ok(all)
    }

    /// The columns of this part out of those of all.
    pub(crate) fn own_columns<T: Scalar>(&self, all: Matrix<T>) -> Matrix<T> {
        if self.is_whole() { all } else { all.view_columns(self.range()).to_matrix() }
    }

    /// Tells the other parts of a failure of this one.
    pub(crate) fn abort(&self, why: &Error) {
        if let Some(communicator) = self.communicator {
            communicator.abort(why);
        }
    }

    fn reduce(&self, reduction: Reduction, values: &mut [f64]) -> Result<()> {
        match self.communicator {
            Some(communicator) => communicator.reduce(reduction, values),
            None => Ok(()),
        }
    }
}

/// The sum of whole numbers.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // lengths and counts
fn whole_sum(counts: &[f64]) -> usize {
    counts.iter().sum::<f64>() as usize
}
