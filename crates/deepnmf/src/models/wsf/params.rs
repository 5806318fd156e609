//! Settings of WSF and WSF-MA, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::{Graph, LabelGraph, Labels, WeightedSum};
use crate::matrix::{DataMatrix, Scalar};
use crate::models::semi_nmf::fit_tied;
use crate::models::{FitOptions, Model, Settings};

/// WSF: `X ~ Z H` with non-negative `H`, similar for samples of the same class.
///
/// ```
/// use deepnmf::{Matrix, Wsf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let model = Wsf::new(3, 0.1).fit(&x, &labels)?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wsf {
    /// The number of components `k`.
    pub components: usize,
    /// The weight of the labels.
    pub lambda: f64,
    /// How samples of the same class are tied.
    pub graph: LabelGraph,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl Wsf {
    /// WSF with `components` components, the weight of the labels, and default settings.
    pub fn new(components: usize, lambda: f64) -> Self {
        let (graph, options) = (LabelGraph::default(), FitOptions::default());
        Self { components, lambda, graph, options }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets how samples of the same class are tied.
    #[must_use]
    pub fn graph(self, graph: LabelGraph) -> Self {
        Self { graph, ..self }
    }

    /// Factorizes `x`, of whose samples some or all have a label.
    ///
    /// # Errors
    /// If the data are empty or not finite, or the settings or the labels do not fit them.
    pub fn fit<T: Scalar>(&self, x: &dyn DataMatrix<T>, labels: &Labels) -> Result<Model<T>> {
        self.fit_in(x, labels, &mut FitSession::new())
    }

    /// Factorizes `x` in a session that can be watched and stopped.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        labels: &Labels,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let graph = weighted(x, self.graph, &[(self.lambda, labels)])?;
        let graph = graph.as_ref().map(|graph| graph as &dyn Graph<T>);
        let (factors, summary) = fit_tied(x, self.components, graph, &self.options, session)?;
        Ok(Model::new(Settings::Wsf(self.clone()), factors, summary))
    }
}

/// WSF-MA: WSF with the labels of several attributes, each with a weight of its own.
///
/// ```
/// use deepnmf::{Matrix, WsfMa};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let pose: Vec<Option<u32>> = (0..20).map(|j| Some(j % 2)).collect();
/// let identity: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j / 5)).collect();
/// let model = WsfMa::new(3, [0.01, 0.1]).fit(&x, &[&pose, &identity])?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WsfMa {
    /// The number of components `k`.
    pub components: usize,
    /// The weight of each attribute.
    pub lambda: Vec<f64>,
    /// How samples of the same class are tied.
    pub graph: LabelGraph,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl WsfMa {
    /// WSF-MA with `components` components, a weight for each attribute, and default settings.
    pub fn new(components: usize, lambda: impl Into<Vec<f64>>) -> Self {
        let (graph, options) = (LabelGraph::default(), FitOptions::default());
        Self { components, lambda: lambda.into(), graph, options }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets how samples of the same class are tied.
    #[must_use]
    pub fn graph(self, graph: LabelGraph) -> Self {
        Self { graph, ..self }
    }

    /// Factorizes `x`, given the labels of each attribute.
    ///
    /// # Errors
    /// If the data are empty or not finite, or the settings or the labels do not fit them.
    pub fn fit<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        attributes: &[&Labels],
    ) -> Result<Model<T>> {
        self.fit_in(x, attributes, &mut FitSession::new())
    }

    /// Factorizes `x` in a session that can be watched and stopped.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        attributes: &[&Labels],
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        check_lambda(&self.lambda, attributes.len(), "attributes")?;
        let weights = self.lambda.iter().copied();
        let parts: Vec<_> = weights.zip(attributes.iter().copied()).collect();
        let graph = weighted(x, self.graph, &parts)?;
        let graph = graph.as_ref().map(|graph| graph as &dyn Graph<T>);
        let (factors, summary) = fit_tied(x, self.components, graph, &self.options, session)?;
        Ok(Model::new(Settings::WsfMa(self.clone()), factors, summary))
    }
}

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

/// The sum of the graphs of some attributes; nothing if no sample is tied to any.
pub(crate) fn weighted<T: Scalar>(
    x: &dyn DataMatrix<T>,
    graph: LabelGraph,
    attributes: &[(f64, &Labels)],
) -> Result<Option<WeightedSum<T>>> {
    let mut parts = Vec::with_capacity(attributes.len());
    for (lambda, labels) in attributes {
        check_lambda(&[*lambda], 1, "attribute")?;
        crate::matrix::check_data(x)?;
        parts.push((*lambda, graph.build(x, labels)?));
    }
    let sum = WeightedSum::new(parts)?;
    Ok((!sum.is_empty()).then_some(sum))
}
