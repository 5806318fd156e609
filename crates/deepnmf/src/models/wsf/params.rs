//! Settings of WSF and WSF-MA, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::LabelGraph;
use crate::init::ScaleIn;
use crate::matrix::Scalar;
use crate::models::graphs::Labelled;
use crate::models::kind::only;
use crate::models::semi_nmf::OneLayer;
use crate::models::{Abilities, FitOptions, Kind, LabelUse, Model, Neighbourhood, Task, Variant};

/// WSF: `X ~ Z H` with non-negative `H`, similar for samples of the same class.
///
/// ```
/// use deepnmf::{Factorization, Matrix, Wsf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let model = Wsf::new(3, 0.1).fit_labelled(&x, &[Some(&labels)])?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wsf {
    /// The number of components `k`.
    pub components: usize,
    /// The weight of the labels.
    pub lambda: f64,
    /// How samples of the same class are connected.
    pub graph: LabelGraph,
    /// Which graph penalty it has.
    #[serde(default = "Variant::of_old_files")]
    pub variant: Variant,
    /// A neighbour graph beside the labels.
    #[serde(default)]
    pub neighbourhood: Neighbourhood,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl Wsf {
    /// WSF with `components` components, the weight of the labels, and default settings.
    pub fn new(components: usize, lambda: f64) -> Self {
        Self {
            components,
            lambda,
            graph: LabelGraph::default(),
            variant: Variant::default(),
            neighbourhood: Neighbourhood::default(),
            options: FitOptions::default(),
        }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets how samples of the same class are connected.
    #[must_use]
    pub fn graph(self, graph: LabelGraph) -> Self {
        Self { graph, ..self }
    }

    /// Sets which graph penalty it has.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// Sets a neighbour graph beside the labels.
    #[must_use]
    pub fn neighbourhood(self, neighbourhood: Neighbourhood) -> Self {
        Self { neighbourhood, ..self }
    }
}

impl Kind for Wsf {
    const ABILITIES: Abilities = Abilities { labels: LabelUse::One, ..Abilities::SHALLOW };

    fn layers(&self) -> Vec<usize> {
        vec![self.components]
    }

    fn in_unit(self, factor: f64) -> Self {
        let neighbourhood = self.neighbourhood.in_unit(factor);
        Self { graph: self.graph.in_unit(factor), neighbourhood, ..self }
    }

    fn unit_in(&self) -> ScaleIn {
        self.options.scale
    }

    fn advice(&self) -> &'static str {
        ADVICE
    }

    fn neighbourhood(&self) -> Option<Neighbourhood> {
        (self.variant == Variant::ScaleFree).then(|| self.neighbourhood.clone())
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let (x, attributes) = (task.x, task.attributes);
        let unknown = vec![None; x.shape().1];
        let labelled = [Labelled { lambda: self.lambda, labels: only(attributes, &unknown) }];
        let Self { components, graph, variant, ref neighbourhood, ref options, .. } = *self;
        let layer = OneLayer { components, graph, variant, neighbourhood, options };
        Ok(Model::new(self.clone(), layer.fit(x, &labelled, session)?))
    }
}

/// WSF-MA: WSF with the labels of several attributes, each with a weight of its own.
///
/// ```
/// use deepnmf::{Factorization, Matrix, WsfMa};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let pose: Vec<Option<u32>> = (0..20).map(|j| Some(j % 2)).collect();
/// let identity: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j / 5)).collect();
/// let model = WsfMa::new(3, [0.01, 0.1]).fit_labelled(&x, &[Some(&pose), Some(&identity)])?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WsfMa {
    /// The number of components `k`.
    pub components: usize,
    /// The weight of each attribute.
    pub lambda: Vec<f64>,
    /// How samples of the same class are connected.
    pub graph: LabelGraph,
    /// Which graph penalty it has.
    #[serde(default = "Variant::of_old_files")]
    pub variant: Variant,
    /// A neighbour graph beside the labels.
    #[serde(default)]
    pub neighbourhood: Neighbourhood,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl WsfMa {
    /// WSF-MA with `components` components, a weight for each attribute, and default settings.
    pub fn new(components: usize, lambda: impl Into<Vec<f64>>) -> Self {
        Self {
            components,
            lambda: lambda.into(),
            graph: LabelGraph::default(),
            variant: Variant::default(),
            neighbourhood: Neighbourhood::default(),
            options: FitOptions::default(),
        }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets how samples of the same class are connected.
    #[must_use]
    pub fn graph(self, graph: LabelGraph) -> Self {
        Self { graph, ..self }
    }

    /// Sets which graph penalty it has.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// Sets a neighbour graph beside the labels.
    #[must_use]
    pub fn neighbourhood(self, neighbourhood: Neighbourhood) -> Self {
        Self { neighbourhood, ..self }
    }
}

impl Kind for WsfMa {
    const ABILITIES: Abilities = Abilities { labels: LabelUse::Several, ..Abilities::SHALLOW };

    fn layers(&self) -> Vec<usize> {
        vec![self.components]
    }

    fn in_unit(self, factor: f64) -> Self {
        let neighbourhood = self.neighbourhood.in_unit(factor);
        Self { graph: self.graph.in_unit(factor), neighbourhood, ..self }
    }

    fn unit_in(&self) -> ScaleIn {
        self.options.scale
    }

    fn advice(&self) -> &'static str {
        ADVICE
    }

    fn neighbourhood(&self) -> Option<Neighbourhood> {
        (self.variant == Variant::ScaleFree).then(|| self.neighbourhood.clone())
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let (x, attributes) = (task.x, task.attributes);
        check_lambda(&self.lambda, attributes.len(), "attributes")?;
        let unknown = vec![None; x.shape().1];
        let labels = attributes.iter().map(|labels| labels.unwrap_or(&unknown));
        let weights = self.lambda.iter();
        let labelled: Vec<_> =
            weights.zip(labels).map(|(&lambda, labels)| Labelled { lambda, labels }).collect();
        let Self { components, graph, variant, ref neighbourhood, ref options, .. } = *self;
        let layer = OneLayer { components, graph, variant, neighbourhood, options };
        Ok(Model::new(self.clone(), layer.fit(x, &labelled, session)?))
    }
}

/// What to change where a model with graph regularization does not converge.
pub(crate) const ADVICE: &str = "lower lambda, the weight of the graph penalty";

/// Refuses a list of weights that is not one number of at least zero for each thing.
pub(crate) fn check_lambda(lambda: &[f64], count: usize, things: &str) -> Result<()> {
    if lambda.len() != count {
        let accepted = format!("give one for each of the {count} {things}");
        return Err(Error::parameter("the number of weights lambda", lambda.len(), accepted));
    }
    match lambda.iter().find(|l| !(**l >= 0.0 && l.is_finite())) {
        Some(value) => Err(Error::parameter("lambda", value, "it must be a number of at least 0")),
        None => Ok(()),
    }
}
