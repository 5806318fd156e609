//! The models, a folder each: `mod` (what it is), `params` (its settings, checked, and the fit), `algorithm`
//! (its loop, or where that is), `tests`. `kind.rs` is the one door to all of them.

mod additive_semi_nmf;
mod cnmf;
mod deep_semi_nmf;
mod deep_wsf;
mod dnmf;
mod estimate;
mod extrapolation;
mod factors;
mod fixed;
#[cfg(test)]
mod fixed_tests;
mod gnmf;
mod graphs;
mod kind;
mod multilayer_nmf;
mod neighbourhood;
mod nenmf;
mod nmf;
mod observed;
mod options;
pub(crate) mod reading;
mod recorded;
mod semi_nmf;
mod summary;
mod unit;
mod whitened_pca;
mod wsf;

pub use additive_semi_nmf::{AdditiveSemiNmf, PartSizes};
pub(crate) use additive_semi_nmf::{Choice, most_coordinates, one_layer_up, rows_of};
pub use cnmf::Cnmf;
pub use deep_semi_nmf::{
    DeepSemiNmf, Descent, Form, Loss, NormalForm, Optimizer, Penalties, Variant,
};
pub use deep_wsf::{DeepWsf, Pretraining};
pub use dnmf::Dnmf;
pub use estimate::Estimate;
pub(crate) use factors::chain;
pub use factors::{Factors, Metric};
pub use fixed::FixedComponents;
pub(crate) use fixed::Known;
pub use gnmf::Gnmf;
#[doc(hidden)]
pub use kind::Task;
pub use kind::{Abilities, Attributes, Factorization, LabelUse, ModelInfo, WarmStart};
pub(crate) use kind::{Kind, Outcome};
pub use multilayer_nmf::MultilayerNmf;
pub use neighbourhood::Neighbourhood;
pub use nenmf::NeNmf;
pub use nmf::{ElasticNet, Nmf};
pub use options::{FitOptions, NonNegativeOptions};
pub use recorded::Recorded;
pub use semi_nmf::{SemiNmf, SemiNmfLoop};
pub use summary::{Notice, Summary, smallest_error};
pub(crate) use unit::in_common_unit;
pub use whitened_pca::WhitenedPca;
pub use wsf::{Wsf, WsfMa};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::matrix::{
    DataMatrix, Incomplete, Matrix, Parts, Scalar, Scaled, extreme_exponent, scale_by_power,
};
use crate::objective::{Divergence, kl_divergence};
use crate::predict::Predictor;

// Every model: its type, its name in files and on the command line, and as people write it. A model is added
// here and nowhere else in this crate; `kind.rs` says what it must be able to do.
kind::models! {
    /// X ~ Z H with H >= 0, one layer
    SemiNmf = "semi-nmf", "Semi-NMF";
    /// X ~ Z1 g(Z2 ... g(Zm Hm)), several layers
    DeepSemiNmf = "deep-semi-nmf", "Deep Semi-NMF";
    /// X ~ Z1 H1 + Z2 H2 + ..., one cluster of each part a sample: attributes without labels
    AdditiveSemiNmf = "additive-semi-nmf", "Additive Semi-NMF";
    /// X ~ Z H with a label graph of one attribute
    Wsf = "wsf", "Weakly supervised Semi-NMF (WSF)";
    /// X ~ Z H with label graphs of several attributes
    WsfMa = "wsf-ma", "Semi-NMF with several attributes (WSF-MA)";
    /// X ~ Z1 g(Z2 ... g(Zm Hm)) with a label graph of one attribute for each layer
    DeepWsf = "deep-wsf", "Deep WSF";
    /// X ~ Z H with Z, H >= 0, for data without negative numbers
    Nmf = "nmf", "NMF";
    /// The same by Nesterov's method as published, a baseline
    NeNmf = "nenmf", "NeNMF";
    /// NMF with a neighbour graph
    Gnmf = "gnmf", "GNMF";
    /// X ~ Z1 Z2 ... Zm Hm, nothing negative
    MultilayerNmf = "multilayer-nmf", "Multi-layer NMF";
    /// NMF in which samples of a class have the same features
    Cnmf = "cnmf", "CNMF";
    /// NMF with Fisher's criterion: small scatter within classes, large between them
    Dnmf = "dnmf", "DNMF";
    /// Whitened principal components, the baseline to beat
    WhitenedPca = "whitened-pca", "Whitened PCA";
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
    /// How the numbers of components were chosen, recorded by whoever did it.
    #[serde(default, skip_serializing_if = "Recorded::is_empty")]
    pub choice: Recorded,
    /// The names of the attributes whose labels the model has learnt from: of each layer for deep
    /// models, of all attributes for those with one layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Option<String>>,
    /// The names of the classes of these attributes, by their codes, where they have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Vec<String>>,
}

