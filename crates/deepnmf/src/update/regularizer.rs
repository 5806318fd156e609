//! Graph regularization between one update of the features and the next.

use super::{BasisProducts, GraphProducts, HSolver, Products};
use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{Matrix, Scalar};

/// A graph with its products for the present features.
pub(crate) struct Regularizer<'a, T> {
    graph: &'a dyn Graph<T>,
    hw: Matrix<T>,
    /// The diagonal of `2 D`, for a `W` that is not positive semi-definite; `D + W` takes its place.
    doubled: Option<Vec<T>>,
    penalty: f64,
}

impl<'a, T: Scalar> Regularizer<'a, T> {
    pub(crate) fn new(graph: &'a dyn Graph<T>, h: &Matrix<T>) -> Result<Self> {
        let twice = |d: &T| *d + *d;
        let doubled = (!graph.is_positive()).then(|| graph.degrees().iter().map(twice).collect());
        Self::with(graph, doubled, h)
    }

    /// `W` and `D` as they are: a multiplicative rule lowers the objective with any `W` that has no
    /// negative weight.
    pub(crate) fn as_it_is(graph: &'a dyn Graph<T>, h: &Matrix<T>) -> Result<Self> {
        Self::with(graph, None, h)
    }

    fn with(graph: &'a dyn Graph<T>, doubled: Option<Vec<T>>, h: &Matrix<T>) -> Result<Self> {
        let hw = Matrix::zeros(h.rows(), h.cols());
        let mut this = Self { graph, hw, doubled, penalty: 0.0 };
        this.refresh(h)?;
        Ok(this)
    }

    /// Computes the products for other features.
    pub(crate) fn refresh(&mut self, h: &Matrix<T>) -> Result<()> {
        self.hw.as_mut_slice().fill(T::ZERO);
        self.graph.add_product(1.0, h, &mut self.hw)?;
        let mut penalty = 0.0;
        let k = h.rows();
        let columns = self.hw.as_mut_slice().chunks_exact_mut(k).zip(h.columns());
        for ((hw, h), d) in columns.zip(self.graph.degrees()) {
            for (hw, h) in hw.iter_mut().zip(h) {
                let (pull, d) = (*hw, *d);
                penalty += h.to_f64() * (d.to_f64() * h.to_f64() - pull.to_f64());
                if self.doubled.is_some() {
                    *hw += d * *h;
                }
            }
        }
        self.penalty = self.graph.parts().sum_of(penalty)?;
        Ok(())
    }

    /// The graph penalty `Tr(H L H^T)` of the features last seen.
    pub(crate) fn penalty(&self) -> f64 {
        self.penalty
    }

    /// As a rule sees them.
    pub(super) fn products(&self) -> GraphProducts<'_, T> {
        let degrees = self.doubled.as_deref().unwrap_or_else(|| self.graph.degrees());
        GraphProducts { hw: &self.hw, degrees }
    }
}

/// Updates the features `h`, and the graph's products with them.
pub(crate) fn update_regularized<T: Scalar>(
    solver: HSolver,
    h: &mut Matrix<T>,
    products: &BasisProducts<T>,
    regularizer: Option<&mut Regularizer<'_, T>>,
) -> Result<()> {
    let graph = regularizer.as_deref().map(Regularizer::products);
    solver.update(h, Products { graph, ..products.plain() });
    regularizer.map_or(Ok(()), |regularizer| regularizer.refresh(h))
}

/// The root of twice the objective: of the squared error and the graph penalty.
pub(crate) fn with_penalty<T: Scalar>(error: f64, regularizer: Option<&Regularizer<'_, T>>) -> f64 {
    // Without a graph not a bit may change; what rounding makes negative is nothing.
    regularizer.map_or(error, |r| (error * error + r.penalty()).max(0.0).sqrt())
}
