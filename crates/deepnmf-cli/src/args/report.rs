//! `deepnmf report`.

use std::path::PathBuf;

use super::names::ScalingName;
use super::read::ReadArgs;
use super::values::{at_least_one, shown, thread_count, whole};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf report m.safetensors --data faces.mat
  deepnmf report m.safetensors --data faces/ --pattern {identity}_{pose} --out faces.html
  deepnmf report m.safetensors --data table.csv --labels-file labels.csv --clusters 6

The page is one file that needs no network: open it in a browser, send it to a colleague.")]
pub(crate) struct ReportArgs {
    /// Model file
    pub(crate) model: PathBuf,
    /// Samples to show: those of the fit, or others like them
    #[arg(long)]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Page to write
    #[arg(long, short, default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Most samples with a point and a picture, at most 5000
    #[arg(long, default_value_t = 1000, value_parser = shown, allow_negative_numbers = true)]
    pub(crate) samples: usize,
    /// Clusters of every layer [default: the number of classes of the attribute it best predicts]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) clusters: Option<usize>,
    /// Scaling of the features before they are clustered, classified and mapped
    #[arg(long, value_enum, default_value_t = ScalingName::None)]
    pub(crate) scale: ScalingName,
    /// Heading of the page
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Seed of everything random; the same seed gives the same page
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads to use; all by default. The number changes no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
