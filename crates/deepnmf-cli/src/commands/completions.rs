//! `deepnmf completions`.

use anyhow::Result;
use clap::CommandFactory;
use serde_json::json;

use crate::args::{Args, CompletionsArgs};
use crate::output::{Outcome, Output};

/// Prints a completion script.
pub(crate) fn run(args: &CompletionsArgs, output: Output) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "deepnmf", &mut script);
    let script = String::from_utf8_lossy(&script);
    output.result(&script, &json!({ "shell": args.shell.to_string(), "script": script }))?;
    Ok(Outcome::Done)
}
