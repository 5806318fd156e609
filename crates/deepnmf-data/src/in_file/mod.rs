//! Samples that stay in their file, and are read a block at a time whenever a fit goes through them.
//!
//! A file is read, not mapped: a mapped file that somebody else cuts short kills the process, and its pages count as
//! memory of the process. The next blocks are read while one is worked on (`ahead.rs`).

mod ahead;
mod source;

use std::fmt::{self, Debug};
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deepnmf::matrix::{MatrixView, Visit, VisitSparse};
use deepnmf::{DataMatrix, Matrix, Scalar, Sparse};

use self::ahead::read_ahead;
use self::source::Source;
pub(crate) use self::source::{Entries, Piece, Rows};
use crate::preprocess::{Step, divided, take_keeping_zeros};
use crate::{DataError, DatasetOf, Values};

/// Bytes that samples take unless somebody says otherwise.
const USUAL_MEMORY: usize = 128 << 20;

/// Bytes that blocks take at most, whatever memory allows: what is read, checked, scaled and multiplied one after the other
/// should still be in the cache.
const IN_CACHE: usize = 24 << 20;

/// Blocks that are in memory at once. How large they are must not depend on the number of threads: sums over blocks would.
const BUFFERS: usize = 3;

/// Samples in a file, after some steps of preprocessing that are taken with every block anew.
#[derive(Clone)]
pub struct InFile<T> {
    source: Source<T>,
    path: PathBuf,
    /// Which samples of the file these are, as ranges that follow one another.
    chosen: Vec<Range<usize>>,
    samples: usize,
    features: usize,
    changes: Vec<Change>,
    /// Bytes that blocks may take.
    memory: usize,
}

/// What is done with every block.
#[derive(Debug, Clone)]
enum Change {
    /// A step, and the samples that it leaves zero.
    Step(Step, Vec<usize>),
    /// Every feature divided by a number.
    Divided(Arc<[f64]>),
}

impl Change {
    /// The same for some of the samples; `place` says where a sample is among them, if it is.
    fn of_some(&self, place: impl Fn(usize) -> Option<usize>) -> Self {
        match self {
            Self::Step(step, zeros) => {
                let mut zeros: Vec<usize> = zeros.iter().filter_map(|zero| place(*zero)).collect();
                zeros.sort_unstable();
                Self::Step(step.clone(), zeros)
            }
            divided @ Self::Divided(_) => divided.clone(),
        }
    }
}

impl<T> Debug for InFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} in {}", self.features, self.samples, self.path.display())
    }
}

impl<T: Scalar> InFile<T> {
    pub(crate) fn dense(rows: impl Rows<T> + 'static) -> Self {
        Self::new(Source::Dense(Arc::new(rows)))
    }

    pub(crate) fn sparse(entries: impl Entries<T> + 'static) -> Self {
        Self::new(Source::Sparse(Arc::new(entries)))
    }

    fn new(source: Source<T>) -> Self {
        let (features, samples) = source.shape();
        Self {
            source,
            path: PathBuf::new(),
            chosen: std::iter::once(0..samples).collect(),
            samples,
            features,
            changes: vec![],
            memory: USUAL_MEMORY,
        }
    }

    /// The same under the name that messages call the file.
    pub(crate) fn named(self, path: &Path) -> Self {
        Self { path: path.to_path_buf(), ..self }
    }

    /// The same with blocks that take no more than so many bytes, or else with blocks of one sample.
    #[must_use]
    pub fn within(self, memory: usize) -> Self {
        Self { memory: memory.min(USUAL_MEMORY), ..self }
    }

    /// Whether the file holds entries without zeros.
    pub fn is_sparse(&self) -> bool {
        matches!(self.source, Source::Sparse(_))
    }

    /// The samples of this range, by their places among these.
    ///
    /// # Panics
    /// If there are no such samples.
    #[must_use]
    pub fn range(&self, samples: Range<usize>) -> Self {
        assert!(
            samples.start <= samples.end && samples.end <= self.samples,
            "there are such samples"
        );
        let place =
            |sample: usize| sample.checked_sub(samples.start).filter(|at| *at < samples.len());
        let changes = self.changes.iter().map(|change| change.of_some(place)).collect();
        Self { chosen: self.runs(&samples), samples: samples.len(), changes, ..self.clone() }
    }

