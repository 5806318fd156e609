//! Samples as they are held: dense, sparse, sparse about an offset, or left in their file.

use deepnmf::matrix::{Centred, Entry, Fingerprint, Incomplete, Parts, Visit, VisitSparse};
use deepnmf::{DataMatrix, Matrix, Scalar, Sparse};

use crate::{DataError, DatasetOf, InFile};

/// Samples, with what is known about them, however they are held.
pub type AnyDataset<T> = DatasetOf<Values<T>>;

/// The data of a file or folder, `p x n`: sparse where the file is.
#[derive(Debug, Clone)]
pub enum Values<T: Scalar> {
    /// All numbers.
    Dense(Matrix<T>),
    /// Without the zeros.
    Sparse(Sparse<'static, T>),
    /// What `standardize` makes of sparse data: an offset for each feature is taken off every sample, which nobody has
    /// carried out.
    Centred {
        /// The samples before, in memory or in a file.
        x: Box<Self>,
        /// What is taken off.
        offset: Vec<T>,
    },
    /// In their file, read a block at a time.
    InFile(InFile<T>),
    /// In memory, and some entries are missing.
    Incomplete(Box<Incomplete<'static, T>>),
}

/// Which entries are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Those that are NaN, or no number at all.
    Nan,
    /// Those that are zero: of sparse data the ones that are not held.
    Zeros,
}

impl<T: Scalar> From<Matrix<T>> for Values<T> {
    fn from(x: Matrix<T>) -> Self {
        Self::Dense(x)
    }
}

impl<T: Scalar> From<Sparse<'static, T>> for Values<T> {
    fn from(x: Sparse<'static, T>) -> Self {
        Self::Sparse(x)
    }
}

impl<T: Scalar> Values<T> {
    /// Lets `ask` see the data.
    fn with<R>(&self, ask: impl FnOnce(&dyn DataMatrix<T>) -> R) -> R {
        match self {
            Self::Dense(x) => ask(x),
            Self::Sparse(x) => ask(x),
            Self::Centred { x, offset } => ask(&Centred::new(x.as_ref(), offset)),
            Self::InFile(x) => ask(x),
            Self::Incomplete(x) => ask(x.as_ref()),
        }
    }

    /// The same before any preprocessing, with NaN where dense data lack an entry; sparse data lack what they do not
    /// hold.
    ///
    /// # Errors
    /// If the data stay in their file.
    pub fn with_nan(mut self, missing: Missing) -> Result<Self, DataError> {
        if self.in_file().is_some() {
            return Err(refuse(
                "needs the samples in memory: allow more memory, or use fewer of them",
            ));
        }
        if let (Self::Dense(x), Missing::Zeros) = (&mut self, missing) {
            let nan = T::from_f64(f64::NAN);
            x.as_mut_slice().iter_mut().filter(|v| **v == T::ZERO).for_each(|v| *v = nan);
        }
        Ok(self)
    }

    /// The same after all preprocessing, for fits that leave the missing entries out.
    ///
    /// # Errors
    /// If a step has moved the zeros that are missing.
    pub fn declared(self, missing: Missing) -> Result<Self, DataError> {
        Ok(match (self, missing) {
            (Self::Dense(x), _) => Self::Incomplete(Box::new(Incomplete::from_nan(x)?)),
            (Self::Sparse(x), Missing::Zeros) => {
                Self::Incomplete(Box::new(Incomplete::of_held(&x)))
            }
            (held @ (Self::Sparse(_) | Self::Incomplete(_)), _) => held,
            (Self::Centred { .. }, _) => {
                return Err(refuse(
                    "does not go with standardize or min-max of sparse data, which move their zeros: leave the step out, or load the data as .npy",
                ));
            }
            (Self::InFile(_), _) => return Err(refuse("needs the samples in memory")),
        })
    }

    /// The same after all preprocessing, dense and with a weight for each entry; NaN and a weight of 0 mean missing.
    ///
    /// # Errors
    /// If they take more memory than there is, or are no weights of these samples ([`Incomplete::weighted`]).
    pub fn weighted(self, weights: &Matrix<f64>) -> Result<Self, DataError> {
        Ok(Self::Incomplete(Box::new(Incomplete::weighted(self.into_dense()?, weights)?)))
    }

