//! `deepnmf report`: one page that explores a model.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Model, Scalar};
use deepnmf_report::{Draft, Options, Report};
use serde_json::{Value, json};

use crate::args::ReportArgs;
use crate::input::{check_output, on_threads, prepare_for, refuse_missing, samples_of};
use crate::output::{Outcome, Output};
use crate::progress::Progress;

/// Evaluates a model with data and writes the page.
pub(crate) fn run(args: &ReportArgs, output: Output) -> Result<Outcome> {
    let labels = args.read.labels_file.as_deref();
    let read: Vec<&Path> = [Some(args.model.as_path()), Some(args.data.as_path()), labels]
        .into_iter()
        .flatten()
        .collect();
    check_output(&args.out, &read)?;
    let report = match load_model(&args.model)? {
        AnyModel::F32(model) => explore(args, &model, output)?,
        AnyModel::F64(model) => explore(args, &model, output)?,
    };
    let bytes = report.write(&args.out)?;
    let text = format!("{}wrote {} ({})\n", text(&report), args.out.display(), size(bytes));
    output.result(&text, &object(&report, &args.out, bytes))?;
    Ok(Outcome::Done)
}

fn explore<T: Scalar>(args: &ReportArgs, model: &Model<T>, output: Output) -> Result<Report> {
    let progress = Progress::new(output);
    progress.doing("reading the data");
    refuse_missing(
        &args.read,
        "a report shows complete samples: fill them in with deepnmf impute",
    )?;
    let mut data = samples_of::<T>(&args.data, &args.read)?;
    let culprit = || args.data.display().to_string();
    let draft = Draft::new(&data, options(args));
    prepare_for(model, &mut data, &args.read).with_context(culprit)?;
    on_threads(args.threads, || draft.finish(model, &data, &mut |what| progress.doing(what)))?
        .with_context(culprit)
}

fn options(args: &ReportArgs) -> Options {
    Options {
        title: args.title.clone(),
        data_name: Some(data_name(&args.data)),
        samples: args.samples,
        clusters: args.clusters,
        scale: args.scale.into(),
        seed: args.seed,
    }
}

/// The name of a file or folder, without its path, which is private.
fn data_name(data: &Path) -> String {
    let name = data.file_name().unwrap_or(data.as_os_str());
    name.to_string_lossy().into_owned()
}

/// What the page says first.
fn text(report: &Report) -> String {
    let words = &report.content().words;
    let mut text = format!("{}\n", words.headline);
    for sentence in words.layers.iter().chain(&words.attributes) {
        let _ = writeln!(text, "  {sentence}");
    }
    text
}

fn object(report: &Report, out: &Path, bytes: usize) -> Value {
    let content = report.content();
    json!({
        "out": out,
        "bytes": bytes,
        "samples": content.samples_total,
        "judged": content.judged,
        "shown": content.samples.numbers.len(),
        "of_the_fit": content.of_the_fit,
        "headline": content.words.headline,
        "layers": content.words.layers,
        "attributes": content.words.attributes,
        "cells": content.cells,
    })
}

/// A number of bytes for people.
fn size(bytes: usize) -> String {
    match bytes as f64 {
        bytes if bytes < 1e6 => format!("{:.0} kB", bytes / 1e3),
        bytes => format!("{:.1} MB", bytes / 1e6),
    }
}