/// Errors that differ by less than this share are the same but for rounding.
const SAME_ERROR: f64 = 1e-3;

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
    /// The machines that predict the attributes whose labels it has learnt from, in the order of their use.
    pub predictors: Vec<Predictor<T>>,
}

impl<T: Scalar> Model<T> {
    /// Whether the model was fitted to these samples, in this order, so that its features are theirs.
    ///
    /// A model of an earlier version has no fingerprint of its samples. They are then taken for its own if
    /// its features reconstruct them with the error of the fit; those of other samples hardly do.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn was_fitted_to(&self, x: &dyn DataMatrix<T>) -> Result<bool> {
        let Summary { features, samples, fingerprint, error, .. } = self.summary;
        if (x.shape().0, x.parts().total()) != (features, samples) {
            return Ok(false);
        }
        if let Some(known) = fingerprint {
            return Ok(x.fingerprint()? == known);
        }
        let (factors, norm) = (&self.factors, x.norm_sq()?.sqrt());
        let found = self.error_of(x, factors.depth(), factors.top_features())?;
        Ok((found - error).abs() <= SAME_ERROR * error.max(1e-3 * norm))
    }

    /// *Together*: the error of features `h` of a layer, in what the model keeps small: [`Summary::error`] for those
    /// of the fit.
    ///
    /// # Errors
    /// If there is no such layer, or the data cannot be read.
    ///
    /// # Panics
    /// If the shapes of `x` and `h` do not fit the layer.
    pub fn error_of(&self, x: &dyn DataMatrix<T>, layer: usize, h: &Matrix<T>) -> Result<f64> {
        let factors = &self.factors;
        if self.settings.divergence() == Divergence::Frobenius {
            return factors.reconstruction_error(x, layer, h);
        }
        let exponent = extreme_exponent(&factors.z[0])?.unwrap_or(0);
        let mut basis = factors.basis(layer)?;
        scale_by_power(&mut basis, exponent);
        let divergence = if x.is_incomplete() {
            kl_divergence(&Incomplete::for_projection(x, exponent)?, &basis, h)?
        } else {
            kl_divergence(&Scaled::new(x, exponent), &basis, h)?
        };
        Ok((2.0 * divergence).sqrt() * self.settings.divergence().error_unit(-exponent))
    }

    /// The same relative to the error of the least model there is: [`Summary::relative_error`] for the samples of the
    /// fit.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn relative(&self, x: &dyn DataMatrix<T>, error: f64) -> Result<f64> {
        let least = self.settings.divergence().error_of_least_model(x)?;
        Ok(if least > 0.0 { error / least } else { 0.0 })
    }

    /// *Together*: the model with the features of the samples of all parts, on the first of them; nothing on the
    /// others.
    ///
    /// # Errors
    /// If another part has failed.
    pub fn gathered(mut self, parts: Parts<'_>) -> Result<Option<Self>> {
        for h in self.factors.h.iter_mut().chain(&mut self.factors.seen) {
            *h = parts.gather_on_first(h)?;
        }
        Ok(parts.is_first().then_some(self))
    }

    pub(crate) fn new(settings: impl Into<Settings>, outcome: Outcome<T>) -> Self {
        let Outcome { factors, summary } = outcome;
        let (provenance, predictors) = (Provenance::default(), vec![]);
        Self { settings: settings.into(), factors, summary, provenance, predictors }
    }
}
