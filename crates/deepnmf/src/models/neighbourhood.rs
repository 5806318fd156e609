//! Neighbour graphs of a model's layers: settings that Semi-NMF, WSF and their deep forms share.

use serde::{Deserialize, Serialize};

use super::wsf::check_lambda;
use crate::error::{Error, Result};
use crate::graph::{NeighbourSearch, NeighbourWeights, Search};

/// Which layers have a graph of nearest neighbours, and how much it counts.
///
/// The neighbours of a layer are those in the features of the layer below, about their mean and scaled to unit
/// length; those of the first layer are those in the data. Two samples are connected if each is among the nearest of the
/// other.
///
/// ```
/// use deepnmf::{DeepSemiNmf, Neighbourhood};
/// let model = DeepSemiNmf::new([200, 40]).neighbourhood(Neighbourhood::of([0, 5]));
/// assert_eq!(model.neighbourhood.lambda, Neighbourhood::LAMBDA);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Neighbourhood {
    /// Among how many nearest samples connected ones are, for each layer from the first; 0 for a layer without a
    /// neighbour graph. Empty if no layer has one.
    pub neighbours: Vec<usize>,
    /// The weight of the graph; 1 draws samples half of the way to their neighbours.
    pub lambda: f64,
    /// How much neighbours count.
    pub weights: NeighbourWeights,
    /// How they are found.
    pub search: NeighbourSearch,
}

impl Default for Neighbourhood {
    fn default() -> Self {
        Self {
            neighbours: vec![],
            lambda: Self::LAMBDA,
            weights: NeighbourWeights::Heat { sigma: None },
            search: NeighbourSearch::default(),
        }
    }
}

impl Neighbourhood {
    /// The usual weight (`studies/neighbours` has the measurements).
    pub const LAMBDA: f64 = 1.0;

    /// So many neighbours in each layer, 0 for a layer without a graph, with the usual weight.
    pub fn of(neighbours: impl Into<Vec<usize>>) -> Self {
        Self { neighbours: neighbours.into(), ..Self::default() }
    }

    /// The same number for every layer above the first, whose features are worth more than the data; for the data
    /// where there is one layer only.
    pub fn above_the_data(neighbours: usize, layers: usize) -> Self {
        let mut of_layers = vec![neighbours; layers];
        if layers > 1 {
            of_layers[0] = 0;
        }
        Self::of(of_layers)
    }

    /// Sets the weight of the graph.
    #[must_use]
    pub fn lambda(self, lambda: f64) -> Self {
        Self { lambda, ..self }
    }

    /// Sets how much neighbours count.
    #[must_use]
    pub fn weights(self, weights: NeighbourWeights) -> Self {
        Self { weights, ..self }
    }

    /// Sets how neighbours are found.
    #[must_use]
    pub fn search(self, search: NeighbourSearch) -> Self {
        Self { search, ..self }
    }

    /// Whether any layer has such a graph, and it counts.
    pub(crate) fn any(&self) -> bool {
        self.lambda > 0.0 && self.neighbours.iter().any(|q| *q > 0)
    }

    /// How many neighbours count in a layer, counted from 1.
    pub(crate) fn of_layer(&self, layer: usize) -> usize {
        if self.lambda > 0.0 { self.neighbours.get(layer - 1).copied().unwrap_or(0) } else { 0 }
    }

    /// Whether a layer factorizes the features of the layer below at unit length: from the first layer above the
    /// data on that has neighbours there.
    pub(crate) fn reads_features(&self, layer: usize) -> bool {
        (2..=layer).any(|layer| self.of_layer(layer) > 0)
    }

    /// The search for the neighbours of a layer, if it has any.
    pub(crate) fn search_in(&self, layer: usize, seed: u64, normalised: bool) -> Option<Search> {
        let neighbours = self.of_layer(layer);
        let Self { weights, search: method, .. } = *self;
        let search = Search { neighbours, weights, method, seed, normalised, mutual: true };
        (neighbours > 0).then_some(search)
    }

    /// The same for data times `factor`: a given width is measured in their unit, where the data are compared.
    pub(crate) fn in_unit(self, factor: f64) -> Self {
        if self.of_layer(1) == 0 {
            return self;
        }
        Self { weights: self.weights.in_unit(factor), ..self }
    }

    /// Refuses what does not fit a model of so many layers.
    pub(crate) fn check(&self, layers: usize) -> Result<()> {
        check_lambda(&[self.lambda], 1, "neighbour graph")?;
        let given = self.neighbours.len();
        if given == 0 || given == layers {
            return Ok(());
        }
        let accepted = format!("give one for each of the {layers} layers, 0 for none");
        Err(Error::parameter("the number of layers with neighbours", given, accepted))
    }
}
