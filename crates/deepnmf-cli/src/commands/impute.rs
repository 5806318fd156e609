//! `deepnmf impute`: samples with their missing entries filled in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{DataMatrix, Matrix, Model, Scalar};
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
    let seen = range_of(&raw.x);
    let steps: Pipeline = model.provenance.preprocessing.read()?.unwrap_or_default();
    let filled = steps.fill_in(&raw, filled).with_context(culprit)?;
    remark_on_range(seen, range_of(&filled), output);
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

/// The least and the largest number that is there.
fn range_of<T: Scalar>(x: &Matrix<T>) -> (f64, f64) {
    let numbers = x.as_slice().iter().map(|v| v.to_f64()).filter(|v| !v.is_nan());
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// Says that what was filled in lies far outside of what was observed: a model with too many components is free to do so.
fn remark_on_range((low, high): (f64, f64), (least, most): (f64, f64), output: Output) {
    let span = high - low;
    if least < low - span || most > high + span {
        output.remark(format!(
            "note: what was filled in reaches from {least:.4} to {most:.4}, observed entries from {low:.4} to {high:.4}: \
             fit fewer components (--layers auto finds how many hidden entries support)"
        ));
    }
}
