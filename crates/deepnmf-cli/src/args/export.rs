//! `deepnmf export`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::values::at_least_one;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf export m.safetensors --what bases --out z.csv
  deepnmf export m.safetensors --what features --layer 1 --out h1.parquet
  deepnmf export m.safetensors --what top-features --top 5 --out -

Features of other samples are computed by deepnmf transform.")]
pub(crate) struct ExportArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    pub(crate) what: ExportName,
    /// Layer, counted from 1; the last one by default
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) layer: Option<usize>,
    /// Features to name for each component, with --what top-features [default: 10]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) top: Option<usize>,
    /// File to write: .csv, .tsv, .npy, .npz or .parquet; - is standard output, as CSV
    #[arg(long, short)]
    pub(crate) out: PathBuf,
}

/// What of a model becomes a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportName {
    /// The basis of the layer in the space of the data (in a nonlinear model what it would be without
    /// the nonlinearity): a row per feature, a column per component
    Bases,
    /// The features H of the samples of the fit: a row per sample, a column per component
    Features,
    /// The features of largest weight of every component: component, rank, feature, weight
    TopFeatures,
}
