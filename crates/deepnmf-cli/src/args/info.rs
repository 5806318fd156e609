//! `deepnmf info`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  deepnmf info m.safetensors
  deepnmf info m.safetensors --json")]
pub(crate) struct InfoArgs {
    /// Model file
    pub(crate) model: PathBuf,
}
