//! Data in `f64`, whatever they are made of.
//!
//! Sums of squares and their differences lose digits that `f32` does not have: a singular value
//! decomposition of `f32` data is carried out in `f64`, block by block, without a copy of the data.

use super::data::{Visit, VisitSparse, wide_blocks};
use super::{DataMatrix, Entry, Fingerprint, Matrix, Parts, SampleWeights, Scalar, Sparse};
use crate::error::Result;

/// `X` in `f64`.
pub(crate) struct Widened<'a, T>(pub(crate) &'a dyn DataMatrix<T>);

impl<T: Scalar> DataMatrix<f64> for Widened<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.0.parts()
    }

    fn tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.0.wide_tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.0.wide_mul_tr(h, out)
    }

    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        self.0.gram_of_features()
    }

    fn sparse(&self) -> Option<Sparse<'_, f64>> {
        self.0.sparse().map(Sparse::cast)
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, f64>) -> Result<bool> {
        self.0.sparse_blocks(&mut |start, x| visit(start, &x.view().cast()))
    }

    fn entries_held(&self) -> Option<usize> {
        self.0.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, f64>) -> Result<()> {
        wide_blocks(self.0, visit)
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        self.0.fingerprint()
    }

    fn norm_sq(&self) -> Result<f64> {
        self.0.norm_sq()
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        self.0.sample_norms_sq()
    }

    fn entry_sum(&self) -> Result<f64> {
        self.0.entry_sum()
    }

    fn find_entry(&self, wanted: &dyn Fn(f64) -> bool) -> Result<Option<Entry>> {
        self.0.find_entry(&|v| wanted(v.to_f64()))
    }

    fn weights(&self) -> Option<&SampleWeights> {
        self.0.weights()
    }

    fn missing(&self) -> usize {
        self.0.missing()
    }

    fn is_incomplete(&self) -> bool {
        self.0.is_incomplete()
    }

    fn may_densify(&self) -> bool {
        self.0.may_densify()
    }

    fn go_on(&self) -> Result<()> {
        self.0.go_on()
    }
}
