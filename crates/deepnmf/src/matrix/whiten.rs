//! Least squares through a Gram matrix.
//!
//! For `H` with Gram matrix `G = H H^T` we look for `W` with `W G W^T = I`. The rows of `W H` are
//! then orthonormal, `W^T W` is the (pseudo-)inverse of `G`, and `X H^+ = (X H^T) W^T W`.
//!
//! `W` is the inverted Cholesky factor where `G` is well conditioned. Otherwise it comes from the
//! singular value decomposition of `G`, without the directions that rounding has made up, and
//! then the Moore-Penrose solution of least norm results.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{MatMut, MatRef, Par};

use super::product::product;
use super::svd::symmetric_eigen;
use super::{Matrix, Scalar};
use crate::error::Result;

/// Singular directions of a Gram matrix below this share of the largest are rounding.
fn cutoff(k: usize) -> f64 {
    10.0 * k as f64 * f64::EPSILON
}

/// `W` with `W G W^T = I`.
#[derive(Debug, Clone)]
pub(crate) struct Whitening {
    /// `r x k`, where `r` is the rank of `G`.
    pub(crate) w: Matrix<f64>,
    /// `W^T W`, the (pseudo-)inverse of `G`.
    pub(crate) inverse: Matrix<f64>,
    /// Whether products with the unwhitened factor are accurate enough in the data's type.
    pub(crate) well_conditioned: bool,
    /// The logarithm of the determinant of `G`, or of the product of its eigenvalues that are not rounding.
    pub(crate) log_det: f64,
}

impl Whitening {
    /// Whitens a `k x k` Gram matrix for use with numbers of type `T`.
    pub(crate) fn of<T: Scalar>(gram: &Matrix<f64>) -> Result<Self> {
        // An error of `eps` in X H^T grows by the condition number of G on its way to Z.
        let largest_condition = 0.01 / T::EPSILON.to_f64();
        if let Some(w) = inverse_cholesky_factor(gram) {
            let inverse = product(w.t(), w.view());
            if largest_eigenvalue(gram) * largest_eigenvalue(&inverse) <= largest_condition {
                let log_det = -2.0 * (0..w.rows()).map(|i| w[(i, i)].ln()).sum::<f64>();
                return Ok(Self { w, inverse, well_conditioned: true, log_det });
            }
        }
        let (w, log_det) = by_svd(gram)?;
        let inverse = product(w.t(), w.view());
        Ok(Self { w, inverse, well_conditioned: false, log_det })
    }

    /// The number of directions that are not rounding.
    pub(crate) fn rank(&self) -> usize {
        self.w.rows()
    }
}

/// `L^-1` with `G = L L^T`, or nothing if `G` is not positive definite to rounding.
fn inverse_cholesky_factor(gram: &Matrix<f64>) -> Option<Matrix<f64>> {
    let k = gram.rows();
    let mut factor = gram.clone();
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(k, Par::Seq, Default::default());
    llt::factor::cholesky_in_place(
        MatMut::from_column_major_slice_mut(factor.as_mut_slice(), k, k),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let mut inverse = Matrix::zeros(k, k);
    invert_lower_triangular(
        MatMut::from_column_major_slice_mut(inverse.as_mut_slice(), k, k),
        MatRef::from_column_major_slice(factor.as_slice(), k, k),
        Par::Seq,
    );
    inverse.as_slice().iter().all(|v| v.is_finite()).then_some(inverse)
}

fn by_svd(gram: &Matrix<f64>) -> Result<(Matrix<f64>, f64)> {
    let k = gram.rows();
    let (values, vectors) = symmetric_eigen(gram)?;
    let smallest = values.first().map_or(0.0, |largest| largest * cutoff(k));
    let rank = values.iter().filter(|v| **v > smallest).count();
    let log_det = values[..rank].iter().map(|value| value.ln()).sum();
    Ok((Matrix::from_fn(rank, k, |r, j| vectors[(j, r)] / values[r].sqrt()), log_det))
}

/// Steps of the power method: two digits are plenty for a condition number.
const POWER_STEPS: usize = 10;

/// The largest eigenvalue of a symmetric positive semi-definite matrix, to about two digits and
/// from below.
fn largest_eigenvalue(gram: &Matrix<f64>) -> f64 {
    let k = gram.rows();
    // A start that is orthogonal to no likely eigenvector.
    let mut v: Vec<f64> = (0..k).map(|i| 1.0 + 0.5 * (1.7 * i as f64).sin()).collect();
    let mut value = 0.0;
    for _ in 0..POWER_STEPS {
        let norm = v.iter().map(|a| a * a).sum::<f64>().sqrt();
        if norm == 0.0 || !norm.is_finite() {
            break;
        }
        for a in &mut v {
            *a /= norm;
        }
        let image: Vec<f64> =
            gram.columns().map(|column| column.iter().zip(&v).map(|(g, a)| g * a).sum()).collect();
        value = image.iter().zip(&v).map(|(a, b)| a * b).sum();
        v = image;
    }
    value
}
