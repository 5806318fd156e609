//! `deepnmf impute`: samples with their missing entries filled in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{DataMatrix, Model, Scalar};
use deepnmf_data::preprocess::Pipeline;
use deepnmf_data::{Dataset, DatasetOf, Table};
use serde_json::json;

use crate::args::{ImputeArgs, UsageError};
use crate::input::{declare, on_threads, prepare_for, samples};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use crate::tables;

/// Fills in what is missing and writes a table.
pub(crate) fn run(args: &ImputeArgs, output: Output) -> Result<Outcome> {
    if args.data.read.missing.is_none() {
        let text = "say which entries are missing: --missing nan or --missing zeros";
        return Err(UsageError(text.into()).into());
    }
    let read: Vec<&Path> =
        std::iter::once(&args.model).chain(&args.data.data).map(PathBuf::as_path).collect();
    tables::check(&args.out, &read, output)?;
    match load_model(&args.model)? {
        AnyModel::F32(model) => impute(args, &model, output),
        AnyModel::F64(model) => impute(args, &model, output),
    }
}

fn impute<T: Scalar>(args: &ImputeArgs, model: &Model<T>, output: Output) -> Result<Outcome> {
    let progress = Progress::new(output);
    progress.doing("reading the data");
    let mut data = samples::<T>(&args.data)?;
    let culprit = || args.data.shown();
    // As they were read; what is filled in is brought back to their unit.
    let DatasetOf { x, .. } = data.clone();
    let raw = Dataset::new(declare(x, &args.data.read)?.into_dense()?);
    prepare_for(model, &mut data, &args.data.read).with_context(culprit)?;
    progress.doing("filling in");
    let missing = data.x.missing();
    let (filled, fitted) = on_threads(args.threads, || -> deepnmf::Result<_> {
        Ok((model.impute(&data.x)?, model.was_fitted_to(&data.x)?))
    })?
    .with_context(culprit)?;
    drop(progress);
    let steps: Pipeline = model.provenance.preprocessing.read()?.unwrap_or_default();
    let filled = steps.fill_in(&raw, filled).with_context(culprit)?;
    let (p, n) = filled.shape();
    let how = if fitted { "the features of the fit" } else { "a projection onto the model" };
    let text = format!("filled in {missing} of {} entries by {how}\n", p * n);
    let object = json!({
        "model": model.settings.name(),
        "samples": n,
        "features": p,
        "missing": missing,
        "by": if fitted { "fit" } else { "projection" },
        "out": args.out,
    });
    let names = data.feature_names.clone().filter(|names| names.len() == p);
    let names = names.unwrap_or_else(|| (1..=p).map(|i| format!("feature_{i}")).collect());
    let mut table = Table::of_matrix(&filled, names);
    if let Some(names) = data.sample_names.clone() {
        table = table.indexed("sample", names);
    }
    tables::write(&table, &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}
