//! The models, a folder each: `mod` (what it is), `params` (its settings, checked), `algorithm`
//! (the paper's algorithm), `tests`.

mod cnmf;
mod deep_semi_nmf;
mod deep_wsf;
mod dnmf;
mod extrapolation;
mod factors;
mod gnmf;
mod graphs;
mod multilayer_nmf;
mod nenmf;
mod nmf;
mod options;
mod semi_nmf;
mod summary;
mod whitened_pca;
mod wsf;

pub use cnmf::Cnmf;
pub use deep_semi_nmf::{
    DeepSemiNmf, Descent, Form, Loss, NormalForm, Optimizer, Penalties, Variant,
};
pub use deep_wsf::{DeepWsf, Pretraining};
pub use dnmf::Dnmf;
pub use factors::Factors;
pub use gnmf::Gnmf;
pub use multilayer_nmf::MultilayerNmf;
pub use nenmf::NeNmf;
pub use nmf::Nmf;
pub use options::FitOptions;
pub use semi_nmf::{SemiNmf, SemiNmfLoop};
pub use summary::{Notice, Summary, smallest_error};
pub use whitened_pca::WhitenedPca;
pub use wsf::{Wsf, WsfMa};

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::matrix::Scalar;

/// The settings a model was fitted with; one variant per model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum Settings {
    /// `X ~ Z H`.
    SemiNmf(SemiNmf),
    /// `X ~ Z_1 g(Z_2 ... g(Z_m H_m))`.
    DeepSemiNmf(DeepSemiNmf),
    /// `X ~ Z H` with the labels of one attribute.
    Wsf(Wsf),
    /// `X ~ Z H` with the labels of several attributes.
    WsfMa(WsfMa),
    /// `X ~ Z_1 g(Z_2 ... g(Z_m H_m))` with the labels of an attribute for each layer.
    DeepWsf(DeepWsf),
    /// `X ~ Z H`, nothing negative.
    Nmf(Nmf),
    /// The same as published by others, to compare with.
    #[serde(rename = "nenmf")]
    NeNmf(NeNmf),
    /// The same with a graph of nearest neighbours.
    Gnmf(Gnmf),
    /// `X ~ Z_1 Z_2 ... Z_m H_m`, nothing negative.
    MultilayerNmf(MultilayerNmf),
    /// NMF with the same features for samples of a class.
    Cnmf(Cnmf),
    /// NMF with Fisher's criterion.
    Dnmf(Dnmf),
    /// Whitened principal components.
    WhitenedPca(WhitenedPca),
}

impl Settings {
    /// The model's name, as on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SemiNmf(_) => "semi-nmf",
            Self::DeepSemiNmf(_) => "deep-semi-nmf",
            Self::Wsf(_) => "wsf",
            Self::WsfMa(_) => "wsf-ma",
            Self::DeepWsf(_) => "deep-wsf",
            Self::Nmf(_) => "nmf",
            Self::NeNmf(_) => "nenmf",
            Self::Gnmf(_) => "gnmf",
            Self::MultilayerNmf(_) => "multilayer-nmf",
            Self::Cnmf(_) => "cnmf",
            Self::Dnmf(_) => "dnmf",
            Self::WhitenedPca(_) => "whitened-pca",
        }
    }

    /// The number of components of each layer, the first one first.
    pub fn layers(&self) -> Vec<usize> {
        match self {
            Self::SemiNmf(model) => vec![model.components],
            Self::DeepSemiNmf(model) => model.layers.clone(),
            Self::Wsf(model) => vec![model.components],
            Self::WsfMa(model) => vec![model.components],
            Self::DeepWsf(model) => model.deep.layers.clone(),
            Self::Nmf(model) => vec![model.components],
            Self::NeNmf(model) => vec![model.nmf.components],
            Self::Gnmf(model) => vec![model.nmf.components],
            Self::MultilayerNmf(model) => model.layers.clone(),
            Self::Cnmf(model) => vec![model.nmf.components],
            Self::Dnmf(model) => vec![model.nmf.components],
            Self::WhitenedPca(model) => vec![model.components],
        }
    }

    /// The nonlinearity between the layers.
    pub(crate) fn activation(&self) -> Activation {
        match self {
            Self::DeepSemiNmf(model) => model.activation,
            Self::DeepWsf(model) => model.deep.activation,
            _ => Activation::Identity,
        }
    }

    /// Whether the model takes a mean off the samples first; its features then have any sign.
    pub(crate) fn has_offset(&self) -> bool {
        matches!(self, Self::WhitenedPca(_))
    }
}

/// What is known of the data a model was fitted to, beyond their numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The names of the features (rows of `X`), where they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_names: Option<Vec<String>>,
    /// What was done to the data before the fit, in the words of whoever did it; the same is to
    /// be done to data that the model is applied to.
    #[serde(default)]
    pub preprocessing: serde_json::Value,
    /// Width, height and pixel order, or whatever else helps to show the features.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub display: serde_json::Value,
    /// The names of the attributes whose labels the model has learnt from: of each layer for deep
    /// models, of all attributes for those with one layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Option<String>>,
}

/// A fitted model: the factors, how they came about, and how good they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Model<T> {
    /// The settings of the fit.
    pub settings: Settings,
    /// `Z_i` and `H_i` of every layer.
    pub factors: Factors<T>,
    /// How the fit went.
    pub summary: Summary,
    /// What is known of the data.
    pub provenance: Provenance,
}

impl<T: Scalar> Model<T> {
    pub(crate) fn new(settings: Settings, factors: Factors<T>, summary: Summary) -> Self {
        Self { settings, factors, summary, provenance: Provenance::default() }
    }
}
