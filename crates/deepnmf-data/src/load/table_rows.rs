//! Any samples of a table whose bare numbers stand in a file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use deepnmf::Scalar;

use super::number::{Encoding, Order, Table, fill, not_finite};
use super::number_list::shorter;
use crate::error::Fault;
use crate::in_file::Rows;

/// Features that are read before they are put into their places: a line of the cache has as many numbers.
const TOGETHER: usize = 16;

/// A file from some place on. Its own place of reading stays where it is.
struct At<'a> {
    file: &'a File,
    at: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let count = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.at)?;
        #[cfg(windows)]
        let count = std::os::windows::fs::FileExt::seek_read(self.file, buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// A table from some place of a file on.
pub(super) struct TableRows {
    file: File,
    /// Held while somebody reads: a system reads ahead of one who goes through a file from front to back, not of two.
    turn: Mutex<()>,
    start: u64,
    table: Table,
    encoding: Encoding,
}

impl TableRows {
    /// # Errors
    /// If the table is empty, or too large for any computer.
    pub(super) fn new(
        file: File,
        start: u64,
        table: Table,
        encoding: Encoding,
    ) -> Result<Self, Fault> {
        table.check()?;
        Ok(Self { file, turn: Mutex::new(()), start, table, encoding })
    }

    /// Reads numbers from this one on, in the order of the file; returns the place and value of one that is not finite.
    fn numbers<T: Scalar>(
        &self,
        from: usize,
        out: &mut [T],
    ) -> Result<Option<(usize, f64)>, Fault> {
        let size = self.encoding.kind.size();
        let from = At { file: &self.file, at: self.start + (from * size) as u64 };
        fill(&mut from.take((out.len() * size) as u64), self.encoding, out).map_err(shorter)
    }

    fn read_rows<T: Scalar>(&self, samples: Range<usize>, out: &mut [T]) -> Result<(), Fault> {
        let p = self.table.features;
        match self.numbers(samples.start * p, out)? {
            None => Ok(()),
            Some((at, value)) => {
                Err(not_finite::<T>(samples.start + at / p + 1, at % p + 1, None, value))
            }
        }
    }

    fn read_columns<T: Scalar>(&self, samples: Range<usize>, out: &mut [T]) -> Result<(), Fault> {
        let (p, n, count) = (self.table.features, self.table.samples, samples.len());
        let mut lines = vec![T::ZERO; TOGETHER.min(p) * count];
        for first in (0..p).step_by(TOGETHER) {
            let features = first..(first + TOGETHER).min(p);
            for (feature, line) in features.clone().zip(lines.chunks_exact_mut(count)) {
                let bad = self.numbers(feature * n + samples.start, line)?;
                if let Some((at, value)) = bad {
                    return Err(not_finite::<T>(samples.start + at + 1, feature + 1, None, value));
                }
            }
            for (j, sample) in out.chunks_exact_mut(p).enumerate() {
                for (i, v) in sample[features.clone()].iter_mut().enumerate() {
                    *v = lines[i * count + j];
                }
            }
        }
        Ok(())
    }
}

impl<T: Scalar> Rows<T> for TableRows {
    fn shape(&self) -> (usize, usize) {
        (self.table.features, self.table.samples)
    }

    fn read(&self, samples: Range<usize>, out: &mut [T]) -> Result<(), Fault> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match self.table.order {
            Order::Rows => self.read_rows(samples, out),
            Order::Columns => self.read_columns(samples, out),
        }
    }
}
