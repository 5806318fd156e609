//! `deepnmf predict`.

use std::path::PathBuf;

use clap::ArgAction;

use super::read::{DataArgs, ZeroArgs};
use super::values::thread_count;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf fit faces.npy --labels-file some.csv --model deep-wsf --layers 100,100 \\
      --attributes pose,identity --out m.safetensors
  deepnmf predict m.safetensors new.npy --out predicted.csv
  deepnmf predict m.safetensors new.npy --attributes identity --out -

The table has two columns for each attribute: its class, and the margin by which it is ahead of the next one
(1 is certain, 0 undecided).")]
pub(crate) struct PredictArgs {
    /// Model file of a fit with labels: wsf, wsf-ma, deep-wsf, or additive-semi-nmf with an attribute among its parts
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) zero: ZeroArgs,
    /// Attributes to predict, with commas between them [default: all that the model has learnt]
    #[arg(
        long,
        alias = "attribute",
        action = ArgAction::Set,
        value_delimiter = ',',
        value_name = "NAME,..."
    )]
    pub(crate) attributes: Vec<String>,
    /// File to write, a row per sample: .csv, .tsv, .npz or .parquet; - is standard output, as CSV
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default. The number changes no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
