//! `deepnmf cluster`.

use std::path::PathBuf;

use super::names::ScalingName;
use super::read::{ReadArgs, ZeroArgs};
use super::values::{at_least_one, thread_count, whole};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf cluster m.safetensors --clusters 6 --out labels.csv
  deepnmf cluster m.safetensors --data new.npy --clusters 6 --scale unit-samples --out labels.csv
  deepnmf cluster h.npy --clusters 6 --out -

Clusters are numbered from 1, the largest first.")]
pub(crate) struct ClusterArgs {
    /// Model file (.safetensors), or a file of features
    pub(crate) source: PathBuf,
    /// Samples to cluster, by their projection onto the model [default: those of the fit]
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) zero: ZeroArgs,
    /// Number of clusters that k-means is to find. A model with parts has its own: without this they are written, a
    /// column for each part. So has a model without negative numbers: the component that adds most to a sample
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) clusters: Option<usize>,
    /// Layer of the model, counted from 1; the last one by default
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) layer: Option<usize>,
    /// Scaling of the features
    #[arg(long, value_enum, default_value_t = ScalingName::None)]
    pub(crate) scale: ScalingName,
    /// Starts of k-means; the one of least inertia counts
    #[arg(long, default_value_t = 10, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) restarts: usize,
    /// Seed of everything random; the same seed gives the same clusters
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// File to write, a row per sample: .csv, .tsv, .npy, .npz or .parquet; - is standard output,
    /// as CSV
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default. The number changes no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
