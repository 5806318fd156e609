//! The graphs of a model: where they come from, and those of the layers of a deep one.

use super::wsf::check_lambda;
use super::{Neighbourhood, Variant};
use crate::error::Result;
use crate::graph::{Graph, LabelGraph, Labels, Search, Weighted, WeightedSum};
use crate::matrix::{DataMatrix, Scalar, check_data};
use crate::update::GraphPenalty;

/// The labels of one attribute and their weight.
pub(crate) struct Labelled<'a> {
    pub(crate) lambda: f64,
    pub(crate) labels: &'a Labels,
}

/// The nearest samples that are connected, and their weight.
pub(crate) struct Near {
    pub(crate) lambda: f64,
    pub(crate) search: Search,
}

impl Near {
    /// The neighbours in the data, if the first layer has any.
    pub(crate) fn in_data(of: &Neighbourhood, seed: u64, variant: Variant) -> Option<Self> {
        let search = of.search_in(1, seed, variant == Variant::ScaleFree)?;
        Some(Self { lambda: of.lambda, search })
    }
}

/// The sum of the graphs of some attributes and of neighbours; nothing if it has no edge.
pub(crate) fn weighted<'a, T: Scalar>(
    x: &'a dyn DataMatrix<T>,
    (graph, variant): (LabelGraph, Variant),
    attributes: &[Labelled<'_>],
    near: Option<&Near>,
) -> Result<Option<WeightedSum<'a, T>>> {
    let mut terms = Vec::with_capacity(attributes.len() + 1);
    for Labelled { lambda, labels } in attributes {
        check_lambda(&[*lambda], 1, "attribute")?;
        check_data(x)?;
        let graph = match variant {
            Variant::ScaleFree => graph.build_normalised(x, labels)?,
            Variant::Printed | Variant::Released => graph.build(x, labels)?,
        };
        terms.push(Weighted { weight: *lambda, graph });
    }
    if let Some(Near { lambda, search }) = near {
        check_data(x)?;
        terms.push(Weighted { weight: *lambda, graph: search.graph(x, x.parts())? });
    }
    let sum = WeightedSum::new(terms, x.parts())?;
    Ok((!sum.is_empty()).then_some(sum))
}

/// The penalty of a graph, if there is one.
pub(crate) fn penalty_of<'a, T: Scalar>(
    graph: Option<&'a WeightedSum<'a, T>>,
    variant: Variant,
) -> Option<GraphPenalty<'a, T>> {
    let scale_free = variant == Variant::ScaleFree;
    graph.map(|graph| GraphPenalty { graph, scale_free })
}

/// The graph of each layer, its weight included; layers count from 1.
pub(crate) struct Graphs<'a, T>(&'a [Option<&'a dyn Graph<T>>]);

impl<T> Clone for Graphs<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Graphs<'_, T> {}

impl<'a, T> Graphs<'a, T> {
    /// No layer has one.
    pub(crate) const NONE: Self = Self(&[]);

    pub(crate) fn new(of_layers: &'a [Option<&'a dyn Graph<T>>]) -> Self {
        Self(of_layers)
    }

    /// The graph of a layer.
    pub(crate) fn of(self, layer: usize) -> Option<&'a dyn Graph<T>> {
        self.0.get(layer - 1).copied().flatten()
    }

    /// The same with the form of the penalty.
    pub(crate) fn penalty_of(self, layer: usize, variant: Variant) -> Option<GraphPenalty<'a, T>> {
        let scale_free = variant == Variant::ScaleFree;
        self.of(layer).map(|graph| GraphPenalty { graph, scale_free })
    }

    /// Whether any layer has one.
    pub(crate) fn any(self) -> bool {
        self.0.iter().any(Option::is_some)
    }
}