    /// Bytes that the numbers take in memory.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Dense(x) => size_of_val(x.as_slice()) as u64,
            Self::Sparse(x) => (x.entries() * (size_of::<T>() + 4) + x.starts().len() * 8) as u64,
            Self::Centred { x, .. } => x.bytes(),
            Self::InFile(x) => x.bytes_of_blocks(),
            Self::Incomplete(x) => {
                let (p, n) = x.shape();
                let held = x
                    .entries_held()
                    .map_or(p * n * size_of::<T>(), |held| held * (2 * size_of::<T>() + 4));
                held as u64
            }
        }
    }

    /// Bytes that they would take if all were in memory.
    pub fn bytes_of_all(&self) -> u64 {
        self.in_file().map_or_else(|| self.bytes(), InFile::bytes_of_all)
    }

    /// What stays in a file, if anything does.
    pub fn in_file(&self) -> Option<&InFile<T>> {
        match self {
            Self::InFile(x) => Some(x),
            Self::Centred { x, .. } => x.in_file(),
            Self::Dense(_) | Self::Sparse(_) | Self::Incomplete(_) => None,
        }
    }

    /// The same with what stays in a file replaced.
    ///
    /// # Errors
    /// That of `replace`.
    pub fn with_file(
        self,
        replace: impl FnOnce(InFile<T>) -> Result<Self, DataError>,
    ) -> Result<Self, DataError> {
        Ok(match self {
            Self::InFile(x) => replace(x)?,
            Self::Centred { x, offset } => {
                Self::Centred { x: Box::new(x.with_file(replace)?), offset }
            }
            held => held,
        })
    }

    /// The same samples, none of which stay in a file.
    ///
    /// # Errors
    /// If they cannot be read, or take more memory than there is.
    pub fn into_memory(self) -> Result<Self, DataError> {
        self.with_file(|x| {
            let needed = crate::load::memory::check(x.bytes_of_all());
            needed.map_err(|fault| DataError::Dense { why: fault.to_string() })?;
            if !x.is_sparse() {
                return Ok(Self::Dense(x.own_dense()?));
            }
            let mut all = vec![];
            x.sparse_blocks(&mut |_, block| {
                all.push(block.view().into_owned());
                Ok(())
            })?;
            Ok(Self::Sparse(Sparse::beside(&all.iter().collect::<Vec<_>>())?))
        })
    }

    /// All numbers, zeros among them.
    ///
    /// # Errors
    /// If they take more memory than there is.
    pub fn into_dense(self) -> Result<Matrix<T>, DataError> {
        let (p, n) = self.shape();
        match self {
            Self::Dense(x) => Ok(x),
            // What is missing stays so.
            Self::Incomplete(x) => {
                let needed = crate::load::memory::check_table(n, p, size_of::<T>());
                needed.map_err(|fault| DataError::Dense { why: fault.to_string() })?;
                Ok(x.to_nan())
            }
            other => {
                let needed = crate::load::memory::check_table(n, p, size_of::<T>());
                needed.map_err(|fault| DataError::Dense { why: fault.to_string() })?;
                Ok(other.own_dense()?)
            }
        }
    }
}

/// What is said of missing entries.
fn refuse(why: &str) -> DataError {
    DataError::Step { step: "of declaring missing entries", why: why.into() }
}

/// A matrix whose columns are samples.
pub trait Columns: Sized {
    /// The number of features, `p`.
    fn features(&self) -> usize;

    /// The number of samples, `n`.
    fn samples(&self) -> usize;

    /// The samples of these indices, in this order; all of them are there.
    #[must_use]
    fn chosen(&self, samples: &[usize]) -> Self;

    /// Samples of as many features one after the other.
    ///
    /// # Errors
    /// If they take more memory than there is.
    fn joined(all: &[&Self]) -> Result<Self, DataError>;
}

impl<T: Scalar> Columns for Matrix<T> {
    fn features(&self) -> usize {
        self.rows()
    }

    fn samples(&self) -> usize {
        self.cols()
    }

    fn chosen(&self, samples: &[usize]) -> Self {
        let mut values = Vec::with_capacity(self.rows() * samples.len());
        for &sample in samples {
            values.extend_from_slice(self.col(sample));
        }
        Self::from_vec(self.rows(), samples.len(), values).unwrap_or_else(|_| Self::zeros(0, 0))
    }

    fn joined(all: &[&Self]) -> Result<Self, DataError> {
        let samples = all.iter().map(|x| x.cols()).sum();
        let features = all.first().map_or(0, |x| x.rows());
        let mut entries = Vec::with_capacity(samples * features);
        for x in all {
            entries.extend_from_slice(x.as_slice());
        }
        Ok(Self::from_vec(features, samples, entries)?)
    }
}

