//! `deepnmf transform`.

use std::path::PathBuf;

use super::names::MethodName;
use super::read::{DataArgs, ZeroArgs};
use super::values::{at_least_one, thread_count};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf transform m.safetensors new.npy --out h.npy
  deepnmf transform m.safetensors new.npy --layer 1 --method basis --out h1.csv
  deepnmf transform m.safetensors new.npy --out - | head")]
pub(crate) struct TransformArgs {
    /// Model file
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) zero: ZeroArgs,
    /// Layer, counted from 1; the last one by default
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) layer: Option<usize>,
    /// Projection method [default: nonnegative, but basis for whitened-pca]
    #[arg(long, value_enum)]
    pub(crate) method: Option<MethodName>,
    /// File to write, a row per sample: .csv, .tsv, .npy, .npz or .parquet; - is standard output,
    /// as CSV
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
