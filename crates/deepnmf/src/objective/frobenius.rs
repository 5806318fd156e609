//! The reconstruction error `E = |X - Phi H|_F`, without forming the difference:
//!
//! ```text
//! E^2 = |X|^2 - 2 <Phi^T X, H> + <Phi^T Phi, H H^T>
//! ```
//!
//! carried out in `f64`. Where little remains of `|X|^2`, rounding would drown the result, and
//! the difference is formed after all, block by block. The objective that the algorithms lower
//! is `E^2 / 2`.

use std::ops::ControlFlow;

use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_rows, mul};

/// A share of `|X|^2` below this many rounding units is too small to be left to differences: the
/// stopping rule needs five digits of it.
const TOO_CLOSE: f64 = 1e5;

/// A factorization `X ~ Phi H` with the products an iteration has at hand.
pub(crate) struct Fitted<'a, T> {
    pub(crate) phi: &'a Matrix<T>,
    pub(crate) h: &'a Matrix<T>,
    pub(crate) phi_t_x: &'a Matrix<T>,
    pub(crate) phi_t_phi: &'a Matrix<T>,
    pub(crate) hht: &'a Matrix<f64>,
}

/// `|X - Phi H|_F`.
pub(crate) fn error_from_products<T: Scalar>(
    x: &dyn DataMatrix<T>,
    x_norm_sq: f64,
    fitted: &Fitted<'_, T>,
) -> f64 {
    let mut cross = [fitted.phi_t_x.inner(fitted.h)];
    x.sum_over_parts(&mut cross);
    let model: f64 = fitted
        .phi_t_phi
        .as_slice()
        .iter()
        .zip(fitted.hht.as_slice())
        .map(|(g, h)| g.to_f64() * h)
        .sum();
    let error_sq = x_norm_sq - 2.0 * cross[0] + model;
    if error_sq > TOO_CLOSE * T::EPSILON.to_f64() * x_norm_sq {
        error_sq.sqrt()
    } else {
        reconstruction_error(x, fitted.phi, fitted.h)
    }
}

/// `|X - Phi H|_F` from `Phi^T X` and `Phi^T Phi`, where `H H^T` is not at hand.
pub(crate) fn error_with_products<T: Scalar>(
    x: &dyn DataMatrix<T>,
    x_norm_sq: f64,
    (phi, h): (&Matrix<T>, &Matrix<T>),
    (phi_t_x, phi_t_phi): (&Matrix<T>, &Matrix<T>),
) -> f64 {
    let mut hht = Matrix::zeros(h.rows(), h.rows());
    gram_of_rows(&mut hht, h);
    x.sum_over_parts(hht.as_mut_slice());
    error_from_products(x, x_norm_sq, &Fitted { phi, h, phi_t_x, phi_t_phi, hht: &hht })
}

/// `|X - Phi H|_F` by its definition, block by block.
///
/// # Panics
/// If the shapes do not fit.
pub fn reconstruction_error<T: Scalar>(
    x: &dyn DataMatrix<T>,
    phi: &Matrix<T>,
    h: &Matrix<T>,
) -> f64 {
    let mut sum = [0.0];
    let mut model = Matrix::zeros(0, 0);
    x.blocks(&mut |start, block| {
        if model.shape() != (block.rows(), block.cols()) {
            model = Matrix::zeros(block.rows(), block.cols());
        }
        mul(&mut model, phi.view(), h.view_columns(start..start + block.cols()));
        for (j, fitted) in model.columns().enumerate() {
            sum[0] += block
                .col(j)
                .zip(fitted)
                .map(|(x, f)| (x.to_f64() - f.to_f64()).powi(2))
                .sum::<f64>();
        }
        ControlFlow::Continue(())
    });
    x.sum_over_parts(&mut sum);
    sum[0].sqrt()
}
