//! The alternation of NMF and its kin: `Z` and `H` by the same rule, with something that constrains `H`.
//!
//! Per sweep the data are touched twice, in `X H^T` and `Z^T X`: `4 p n k` floating-point operations,
//! and `O((p + n) k^2)` beside.

use crate::error::Result;
use crate::graph::{ClassMeans, Graph};
use crate::matrix::{DataMatrix, Matrix, Scalar};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated_above_zero};
use crate::models::factors::Pair;
use crate::objective::{Fitted, reconstruction_error};
use crate::update::{
    BasisProducts, FeatureProducts, HSolver, Regularizer, update_regularized, with_penalty,
};

/// The error of a non-negative factorization, factor by factor.
pub(crate) struct Alternation<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    solver: HSolver,
    constraint: Option<Constraint<'a, T>>,
}

/// What constrains features beside the data.
pub(crate) enum Constraint<'a, T> {
    /// Graph regularization (GNMF, DNMF).
    Graph {
        graph: &'a dyn Graph<T>,
        /// Whether every column of `Z` keeps the sum 1, so that features cannot grow.
        unit_sums: bool,
    },
    /// All samples of a class have the same features (CNMF).
    Equal(ClassMeans<'a>),
}

/// Begins from given factors.
pub(crate) fn alternate<'a, T: Scalar>(
    x: &'a dyn DataMatrix<T>,
    mut pair: Pair<T>,
    solver: HSolver,
    constraint: Option<Constraint<'a, T>>,
) -> Result<Extrapolated<Alternation<'a, T>>> {
    let mut penalty = 0.0;
    match &constraint {
        Some(Constraint::Graph { graph, unit_sums }) => {
            if *unit_sums {
                bring_to_unit_sums(&mut pair.z, &mut pair.h);
            }
            penalty = graph.penalty(&pair.h)?;
        }
        Some(Constraint::Equal(classes)) => classes.average(&mut pair.h)?,
        None => {}
    }
    let error = reconstruction_error(x, &pair.z, &pair.h)?;
    let alternation = Alternation { x, x_norm_sq: x.norm_sq()?, solver, constraint };
    Ok(Extrapolated::new(alternation, pair, (error * error + penalty).max(0.0) / 2.0))
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
    fn update_basis(&self, z: &mut Matrix<T>, h: &Matrix<T>) -> Result<()> {
        let turned_products = FeatureProducts::of(self.x, h)?.turned();
        let mut turned = z.t().to_matrix();
        let solver = self.solver.worth(self.x.parts().total(), h.rows());
        solver.update(&mut turned, turned_products.plain());
        *z = turned.t().to_matrix();
        Ok(())
    }

    fn is_multiplicative(&self) -> bool {
        matches!(self.solver, HSolver::Multiplicative { .. })
    }

    /// `H <- rule(Z^T X, Z^T Z)`; returns the objective.
    fn update_features(&self, z: &Matrix<T>, h: &mut Matrix<T>) -> Result<f64> {
        let mut products = BasisProducts::of(self.x, z)?;
        let mut regularizer = None;
        match &self.constraint {
            Some(Constraint::Graph { graph, .. }) if self.is_multiplicative() => {
                regularizer = Some(Regularizer::as_it_is(*graph, h)?);
            }
            Some(Constraint::Graph { graph, .. }) => {
                regularizer = Some(Regularizer::new(*graph, h)?);
            }
            Some(Constraint::Equal(classes)) => classes.average(&mut products.phi_t_x)?,
            None => {}
        }
        let solver = self.solver.worth(z.rows(), z.cols());
        update_regularized(solver, h, &products, &mut regularizer)?;
        if let Some(Constraint::Equal(classes)) = &self.constraint {
            // Their problems are the same and so are their answers, up to how a mean is rounded.
            classes.average(h)?;
        }
        let error = Fitted { phi: z, h, products: &products }.error(self.x, self.x_norm_sq)?;
        Ok(with_penalty(error, regularizer.as_ref()).powi(2) / 2.0)
    }
}

impl<T: Scalar> Sweeps for Alternation<'_, T> {
    type Point = Pair<T>;

    fn sweep(&self, Pair { z, h }: &mut Pair<T>) -> Result<f64> {
        self.update_basis(z, h)?;
        if let Some(Constraint::Graph { unit_sums: true, .. }) = self.constraint {
            bring_to_unit_sums(z, h);
        }
        self.update_features(z, h)
    }

    fn ahead(&self, now: &Pair<T>, before: &Pair<T>, momentum: f64) -> Pair<T> {
        // A multiplicative rule would never leave a zero that momentum has brought about.
        if self.is_multiplicative() {
            return now.clone();
        }
        let ahead = |a, b| extrapolated_above_zero(a, b, momentum);
        Pair { z: ahead(&now.z, &before.z), h: ahead(&now.h, &before.h) }
    }
}
