//! The flags as they are typed. Their ranges are checked here (exit code 2); whether they fit the
//! data is found out by the library (exit code 1).

mod cluster;
mod completions;
mod datasets;
mod demo;
mod evaluate;
mod export;
mod fit;
mod impute;
mod info;
mod man;
mod names;
mod predict;
mod read;
mod report;
mod reproduce;
mod transform;
mod values;

use clap::{Parser, Subcommand};

pub(crate) use self::cluster::ClusterArgs;
pub(crate) use self::completions::CompletionsArgs;
pub(crate) use self::datasets::{DatasetsCommand, FetchArgs};
pub(crate) use self::demo::DemoArgs;
pub(crate) use self::evaluate::EvaluateArgs;
pub(crate) use self::export::{ExportArgs, ExportName};
pub(crate) use self::fit::{ChoiceArgs, DeepArgs, FitArgs, LabelArgs, LongArgs};
pub(crate) use self::impute::ImputeArgs;
pub(crate) use self::info::InfoArgs;
pub(crate) use self::man::ManArgs;
pub(crate) use self::names::{GraphName, ModelName, OptimizerName, SolverName};
pub(crate) use self::predict::PredictArgs;
pub(crate) use self::read::{DataArgs, HeaderName, MissingName, ReadArgs, ZeroArgs, ZeroName};
pub(crate) use self::report::ReportArgs;
pub(crate) use self::reproduce::ReproduceArgs;
pub(crate) use self::transform::TransformArgs;
pub(crate) use self::values::PartName;

/// Deep matrix factorization: learns a representation per layer from data that mix attributes.
#[derive(Debug, Parser)]
#[command(
    name = "deepnmf",
    version,
    after_help = "Start with:\n  deepnmf demo\n  deepnmf fit faces.npy --layers 100,20 --out m.safetensors"
)]
pub(crate) struct Args {
    /// Print exactly one JSON object on standard output, everything else on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress bars and no remarks
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Factorize built-in faces and look at what each layer found
    Demo(DemoArgs),
    /// Factorize a data file and write the model
    Fit(Box<FitArgs>),
    /// Compute the features of samples with a fitted model
    Transform(TransformArgs),
    /// Write samples with their missing entries as a model reconstructs them
    Impute(ImputeArgs),
    /// Show what is in a model file
    Info(InfoArgs),
    /// Write bases, features or top features of a model as a table
    Export(ExportArgs),
    /// Cluster samples by their features and write the cluster of each
    Cluster(ClusterArgs),
    /// Predict the attributes of samples from the labels that a model has learnt from
    Predict(PredictArgs),
    /// Evaluate features: which layer best predicts each attribute?
    Evaluate(EvaluateArgs),
    /// Write one page that explores a model: layers, clusters, maps, bases, samples
    Report(ReportArgs),
    /// Run the paper's experiments and show its numbers beside ours
    Reproduce(Box<ReproduceArgs>),
    /// List or download public data sets
    #[command(subcommand)]
    Datasets(DatasetsCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
}

/// Flags that do not go together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);
