//! `deepnmf completions`.

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  deepnmf completions bash > ~/.local/share/bash-completion/completions/deepnmf"
)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
