//! How a layer with neighbours reads the features of the layer below.
//!
//! ```text
//! y_j = ( (h_j - m) / |h_j - m| ; 1 )        m: the mean of the features h_j of the layer below
//! ```
//!
//! Lengths say little in whitened features: samples far from the mean would draw their neighbours more than others.
//! The last entry is there because features must not be negative: along a constant vector they can be shifted without
//! changing a distance (`init/svd.rs`).

use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar, dot};

/// The mean of features over all parts.
pub(crate) fn mean_features<T: Scalar>(h: &Matrix<T>, parts: Parts<'_>) -> Result<Vec<f64>> {
    let mut sums = h.row_sums();
    parts.sum(&mut sums)?;
    let count = parts.total().max(1) as f64;
    Ok(sums.into_iter().map(|sum| sum / count).collect())
}

/// Features as the layer above reads them.
pub(crate) fn unit_features<T: Scalar>(h: &Matrix<T>, mean: &[f64]) -> Matrix<T> {
    let k = h.rows();
    let mut y = Matrix::zeros(k + 1, h.cols());
    let mut centred = vec![0.0; k];
    for j in 0..h.cols() {
        let entries = centred.iter_mut().zip(h.col(j)).zip(mean);
        entries.for_each(|((c, h), mean)| *c = h.to_f64() - mean);
        let length = dot(&centred, &centred).sqrt();
        let scale = if length.is_normal() { 1.0 / length } else { 0.0 };
        let column = y.col_mut(j);
        column.iter_mut().zip(&centred).for_each(|(y, c)| *y = T::from_f64(c * scale));
        column[k] = T::ONE;
    }
    y
}
