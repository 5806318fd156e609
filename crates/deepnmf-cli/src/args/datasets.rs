//! `deepnmf datasets`.

use std::path::PathBuf;

use clap::Subcommand;

use super::values::whole;

#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsCommand {
    /// List what is built in and what can be downloaded
    List,
    /// Download a public data set into the cache, unpack it and print where it is
    Fetch(FetchArgs),
}

#[cfg_attr(not(feature = "fetch"), allow(dead_code))] // the flags stay, the download does not
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf fit \"$(deepnmf datasets fetch pie-pose27)\" --layers 625,40
  deepnmf fit \"$(deepnmf datasets fetch cmu-faces)\" --layers 40 \\
    --pattern {identity}_{pose}_{expression}_{eyes}_2
  deepnmf datasets fetch pie-pose27 --offline folder/with/the/file")]
pub(crate) struct FetchArgs {
    /// Name of the data set
    pub(crate) name: String,
    /// Folder for downloads; otherwise that of the environment's `DEEPNMF_CACHE`, else deepnmf in
    /// the user's cache folder
    #[arg(long)]
    pub(crate) cache: Option<PathBuf>,
    /// Address to download from instead of the origin, as URL/SET/FILE; otherwise `DEEPNMF_MIRROR`
    #[arg(long, value_name = "URL")]
    pub(crate) mirror: Option<String>,
    /// Folder that has the files, so that nothing is downloaded; otherwise `DEEPNMF_OFFLINE`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) offline: Option<PathBuf>,
    /// Seconds that a server may send nothing [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = whole::<u64>)]
    pub(crate) patience: Option<u64>,
}
