//! What a graph adds to an objective, in either form.

use super::regularizer::{Regularizer, update_regularized};
use super::smoothness::Smoothness;
use super::{BasisProducts, HSolver};
use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{Matrix, Scalar};

/// A graph and the form of its penalty.
pub(crate) struct GraphPenalty<'a, T> {
    /// The graph, its weight included.
    pub(crate) graph: &'a dyn Graph<T>,
    /// Whether the penalty is that of reconstructions (`smoothness.rs`), not that of features as printed.
    pub(crate) scale_free: bool,
}

impl<T> Clone for GraphPenalty<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for GraphPenalty<'_, T> {}

/// A graph penalty with its products for the present features.
pub(crate) enum GraphTerm<'a, T> {
    /// `Tr(H L H^T)`.
    Printed(Regularizer<'a, T>),
    /// `Tr(Z H L H^T Z^T)`.
    ScaleFree(Smoothness<'a, T>),
}

impl<'a, T: Scalar> GraphTerm<'a, T> {
    pub(crate) fn new(penalty: GraphPenalty<'a, T>, h: &Matrix<T>) -> Result<Self> {
        Ok(if penalty.scale_free {
            Self::ScaleFree(Smoothness::new(penalty.graph, h)?)
        } else {
            Self::Printed(Regularizer::new(penalty.graph, h)?)
        })
    }

    /// Computes the products for other features.
    pub(crate) fn refresh(&mut self, h: &Matrix<T>) -> Result<()> {
        match self {
            Self::Printed(term) => term.refresh(h),
            Self::ScaleFree(term) => term.refresh(h),
        }
    }

    /// The penalty of the features last seen, for a basis with this Gram matrix.
    pub(crate) fn penalty(&self, phi_t_phi: &Matrix<T>) -> f64 {
        match self {
            Self::Printed(term) => term.penalty(),
            Self::ScaleFree(term) => term.penalty(phi_t_phi),
        }
    }

    /// Updates the features `h`, and the products with them.
    pub(crate) fn update(
        &mut self,
        solver: HSolver,
        h: &mut Matrix<T>,
        products: &BasisProducts<T>,
    ) -> Result<()> {
        match self {
            Self::Printed(term) => update_regularized(solver, h, products, Some(term)),
            Self::ScaleFree(term) => term.update(solver, h, products),
        }
    }

    /// Makes `H H^T` what the basis is solved with.
    pub(crate) fn add_to(&self, hht: &mut Matrix<f64>) {
        if let Self::ScaleFree(term) = self {
            term.add_to(hht);
        }
    }
}
