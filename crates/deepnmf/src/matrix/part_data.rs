//! The samples of one part, however they are held.

use super::data::{Visit, VisitSparse, first_of_all_parts};
use super::{
    DataMatrix, Entry, Fingerprint, Incomplete, Matrix, Parts, Scalar, Sparse, fingerprint,
};
use crate::error::{Error, Result};

/// The samples of one part: sums over them become sums over all parts.
///
/// ```
/// use deepnmf::matrix::{PartData, Parts};
/// use deepnmf::{DataMatrix, Matrix};
/// let own = Matrix::from_fn(4, 6, |i, j| (i * j) as f64);
/// // One process of several has a communicator: Parts::new(&communicator, 6).
/// let x = PartData::new(&own, Parts::whole(6))?;
/// assert_eq!(x.norm_sq()?, own.norm_sq());
/// # Ok::<(), deepnmf::Error>(())
/// ```
pub struct PartData<'a, T> {
    own: &'a dyn DataMatrix<T>,
    parts: Parts<'a>,
    /// Entries that are held by all parts together, where zeros are left out.
    held: usize,
    /// The same of those that are missing.
    missing: usize,
    /// Whether some of any part are missing, or count less than others.
    is_incomplete: bool,
}

impl<'a, T: Scalar> PartData<'a, T> {
    /// *Together*: the samples of this part, which are in one place.
    ///
    /// # Errors
    /// If another part cannot be reached.
    ///
    /// # Panics
    /// If they are not as many as the part has.
    pub fn new(own: &'a dyn DataMatrix<T>, parts: Parts<'a>) -> Result<Self> {
        assert_eq!(own.shape().1, parts.samples(), "one column for each sample of the part");
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count
        let count = |own: usize| Ok::<_, Error>(parts.sum_of(own as f64)? as usize);
        let (held, missing) = (count(own.entries_held().unwrap_or(0))?, count(own.missing())?);
        let is_incomplete = count(usize::from(own.is_incomplete()))? > 0;
        Ok(Self { own, parts, held, missing, is_incomplete })
    }
}

impl<T: Scalar> DataMatrix<T> for PartData<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.own.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.own.tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.own.mul_tr(h, out)?;
        self.parts.sum_matrix(out)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.own.wide_tr_mul(z, out)
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.own.wide_mul_tr(h, out)?;
        self.parts.sum_matrix(out)
    }

    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        let mut gram = self.own.gram_of_features()?;
        self.parts.sum(gram.as_mut_slice())?;
        Ok(gram)
    }

    fn sparse(&self) -> Option<Sparse<'_, T>> {
        self.own.sparse()
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> Result<bool> {
        self.own.sparse_blocks(visit)
    }

    fn entries_held(&self) -> Option<usize> {
        self.own.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.own.blocks(visit)
    }

    fn norm_sq(&self) -> Result<f64> {
        self.parts.sum_of(self.own.norm_sq()?)
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        self.own.sample_norms_sq()
    }

    fn entry_sum(&self) -> Result<f64> {
        self.parts.sum_of(self.own.entry_sum()?)
    }

    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        first_of_all_parts(self.own.find_entry(wanted)?, self.parts)
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        self.parts.sum_of(self.own.residual_norm_sq(phi, h)?)
    }

    /// Each sample by its number among all.
    fn fingerprint(&self) -> Result<Fingerprint> {
        match self.own.incomplete() {
            Some(own) => {
                let first = self.parts.range().start;
                fingerprint::of_all_parts(own.own_fingerprint(first), self.parts)
            }
            None => fingerprint::of_blocks(self),
        }
    }

    fn missing(&self) -> usize {
        self.missing
    }

    fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    fn incomplete(&self) -> Option<&Incomplete<'_, T>> {
        self.own.incomplete()
    }

    /// What a fit fills in is a copy of its own, which knows the parts itself.
    fn fill_in(&self, _: &Matrix<T>, _: &Matrix<T>) -> Result<Option<f64>> {
        if self.is_incomplete { Err(Incomplete::<T>::no_fit()) } else { Ok(None) }
    }

    /// As many numbers as all parts hold entries are affordable on each of them.
    fn may_densify(&self) -> bool {
        let all = self.shape().0.saturating_mul(self.parts.total());
        all <= super::data::COPIED.max(self.held)
    }

    fn go_on(&self) -> Result<()> {
        self.own.go_on()
    }

    fn in_memory(&self) -> Option<&[T]> {
        self.own.in_memory()
    }

    fn own_dense(&self) -> Result<Matrix<T>> {
        self.own.own_dense()
    }
}
