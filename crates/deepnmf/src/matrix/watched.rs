//! Data that refuse to go on once nobody wants the result.

use super::data::{Visit, VisitSparse, gram_of_blocks};
use super::{
    DataMatrix, Entry, Fingerprint, Incomplete, Matrix, Parts, SampleWeights, Scalar, Sparse,
};
use crate::error::Result;
use crate::stop::Watch;

/// `X`, whose answers end with an error after the fit was told to stop. What comes before the first
/// iteration sees data so: initializations, graphs, decompositions. An iteration is short, and must not be
/// left half done.
pub(crate) struct Watched<'a, T> {
    x: &'a dyn DataMatrix<T>,
    watch: &'a Watch,
}

impl<'a, T: Scalar> Watched<'a, T> {
    pub(crate) fn new(x: &'a dyn DataMatrix<T>, watch: &'a Watch) -> Self {
        Self { x, watch }
    }
}

impl<T: Scalar> DataMatrix<T> for Watched<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.go_on()?;
        self.x.tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.go_on()?;
        self.x.mul_tr(h, out)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.go_on()?;
        self.x.wide_tr_mul(z, out)
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.go_on()?;
        self.x.wide_mul_tr(h, out)
    }

    /// Dense data show their blocks here, where somebody can stop them.
    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        self.go_on()?;
        match self.x.entries_held() {
            Some(_) => self.x.gram_of_features(),
            None => gram_of_blocks(self),
        }
    }

    fn sparse(&self) -> Option<Sparse<'_, T>> {
        self.x.sparse()
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> Result<bool> {
        self.x.sparse_blocks(&mut |start, x| {
            self.go_on()?;
            visit(start, x)
        })
    }

    fn entries_held(&self) -> Option<usize> {
        self.x.entries_held()
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        self.x.fingerprint()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        let mut wanted = Ok(());
        self.x.blocks(&mut |start, block| {
            wanted = self.go_on();
            if wanted.is_err() {
                return std::ops::ControlFlow::Break(());
            }
            visit(start, block)
        })?;
        wanted
    }

    fn in_memory(&self) -> Option<&[T]> {
        self.x.in_memory()
    }

    fn norm_sq(&self) -> Result<f64> {
        self.x.norm_sq()
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        self.x.sample_norms_sq()
    }

    fn entry_sum(&self) -> Result<f64> {
        self.x.entry_sum()
    }

    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        self.x.find_entry(wanted)
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        self.x.residual_norm_sq(phi, h)
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }

    fn weights(&self) -> Option<&SampleWeights> {
        self.x.weights()
    }

    fn missing(&self) -> usize {
        self.x.missing()
    }

    fn is_incomplete(&self) -> bool {
        self.x.is_incomplete()
    }

    fn incomplete(&self) -> Option<&Incomplete<'_, T>> {
        self.x.incomplete()
    }

    fn fill_in(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<Option<f64>> {
        self.x.fill_in(phi, h)
    }

    /// Parts would not stop at the same place: they agree between iterations instead.
    fn go_on(&self) -> Result<()> {
        if self.parts().is_whole() { self.watch.check() } else { Ok(()) }
    }
}
