//! The program `deepnmf`: factorizes data files from a terminal.
//!
//! Raw flags ([`args`]) become a checked plan, the plan is carried out ([`commands`]), and what
//! comes out is one text or one JSON object ([`output`]). This file only maps errors to exit codes.

mod args;
mod commands;
mod input;
mod output;
mod progress;
mod resources;
mod signals;
mod tables;

use std::env;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command, UsageError};
use crate::output::{Outcome, Output};

/// What a program returns that was called the wrong way.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return not_understood(&error),
    };
    let output = Output::new(args.json, args.quiet);
    let done = match &args.command {
        Command::Demo(demo) => commands::demo::run(demo, output),
        Command::Fit(fit) => commands::fit::run(fit, output),
        Command::Transform(transform) => commands::transform::run(transform, output),
        Command::Info(info) => commands::info::run(info, output),
        Command::Export(export) => commands::export::run(export, output),
        Command::Cluster(cluster) => commands::cluster::run(cluster, output),
        Command::Predict(predict) => commands::predict::run(predict, output),
        Command::Evaluate(evaluate) => commands::evaluate::run(evaluate, output),
        Command::Report(report) => commands::report::run(report, output),
        Command::Reproduce(reproduce) => commands::reproduce::run(reproduce, output),
        Command::Datasets(datasets) => commands::datasets::run(datasets, output),
        Command::Completions(completions) => commands::completions::run(completions, output),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(signals::exit_code()),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.failure(&error);
            match error.downcast_ref::<deepnmf::Error>() {
                _ if error.is::<UsageError>() => ExitCode::from(USAGE),
                Some(deepnmf::Error::Interrupted(deepnmf::StopReason::Cancelled)) => {
                    ExitCode::from(signals::exit_code())
                }
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Says what is wrong with the flags, or shows the help or version they ask for.
fn not_understood(error: &clap::Error) -> ExitCode {
    // A closed pipe (`deepnmf --help | head -1`) leaves nobody to tell.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    if env::args_os().any(|flag| flag == "--json") {
        output::refusal(&error.render().to_string());
    }
    ExitCode::from(USAGE)
}
