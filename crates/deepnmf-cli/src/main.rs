//! The program `deepnmf`: factorizes data files from a terminal.
//!
//! Raw flags ([`args`]) become a checked plan, the plan is carried out ([`commands`]), and what
//! comes out is one text or one JSON object ([`output`]). This file only maps errors to exit codes.

mod args;
mod commands;
mod input;
mod output;
mod progress;
mod ranks;
mod resources;
mod signals;
mod spill;
mod tables;

use std::env;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command, UsageError};
use crate::output::{Outcome, Output};
use crate::ranks::Ranks;

#[global_allocator]
static ALLOCATOR: spill::Spilling = spill::Spilling;

/// What a program returns that was called the wrong way.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    match Ranks::join() {
        Ok(ranks) => carry_out(&ranks),
        Err(error) => {
            Output::new(wants_json(), false).failure(&error.into());
            ExitCode::FAILURE
        }
    }
}

fn carry_out(ranks: &Ranks) -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return not_understood(&error, ranks),
    };
    let mut output = Output::new(args.json, args.quiet);
    if ranks.count() > 1 {
        output = output.of_several(ranks.is_first());
    }
    let done = match &args.command {
        // Others would do the same on every rank, and write the same files.
        command if ranks.count() > 1 && !matches!(command, Command::Fit(_)) => {
            let text =
                "this command works in one process: start it without mpirun, which is for fit";
            Err(UsageError(text.into()).into())
        }
        Command::Demo(demo) => commands::demo::run(demo, output),
        Command::Fit(fit) => commands::fit::run(fit, ranks, output),
        Command::Transform(transform) => commands::transform::run(transform, output),
        Command::Impute(impute) => commands::impute::run(impute, output),
        Command::Info(info) => commands::info::run(info, output),
        Command::Export(export) => commands::export::run(export, output),
        Command::Cluster(cluster) => commands::cluster::run(cluster, output),
        Command::Predict(predict) => commands::predict::run(predict, output),
        Command::Evaluate(evaluate) => commands::evaluate::run(evaluate, output),
        Command::Report(report) => commands::report::run(report, output),
        Command::Reproduce(reproduce) => commands::reproduce::run(reproduce, output),
        Command::Datasets(datasets) => commands::datasets::run(datasets, output),
        Command::Completions(completions) => commands::completions::run(completions, output),
        Command::Man(man) => commands::man::run(man, output),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(signals::exit_code()),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            ranks.fail(&output::sentence(&error));
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
fn not_understood(error: &clap::Error, ranks: &Ranks) -> ExitCode {
    if ranks.is_first() {
        // A closed pipe (`deepnmf --help | head -1`) leaves nobody to tell.
        let _ = error.print();
        if error.use_stderr() && wants_json() {
            output::refusal(&error.render().to_string());
        }
    }
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

fn wants_json() -> bool {
    env::args_os().any(|flag| flag == "--json")
}
