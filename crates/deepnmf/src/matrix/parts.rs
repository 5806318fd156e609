//! Samples spread over parts that work together: the processes of a cluster, the threads of a test.
//!
//! Every part runs the same program on samples of its own. What does not belong to a sample (bases,
//! Gram matrices, errors) is the same on all parts, to the bit, because all of them compute it from
//! the same reduced sums. Data in one place are one part, which has nobody to ask.

use std::ops::Range;

use super::{Matrix, Scalar};
use crate::error::{Error, Result};
use crate::graph::Labels;

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

    /// Whether this is the first part, which speaks and writes for all.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
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

    /// The labels of all samples; this part holds those of its own.
    pub(crate) fn gather_labels(&self, own: &Labels) -> Result<Vec<Option<u32>>> {
        if self.is_whole() {
            return Ok(own.to_vec());
        }
        // A class is a number of 32 bits, so -1 is none.
        let own: Vec<f64> = own.iter().map(|label| label.map_or(-1.0, f64::from)).collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // classes, exactly
        let label = |code: f64| (code >= 0.0).then_some(code as u32);
        Ok(self.gather_lists(&own)?.into_iter().map(label).collect())
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

    /// Shows the columns of all parts, some after the other in the order of the samples; this part holds those of
    /// its own. No part holds more than a block of the others' columns at a time.
    pub(crate) fn each_block<T: Scalar>(
        &self,
        own: &Matrix<T>,
        see: &mut dyn FnMut(&[T]),
    ) -> Result<()> {
        debug_assert_eq!(own.cols(), self.samples);
        if self.is_whole() {
            see(own.as_slice());
            return Ok(());
        }
        let rows = own.rows();
        for block in blocks_of(rows, self.total) {
            let (held, place) = self.overlap(&block);
            let own = &own.as_slice()[held.start * rows..held.end * rows];
            let own: Vec<f64> = own.iter().map(|v| v.to_f64()).collect();
            let all = self.gather_places(&own, place * rows, block.len() * rows)?;
            see(&all.into_iter().map(T::from_f64).collect::<Vec<_>>());
        }
        Ok(())
    }

    /// The columns of all parts on the first one, no columns on the others.
    pub(crate) fn gather_on_first<T: Scalar>(&self, own: &Matrix<T>) -> Result<Matrix<T>> {
        let columns = if self.is_first() { self.total } else { 0 };
        let mut all = Vec::with_capacity(own.rows() * columns);
        self.each_block(own, &mut |block| {
            if self.is_first() {
                all.extend_from_slice(block);
            }
        })?;
        Matrix::from_vec(own.rows(), columns, all)
    }

    /// The columns of this part out of those of all, `rows x` [`total`](Self::total), which the first part holds.
    pub(crate) fn scatter<T: Scalar>(&self, all: Vec<T>, rows: usize) -> Result<Matrix<T>> {
        if self.is_whole() {
            return Matrix::from_vec(rows, self.total, all);
        }
        let mut own = Vec::with_capacity(rows * self.samples);
        for block in blocks_of(rows, self.total) {
            let mut numbers = vec![0.0; block.len() * rows];
            if self.is_first() {
                let held = &all[block.start * rows..block.end * rows];
                numbers.iter_mut().zip(held).for_each(|(number, v)| *number = v.to_f64());
            }
            self.share(&mut numbers)?;
            let (held, place) = self.overlap(&block);
            let held = &numbers[place * rows..(place + held.len()) * rows];
            own.extend(held.iter().map(|v| T::from_f64(*v)));
        }
        Matrix::from_vec(rows, self.samples, own)
    }

    /// Which samples of this part a block of all samples holds, and where in the block they begin.
    fn overlap(&self, block: &Range<usize>) -> (Range<usize>, usize) {
        let own = self.range();
        let (start, end) = (block.start.max(own.start), block.end.min(own.end));
        if start >= end {
            return (0..0, 0);
        }
        (start - own.start..end - own.start, start - block.start)
    }

    /// Gives all parts the numbers of the first one.
    pub(crate) fn share(&self, values: &mut [f64]) -> Result<()> {
        if !self.is_first() {
            values.fill(NOTHING);
        }
        self.sum(values)
    }

    /// Gives all parts the bytes of the first one.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bytes and their number
    pub(crate) fn share_bytes(&self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        if self.is_whole() {
            return Ok(bytes);
        }
        let mut length = [bytes.len() as f64];
        self.share(&mut length)?;
        let mut all: Vec<f64> = bytes.into_iter().map(f64::from).collect();
        all.resize(length[0] as usize, 0.0);
        self.share(&mut all)?;
        Ok(all.into_iter().map(|byte| byte as u8).collect())
    }

    /// What the first part alone does. The others learn whether it failed, and wait for it.
    pub(crate) fn first_does<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<Option<R>> {
        let done = self.is_first().then(work).transpose();
        let mut failed = [f64::from(u8::from(done.is_err()))];
        self.share(&mut failed)?;
        match done {
            Ok(None) if failed[0] > 0.0 => {
                Err(Error::Numerical("the first part has failed".into()))
            }
            other => other,
        }
    }

    /// Whether the first part answers yes.
    pub(crate) fn first_says(&self, answer: bool) -> Result<bool> {
        let mut said = [f64::from(u8::from(answer))];
        self.share(&mut said)?;
        Ok(said[0] > 0.0)
    }

    /// `length` numbers of which this part holds those from `start` on.
    fn gather_places(&self, own: &[f64], start: usize, length: usize) -> Result<Vec<f64>> {
        let mut all = vec![NOTHING; length];
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

/// So many numbers of other parts are held at a time where all of them would take too much memory.
const BLOCK: usize = 1 << 20;

/// What a part adds where another one holds a number. Plus zero would take the sign off a zero.
const NOTHING: f64 = -0.0;

/// Blocks of columns with so many rows.
fn blocks_of(rows: usize, columns: usize) -> impl Iterator<Item = Range<usize>> {
    let most = (BLOCK / rows.max(1)).max(1);
    (0..columns).step_by(most).map(move |start| start..columns.min(start + most))
}

/// The sum of whole numbers.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // lengths and counts
fn whole_sum(counts: &[f64]) -> usize {
    counts.iter().sum::<f64>() as usize
}
