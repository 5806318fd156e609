//! Everything a page shows, as one value; [`Content`] is what the page's script reads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deepnmf::{Divergence, Model, Recorded, Scalar, Summary};
use deepnmf_data::preprocess::Pipeline;
use deepnmf_select::{Choice, LayerChoice};
use serde::Serialize;
use serde_json::Value;

pub use crate::attributes::Labels;
use crate::attributes::cut;
pub use crate::bases::Basis;
pub use crate::clusters::{Cluster, Clustering, Grouping};
pub use crate::maps::Map;
use crate::numbers::short;
pub use crate::predictions::Predicted;
pub use crate::samples::{Likeness, Samples};
pub use crate::scores::{Cell, Measure};
pub use crate::swaps::Swaps;
pub use crate::topics::{Topic, Topics};
pub use crate::words::Words;

/// The most points of an error curve.
const CURVE_POINTS: usize = 300;
/// The most settings that are listed.
const MOST_SETTINGS: usize = 60;

/// Everything a page shows. Its JSON form is what the page's script reads, and no promise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Content {
    /// The program that made the page.
    pub made_by: String,
    /// The heading.
    pub title: String,
    /// What the data are called.
    pub data_name: Option<String>,
    /// Samples of the data.
    pub samples_total: usize,
    /// Samples that are clustered and counted.
    pub judged: usize,
    /// The most samples that a classifier sees.
    pub classified: usize,
    /// Features of a prepared sample.
    pub features: usize,
    /// Names of the features that the page mentions.
    pub feature_names: Vec<(usize, String)>,
    /// Whether the features are those of the fit, or computed for these samples.
    pub of_the_fit: bool,
    /// How features are scaled before they are clustered, classified and mapped.
    pub scale: String,
    /// The model.
    pub model: ModelView,
    /// How the fit went.
    pub fit: Fit,
    /// What is known of the shown samples.
    pub attributes: Vec<Labels>,
    /// The shown samples.
    pub samples: Samples,
    /// The layers, the one next to the data first; or the parts of an additive model.
    pub layers: Vec<LayerView>,
    /// Sums of a cluster of the first part and one of another, for pictures of an additive model.
    pub swaps: Vec<Swaps>,
    /// Clusters, of each layer in one or several ways.
    pub clusterings: Vec<Clustering>,
    /// Ways to look at all layers.
    pub groupings: Vec<Grouping>,
    /// How well every layer predicts every attribute.
    pub cells: Vec<Cell>,
    /// What the model predicts of the shown samples.
    pub predictions: Vec<Predicted>,
    /// The same in plain words.
    pub words: Words,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerView {
    /// Its components.
    pub components: usize,
    /// Its reconstruction error, relative to the norm of the data.
    pub relative_error: f32,
    /// The share of the scatter of the samples that is between the clusters of a part.
    pub share: Option<f32>,
    /// Its basis in the space of the data.
    pub basis: Basis,
    /// Its components as topics, where the data are counts.
    pub topics: Option<Topics>,
    /// The shown samples by their principal components.
    pub principal: Map,
    /// The shown samples by t-SNE, which keeps neighbours together.
    pub tsne: Option<Map>,
    /// For every shown sample the nearest others.
    pub near: Vec<Vec<usize>>,
    /// How it reconstructs every shown sample.
    pub likeness: Likeness,
}

/// What kind of model it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelView {
    /// Its name, as at the terminal.
    pub name: String,
    /// The preprocessing of the samples.
    pub preprocessing: String,
    /// The attributes whose labels it has learnt from.
    pub learnt: Vec<Option<String>>,
    /// Whether there is a nonlinearity between the layers.
    pub nonlinear: bool,
    /// What stands side by side: layers, or the parts of an additive model.
    pub side_by_side: &'static str,
    /// All settings, by name.
    pub settings: Vec<(String, String)>,
    /// How the numbers of components were chosen, if they were.
    pub choice: Option<ChoiceView>,
}

/// How the numbers of components were chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceView {
    /// Why, layer by layer.
    pub reasons: Vec<String>,
    /// The curves, as the address of a picture.
    pub picture: String,
}

