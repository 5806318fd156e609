//! `deepnmf man`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deepnmf man > deepnmf.1\n  deepnmf man --out ~/.local/share/man/man1"
)]
pub(crate) struct ManArgs {
    /// Folder that the pages of all commands are written to [default: the page of the program, on standard output]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}
