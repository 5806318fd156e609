//! What an algorithm may ask of the data.

use std::ops::ControlFlow;

use super::product::{add_mul, mul};
use super::{Matrix, MatrixView, Scalar, dot};
use crate::error::{Error, Result};

/// Columns handed out at a time by dense data.
const BLOCK_COLUMNS: usize = 256;

/// Columns of `H` transposed at a time in `X H^T`.
const TRANSPOSED_COLUMNS: usize = 1024;

/// A `p x n` data matrix `X`, seen only through its products.
///
/// Every algorithm of this crate is written against this trait, so a new kind of data (sparse,
/// masked, memory-mapped, distributed) is one new implementation and no new algorithm. Data whose
/// columns are spread over several processes answer [`tr_mul`](Self::tr_mul) for their own
/// columns, return whole sums from [`mul_tr`](Self::mul_tr) and [`norm_sq`](Self::norm_sq), and
/// implement [`sum_over_parts`](Self::sum_over_parts).
pub trait DataMatrix<T: Scalar>: Sync {
    /// Features `p` and samples `n` held here.
    fn shape(&self) -> (usize, usize);

    /// `out = Z^T X`: `z` is `p x k`, `out` is `k x n`.
    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>);

    /// `out = X H^T`: `h` is `k x n`, `out` is `p x k`.
    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>);

    /// Shows all columns, block after block in order, until `visit` breaks off. The first
    /// argument is the index of the block's first column.
    fn blocks(&self, visit: &mut dyn FnMut(usize, MatrixView<'_, T>) -> ControlFlow<()>);

    /// The sum of all squared entries.
    fn norm_sq(&self) -> f64 {
        let mut sum = [0.0];
        self.blocks(&mut |_, block| {
            sum[0] += block_norm_sq(block);
            ControlFlow::Continue(())
        });
        self.sum_over_parts(&mut sum);
        sum[0]
    }

    /// Replaces each number by its sum over all processes that hold columns of `X`. Data in one
    /// place have nothing to do.
    fn sum_over_parts(&self, _sums: &mut [f64]) {}

    /// The whole matrix in dense form, for an exact decomposition.
    fn to_dense(&self) -> Matrix<T> {
        let (p, n) = self.shape();
        let mut dense = Matrix::zeros(p, n);
        self.blocks(&mut |start, block| {
            let end = (start + block.cols()) * p;
            block.copy_into(&mut dense.as_mut_slice()[start * p..end]);
            ControlFlow::Continue(())
        });
        dense
    }
}

impl<T: Scalar> DataMatrix<T> for MatrixView<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.rows(), self.cols())
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) {
        mul(out, z.t(), *self);
    }

    /// `H` is turned around first, some columns at a time, because the product kernel reads it
    /// faster that way. It is still the slower of the two products with the data
    /// (`benches/iteration.rs`).
    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) {
        let (k, n) = h.shape();
        let mut turned = Matrix::zeros(TRANSPOSED_COLUMNS.min(n), k);
        out.as_mut_slice().fill(T::ZERO);
        for start in (0..n).step_by(TRANSPOSED_COLUMNS) {
            let count = TRANSPOSED_COLUMNS.min(n - start);
            let part = &mut turned.as_mut_slice()[..count * k];
            h.view_columns(start..start + count).t().copy_into(part);
            add_mul(out, self.columns(start, count), MatrixView::contiguous(part, count, k));
        }
    }

    fn blocks(&self, visit: &mut dyn FnMut(usize, MatrixView<'_, T>) -> ControlFlow<()>) {
        for start in (0..self.cols()).step_by(BLOCK_COLUMNS) {
            let count = BLOCK_COLUMNS.min(self.cols() - start);
            if visit(start, self.columns(start, count)).is_break() {
                return;
            }
        }
    }
}

impl<T: Scalar> DataMatrix<T> for Matrix<T> {
    fn shape(&self) -> (usize, usize) {
        self.shape()
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) {
        self.view().tr_mul(z, out);
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) {
        self.view().mul_tr(h, out);
    }

    fn blocks(&self, visit: &mut dyn FnMut(usize, MatrixView<'_, T>) -> ControlFlow<()>) {
        self.view().blocks(visit);
    }
}

fn block_norm_sq<T: Scalar>(block: MatrixView<'_, T>) -> f64 {
    let mut column = vec![T::ZERO; block.rows()];
    (0..block.cols())
        .map(|j| {
            block.columns(j, 1).copy_into(&mut column);
            dot(&column, &column)
        })
        .sum()
}

/// Refuses data without rows or columns, and data with an entry that is no finite number.
///
/// # Errors
/// Names the shape, or the sample and the feature of the first such entry.
pub fn check_data<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<()> {
    let (features, samples) = x.shape();
    if features == 0 || samples == 0 {
        return Err(Error::Empty { features, samples });
    }
    match first_entry(x, |v| !v.finite()) {
        None => Ok(()),
        Some((sample, feature, value)) => Err(Error::NotFinite { sample, feature, value }),
    }
}

/// Refuses data with a negative entry.
///
/// # Errors
/// Names the sample and the feature of the first one.
pub fn check_non_negative<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<()> {
    match first_entry(x, |v| v < T::ZERO) {
        None => Ok(()),
        Some((sample, feature, value)) => Err(Error::Negative { sample, feature, value }),
    }
}

/// Sample and feature, counted from 1, and value of the first entry of which `is_bad` holds.
fn first_entry<T: Scalar>(
    x: &dyn DataMatrix<T>,
    is_bad: impl Fn(T) -> bool,
) -> Option<(usize, usize, f64)> {
    let mut found = None;
    x.blocks(&mut |start, block| {
        for j in 0..block.cols() {
            if let Some((i, value)) = block.col(j).enumerate().find(|(_, v)| is_bad(*v)) {
                found = Some((start + j + 1, i + 1, value.to_f64()));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    found
}
