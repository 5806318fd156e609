//! The basis by least squares (the paper's update of `Z`):
//!
//! ```text
//! Z <- X H^+ = X H^T (H H^T)^-1
//! ```
//!
//! through the Gram matrix `H H^T`. Where that is ill conditioned, the rows of `H` are made
//! orthonormal before they meet the data, which loses half as many digits, and directions that
//! are rounding alone are left out.

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, Whitening, mul, product};

/// Room for the intermediate results of [`z_least_squares`].
#[derive(Debug)]
pub(crate) struct ZScratch<T> {
    x_ht: Matrix<T>,
}

impl<T: Scalar> ZScratch<T> {
    /// Room for a basis of `k` vectors of length `p`.
    pub(crate) fn new(p: usize, k: usize) -> Self {
        Self { x_ht: Matrix::zeros(p, k) }
    }
}

/// `z = X H^+`, where `hht` is `H H^T` over all parts.
pub(crate) fn z_least_squares<T: Scalar>(
    z: &mut Matrix<T>,
    x: &dyn DataMatrix<T>,
    h: &Matrix<T>,
    hht: &Matrix<f64>,
    scratch: &mut ZScratch<T>,
) -> Result<()> {
    let whitening = Whitening::of::<T>(hht)?;
    if whitening.well_conditioned {
        x.mul_tr(h, &mut scratch.x_ht)?;
        mul(z, scratch.x_ht.view(), whitening.inverse.cast().view());
    } else {
        let w = whitening.w.cast::<T>();
        let orthonormal = product(w.view(), h.view());
        let mut image = Matrix::zeros(z.rows(), whitening.rank());
        x.mul_tr(&orthonormal, &mut image)?;
        mul(z, image.view(), w.view());
    }
    Ok(())
}
