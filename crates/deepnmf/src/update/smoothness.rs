//! The scale-free graph penalty: connected samples should have similar reconstructions.
//!
//! ```text
//! |X - Z H|^2 / 2 + Tr(Z H L H^T Z^T) / 2        Tr(Z H L H^T Z^T) = 1/2 sum_jl w_jl |Z h_j - Z h_l|^2
//! ```
//!
//! The printed penalty `Tr(H L H^T)` has no minimum beside a free basis: features shrink, the basis grows, the
//! error stays and the penalty is gone. This one depends on the product `P = Z H` alone, so no change of scale,
//! and none of the components by any invertible matrix, has an effect on it. Both terms are measured in the
//! squared unit of the data and grow with the number of samples. In `P` the objective is a convex quadratic
//! form, coercive over the closed set of matrices of rank `k`, so it has a minimum there; `init/smooth.rs` finds
//! it in closed form.
//!
//! With `G = Z^T Z` and `B = Z^T X` the part of the features is
//!
//! ```text
//! Tr(G H (I + D - W) H^T) / 2 - <B, H>
//! ```
//!
//! whose term with `W` is concave where `W` is positive semi-definite (`G` always is). With its tangent at the
//! present `H_0` in its place, sample `j` is left with `(1 + d_j) h^T G h / 2 - (b_j + G (H_0 W)_j)^T h`: the
//! problem without a graph for the target `(b_j + G (H_0 W)_j) / (1 + d_j)`. So every rule for the features
//! serves as it is, and none raises the objective. The basis is solved exactly, with `H (I + L) H^T` in the place of
//! `H H^T`.

use super::regularizer::Regularizer;
use super::{BasisProducts, HSolver, Products};
use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{DataMatrix, Matrix, PartColumns, Scalar, add_scaled, product};

/// The penalty with what it needs of the present features.
pub(crate) struct Smoothness<'a, T> {
    graph: &'a dyn Graph<T>,
    /// `H W` and degrees, as the printed penalty has them.
    products: Regularizer<'a, T>,
    /// `H L H^T` over all parts.
    scatter: Matrix<f64>,
}

impl<'a, T: Scalar> Smoothness<'a, T> {
    pub(crate) fn new(graph: &'a dyn Graph<T>, h: &Matrix<T>) -> Result<Self> {
        let products = Regularizer::new(graph, h)?;
        let mut this = Self { graph, products, scatter: Matrix::zeros(0, 0) };
        this.scatter = this.scatter_of(h)?;
        Ok(this)
    }

    /// Computes the products for other features.
    pub(crate) fn refresh(&mut self, h: &Matrix<T>) -> Result<()> {
        self.products.refresh(h)?;
        self.scatter = self.scatter_of(h)?;
        Ok(())
    }

    /// `H L H^T = H D H^T - H W H^T`, or with `2 D - (D + W)` for `D - W`.
    fn scatter_of(&self, h: &Matrix<T>) -> Result<Matrix<f64>> {
        let graph = self.products.products();
        let mut pull = graph.hw.map(|v| -v);
        for (j, d) in graph.degrees.iter().enumerate() {
            pull.col_mut(j).iter_mut().zip(h.col(j)).for_each(|(pull, h)| *pull += *d * *h);
        }
        let mut scatter = Matrix::zeros(h.rows(), h.rows());
        PartColumns::new(pull.view(), self.graph.parts()).mul_tr(h, &mut scatter)?;
        let scatter = scatter.cast::<f64>();
        Ok(Matrix::from_fn(h.rows(), h.rows(), |i, j| {
            f64::midpoint(scatter[(i, j)], scatter[(j, i)])
        }))
    }

    /// `Tr(Z H L H^T Z^T)` for the Gram matrix `Z^T Z`.
    pub(crate) fn penalty(&self, phi_t_phi: &Matrix<T>) -> f64 {
        phi_t_phi.cast::<f64>().inner(&self.scatter).max(0.0)
    }

    /// `H H^T` becomes `H (I + L) H^T`, with which the basis is solved.
    pub(crate) fn add_to(&self, hht: &mut Matrix<f64>) {
        add_scaled(hht, 1.0, &self.scatter);
    }

    /// Updates the features, and the products with them.
    pub(crate) fn update(
        &mut self,
        solver: HSolver,
        h: &mut Matrix<T>,
        products: &BasisProducts<T>,
    ) -> Result<()> {
        let graph = self.products.products();
        let mut target = product(products.phi_t_phi.view(), graph.hw.view());
        for (j, d) in graph.degrees.iter().enumerate() {
            let weight = T::ONE / (T::ONE + *d);
            let column = target.col_mut(j).iter_mut().zip(products.phi_t_x.col(j));
            column.for_each(|(target, b)| *target = (*target + *b) * weight);
        }
        solver.update(h, Products::plain(&target, &products.phi_t_phi));
        self.refresh(h)
    }
}