    /// The samples of these indices, in this order; all of them are there.
    pub(crate) fn chosen(&self, samples: &[usize]) -> Self {
        let mut chosen: Vec<Range<usize>> = vec![];
        for &sample in samples {
            for run in self.runs(&(sample..sample + 1)) {
                match chosen.last_mut() {
                    Some(last) if last.end == run.start => last.end = run.end,
                    _ => chosen.push(run),
                }
            }
        }
        let changes = self.changes.iter().map(|change| {
            let Change::Step(step, zeros) = change else { return change.clone() };
            let places = samples.iter().enumerate();
            let zeros = places.filter(|(_, sample)| zeros.binary_search(sample).is_ok());
            Change::Step(step.clone(), zeros.map(|(place, _)| place).collect())
        });
        Self { chosen, samples: samples.len(), changes: changes.collect(), ..self.clone() }
    }

    /// Bytes that are in memory at most.
    pub fn bytes_of_blocks(&self) -> u64 {
        let of_block = |block: &Range<usize>| {
            let runs = self.runs(block);
            runs.iter().map(|run| self.source.bytes_of_block(run, self.features)).sum::<u64>()
        };
        self.blocks_of_samples().iter().map(of_block).max().unwrap_or(0)
            + self.source.bytes_of_places()
    }

    /// Bytes of all samples, if they were in memory.
    pub fn bytes_of_all(&self) -> u64 {
        if let Some(held) = self.entries_held() {
            return self.source.bytes_of_entries(held as u64, self.samples);
        }
        let numbers = (self.features as u64).saturating_mul(self.samples as u64);
        numbers.saturating_mul(size_of::<T>() as u64)
    }

    /// Which samples are read together: as many as memory allows, one at least.
    fn blocks_of_samples(&self) -> Vec<Range<usize>> {
        let most = self.memory.min(IN_CACHE) as u64;
        let (mut blocks, mut open, mut taken) = (vec![], 0..0, 0);
        for sample in self.chosen.iter().cloned().flatten() {
            let bytes = self.source.bytes_of_block(&(sample..sample + 1), self.features);
            if !open.is_empty() && taken + bytes > most {
                (open, taken) = (open.end..open.end, {
                    blocks.push(open.clone());
                    0
                });
            }
            (open.end, taken) = (open.end + 1, taken + bytes);
        }
        blocks.push(open);
        blocks
    }

    /// The step taken with these samples: every block will be when it is read.
    pub(crate) fn take(&self, step: &Step, zeros: &[usize]) -> Result<Self, DataError> {
        let mut taken = self.clone();
        taken.changes.push(Change::Step(step.clone(), zeros.to_vec()));
        // Some steps change the number of features, and all say on the first sample whether they fit.
        let first = taken.read_block(&(0..1), Values::Dense(Matrix::zeros(0, 0)))?;
        taken.features = first.shape().0;
        Ok(taken)
    }

    /// Every feature divided by a number of its own.
    pub(crate) fn divided(&self, by: &[f64]) -> Self {
        let mut divided = self.clone();
        divided.changes.push(Change::Divided(by.into()));
        divided
    }

    /// The ranges of the file that these samples are.
    fn runs(&self, samples: &Range<usize>) -> Vec<Range<usize>> {
        let (mut first, mut runs) = (0, vec![]);
        for part in &self.chosen {
            let (start, end) = (samples.start.max(first), samples.end.min(first + part.len()));
            if start < end {
                runs.push(part.start + start - first..part.start + end - first);
            }
            first += part.len();
        }
        runs
    }

    /// These samples after all changes, in memory that is used again where it fits.
    fn read_block(
        &self,
        samples: &Range<usize>,
        memory: Values<T>,
    ) -> Result<Values<T>, DataError> {
        let read = self.source.read(&self.runs(samples), memory);
        let mut data = DatasetOf::new(read.map_err(|fault| fault.in_file(&self.path))?);
        for change in &self.changes {
            match change {
                Change::Step(step, zeros) => {
                    let first = zeros.partition_point(|zero| *zero < samples.start);
                    let last = zeros.partition_point(|zero| *zero < samples.end);
                    let zeros: Vec<usize> =
                        zeros[first..last].iter().map(|at| at - samples.start).collect();
                    take_keeping_zeros(&mut data, step, &zeros)?;
                }
                Change::Divided(by) => data.x = divided(&data.x, by),
            }
        }
        Ok(data.x)
    }

    /// Shows all blocks in order; the next ones are read meanwhile.
    fn visit(
        &self,
        see: &mut dyn FnMut(usize, &Values<T>) -> ControlFlow<()>,
    ) -> deepnmf::Result<()> {
        let blocks = self.blocks_of_samples();
        let nothing = || Values::Dense(Matrix::zeros(0, 0));
        let read = |block: usize, buffer: &mut Values<T>| {
            let memory = std::mem::replace(buffer, nothing());
            *buffer = self.read_block(&blocks[block], memory)?;
            Ok(())
        };
        // A disk may be faster than what a single thread checks and scales.
        let (buffers, readers) = (vec![nothing(); BUFFERS], rayon::current_num_threads());
        read_ahead(buffers, readers.min(BUFFERS - 1), blocks.len(), read, |block, buffer| {
            see(blocks[block].start, buffer)
        })
        .map_err(|error| self.unreadable(error))
    }