impl ChoiceView {
    fn of(recorded: &Recorded) -> Option<Self> {
        let layers: Vec<LayerChoice> = recorded.read().ok()??;
        let reasons =
            layers.iter().map(|layer| format!("Layer {}: {}.", layer.layer, layer.choice.reason));
        let reasons = reasons.collect();
        let curves: Vec<Choice> = layers.into_iter().map(|layer| layer.choice).collect();
        let picture = STANDARD.encode(Choice::picture(&curves));
        Some(Self { reasons, picture: format!("data:image/svg+xml;base64,{picture}") })
    }
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// The reconstruction error.
    pub error: f64,
    /// The same relative to the norm of the data, or to what `relative_to` says.
    pub relative_error: f64,
    /// What it is relative to.
    pub relative_to: &'static str,
    /// The least error of any linear model of this rank.
    pub bound: Option<f64>,
    /// By how much the error exceeds it.
    pub gap: Option<f64>,
    /// Samples of the fit.
    pub samples: usize,
    /// Iterations of the main loop.
    pub iterations: usize,
    /// Why it ended.
    pub stop: String,
    /// Seconds of the whole fit.
    pub seconds: f64,
    /// What a user should know.
    pub notices: Vec<String>,
    /// The loops of the fit.
    pub curves: Vec<Curve>,
}

/// The errors of one loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The part of the fit.
    pub name: String,
    /// Whether it decided the top layer.
    pub main: bool,
    /// Seconds it took.
    pub seconds: f32,
    /// Why it ended.
    pub stop: String,
    /// Which iterations are kept.
    pub iterations: Vec<usize>,
    /// The error after each of them.
    pub errors: Vec<f64>,
}

impl ModelView {
    pub(crate) fn of<T: Scalar>(model: &Model<T>) -> Self {
        let steps = &model.provenance.preprocessing;
        let preprocessing = match steps.read::<Pipeline>() {
            Ok(steps) => steps.unwrap_or_default().to_string(),
            Err(_) => steps.to_string(),
        };
        let mut settings = Vec::new();
        flatten("", &serde_json::to_value(&model.settings).unwrap_or_default(), &mut settings);
        settings.truncate(MOST_SETTINGS);
        Self {
            name: model.settings.name().into(),
            preprocessing: cut(&preprocessing),
            learnt: model.provenance.attributes.iter().map(|a| a.as_deref().map(cut)).collect(),
            nonlinear: model.factors.activation != deepnmf::Activation::Identity,
            side_by_side: if model.settings.parts().len() > 1 { "part" } else { "layer" },
            settings,
            choice: ChoiceView::of(&model.provenance.choice),
        }
    }
}

/// Settings within settings as `outer.inner`; what is not set is left out.
fn flatten(name: &str, value: &Value, into: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Object(entries) => {
            for (key, value) in entries {
                let inner = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&inner, value, into);
            }
        }
        Value::Array(values) => {
            let plain: Vec<String> = values.iter().map(text).collect();
            into.push((cut(name), cut(&plain.join(", "))));
        }
        value => into.push((cut(name), cut(&text(value)))),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Fit {
    pub(crate) fn of(summary: &Summary, divergence: Divergence) -> Self {
        let curve = |run: &deepnmf::Run| {
            let step = run.history.len().div_ceil(CURVE_POINTS).max(1);
            let last = run.history.len().saturating_sub(1);
            let kept: Vec<usize> =
                (0..run.history.len()).filter(|i| i % step == 0 || *i == last).collect();
            Curve {
                name: run.stage.to_string(),
                main: run.history == summary.history,
                seconds: short(run.seconds),
                stop: run.stop.to_string(),
                errors: kept.iter().map(|&i| run.history[i]).collect(),
                iterations: kept,
            }
        };
        Self {
            error: summary.error,
            relative_error: summary.relative_error,
            relative_to: divergence.least_model(),
            bound: summary.svd_bound,
            gap: summary.gap,
            samples: summary.samples,
            iterations: summary.iterations,
            stop: summary.stop.to_string(),
            seconds: summary.seconds,
            notices: summary.notices.iter().map(ToString::to_string).collect(),
            curves: summary.runs.iter().map(curve).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use deepnmf::{DeepSemiNmf, Factorization, Matrix};

    use super::*;

    #[test]
    fn settings_are_listed_by_name_and_without_what_is_not_set() {
        let value = serde_json::json!({ "model": "a", "b": { "c": [1, 2], "d": null }, "e": true });
        let mut found = Vec::new();
        flatten("", &value, &mut found);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert!(found.contains(&pair("b.c", "1, 2")) && found.contains(&pair("e", "true")));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_long_history_keeps_its_ends() {
        let x = Matrix::from_fn(6, 12, |i, j| ((i + 1) * (j + 3) % 7) as f64);
        let mut summary = DeepSemiNmf::new([4, 2]).fit(&x).unwrap().summary;
        assert!(Fit::of(&summary, Divergence::Frobenius).curves.iter().any(|curve| curve.main));
        summary.runs[0].history = (0..1001).map(|i| 1.0 / f64::from(i + 1)).collect();
        let curve = &Fit::of(&summary, Divergence::Frobenius).curves[0];
        assert!(curve.errors.len() <= CURVE_POINTS + 1);
        assert_eq!((curve.iterations[0], curve.iterations.last()), (0, Some(&1000)));
    }
}
