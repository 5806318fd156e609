//! `deepnmf impute`.

use std::path::PathBuf;

use super::read::DataArgs;
use super::values::thread_count;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf fit x.csv --missing nan --model semi-nmf --layers 10 --out m.safetensors
  deepnmf impute m.safetensors x.csv --missing nan --out filled.csv

Observed entries stay as they are. Samples of the fit are filled in by their features, others by those that
reconstruct their observed entries best.")]
pub(crate) struct ImputeArgs {
    /// Model file
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// File to write, a row per sample: .csv, .tsv, .npy, .npz or .parquet; - is standard output,
    /// as CSV
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
