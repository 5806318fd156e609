//! The alternation of NMF: `Z` and `H` by the same rule.
//!
//! Per sweep the data are touched twice, in `X H^T` and `Z^T X`: `4 p n k` floating-point operations,
//! and `O((p + n) k^2)` beside.

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_columns, gram_of_rows};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated_above_zero};
use crate::objective::{Fitted, error_from_products, reconstruction_error};
use crate::update::{HSolver, Products};

/// The error of a non-negative factorization, factor by factor.
pub(crate) struct Alternation<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    solver: HSolver,
}

/// `Z` and `H`.
pub(crate) type Pair<T> = (Matrix<T>, Matrix<T>);

/// Begins from given factors.
pub(crate) fn alternate<T: Scalar>(
    x: &dyn DataMatrix<T>,
    (z, h): Pair<T>,
    solver: HSolver,
) -> Extrapolated<Alternation<'_, T>> {
    let error = reconstruction_error(x, &z, &h);
    let alternation = Alternation { x, x_norm_sq: x.norm_sq(), solver };
    Extrapolated::new(alternation, (z, h), error * error / 2.0)
}

impl<T: Scalar> Alternation<'_, T> {
    /// `Z^T <- rule(H X^T, H H^T)`.
    fn update_basis(&self, z: &mut Matrix<T>, h: &Matrix<T>) {
        let (p, k) = z.shape();
        let mut gram = Matrix::<f64>::zeros(k, k);
        gram_of_rows(&mut gram, h);
        self.x.sum_over_parts(gram.as_mut_slice());
        let mut x_ht = Matrix::zeros(p, k);
        self.x.mul_tr(h, &mut x_ht);
        let mut turned = z.t().to_matrix();
        let (target, gram) = (x_ht.t().to_matrix(), gram.cast());
        self.solver.update(&mut turned, Products::untied(&target, &gram));
        *z = turned.t().to_matrix();
    }

    /// `H <- rule(Z^T X, Z^T Z)`; returns half the squared error.
    fn update_features(&self, z: &Matrix<T>, h: &mut Matrix<T>) -> f64 {
        let (k, n) = h.shape();
        let (mut z_t_x, mut z_t_z) = (Matrix::zeros(k, n), Matrix::zeros(k, k));
        self.x.tr_mul(z, &mut z_t_x);
        gram_of_columns(&mut z_t_z, z);
        self.solver.update(h, Products::untied(&z_t_x, &z_t_z));
        let mut hht = Matrix::zeros(k, k);
        gram_of_rows(&mut hht, h);
        self.x.sum_over_parts(hht.as_mut_slice());
        let fitted = Fitted { phi: z, h, phi_t_x: &z_t_x, phi_t_phi: &z_t_z, hht: &hht };
        let error = error_from_products(self.x, self.x_norm_sq, &fitted);
        error * error / 2.0
    }
}

impl<T: Scalar> Sweeps for Alternation<'_, T> {
    type Point = Pair<T>;

    fn sweep(&self, (z, h): &mut Pair<T>) -> Result<f64> {
        self.update_basis(z, h);
        Ok(self.update_features(z, h))
    }

    fn ahead(&self, now: &Pair<T>, before: &Pair<T>, momentum: f64) -> Pair<T> {
        // A multiplicative rule would never leave a zero that momentum has brought about.
        if matches!(self.solver, HSolver::Multiplicative { .. }) {
            return now.clone();
        }
        let ahead = |a, b| extrapolated_above_zero(a, b, momentum);
        (ahead(&now.0, &before.0), ahead(&now.1, &before.1))
    }
}
