//! Samples that stay in their file, and are read a block at a time whenever a fit goes through them.
//!
//! A file is read, not mapped: a mapped file that somebody else cuts short kills the process, and its pages count as
//! memory of the process. The next block is read while the one before is worked on (`ahead.rs`).

mod ahead;

use std::fmt::{self, Debug};
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deepnmf::matrix::{MatrixView, Visit};
use deepnmf::{DataMatrix, Matrix, Scalar};

use self::ahead::read_ahead;
use crate::preprocess::{Step, take_keeping_zeros};
use crate::{DataError, Dataset, Fault};

/// Bytes that blocks take unless somebody says otherwise: larger ones are not read faster.
const USUAL_MEMORY: usize = 128 << 20;

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

/// Samples in a file, after some steps of preprocessing that are taken with every block anew.
#[derive(Clone)]
pub struct InFile<T> {
    rows: Arc<dyn Rows<T>>,
    path: PathBuf,
    /// Which samples of the file these are, as ranges that follow one another.
    chosen: Vec<Range<usize>>,
    samples: usize,
    features: usize,
    steps: Vec<Taken>,
    /// Bytes that blocks may take.
    memory: usize,
}

/// A step, and the samples that it leaves zero.
#[derive(Debug, Clone)]
struct Taken {
    step: Step,
    zeros: Vec<usize>,
}

impl<T> Debug for InFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} in {}", self.features, self.samples, self.path.display())
    }
}

