//! `deepnmf transform`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Model, Projection, Scalar};
use deepnmf_data::Table;
use serde_json::json;

use crate::args::TransformArgs;
use crate::input::{names_of_left, on_threads, prepare_with_zeros, samples};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use crate::tables::{self, component_names};

/// Computes the features of samples with a fitted model.
pub(crate) fn run(args: &TransformArgs, output: Output) -> Result<Outcome> {
    let read: Vec<&Path> =
        std::iter::once(&args.model).chain(&args.data.data).map(PathBuf::as_path).collect();
    tables::check(&args.out, &read, output)?;
    match load_model(&args.model)? {
        AnyModel::F32(model) => project(args, &model, output),
        AnyModel::F64(model) => project(args, &model, output),
    }
}

fn project<T: Scalar>(args: &TransformArgs, model: &Model<T>, output: Output) -> Result<Outcome> {
    let layer = args.layer.unwrap_or(model.factors.depth());
    let method = args.method.map_or(model.usual_projection(), Projection::from);
    model.factors.check_layer(layer)?;
    let progress = Progress::new(output);
    progress.doing("reading the data");
    let mut data = samples::<T>(&args.data)?;
    let culprit = || args.data.shown();
    let zeros = prepare_with_zeros(model, &mut data, (args.zero, &args.data.read), output)
        .with_context(culprit)?;
    progress.doing("computing the features");
    let (mut h, error, warning) = on_threads(args.threads, || -> Result<_> {
        let h = model.project(&data.x, layer, method).with_context(culprit)?;
        let error = model.error_of(&data.x, layer, &h)?;
        let warning = model.projection_warning(&data.x, layer, method, &h)?;
        Ok((h, error, warning))
    })??;
    drop(progress);
    if let Some(warning) = &warning {
        output.remark(format!("warning: {warning}"));
    }
    for &sample in &zeros.kept {
        h.col_mut(sample).fill(T::ZERO);
    }
    let relative = model.relative(&data.x, error)?;
    let text = format!(
        "{} samples, {} features of layer {layer}, error {error:.4} ({:.3}% of {})\n",
        h.cols(),
        h.rows(),
        100.0 * relative,
        model.settings.divergence().least_model(),
    );
    let object = json!({
        "model": model.settings.name(),
        "layer": layer,
        "method": method,
        "samples": h.cols(),
        "dropped": zeros.dropped.len(),
        "components": h.rows(),
        "error": error,
        "relative_error": relative,
        "warning": warning,
        "out": args.out,
    });
    let mut table = Table::of_matrix(&h, component_names(h.rows()));
    if let Some(names) = names_of_left(&data, &zeros) {
        table = table.indexed("sample", names);
    }
    tables::write(&table, &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}
