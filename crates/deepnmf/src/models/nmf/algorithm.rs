//! The alternation of NMF and its kin: `Z` and `H` by the same rule, with something that holds `H`.
//!
//! Per sweep the data are touched twice, in `X H^T` and `Z^T X`: `4 p n k` floating-point operations,
//! and `O((p + n) k^2)` beside.

use crate::error::Result;
use crate::graph::{ClassMeans, Graph};
use crate::matrix::{DataMatrix, Matrix, Scalar};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated_above_zero};
use crate::objective::{error_with_products, reconstruction_error};
use crate::update::{
    HSolver, Products, Tied, basis_products, feature_products, update_tied, with_roughness,
};

/// The error of a non-negative factorization, factor by factor.
pub(crate) struct Alternation<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    solver: HSolver,
    held: Option<Held<'a, T>>,
}

/// What holds features beside the data.
pub(crate) enum Held<'a, T> {
    /// A graph ties samples to each other (GNMF, DNMF).
    Tied {
        graph: &'a dyn Graph<T>,
        /// Whether every column of `Z` keeps the sum 1, so that features cannot grow.
        unit_sums: bool,
    },
    /// All samples of a class have the same features (CNMF).
    Equal(ClassMeans),
}

/// `Z` and `H`.
pub(crate) type Pair<T> = (Matrix<T>, Matrix<T>);

/// Begins from given factors.
pub(crate) fn alternate<'a, T: Scalar>(
    x: &'a dyn DataMatrix<T>,
    (mut z, mut h): Pair<T>,
    solver: HSolver,
    held: Option<Held<'a, T>>,
) -> Extrapolated<Alternation<'a, T>> {
    let mut roughness = 0.0;
    match &held {
        Some(Held::Tied { graph, unit_sums }) => {
            if *unit_sums {
                bring_to_unit_sums(&mut z, &mut h);
            }
            roughness = graph.roughness(&h);
        }
        Some(Held::Equal(classes)) => classes.average(&mut h),
        None => {}
    }
    let error = reconstruction_error(x, &z, &h);
    let alternation = Alternation { x, x_norm_sq: x.norm_sq(), solver, held };
    Extrapolated::new(alternation, (z, h), (error * error + roughness).max(0.0) / 2.0)
}

/// Scales the columns of `z` to sum 1 and the rows of `h` such that the product stays.
pub(crate) fn bring_to_unit_sums<T: Scalar>(z: &mut Matrix<T>, h: &mut Matrix<T>) {
    for r in 0..z.cols() {
        let sum: f64 = z.col(r).iter().map(|v| v.to_f64()).sum();
        if sum.is_normal() {
            let (up, down) = (T::from_f64(sum), T::from_f64(1.0 / sum));
            z.col_mut(r).iter_mut().for_each(|v| *v *= down);
            (0..h.cols()).for_each(|j| h.col_mut(j)[r] *= up);
        }
    }
}

impl<T: Scalar> Alternation<'_, T> {
    /// `Z^T <- rule(H X^T, H H^T)`.
    fn update_basis(&self, z: &mut Matrix<T>, h: &Matrix<T>) {
        let (x_ht, hht) = basis_products(self.x, h);
        let (mut turned, target) = (z.t().to_matrix(), x_ht.t().to_matrix());
        let solver = self.solver.worth(self.x.shape().1, h.rows());
        solver.update(&mut turned, Products::untied(&target, &hht));
        *z = turned.t().to_matrix();
    }

    fn is_multiplicative(&self) -> bool {
        matches!(self.solver, HSolver::Multiplicative { .. })
    }

    /// `H <- rule(Z^T X, Z^T Z)`; returns the objective.
    fn update_features(&self, z: &Matrix<T>, h: &mut Matrix<T>) -> f64 {
        let (mut z_t_x, z_t_z) = feature_products(self.x, z);
        let mut tied = None;
        match &self.held {
            Some(Held::Tied { graph, .. }) if self.is_multiplicative() => {
                tied = Some(Tied::as_it_is(*graph, h));
            }
            Some(Held::Tied { graph, .. }) => tied = Some(Tied::new(*graph, h)),
            Some(Held::Equal(classes)) => classes.average(&mut z_t_x),
            None => {}
        }
        let solver = self.solver.worth(z.rows(), z.cols());
        update_tied(solver, h, (&z_t_x, &z_t_z), &mut tied);
        if let Some(Held::Equal(classes)) = &self.held {
            // Their problems are the same, but some rules work harder on some blocks of columns. The
            // problems are convex, too: a mean of answers is no worse than their mean value.
            classes.average(h);
        }
        let error = error_with_products(self.x, self.x_norm_sq, (z, h), (&z_t_x, &z_t_z));
        with_roughness(error, tied.as_ref()).powi(2) / 2.0
    }
}

impl<T: Scalar> Sweeps for Alternation<'_, T> {
    type Point = Pair<T>;

    fn sweep(&self, (z, h): &mut Pair<T>) -> Result<f64> {
        self.update_basis(z, h);
        if let Some(Held::Tied { unit_sums: true, .. }) = self.held {
            bring_to_unit_sums(z, h);
        }
        Ok(self.update_features(z, h))
    }

    fn ahead(&self, now: &Pair<T>, before: &Pair<T>, momentum: f64) -> Pair<T> {
        // A multiplicative rule would never leave a zero that momentum has brought about.
        if self.is_multiplicative() {
            return now.clone();
        }
        let ahead = |a, b| extrapolated_above_zero(a, b, momentum);
        (ahead(&now.0, &before.0), ahead(&now.1, &before.1))
    }
}
