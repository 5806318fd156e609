//! Settings of GNMF, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::{NeighbourSearch, NeighbourWeights, Search, Weighted, WeightedSum};
use crate::matrix::{Scalar, Watched};
use crate::models::nmf::{Constraint, GraphForm};
use crate::models::wsf::{ADVICE, check_lambda};
use crate::models::{Abilities, Kind, Model, Neighbourhood, Nmf, Task, Variant};
use crate::observe::Stage;

/// GNMF: `X ~ Z H`, nothing negative, with features that are similar for near samples.
///
/// ```
/// use deepnmf::{Factorization, Gnmf, Matrix};
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
    /// How many nearest samples each one is connected to.
    pub neighbours: usize,
    /// How much they count.
    pub weights: NeighbourWeights,
    /// How they are found.
    #[serde(default)]
    pub search: NeighbourSearch,
    /// Which graph penalty it has.
    #[serde(default = "Variant::of_old_files")]
    pub variant: Variant,
}

impl Gnmf {
    /// GNMF with `components` components, five neighbours of weight 1 and the scale-free penalty, by coordinate
    /// descent.
    pub fn new(components: usize) -> Self {
        Self {
            nmf: Nmf::new(components),
            lambda: Neighbourhood::LAMBDA,
            neighbours: 5,
            weights: NeighbourWeights::default(),
            search: NeighbourSearch::default(),
            variant: Variant::default(),
        }
    }

    /// GNMF with `components` components as published: the printed penalty, `lambda` 100, multiplicative rules.
    pub fn published(components: usize) -> Self {
        let nmf = Nmf::lee_seung(components);
        let lambda = Self::PUBLISHED_LAMBDA;
        Self { nmf, lambda, variant: Variant::Printed, ..Self::new(components) }
    }

    /// The published weight of the graph, which belongs to [`Variant::Printed`].
    pub const PUBLISHED_LAMBDA: f64 = 100.0;

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

    /// Sets which graph penalty it has.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// Sets how neighbours are found.
    #[must_use]
    pub fn search(self, search: NeighbourSearch) -> Self {
        Self { search, ..self }
    }
}

impl Kind for Gnmf {
    const ABILITIES: Abilities = Abilities::NON_NEGATIVE;

    fn layers(&self) -> Vec<usize> {
        self.nmf.layers()
    }

    fn in_unit(self, factor: f64) -> Self {
        Self { weights: self.weights.in_unit(factor), ..self }
    }

    fn advice(&self) -> &'static str {
        ADVICE
    }

    fn neighbourhood(&self) -> Option<Neighbourhood> {
        let Self { neighbours, lambda, weights, search, .. } = *self;
        let of = Neighbourhood { neighbours: vec![neighbours], lambda, weights, search };
        (self.variant == Variant::ScaleFree).then_some(of)
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let x = task.x;
        self.nmf.check_plain()?;
        self.nmf.check(x)?;
        check_lambda(&[self.lambda], 1, "graph")?;
        self.variant.check_shallow()?;
        let scale_free = self.variant == Variant::ScaleFree;
        let search = Search {
            neighbours: self.neighbours,
            weights: self.weights,
            method: self.search,
            seed: self.nmf.options.seed,
            normalised: scale_free,
            mutual: false, // as published
        };
        let watch = session.watch(&self.nmf.options.stop);
        let watched = Watched::new(x, &watch);
        let term = Weighted { weight: self.lambda, graph: search.graph(&watched, x.parts())? };
        let graph = WeightedSum::new(vec![term], x.parts())?;
        let form = if scale_free { GraphForm::ScaleFree } else { GraphForm::Printed };
        let constraint = (!graph.is_empty()).then_some(Constraint::Graph { graph: &graph, form });
        let outcome = self.nmf.fit_stage(x, Stage::Fitting, constraint, session)?;
        Ok(Model::new(self.clone(), outcome))
    }
}
