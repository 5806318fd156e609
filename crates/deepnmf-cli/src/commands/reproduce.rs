//! `deepnmf reproduce`: the paper's experiments, its numbers beside ours.

use std::env;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use deepnmf_paper::{
    DataOptions, Experiment, Options, Progress, Report, Reproduction, Section, Watch,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::args::{ReproduceArgs, UsageError};
use crate::output::{Outcome, Output};
use crate::signals;

/// Plans, runs and reports.
pub(crate) fn run(args: &ReproduceArgs, output: Output) -> Result<Outcome> {
    let plan = Reproduction::plan(options(args)?)?;
    if args.list {
        return list(&plan, output);
    }
    output.remark(format!("data: {}", plan.data().join("; ")));
    let cancel = signals::listen()?;
    let bar = Bar::new(output);
    let report = plan.run(&args.out, &cancel, &bar)?;
    drop(bar);
    output.result(&text(args, &report), &object(args, &report))?;
    if report.interrupted {
        output.remark("interrupted: run the same command again to go on");
        return Ok(Outcome::Interrupted);
    }
    match report.failures.first() {
        None => Ok(Outcome::Done),
        Some(first) => bail!(
            "{} cells failed, the first of them {first}; run again to try them again",
            report.failures.len()
        ),
    }
}

fn options(args: &ReproduceArgs) -> Result<Options> {
    let experiments = match args.experiment.as_deref() {
        None if args.list => Experiment::ALL.to_vec(),
        None => {
            let names = Experiment::ALL.map(Experiment::name).join(", ");
            let text = format!("name an experiment: {names} or all (--list says more)");
            return Err(UsageError(text).into());
        }
        Some("all") => Experiment::ALL.to_vec(),
        Some(name) => vec![name.parse().map_err(UsageError)?],
    };
    let folder = args.data.clone().or_else(|| env::var_os("DEEPNMF_DATA").map(PathBuf::from));
    if let Some(folder) = folder.as_ref().filter(|folder| !args.quick && !folder.is_dir()) {
        bail!("there is no folder {}: name one with --data", folder.display());
    }
    Ok(Options {
        experiments,
        data: DataOptions {
            folder,
            xm2vts: args.xm2vts.clone(),
            xm2vts_pattern: args.xm2vts_pattern.clone(),
            multi_pie: args.multi_pie.clone(),
            multi_pie_pattern: args.multi_pie_pattern.clone(),
        },
        repeats: args.repeats,
        quick: args.quick,
        workers: args.threads,
    })
}

/// What there is to run, on what, and how long it would take.
fn list(plan: &Reproduction, output: Output) -> Result<Outcome> {
    let estimates = plan.estimates();
    let mut text = String::new();
    for estimate in &estimates {
        let experiment = estimate.experiment;
        let _ = writeln!(
            text,
            "{:<16}{} ({}): {} cells, about {}",
            experiment.name(),
            experiment.title(),
            experiment.place(),
            estimate.cells,
            duration(estimate.seconds)
        );
    }
    let seconds: f64 = estimates.iter().map(|estimate| estimate.seconds).sum();
    let _ = writeln!(text, "{:<16}all of them: about {}", "all", duration(seconds));
    let _ = writeln!(text, "data: {}", plan.data().join("; "));
    let object = json!({ "experiments": estimates, "seconds": seconds, "data": plan.data() });
    output.result(&text, &object)?;
    Ok(Outcome::Done)
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}

/// One bar over the cells of the experiment at hand, with the time that everything still takes.
struct Bar {
    bar: ProgressBar,
    output: Output,
}

impl Bar {
    fn new(output: Output) -> Self {
        let bar = ProgressBar::new(1);
        if !output.shows_progress() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { bar, output }
    }
}

impl Watch for Bar {
    fn progress(&self, progress: &Progress) {
        let left = duration(progress.seconds_left);
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        self.bar.set_prefix(progress.experiment);
        self.bar.set_message(format!("{left} left; {}", progress.cell));
        if !self.output.shows_progress() && progress.done == progress.total {
            self.output.remark(format!("{}: done, {left} left", progress.experiment));
        }
    }

    fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn text(args: &ReproduceArgs, report: &Report) -> String {
    let mut text = String::new();
    for section in &report.sections {
        let Section { title, place, done, cells, .. } = section;
        let _ = writeln!(text, "{title} ({place}): {done} of {cells} cells");
        for claim in &section.claims {
            let _ = writeln!(text, "  {}: {}\n    {}", claim.data, claim.claim, claim.told());
        }
    }
    if args.quick {
        text += "a quick run on small drawn faces: it says nothing about the paper\n";
    }
    let _ = writeln!(text, "look at {}", args.out.join("index.html").display());
    text
}

fn object(args: &ReproduceArgs, report: &Report) -> Value {
    let sections = report.sections.iter().map(|section| {
        json!({
            "experiment": section.experiment,
            "data": section.data,
            "done": section.done,
            "cells": section.cells,
            "seconds": section.seconds,
            "claims": section.claims,
            "tables": section.tables,
        })
    });
    json!({
        "experiments": sections.collect::<Vec<_>>(),
        "quick": args.quick,
        "interrupted": report.interrupted,
        "failures": report.failures,
        "out": args.out,
        "files": report.files,
    })
}