impl<T: Scalar> InFile<T> {
    pub(crate) fn new(rows: impl Rows<T> + 'static) -> Self {
        let (features, samples) = rows.shape();
        Self {
            rows: Arc::new(rows),
            path: PathBuf::new(),
            chosen: std::iter::once(0..samples).collect(),
            samples,
            features,
            steps: vec![],
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
        let mut chosen = vec![];
        self.runs(&samples, |run| chosen.push(run));
        let place = |zero: &usize| zero.checked_sub(samples.start).filter(|at| *at < samples.len());
        let taken = |Taken { step, zeros }: &Taken| Taken {
            step: step.clone(),
            zeros: zeros.iter().filter_map(place).collect(),
        };
        let steps = self.steps.iter().map(taken).collect();
        Self { chosen, samples: samples.len(), steps, ..self.clone() }
    }

    /// The samples of these indices, in this order; all of them are there.
    pub(crate) fn chosen(&self, samples: &[usize]) -> Self {
        let mut chosen: Vec<Range<usize>> = vec![];
        for &sample in samples {
            self.runs(&(sample..sample + 1), |run| match chosen.last_mut() {
                Some(last) if last.end == run.start => last.end = run.end,
                _ => chosen.push(run),
            });
        }
        let steps = self.steps.iter().map(|Taken { step, zeros }| {
            let places = samples.iter().enumerate();
            let zeros = places.filter(|(_, sample)| zeros.binary_search(sample).is_ok());
            Taken { step: step.clone(), zeros: zeros.map(|(place, _)| place).collect() }
        });
        Self { chosen, samples: samples.len(), steps: steps.collect(), ..self.clone() }
    }

    /// Bytes that blocks take at most.
    pub fn bytes_of_blocks(&self) -> u64 {
        (self.samples_of_a_block() * self.bytes_of_a_sample()) as u64
    }

    /// Two blocks are held at a time, and decompositions see one of them in `f64`.
    fn bytes_of_a_sample(&self) -> usize {
        self.features.max(self.rows.shape().0) * (2 * size_of::<T>() + size_of::<f64>())
    }

    fn samples_of_a_block(&self) -> usize {
        (self.memory / self.bytes_of_a_sample().max(1)).clamp(1, self.samples.max(1))
    }

    /// The step taken with these samples: every block will be when it is read.
    pub(crate) fn take(&self, step: &Step, zeros: &[usize]) -> Result<Self, DataError> {
        let mut taken = self.clone();
        taken.steps.push(Taken { step: step.clone(), zeros: zeros.to_vec() });
        // Some steps change the number of features, and all say on the first sample whether they fit.
        let mut first = Matrix::zeros(0, 0);
        taken.read_block(&(0..1), &mut first)?;
        taken.features = first.rows();
        Ok(taken)
    }

    /// Gives `run` the ranges of the file that these samples are.
    fn runs(&self, samples: &Range<usize>, mut run: impl FnMut(Range<usize>)) {
        let mut first = 0;
        for part in &self.chosen {
            let (start, end) = (samples.start.max(first), samples.end.min(first + part.len()));
            if start < end {
                run(part.start + start - first..part.start + end - first);
            }
            first += part.len();
        }
    }

    /// These samples after all steps, into memory that is used again where it has the right size.
    fn read_block(&self, samples: &Range<usize>, block: &mut Matrix<T>) -> Result<(), DataError> {
        let p = self.rows.shape().0;
        if block.shape() != (p, samples.len()) {
            *block = Matrix::zeros(p, samples.len());
        }
        let (mut done, mut place) = (Ok(()), 0);
        self.runs(samples, |run| {
            let numbers = p * run.len();
            if done.is_ok() {
                done = self.rows.read(run, &mut block.as_mut_slice()[place..place + numbers]);
            }
            place += numbers;
        });
        done.map_err(|fault| fault.in_file(&self.path))?;
        if self.steps.is_empty() {
            return Ok(());
        }
        let mut data = Dataset::new(std::mem::replace(block, Matrix::zeros(0, 0)));
        for Taken { step, zeros } in &self.steps {
            let first = zeros.partition_point(|zero| *zero < samples.start);
            let last = zeros.partition_point(|zero| *zero < samples.end);
            let zeros: Vec<usize> =
                zeros[first..last].iter().map(|at| at - samples.start).collect();
            take_keeping_zeros(&mut data, step, &zeros)?;
        }
        *block = data.x;
        Ok(())
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
        let k = z.cols();
        let mut products = Matrix::zeros(0, 0);
        visited(self, &mut |start, block| {
            if products.cols() != block.cols() {
                products = Matrix::zeros(k, block.cols());
            }
            block.tr_mul(z, &mut products)?;
            out.as_mut_slice()[start * k..(start + block.cols()) * k]
                .copy_from_slice(products.as_slice());
            Ok(())
        })
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        let mut products = Matrix::zeros(out.rows(), out.cols());
        out.as_mut_slice().fill(T::ZERO);
        visited(self, &mut |start, block| {
            let h = h.view_columns(start..start + block.cols()).to_matrix();
            block.mul_tr(&h, &mut products)?;
            let sums = out.as_mut_slice().iter_mut().zip(products.as_slice());
            sums.for_each(|(sum, product)| *sum += *product);
            Ok(())
        })
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> deepnmf::Result<()> {
        let size = self.samples_of_a_block();
        let samples = |block: usize| block * size..((block + 1) * size).min(self.samples);
        let buffers = [Matrix::zeros(0, 0), Matrix::zeros(0, 0)];
        let read = |block, buffer: &mut Matrix<T>| self.read_block(&samples(block), buffer);
        let count = self.samples.div_ceil(size);
        let done = read_ahead(buffers, count, read, |block, buffer| {
            visit(samples(block).start, buffer.view())
        });
        done.map_err(|error| self.unreadable(error))
    }

    /// Whether blocks take as much.
    fn may_densify(&self) -> bool {
        let all = (self.features as u64).saturating_mul(self.samples as u64);
        all.saturating_mul(size_of::<f64>() as u64) <= self.memory as u64
    }
}

/// Gives every block to `work` until it fails.
fn visited<T: Scalar>(
    x: &InFile<T>,
    work: &mut dyn FnMut(usize, MatrixView<'_, T>) -> deepnmf::Result<()>,
) -> deepnmf::Result<()> {
    let mut done = Ok(());
    x.blocks(&mut |start, block| {
        done = work(start, block);
        if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    done
}

#[cfg(test)]
mod tests;