    /// Gives every block to `work` until it fails.
    fn work(
        &self,
        work: &mut dyn FnMut(usize, &Values<T>) -> deepnmf::Result<()>,
    ) -> deepnmf::Result<()> {
        let mut done = Ok(());
        self.visit(&mut |start, block| {
            done = work(start, block);
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        done
    }

    /// `Z^T X`, block by block.
    fn columns_of_products<A: Scalar>(
        &self,
        z: &Matrix<A>,
        out: &mut Matrix<A>,
        multiply: impl Fn(&Values<T>, &Matrix<A>, &mut Matrix<A>) -> deepnmf::Result<()>,
    ) -> deepnmf::Result<()> {
        let k = z.cols();
        let mut products = Matrix::zeros(0, 0);
        self.work(&mut |start, block| {
            let samples = block.shape().1;
            if products.cols() != samples {
                products = Matrix::zeros(k, samples);
            }
            multiply(block, z, &mut products)?;
            out.as_mut_slice()[start * k..(start + samples) * k]
                .copy_from_slice(products.as_slice());
            Ok(())
        })
    }

    /// `X H^T`, block by block.
    fn sum_of_products<A: Scalar>(
        &self,
        h: &Matrix<A>,
        out: &mut Matrix<A>,
        multiply: impl Fn(&Values<T>, &Matrix<A>, &mut Matrix<A>) -> deepnmf::Result<()>,
    ) -> deepnmf::Result<()> {
        let mut products = Matrix::zeros(out.rows(), out.cols());
        out.as_mut_slice().fill(A::ZERO);
        self.work(&mut |start, block| {
            let h = h.view_columns(start..start + block.shape().1).to_matrix();
            multiply(block, &h, &mut products)?;
            let sums = out.as_mut_slice().iter_mut().zip(products.as_slice());
            sums.for_each(|(sum, product)| *sum += *product);
            Ok(())
        })
    }

    /// What a fit is told of data that cannot be read.
    fn unreadable(&self, error: DataError) -> deepnmf::Error {
        let source = match error {
            DataError::Io { source, .. } => source,
            DataError::File { fault, .. } => io::Error::other(fault.to_string()),
            error => io::Error::other(error.to_string()),
        };
        deepnmf::Error::Io { action: "read", path: self.path.clone(), source }
    }
}

impl<T: Scalar> DataMatrix<T> for InFile<T> {
    fn shape(&self) -> (usize, usize) {
        (self.features, self.samples)
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        self.columns_of_products(z, out, Values::tr_mul)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        self.sum_of_products(h, out, Values::mul_tr)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> deepnmf::Result<()> {
        self.columns_of_products(z, out, Values::wide_tr_mul)
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> deepnmf::Result<()> {
        self.sum_of_products(h, out, Values::wide_mul_tr)
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> deepnmf::Result<()> {
        let mut done = Ok(());
        self.visit(&mut |start, block| {
            let mut flow = ControlFlow::Continue(());
            let mut see = |first: usize, block: MatrixView<'_, T>| {
                flow = visit(start + first, block);
                flow
            };
            match block {
                Values::Dense(block) => flow = see(0, block.view()),
                sparse => done = sparse.blocks(&mut see),
            }
            if done.is_ok() { flow } else { ControlFlow::Break(()) }
        })?;
        done
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> deepnmf::Result<bool> {
        if !self.is_sparse() {
            return Ok(false);
        }
        self.work(&mut |start, block| match block {
            Values::Sparse(block) => visit(start, block),
            other => visit(start, &Sparse::from_dense(&other.own_dense()?)),
        })?;
        Ok(true)
    }

    fn entries_held(&self) -> Option<usize> {
        let held: Option<Vec<u64>> =
            self.chosen.iter().map(|run| self.source.entries(run)).collect();
        held.and_then(|held| usize::try_from(held.iter().sum::<u64>()).ok())
    }

    /// Whether blocks take as much.
    fn may_densify(&self) -> bool {
        let all = (self.features as u64).saturating_mul(self.samples as u64);
        all.saturating_mul(size_of::<f64>() as u64) <= self.memory as u64
    }
}

#[cfg(test)]
mod tests;
