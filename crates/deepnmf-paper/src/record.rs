//! What is kept of a cell: enough to tell the result, and to run it again.

use std::fmt::{self, Display};
use std::fs;

use deepnmf::{Model, StopReason};
use deepnmf_eval::Scaling;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Method;

/// One finished cell, a line of the records file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What tells this cell from all others; a cell with a record of this key is not run again.
    pub key: String,
    /// The experiment.
    pub experiment: String,
    /// The data.
    pub data: DataFacts,
    /// The data learnt from first, in supervised pre-training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auxiliary: Option<DataFacts>,
    /// The method.
    pub method: Method,
    /// The components of its layers.
    pub layers: Vec<usize>,
    /// The seed of the cell: of the fit, of the split or of the data, as the experiment says.
    pub seed: u64,
    /// How many seeds of k-means there are, from 0 on.
    pub repeats: usize,
    /// What came out.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Seconds by the clock, on one thread beside others.
    pub seconds: f64,
    /// The version of the program.
    pub version: String,
    /// The machine.
    pub machine: Machine,
    /// Why there is no outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Which data a cell is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFacts {
    /// What they are called.
    pub name: String,
    /// A checksum of their numbers.
    pub fingerprint: String,
    /// The set of the paper that they stand in for, if they are not that set.
    pub stand_in_for: Option<String>,
    /// The number of samples.
    pub samples: usize,
    /// The number of features of a sample.
    pub features: usize,
}

/// What came out of a cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// The fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<FitFacts>,
    /// How well k-means finds the identities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clusterings: Vec<ClusterRun>,
    /// How well a linear support vector machine predicts classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accuracies: Vec<AccuracyRun>,
    /// Points of a figure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<Panel>,
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitFacts {
    /// All settings of the fit.
    pub settings: Value,
    /// The reconstruction error.
    pub error: f64,
    /// The same relative to the norm of the data.
    pub relative_error: f64,
    /// The least error of a linear model with as many components.
    pub svd_bound: Option<f64>,
    /// Iterations of the last loop.
    pub iterations: usize,
    /// Why that ended.
    pub stop: StopReason,
    /// Seconds of the fit.
    pub seconds: f64,
}

impl FitFacts {
    /// The facts about a fitted model.
    pub(crate) fn of(model: &Model<f64>) -> Self {
        let summary = &model.summary;
        Self {
            settings: json!(model.settings),
            error: summary.error,
            relative_error: summary.relative_error,
            svd_bound: summary.svd_bound,
            iterations: summary.iterations,
            stop: summary.stop,
            seconds: summary.seconds,
        }
    }
}

/// One clustering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterRun {
    /// The scaling of the features.
    pub scaling: Scaling,
    /// The seed of k-means.
    pub seed: u64,
    /// Accuracy, 0 to 1.
    pub ac: f64,
    /// Normalised mutual information, 0 to 1.
    pub nmi: f64,
}

/// One classification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccuracyRun {
    /// The attribute that is predicted.
    pub attribute: String,
    /// The layer whose features are used, counted from 1.
    pub layer: usize,
    /// Where the features come from.
    pub features: FeatureSource,
    /// Their scaling.
    pub scaling: Scaling,
    /// The share of test samples whose class is predicted right.
    pub accuracy: f64,
}

/// Where the features of training samples come from; those of test samples are projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureSource {
    /// From the fit, as the paper has it.
    Fit,
    /// From projection, as those of the test samples.
    Projected,
}

impl Display for FeatureSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fit => "fit",
            Self::Projected => "projected",
        })
    }
}

/// Points of one panel of a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// What the panel shows.
    pub caption: String,
    /// Two coordinates of every sample.
    pub points: Vec<[f64; 2]>,
}

/// The machine that a cell ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Cores that the program may use.
    pub cores: usize,
    /// The model of the processor, where it is known.
    pub cpu: String,
    /// Operating system and architecture.
    pub system: String,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name"));
        let cpu = model.map_or("unknown", |model| model.trim_start_matches([' ', '\t', ':']));
        let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        Self { cores, cpu: cpu.to_owned(), system }
    }
}
