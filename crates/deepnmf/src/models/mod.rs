//! The models, a folder each: `mod` (what it is), `params` (its settings, checked, and the fit), `algorithm`
//! (its loop, or where that is), `tests`. `kind.rs` is the one door to all of them.

mod cnmf;
mod deep_semi_nmf;
mod deep_wsf;
mod dnmf;
mod extrapolation;
mod factors;
mod gnmf;
mod graphs;
mod kind;
mod multilayer_nmf;
mod nenmf;
mod nmf;
mod options;
mod recorded;
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
#[doc(hidden)]
pub use kind::Task;
pub use kind::{Abilities, Attributes, Factorization, LabelUse, ModelInfo, WarmStart};
pub(crate) use kind::{Kind, Outcome};
pub use multilayer_nmf::MultilayerNmf;
pub use nenmf::NeNmf;
pub use nmf::Nmf;
pub use options::{FitOptions, NonNegativeOptions};
pub use recorded::Recorded;
pub use semi_nmf::{SemiNmf, SemiNmfLoop};
pub use summary::{Notice, Summary, smallest_error};
pub use whitened_pca::WhitenedPca;
pub use wsf::{Wsf, WsfMa};

use serde::{Deserialize, Serialize};

use crate::matrix::Scalar;

// Every model: its type, and its name in files and on the command line. A model is added here and nowhere
// else in this crate; `kind.rs` says what it must be able to do.
kind::models! {
    /// X ~ Z H with H >= 0, one layer
    SemiNmf = "semi-nmf",
    /// X ~ Z1 g(Z2 ... g(Zm Hm)), several layers
    DeepSemiNmf = "deep-semi-nmf",
    /// X ~ Z H with a label graph of one attribute
    Wsf = "wsf",
    /// X ~ Z H with label graphs of several attributes
    WsfMa = "wsf-ma",
    /// X ~ Z1 g(Z2 ... g(Zm Hm)) with a label graph of one attribute for each layer
    DeepWsf = "deep-wsf",
    /// X ~ Z H with Z, H >= 0, for data without negative numbers
    Nmf = "nmf",
    /// The same by Nesterov's method as published, a baseline
    NeNmf = "nenmf",
    /// NMF with a neighbour graph
    Gnmf = "gnmf",
    /// X ~ Z1 Z2 ... Zm Hm, nothing negative
    MultilayerNmf = "multilayer-nmf",
    /// NMF in which samples of a class have the same features
    Cnmf = "cnmf",
    /// NMF with Fisher's criterion: small scatter within classes, large between them
    Dnmf = "dnmf",
    /// Whitened principal components, the baseline to beat
    WhitenedPca = "whitened-pca",
}

/// What is known of the data a model was fitted to, beyond their numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The names of the features (rows of `X`), where they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_names: Option<Vec<String>>,
    /// The preprocessing before the fit, recorded by whoever did it; the same is to be done to data that
    /// the model is applied to.
    #[serde(default)]
    pub preprocessing: Recorded,
    /// Width, height and pixel order, or whatever else helps to show the features.
    #[serde(default, skip_serializing_if = "Recorded::is_empty")]
    pub display: Recorded,
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
    pub(crate) fn new(settings: impl Into<Settings>, outcome: Outcome<T>) -> Self {
        let Outcome { factors, summary } = outcome;
        Self { settings: settings.into(), factors, summary, provenance: Provenance::default() }
    }
}
