//! The reconstruction error `E = |X - Phi H|_F`, without forming the difference:
//!
//! ```text
//! E^2 = |X|^2 - 2 <Phi^T X, H> + <Phi^T Phi, H H^T>
//! ```
//!
//! carried out in `f64`. Where little remains of `|X|^2`, rounding would drown the result, and
//! the difference is formed after all, block by block. The objective that the algorithms lower
//! is `E^2 / 2`.

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_rows};
use crate::update::BasisProducts;

/// A share of `|X|^2` below this many rounding units is too small to be left to differences: the
/// stopping rule needs five digits of it.
const TOO_CLOSE: f64 = 1e5;

/// A factorization `X ~ Phi H` with the products an iteration has at hand.
pub(crate) struct Fitted<'a, T> {
    pub(crate) phi: &'a Matrix<T>,
    pub(crate) h: &'a Matrix<T>,
    pub(crate) products: &'a BasisProducts<T>,
}

impl<T: Scalar> Fitted<'_, T> {
    /// `|X - Phi H|_F`, given `|X|^2`.
    pub(crate) fn error(&self, x: &dyn DataMatrix<T>, x_norm_sq: f64) -> Result<f64> {
        let k = self.h.rows();
        let mut hht = Matrix::zeros(k, k);
        gram_of_rows(&mut hht, self.h, x.parts())?;
        self.error_with(x, x_norm_sq, &hht)
    }

    /// The same where `H H^T` is at hand.
    pub(crate) fn error_with(
        &self,
        x: &dyn DataMatrix<T>,
        x_norm_sq: f64,
        hht: &Matrix<f64>,
    ) -> Result<f64> {
        let BasisProducts { phi_t_x, phi_t_phi } = self.products;
        let cross = x.parts().sum_of(phi_t_x.inner(self.h))?;
        let pairs = phi_t_phi.as_slice().iter().zip(hht.as_slice());
        let model: f64 = pairs.map(|(g, h)| g.to_f64() * h).sum();
        let error_sq = x_norm_sq - 2.0 * cross + model;
        if error_sq > TOO_CLOSE * T::EPSILON.to_f64() * x_norm_sq {
            Ok(error_sq.sqrt())
        } else {
            reconstruction_error(x, self.phi, self.h)
        }
    }
}

/// `|X - Phi H|_F` by its definition, block by block; all parts of `x` call it together.
///
/// # Errors
/// If the data cannot be read.
///
/// # Panics
/// If the shapes do not fit.
pub fn reconstruction_error<T: Scalar>(
    x: &dyn DataMatrix<T>,
    phi: &Matrix<T>,
    h: &Matrix<T>,
) -> Result<f64> {
    Ok(x.residual_norm_sq(phi, h)?.sqrt())
}
