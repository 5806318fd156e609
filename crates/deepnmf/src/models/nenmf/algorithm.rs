//! The alternation of NeNMF.

use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_columns, gram_of_rows};
use crate::objective::{Fitted, error_from_products};
use crate::update::{Products, h_nesterov, projected_gradient};

/// The share of the gradient at the start that is asked for first.
const FIRST_SHARE: f64 = 1e-3;

/// A factor that needs no more steps than this is asked for more.
const FEW: usize = 10;

/// The most steps for one factor in one iteration.
const MOST: usize = 1000;

/// NeNMF under way.
pub(super) struct NeNmfLoop<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    /// `Z^T`, `k x p`.
    zt: Matrix<T>,
    h: Matrix<T>,
    tolerances: (f64, f64),
    error: f64,
}

impl<'a, T: Scalar> NeNmfLoop<'a, T> {
    pub(super) fn new(x: &'a dyn DataMatrix<T>, z: &Matrix<T>, h: Matrix<T>) -> Self {
        let zt = z.t().to_matrix();
        let mut this =
            Self { x, x_norm_sq: x.norm_sq(), zt, h, tolerances: (0.0, 0.0), error: 0.0 };
        let (b, g) = this.of_basis();
        let basis = projected_gradient(&this.zt, Products::untied(&b, &g));
        let (b, g) = this.of_features();
        let features = projected_gradient(&this.h, Products::untied(&b, &g));
        let first = FIRST_SHARE * basis.hypot(features);
        this.tolerances = (first, first);
        this.measure(&b, &g);
        this
    }

    pub(super) fn into_factors(self) -> (Matrix<T>, Matrix<T>) {
        (self.zt.t().to_matrix(), self.h)
    }

    /// `H X^T` and `H H^T`.
    fn of_basis(&self) -> (Matrix<T>, Matrix<T>) {
        let (k, p) = self.zt.shape();
        let mut gram = Matrix::<f64>::zeros(k, k);
        gram_of_rows(&mut gram, &self.h);
        self.x.sum_over_parts(gram.as_mut_slice());
        let mut x_ht = Matrix::zeros(p, k);
        self.x.mul_tr(&self.h, &mut x_ht);
        (x_ht.t().to_matrix(), gram.cast())
    }

    /// `Z^T X` and `Z^T Z`.
    fn of_features(&self) -> (Matrix<T>, Matrix<T>) {
        let z = self.zt.t().to_matrix();
        let (k, n) = self.h.shape();
        let (mut b, mut g) = (Matrix::zeros(k, n), Matrix::zeros(k, k));
        self.x.tr_mul(&z, &mut b);
        gram_of_columns(&mut g, &z);
        (b, g)
    }

    fn measure(&mut self, z_t_x: &Matrix<T>, z_t_z: &Matrix<T>) {
        let mut hht = Matrix::zeros(self.h.rows(), self.h.rows());
        gram_of_rows(&mut hht, &self.h);
        self.x.sum_over_parts(hht.as_mut_slice());
        let z = self.zt.t().to_matrix();
        let fitted = Fitted { phi: &z, h: &self.h, phi_t_x: z_t_x, phi_t_phi: z_t_z, hht: &hht };
        self.error = error_from_products(self.x, self.x_norm_sq, &fitted);
    }
}

impl<T: Scalar> Algorithm for NeNmfLoop<'_, T> {
    fn error(&self) -> f64 {
        self.error
    }

    fn step(&mut self) -> Result<()> {
        let (b, g) = self.of_basis();
        let (tolerance, _) = self.tolerances;
        if h_nesterov(&mut self.zt, Products::untied(&b, &g), tolerance, MOST)? <= FEW {
            self.tolerances.0 /= 10.0;
        }
        let (b, g) = self.of_features();
        let (_, tolerance) = self.tolerances;
        if h_nesterov(&mut self.h, Products::untied(&b, &g), tolerance, MOST)? <= FEW {
            self.tolerances.1 /= 10.0;
        }
        self.measure(&b, &g);
        Ok(())
    }
}
