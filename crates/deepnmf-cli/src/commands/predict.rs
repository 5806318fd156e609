//! `deepnmf predict`: the classes of samples that have no labels.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Model, Prediction, PredictorInfo, Scalar};
use deepnmf_data::{Cells, Table};
use serde_json::json;

use crate::args::{PredictArgs, UsageError};
use crate::input::{names_of_left, on_threads, prepare_with_zeros, samples};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use crate::tables;

/// Predicts attributes and writes a table.
pub(crate) fn run(args: &PredictArgs, output: Output) -> Result<Outcome> {
    let read: Vec<&Path> =
        std::iter::once(&args.model).chain(&args.data.data).map(PathBuf::as_path).collect();
    tables::check(&args.out, &read, output)?;
    match load_model(&args.model)? {
        AnyModel::F32(model) => predict(args, &model, output),
        AnyModel::F64(model) => predict(args, &model, output),
    }
}

/// An attribute that a model has learnt.
struct Learnt<'a> {
    name: String,
    classes: &'a [String],
    info: &'a PredictorInfo,
}

impl Learnt<'_> {
    /// The name of a class, or its number where it has none.
    fn class(&self, code: u32) -> String {
        self.classes.get(code as usize).cloned().unwrap_or_else(|| code.to_string())
    }
}

fn predict<T: Scalar>(args: &PredictArgs, model: &Model<T>, output: Output) -> Result<Outcome> {
    let wanted = wanted(args, model)?;
    let progress = Progress::new(output);
    progress.doing("reading the data");
    let mut data = samples::<T>(&args.data)?;
    let culprit = || args.data.shown();
    let zeros = prepare_with_zeros(model, &mut data, (args.zero, &args.data.read), output)
        .with_context(culprit)?;
    progress.doing("predicting");
    let found = on_threads(args.threads, || -> deepnmf::Result<Vec<Prediction>> {
        wanted.iter().map(|learnt| model.predict(&data.x, learnt.info.attribute)).collect()
    })?
    .with_context(culprit)?;
    drop(progress);
    let mut columns = vec![];
    let (mut text, mut described) = (String::new(), vec![]);
    for (learnt, Prediction { classes, margins }) in wanted.iter().zip(found) {
        let samples = classes.len();
        let mean = margins.iter().sum::<f64>() / samples.max(1) as f64;
        let _ = writeln!(
            text,
            "{}: {samples} samples, {} classes, mean margin {mean:.2}; {:.1}% of the labelled samples of the fit \
             are wrong when left out",
            learnt.name,
            learnt.info.classes.len(),
            100.0 * learnt.info.error,
        );
        described.push(json!({
            "attribute": learnt.name,
            "classes": learnt.info.classes.iter().map(|code| learnt.class(*code)).collect::<Vec<_>>(),
            "mean_margin": mean,
            "leave_one_out_error": learnt.info.error,
            "layer": learnt.info.layer,
        }));
        let classes = classes.into_iter().map(|code| learnt.class(code)).collect();
        columns.push((learnt.name.clone(), Cells::Words(classes)));
        columns.push((format!("{}_margin", learnt.name), Cells::Numbers(margins)));
    }
    let object = json!({
        "model": model.settings.name(),
        "samples": data.samples(),
        "dropped": zeros.dropped.len(),
        "attributes": described,
        "out": args.out,
    });
    let mut table = Table::<f64>::of_columns(columns);
    if let Some(names) = names_of_left(&data, &zeros) {
        table = table.indexed("sample", names);
    }
    tables::write(&table, &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}

/// The attributes asked for, or all in the order of the fit.
fn wanted<'a, T: Scalar>(args: &PredictArgs, model: &'a Model<T>) -> Result<Vec<Learnt<'a>>> {
    let provenance = &model.provenance;
    let mut learnt: Vec<Learnt<'a>> = model
        .predictors
        .iter()
        .map(|machine| {
            let place = machine.info.attribute;
            let name = provenance.attributes.get(place).cloned().flatten();
            let name = name.unwrap_or_else(|| format!("attribute_{}", place + 1));
            let classes = provenance.classes.get(place).map_or(&[][..], Vec::as_slice);
            Learnt { name, classes, info: &machine.info }
        })
        .collect();
    learnt.sort_by_key(|learnt| learnt.info.attribute);
    if learnt.is_empty() {
        let text = "this model has learnt no attribute: fit wsf, wsf-ma or deep-wsf with --attributes, or name one in --parts";
        return Err(anyhow::anyhow!("{}: {text}", args.model.display()));
    }
    if args.attributes.is_empty() {
        return Ok(learnt);
    }
    let known: Vec<String> = learnt.iter().map(|learnt| learnt.name.clone()).collect();
    if let Some(unknown) = args.attributes.iter().find(|name| !known.contains(name)) {
        let text = format!("the model has not learnt {unknown}: name some of {}", known.join(", "));
        return Err(UsageError(text).into());
    }
    learnt.retain(|learnt| args.attributes.contains(&learnt.name));
    Ok(learnt)
}
