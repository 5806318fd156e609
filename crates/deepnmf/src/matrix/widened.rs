//! Data in `f64`, whatever they are made of.
//!
//! Sums of squares and their differences lose digits that `f32` does not have: a singular value
//! decomposition of `f32` data is carried out in `f64`, block by block, without a copy of the data.

use std::ops::ControlFlow;

use super::data::Visit;
use super::product::{add_mul, mul_columns};
use super::{DataMatrix, Entry, Matrix, MatrixView, Parts, Scalar};
use crate::error::Result;

/// `X` in `f64`.
pub(crate) struct Widened<'a, T>(pub(crate) &'a dyn DataMatrix<T>);

impl<T: Scalar> Widened<'_, T> {
    /// Shows every block in `f64`; no other memory is taken.
    fn wide_blocks(&self, visit: &mut Visit<'_, f64>) -> Result<()> {
        let mut wide = Vec::new();
        self.0.blocks(&mut |start, block| {
            wide.clear();
            for j in 0..block.cols() {
                wide.extend(block.col(j).map(Scalar::to_f64));
            }
            visit(start, MatrixView::contiguous(&wide, block.rows(), block.cols()))
        })
    }
}

impl<T: Scalar> DataMatrix<f64> for Widened<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.0.parts()
    }

    fn tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.wide_blocks(&mut |start, block| {
            mul_columns(out, start..start + block.cols(), z.t(), block);
            ControlFlow::Continue(())
        })
    }

    fn mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        out.as_mut_slice().fill(0.0);
        self.wide_blocks(&mut |start, block| {
            add_mul(out, block, h.view_columns(start..start + block.cols()).t());
            ControlFlow::Continue(())
        })?;
        self.parts().sum_matrix(out)
    }

    fn blocks(&self, visit: &mut Visit<'_, f64>) -> Result<()> {
        self.wide_blocks(visit)
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

    fn may_densify(&self) -> bool {
        self.0.may_densify()
    }

    fn go_on(&self) -> Result<()> {
        self.0.go_on()
    }
}
