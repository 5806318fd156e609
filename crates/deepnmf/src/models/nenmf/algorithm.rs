//! The alternation of NeNMF.

use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar};
use crate::objective::error_with_products;
use crate::update::{Products, basis_products, feature_products, h_nesterov, projected_gradient};

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
        let (b, g) = feature_products(x, z);
        let features = projected_gradient(&this.h, Products::untied(&b, &g));
        let first = FIRST_SHARE * basis.hypot(features);
        this.tolerances = (first, first);
        this.measure(z, (&b, &g));
        this
    }

    pub(super) fn into_factors(self) -> (Matrix<T>, Matrix<T>) {
        (self.zt.t().to_matrix(), self.h)
    }

    /// `H X^T` and `H H^T`.
    fn of_basis(&self) -> (Matrix<T>, Matrix<T>) {
        let (x_ht, hht) = basis_products(self.x, &self.h);
        (x_ht.t().to_matrix(), hht)
    }

    fn measure(&mut self, z: &Matrix<T>, products: (&Matrix<T>, &Matrix<T>)) {
        self.error = error_with_products(self.x, self.x_norm_sq, (z, &self.h), products);
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
        let z = self.zt.t().to_matrix();
        let (b, g) = feature_products(self.x, &z);
        let (_, tolerance) = self.tolerances;
        if h_nesterov(&mut self.h, Products::untied(&b, &g), tolerance, MOST)? <= FEW {
            self.tolerances.1 /= 10.0;
        }
        self.measure(&z, (&b, &g));
        Ok(())
    }
}
