//! `deepnmf demo`.

use std::path::PathBuf;

use super::values::{at_least_one, thread_count, two_or_more, whole};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deepnmf demo\n  deepnmf demo --faces identities=40,poses=7,noise=0.05 --parts 40,3\n  deepnmf demo --layers 150,60,20"
)]
pub(crate) struct DemoArgs {
    /// Clusters of each part that is to be found [default: as many as there are people, and lights]
    #[arg(
        long,
        action = clap::ArgAction::Set,
        value_delimiter = ',',
        value_parser = two_or_more,
        allow_negative_numbers = true,
        conflicts_with = "layers"
    )]
    pub(crate) parts: Vec<usize>,
    /// Show a deep model instead: components of each layer, the one next to the data first
    #[arg(
        long,
        action = clap::ArgAction::Set,
        value_delimiter = ',',
        value_parser = at_least_one,
        allow_negative_numbers = true
    )]
    pub(crate) layers: Vec<usize>,
    /// Options of the faces: identities, poses, expressions, illuminations, noise, size
    #[arg(long, default_value = "", value_name = "KEY=VALUE,...")]
    pub(crate) faces: String,
    /// Seed of the faces and of the fit
    #[arg(long, default_value_t = 0, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Folder for the data, the model, the picture and the report
    #[arg(long, default_value = "deepnmf-demo")]
    pub(crate) out: PathBuf,
    /// Threads to use; all by default
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