impl<T: Scalar> Columns for Values<T> {
    fn features(&self) -> usize {
        self.shape().0
    }

    fn samples(&self) -> usize {
        self.shape().1
    }

    fn chosen(&self, samples: &[usize]) -> Self {
        match self {
            Self::Dense(x) => Self::Dense(x.chosen(samples)),
            Self::Sparse(x) => Self::Sparse(x.select(samples)),
            Self::Centred { x, offset } => {
                Self::Centred { x: Box::new(x.chosen(samples)), offset: offset.clone() }
            }
            Self::InFile(x) => Self::InFile(x.chosen(samples)),
            Self::Incomplete(x) => {
                let chosen = x.to_nan().chosen(samples);
                let made = match x.entry_weights() {
                    None => Incomplete::from_nan(chosen.clone()),
                    Some(weights) => {
                        Incomplete::weighted(chosen.clone(), &weights.chosen(samples).cast())
                    }
                };
                made.map_or(Self::Dense(chosen), |x| Self::Incomplete(Box::new(x)))
            }
        }
    }

    /// Sparse if all are, else dense.
    fn joined(all: &[&Self]) -> Result<Self, DataError> {
        let sparse: Option<Vec<&Sparse<'static, T>>> =
            all.iter().map(|x| if let Self::Sparse(x) = x { Some(x) } else { None }).collect();
        if let Some(sparse) = sparse {
            return Ok(Self::Sparse(Sparse::beside(&sparse)?));
        }
        let dense: Vec<Matrix<T>> =
            all.iter().map(|&x| x.clone().into_dense()).collect::<Result<_, _>>()?;
        Matrix::joined(&dense.iter().collect::<Vec<_>>()).map(Self::Dense)
    }
}

impl<T: Scalar> DataMatrix<T> for Values<T> {
    fn shape(&self) -> (usize, usize) {
        self.with(|x| x.shape())
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        self.with(|x| x.tr_mul(z, out))
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> deepnmf::Result<()> {
        self.with(|x| x.mul_tr(h, out))
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> deepnmf::Result<()> {
        self.with(|x| x.wide_tr_mul(z, out))
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> deepnmf::Result<()> {
        self.with(|x| x.wide_mul_tr(h, out))
    }

    fn gram_of_features(&self) -> deepnmf::Result<Matrix<f64>> {
        self.with(|x| x.gram_of_features())
    }

    fn sparse(&self) -> Option<Sparse<'_, T>> {
        if let Self::Sparse(x) = self { x.sparse() } else { None }
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> deepnmf::Result<bool> {
        self.with(|x| x.sparse_blocks(visit))
    }

    fn entries_held(&self) -> Option<usize> {
        self.with(|x| x.entries_held())
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> deepnmf::Result<()> {
        self.with(|x| x.blocks(visit))
    }

    fn norm_sq(&self) -> deepnmf::Result<f64> {
        self.with(|x| x.norm_sq())
    }

    fn sample_norms_sq(&self) -> deepnmf::Result<Vec<f64>> {
        self.with(|x| x.sample_norms_sq())
    }

    fn entry_sum(&self) -> deepnmf::Result<f64> {
        self.with(|x| x.entry_sum())
    }

    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> deepnmf::Result<Option<Entry>> {
        self.with(|x| x.find_entry(wanted))
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> deepnmf::Result<f64> {
        self.with(|x| x.residual_norm_sq(phi, h))
    }

    fn fingerprint(&self) -> deepnmf::Result<Fingerprint> {
        self.with(|x| x.fingerprint())
    }

    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.shape().1)
    }

    fn missing(&self) -> usize {
        self.with(|x| x.missing())
    }

    fn is_incomplete(&self) -> bool {
        self.with(|x| x.is_incomplete())
    }

    fn incomplete(&self) -> Option<&Incomplete<'_, T>> {
        if let Self::Incomplete(x) = self { Some(x) } else { None }
    }

    fn fill_in(&self, phi: &Matrix<T>, h: &Matrix<T>) -> deepnmf::Result<Option<f64>> {
        self.with(|x| x.fill_in(phi, h))
    }

    fn may_densify(&self) -> bool {
        self.with(|x| x.may_densify())
    }

    fn in_memory(&self) -> Option<&[T]> {
        if let Self::Dense(x) = self { x.in_memory() } else { None }
    }
}
