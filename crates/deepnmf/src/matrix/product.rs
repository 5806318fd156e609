//! Matrix products.
//!
//! The kernels split their work by rows and columns of the result, never along the sum, so that a
//! product has the same bits whatever the number of threads.

use std::ops::Range;

use faer::{Accum, MatMut, Par};

use super::{Dtype, Matrix, MatrixView, Parts, Scalar};
use crate::error::Result;

/// Columns widened to `f64` at a time when a Gram matrix of `f32` features is formed.
const WIDENED_COLUMNS: usize = 1024;

/// All threads of the current pool.
fn all_threads() -> Par {
    Par::rayon(0)
}

/// `out = a b`, on all threads.
///
/// # Panics
/// If the shapes do not fit.
pub fn mul<T: Scalar>(out: &mut Matrix<T>, a: MatrixView<'_, T>, b: MatrixView<'_, T>) {
    let (rows, cols) = out.shape();
    let out = MatMut::from_column_major_slice_mut(out.as_mut_slice(), rows, cols);
    T::matmul(out, Accum::Replace, a.faer(), b.faer(), all_threads());
}

/// `out += a b`, on all threads.
pub(crate) fn add_mul<T: Scalar>(out: &mut Matrix<T>, a: MatrixView<'_, T>, b: MatrixView<'_, T>) {
    let (rows, cols) = out.shape();
    let out = MatMut::from_column_major_slice_mut(out.as_mut_slice(), rows, cols);
    T::matmul(out, Accum::Add, a.faer(), b.faer(), all_threads());
}

/// Some columns of `out` become `a b`, on all threads.
pub(crate) fn mul_columns<T: Scalar>(
    out: &mut Matrix<T>,
    columns: Range<usize>,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
) {
    let rows = out.rows();
    let slice = &mut out.as_mut_slice()[columns.start * rows..columns.end * rows];
    let out = MatMut::from_column_major_slice_mut(slice, rows, columns.len());
    T::matmul(out, Accum::Replace, a.faer(), b.faer(), all_threads());
}

/// `out = a b` for one block of columns, on the calling thread alone.
pub(crate) fn mul_block<T: Scalar>(out: &mut [T], a: MatrixView<'_, T>, b: MatrixView<'_, T>) {
    let out = MatMut::from_column_major_slice_mut(out, a.rows(), b.cols());
    T::matmul(out, Accum::Replace, a.faer(), b.faer(), Par::Seq);
}

/// `a b` as a new matrix.
///
/// # Panics
/// If the shapes do not fit.
pub fn product<T: Scalar>(a: MatrixView<'_, T>, b: MatrixView<'_, T>) -> Matrix<T> {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    mul(&mut out, a, b);
    out
}

/// `out = Z^T Z`: half a product, mirrored.
pub(crate) fn gram_of_columns<T: Scalar>(out: &mut Matrix<T>, z: &Matrix<T>) {
    add_lower_gram(out, z.t(), Accum::Replace);
    mirror_lower(out);
}

/// `out = H H^T` over the samples of all parts, in `f64` whatever `H` is made of: least squares lose
/// twice the digits that a Gram matrix loses, and `f32` has none to spare.
pub(crate) fn gram_of_rows<T: Scalar>(
    out: &mut Matrix<f64>,
    h: &Matrix<T>,
    parts: Parts<'_>,
) -> Result<()> {
    if T::DTYPE == Dtype::F64 {
        let h = MatrixView::contiguous(bytemuck::cast_slice(h.as_slice()), h.rows(), h.cols());
        add_lower_gram(out, h, Accum::Replace);
    } else {
        out.as_mut_slice().fill(0.0);
        let mut wide = Vec::with_capacity(h.rows() * WIDENED_COLUMNS);
        for block in h.as_slice().chunks((h.rows() * WIDENED_COLUMNS).max(1)) {
            wide.clear();
            wide.extend(block.iter().map(|v| v.to_f64()));
            let cols = wide.len() / h.rows();
            add_lower_gram(out, MatrixView::contiguous(&wide, h.rows(), cols), Accum::Add);
        }
    }
    mirror_lower(out);
    parts.sum(out.as_mut_slice())
}

/// Adds `a a^T` to the lower half of `out`; [`mirror_lower`] completes it.
pub(super) fn add_gram_of_rows<T: Scalar>(out: &mut Matrix<T>, a: MatrixView<'_, T>) {
    add_lower_gram(out, a, Accum::Add);
}

/// The lower half of `a a^T`.
fn add_lower_gram<T: Scalar>(out: &mut Matrix<T>, a: MatrixView<'_, T>, accumulate: Accum) {
    let k = out.rows();
    let out = MatMut::from_column_major_slice_mut(out.as_mut_slice(), k, k);
    T::lower_gram(out, accumulate, a.faer(), all_threads());
}

/// Copies the lower half of a square matrix to its upper half.
pub(super) fn mirror_lower<T: Scalar>(square: &mut Matrix<T>) {
    for j in 0..square.cols() {
        for i in 0..j {
            square[(i, j)] = square[(j, i)];
        }
    }
}
