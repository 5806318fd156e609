//! Where the numbers of samples in a file come from.

use std::ops::Range;
use std::sync::Arc;

use deepnmf::matrix::{Stored, Whole};
use deepnmf::{Matrix, Scalar, Sparse};

use super::BUFFERS;
use crate::load::number::not_finite;
use crate::{Fault, Values};

/// A table in a file, of which any samples can be read.
pub(crate) trait Rows<T>: Send + Sync {
    /// Features and samples.
    fn shape(&self) -> (usize, usize);

    /// Fills `out` with the numbers of these samples, one sample after another.
    ///
    /// # Errors
    /// If they cannot be read, or one of them is not finite.
    fn read(&self, samples: Range<usize>, out: &mut [T]) -> Result<(), Fault>;
}

/// A sparse table in a file, by sample, of which any entries can be read.
pub(crate) trait Entries<T>: Send + Sync {
    /// The number of features.
    fn features(&self) -> usize;

    /// Where the entries of each sample begin, and where the last ones end: rising numbers, the first is 0.
    fn starts(&self) -> &[u64];

    /// These entries.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read(&self, entries: Range<u64>) -> Result<Piece<T>, Fault>;
}

/// Some entries of a sparse table.
pub(crate) struct Piece<T> {
    /// Their values.
    pub(crate) values: Vec<T>,
    /// Their features.
    pub(crate) places: Whole<'static>,
    /// The place and value of one that is not finite as a `T`.
    pub(crate) bad: Option<(usize, f64)>,
}

/// A table in a file.
#[derive(Clone)]
pub(super) enum Source<T> {
    Dense(Arc<dyn Rows<T>>),
    Sparse(Arc<dyn Entries<T>>),
}

/// How often a block of sparse samples is in memory at the worst moment: the next ones are read, and changed into others,
/// while one is worked on.
const SPARSE_COPIES: u64 = 2 * BUFFERS as u64 - 1;

impl<T: Scalar> Source<T> {
    /// Features and samples.
    pub(super) fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(rows) => rows.shape(),
            Self::Sparse(entries) => (entries.features(), entries.starts().len() - 1),
        }
    }

    /// Entries of these samples, if the table is sparse.
    pub(super) fn entries(&self, samples: &Range<usize>) -> Option<u64> {
        let Self::Sparse(entries) = self else { return None };
        Some(entries.starts()[samples.end] - entries.starts()[samples.start])
    }

    /// Bytes that must be in memory whatever is read.
    pub(super) fn bytes_of_places(&self) -> u64 {
        match self {
            Self::Dense(_) => 0,
            Self::Sparse(entries) => size_of_val(entries.starts()) as u64,
        }
    }

    /// Bytes that these samples take when they are a block; `features` after all changes.
    pub(super) fn bytes_of_block(&self, samples: &Range<usize>, features: usize) -> u64 {
        match self.entries(samples) {
            // Decompositions see one of the blocks in `f64`.
            None => {
                let numbers = samples.len() as u64 * features.max(self.shape().0) as u64;
                numbers * (BUFFERS * size_of::<T>() + size_of::<f64>()) as u64
            }
            Some(entries) => SPARSE_COPIES * self.bytes_of_entries(entries, samples.len()),
        }
    }

    /// Bytes that so many entries of so many samples take in memory.
    pub(super) fn bytes_of_entries(&self, entries: u64, samples: usize) -> u64 {
        let place = if u32::try_from(self.shape().0).is_ok() { 4 } else { 8 };
        entries * (size_of::<T>() as u64 + place) + 8 * samples as u64
    }

    /// The samples of these ranges, one after another, in memory that is used again where it fits.
    pub(super) fn read(
        &self,
        ranges: &[Range<usize>],
        memory: Values<T>,
    ) -> Result<Values<T>, Fault> {
        match self {
            Self::Dense(rows) => read_rows(rows.as_ref(), ranges, memory).map(Values::Dense),
            Self::Sparse(entries) => read_entries(entries.as_ref(), ranges).map(Values::Sparse),
        }
    }
}

fn read_rows<T: Scalar>(
    rows: &dyn Rows<T>,
    ranges: &[Range<usize>],
    memory: Values<T>,
) -> Result<Matrix<T>, Fault> {
    let p = rows.shape().0;
    let samples = ranges.iter().map(ExactSizeIterator::len).sum();
    let mut block = match memory {
        Values::Dense(block) if block.shape() == (p, samples) => block,
        _ => Matrix::zeros(p, samples),
    };
    let mut place = 0;
    for range in ranges {
        let numbers = p * range.len();
        rows.read(range.clone(), &mut block.as_mut_slice()[place..place + numbers])?;
        place += numbers;
    }
    Ok(block)
}

fn read_entries<T: Scalar>(
    entries: &dyn Entries<T>,
    ranges: &[Range<usize>],
) -> Result<Sparse<'static, T>, Fault> {
    let mut blocks = vec![];
    for range in ranges {
        let starts = &entries.starts()[range.start..=range.end];
        let (first, end) = (starts[0], starts[range.len()]);
        let Piece { values, places, bad } = entries.read(first..end)?;
        if let Some((at, value)) = bad {
            let sample = range.start + starts.partition_point(|start| *start <= first + at as u64);
            return Err(not_finite::<T>(sample, places.get(at).saturating_add(1), None, value));
        }
        let relative: Vec<u64> = starts.iter().map(|start| start - first).collect();
        let shape = (entries.features(), range.len());
        let made =
            Sparse::canonical(shape, Stored::BySample, values, places, Whole::from(relative));
        let (block, _) = made.map_err(|error| {
            Fault::damaged(format!("counted from sample {} on, {error}", range.start + 1))
        })?;
        blocks.push(block);
    }
    if blocks.len() == 1 {
        return Ok(blocks.remove(0));
    }
    Sparse::beside(&blocks.iter().collect::<Vec<_>>())
        .map_err(|error| Fault::damaged(error.to_string()))
}
