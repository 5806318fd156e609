//! Settings of GNMF, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::{Graph, NeighbourSearch, NeighbourWeights, Neighbours, WeightedSum};
use crate::matrix::{DataMatrix, Scalar};
use crate::models::nmf::Held;
use crate::models::wsf::check_lambda;
use crate::models::{Model, Nmf, Settings};
use crate::observe::Stage;

/// GNMF: `X ~ Z H`, nothing negative, with features that are similar for near samples.
///
/// ```
/// use deepnmf::{Gnmf, Matrix};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = Gnmf::new(3).fit(&x)?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gnmf {
    /// The factorization itself.
    pub nmf: Nmf,
    /// The weight of the graph.
    pub lambda: f64,
    /// How many nearest samples each one is tied to.
    pub neighbours: usize,
    /// How much they count.
    pub weights: NeighbourWeights,
    /// How they are found.
    #[serde(default)]
    pub search: NeighbourSearch,
}

impl Gnmf {
    /// GNMF with `components` components and the published settings: five neighbours of weight 1,
    /// `lambda` 100, multiplicative rules.
    pub fn new(components: usize) -> Self {
        Self {
            nmf: Nmf::new(components).solver(Nmf::LEE_SEUNG),
            lambda: 100.0,
            neighbours: 5,
            weights: NeighbourWeights::default(),
            search: NeighbourSearch::default(),
        }
    }

    /// Sets the factorization itself.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf, ..self }
    }

    /// Sets the weight of the graph.
    #[must_use]
    pub fn lambda(self, lambda: f64) -> Self {
        Self { lambda, ..self }
    }

    /// Sets how many neighbours there are and how much they count.
    #[must_use]
    pub fn neighbours(self, neighbours: usize, weights: NeighbourWeights) -> Self {
        Self { neighbours, weights, ..self }
    }

    /// Sets how neighbours are found.
    #[must_use]
    pub fn search(self, search: NeighbourSearch) -> Self {
        Self { search, ..self }
    }

    /// Factorizes `x`.
    ///
    /// # Errors
    /// If the data are empty, not finite or negative somewhere, or the settings do not fit them.
    pub fn fit<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<Model<T>> {
        self.fit_in(x, &mut FitSession::new())
    }

    /// Factorizes `x` in a session that can be watched and stopped.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.nmf.check(x)?;
        check_lambda(&[self.lambda], 1, "graph")?;
        let search = (self.search, self.nmf.seed);
        let near = Neighbours::found_by(search, x, self.neighbours, self.weights)?;
        let graph = WeightedSum::new(vec![(self.lambda, Box::new(near) as Box<dyn Graph<T>>)])?;
        let held = (!graph.is_empty()).then_some(Held::Tied { graph: &graph, unit_sums: false });
        let (factors, summary) = self.nmf.fit_stage(x, (Stage::Fitting, held), session)?;
        Ok(Model::new(Settings::Gnmf(self.clone()), factors, summary))
    }
}
