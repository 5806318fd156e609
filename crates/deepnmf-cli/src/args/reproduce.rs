//! `deepnmf reproduce`.

use std::path::PathBuf;

use super::values::{at_least_one, thread_count};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf reproduce --list
  deepnmf reproduce all --quick
  deepnmf reproduce reconstruction --data folder/with/PIE_pose27.mat
  deepnmf reproduce all --data folder --repeats 10 --out reproduction
  deepnmf reproduce attributes --multi-pie folder/of/pictures

DATA holds any of PIE_pose27.mat, cmu-faces/, xm2vts/ and multi-pie/; deepnmf datasets fetch gets the
first two. XM2VTS and Multi-PIE are licensed: without them other faces stand in for them, and every
output says so. An interrupted run goes on where it was when the same command is given again.")]
pub(crate) struct ReproduceArgs {
    /// Experiment: xor, layers, reconstruction, clustering, pretraining, attributes, or all
    pub(crate) experiment: Option<String>,
    /// List what there is to run, on which data, and how long it would take
    #[arg(long)]
    pub(crate) list: bool,
    /// Folder with the data; otherwise that of the environment's `DEEPNMF_DATA`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// XM2VTS as a folder of pictures
    #[arg(long, value_name = "FOLDER")]
    pub(crate) xm2vts: Option<PathBuf>,
    /// How the names of its pictures hold the identity [default: {identity}_{session}_{shot}, else
    /// a folder for each person]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) xm2vts_pattern: Option<String>,
    /// Multi-PIE as a folder of pictures
    #[arg(long, value_name = "FOLDER")]
    pub(crate) multi_pie: Option<PathBuf>,
    /// How the names of its pictures hold the labels [default: {identity}_{pose}_{expression}]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) multi_pie_pattern: Option<String>,
    /// How often what is random is repeated with another seed [default: 10, and 3 for layers]
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) repeats: Option<usize>,
    /// Small models on small drawn faces: all parts in a few minutes, no result
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder for records, tables, figures and pages
    #[arg(long, default_value = "deepnmf-reproduction")]
    pub(crate) out: PathBuf,
    /// Fits to run at a time, with a thread each; one for each core by default. The number changes
    /// no result
    #[arg(long, value_parser = thread_count, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}
