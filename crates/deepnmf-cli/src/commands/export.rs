//! `deepnmf export`: what is in a model, as tables.

use std::cmp::Ordering;

use anyhow::Result;
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Matrix, Model, Scalar};
use deepnmf_data::{Cells, Table};
use serde_json::json;

use crate::args::{ExportArgs, ExportName, UsageError};
use crate::output::{Outcome, Output};
use crate::tables::{self, component_names};

/// Features named for each component.
const TOP: usize = 10;

/// Writes a factor of a model.
pub(crate) fn run(args: &ExportArgs, output: Output) -> Result<Outcome> {
    tables::check(&args.out, &[&args.model], output)?;
    if args.top.is_some() && args.what != ExportName::TopFeatures {
        let text = "--top belongs to --what top-features: leave it out";
        return Err(UsageError(text.into()).into());
    }
    match load_model(&args.model)? {
        AnyModel::F32(model) => export(args, &model, output),
        AnyModel::F64(model) => export(args, &model, output),
    }
}

fn export<T: Scalar>(args: &ExportArgs, model: &Model<T>, output: Output) -> Result<Outcome> {
    let layer = args.layer.unwrap_or(model.factors.depth());
    let phi = model.factors.basis(layer)?;
    let components = component_names(phi.cols());
    let turned;
    let (what, table) = match args.what {
        ExportName::Bases => {
            turned = phi.t().to_matrix();
            let names = feature_names(model, phi.rows());
            ("basis", Table::of_matrix(&turned, components).indexed("feature", names))
        }
        ExportName::Features => {
            ("features", Table::of_matrix(&model.factors.h[layer - 1], components))
        }
        ExportName::TopFeatures => {
            let names = feature_names(model, phi.rows());
            ("top features", top_features(&phi, &names, args.top.unwrap_or(TOP)))
        }
    };
    let rows = table.rows();
    let text = format!(
        "{what} of layer {layer} with {} components, {rows} {}\n",
        phi.cols(),
        if rows == 1 { "row" } else { "rows" }
    );
    let object = json!({
        "model": model.settings.name(),
        "what": what,
        "layer": layer,
        "components": phi.cols(),
        "rows": rows,
        "out": args.out,
    });
    tables::write(&table, &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}

/// What the features of the data are called; steps such as igo make others of them.
fn feature_names<T: Scalar>(model: &Model<T>, features: usize) -> Vec<String> {
    match &model.provenance.feature_names {
        Some(names) if names.len() == features => names.clone(),
        _ => (1..=features).map(|number| format!("feature_{number}")).collect(),
    }
}

/// For every component the features of largest weight, whatever its sign.
fn top_features<T: Scalar>(phi: &Matrix<T>, names: &[String], top: usize) -> Table<'static, T> {
    let (mut components, mut ranks) = (Vec::new(), Vec::new());
    let (mut features, mut weights) = (Vec::new(), Vec::new());
    for (component, column) in (1..).zip(phi.columns()) {
        let weight = |&feature: &usize| column[feature].to_f64();
        let mut order: Vec<usize> = (0..column.len()).collect();
        order.sort_by(|a, b| {
            weight(b).abs().partial_cmp(&weight(a).abs()).unwrap_or(Ordering::Equal)
        });
        for (rank, feature) in (1..).zip(order.into_iter().take(top)) {
            components.push(component);
            ranks.push(rank);
            features.push(names[feature].clone());
            weights.push(weight(&feature));
        }
    }
    Table::of_columns(vec![
        ("component".into(), Cells::Whole(components)),
        ("rank".into(), Cells::Whole(ranks)),
        ("feature".into(), Cells::Words(features)),
        ("weight".into(), Cells::Numbers(weights)),
    ])
}
