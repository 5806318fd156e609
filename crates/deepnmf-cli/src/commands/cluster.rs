//! `deepnmf cluster`: the cluster of every sample.

use std::cmp::Reverse;
use std::path::Path;

use anyhow::{Context, Result};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Matrix, Model, Scalar};
use deepnmf_data::{Cells, Table};
use deepnmf_eval::{KMeans, Scaling};
use serde_json::json;

use crate::args::{ClusterArgs, UsageError};
use crate::input::{names_of_left, on_threads, prepare_with_zeros, samples_of};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use crate::tables;

/// What is clustered: a column per sample.
struct Features {
    values: Matrix<f64>,
    layer: Option<usize>,
    names: Option<Vec<String>>,
}

/// Clusters features by k-means and writes the cluster of every sample.
pub(crate) fn run(args: &ClusterArgs, output: Output) -> Result<Outcome> {
    let read: Vec<&Path> =
        [Some(&args.source), args.data.as_ref()].into_iter().flatten().map(|p| &**p).collect();
    tables::check(&args.out, &read, output)?;
    let progress = Progress::new(output);
    progress.doing("reading");
    let features = features(args, output)?;
    progress.doing("clustering");
    let found = on_threads(args.threads, || {
        let scaled = Scaling::from(args.scale).apply(&features.values)?;
        KMeans::new(args.clusters).restarts(args.restarts).seed(args.seed).fit(&scaled)
    })?
    .with_context(|| args.source.display().to_string())?;
    drop(progress);
    let (clusters, sizes) = numbered(&found.labels, args.clusters);
    let samples = clusters.len();
    let names = features.names.unwrap_or_else(|| (1..=samples).map(|n| n.to_string()).collect());
    let table = Table::<f64>::of_columns(vec![("cluster".into(), Cells::Whole(clusters))]);
    let listed: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let text = format!("{samples} samples in {} clusters of {}\n", sizes.len(), listed.join(", "));
    let object = json!({
        "source": args.source,
        "layer": features.layer,
        "samples": samples,
        "clusters": args.clusters,
        "sizes": sizes,
        "inertia": found.inertia,
        "scale": Scaling::from(args.scale),
        "seed": args.seed,
        "out": args.out,
    });
    tables::write(&table.indexed("sample", names), &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}

/// The clusters numbered from 1, the largest first, and their sizes.
fn numbered(labels: &[usize], clusters: usize) -> (Vec<i64>, Vec<usize>) {
    let mut sizes = vec![0; clusters];
    for &label in labels {
        sizes[label] += 1;
    }
    let mut order: Vec<usize> = (0..clusters).collect();
    order.sort_by_key(|&cluster| Reverse(sizes[cluster]));
    let mut numbers = vec![0; clusters];
    for (number, &cluster) in (1..).zip(&order) {
        numbers[cluster] = number;
    }
    let sorted = order.iter().map(|&cluster| sizes[cluster]).collect();
    (labels.iter().map(|&label| numbers[label]).collect(), sorted)
}

fn features(args: &ClusterArgs, output: Output) -> Result<Features> {
    if args.source.extension().is_some_and(|e| e == "safetensors") {
        return match load_model(&args.source)? {
            AnyModel::F32(model) => of_model(args, &model, output),
            AnyModel::F64(model) => of_model(args, &model, output),
        };
    }
    if args.data.is_some() || args.layer.is_some() {
        let text = "--data and --layer belong to a model (.safetensors): leave them out";
        return Err(UsageError(text.into()).into());
    }
    let data = samples_of::<f64>(&args.source, &args.read)?;
    Ok(Features { values: data.x, layer: None, names: data.sample_names })
}

/// The stored features of a model, or those of other samples.
fn of_model<T: Scalar>(args: &ClusterArgs, model: &Model<T>, output: Output) -> Result<Features> {
    let layer = args.layer.unwrap_or(model.factors.depth());
    model.factors.check_layer(layer)?;
    let Some(path) = &args.data else {
        let values = model.factors.h[layer - 1].cast();
        return Ok(Features { values, layer: Some(layer), names: None });
    };
    let culprit = || path.display().to_string();
    let mut data = samples_of::<T>(path, &args.read)?;
    let zeros = prepare_with_zeros(model, &mut data, args.zero, output).with_context(culprit)?;
    let mut values: Matrix<f64> =
        on_threads(args.threads, || model.project(&data.x, layer, model.usual_projection()))?
            .with_context(culprit)?
            .cast();
    for &sample in &zeros.kept {
        values.col_mut(sample).fill(0.0);
    }
    Ok(Features { values, layer: Some(layer), names: names_of_left(&data, &zeros) })
}
