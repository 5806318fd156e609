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
use crate::input::{names_of_left, on_threads, prepare_with_zeros, refuse_missing, samples_of};
use crate::output::{Outcome, Output};
use crate::progress::Progress;
use crate::tables;

/// What is clustered: a column per sample.
struct Features {
    values: Matrix<f64>,
    layer: Option<usize>,
    names: Option<Vec<String>>,
    /// The clusters of each part, in a model that has parts.
    parts: Vec<usize>,
    /// What each component sums up to, in a model where nothing is negative: what it adds to a sample is its feature
    /// times that.
    sums: Option<Vec<f64>>,
}

/// Clusters features by k-means and writes the cluster of every sample.
pub(crate) fn run(args: &ClusterArgs, output: Output) -> Result<Outcome> {
    let read: Vec<&Path> =
        [Some(&args.source), args.data.as_ref()].into_iter().flatten().map(|p| &**p).collect();
    tables::check(&args.out, &read, output)?;
    let progress = Progress::new(output);
    progress.doing("reading");
    let features = features(args, output)?;
    let Some(clusters) = args.clusters else {
        drop(progress);
        return match &features.sums {
            Some(sums) => write_main(args, &features, sums, output),
            None => write_parts(args, &features, output),
        };
    };
    progress.doing("clustering");
    let found = on_threads(args.threads, || {
        let scaled = Scaling::from(args.scale).apply(&features.values)?;
        KMeans::new(clusters).restarts(args.restarts).seed(args.seed).fit(&scaled)
    })?
    .with_context(|| args.source.display().to_string())?;
    drop(progress);
    let (labels, sizes) = numbered(&found.labels, clusters);
    let samples = labels.len();
    let table = Table::<f64>::of_columns(vec![("cluster".into(), Cells::Whole(labels))]);
    let listed: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let text = format!("{samples} samples in {} clusters of {}\n", sizes.len(), listed.join(", "));
    let object = json!({
        "source": args.source,
        "layer": features.layer,
        "samples": samples,
        "clusters": clusters,
        "sizes": sizes,
        "inertia": found.inertia,
        "scale": Scaling::from(args.scale),
        "seed": args.seed,
        "out": args.out,
    });
    let table = table.indexed("sample", features.names());
    tables::write(&table, &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}

impl Features {
    /// The names of the samples, or their numbers.
    fn names(&self) -> Vec<String> {
        let numbers = || (1..=self.values.cols()).map(|number| number.to_string()).collect();
        self.names.clone().unwrap_or_else(numbers)
    }
}

/// Writes the clusters that a model with parts has found, counted from 1 in each part.
fn write_parts(args: &ClusterArgs, features: &Features, output: Output) -> Result<Outcome> {
    if features.parts.len() < 2 {
        let text = "how many clusters are there? Say so with --clusters; only models with parts, \
                    and those without negative numbers, have their own";
        return Err(UsageError(text.into()).into());
    }
    let (mut columns, mut sizes, mut start) = (vec![], vec![], 0);
    for (part, &size) in (1..).zip(&features.parts) {
        let member = |h: &[f64]| -> i64 {
            let found = (1..).zip(&h[start..start + size]).find(|(_, v)| **v > 0.0);
            found.map_or(0, |(number, _)| number)
        };
        let clusters = features.values.columns().map(member).collect();
        columns.push((format!("part_{part}"), Cells::Whole(clusters)));
        sizes.push(size.to_string());
        start += size;
    }
    let samples = features.values.cols();
    let text = format!("{samples} samples in parts of {} clusters\n", sizes.join(" and "));
    let object = json!({
        "source": args.source,
        "samples": samples,
        "parts": features.parts,
        "out": args.out,
    });
    let table = Table::<f64>::of_columns(columns).indexed("sample", features.names());
    tables::write(&table, &args.out, output, &text, &object)?;
    Ok(Outcome::Done)
}

/// Writes the component that adds most to each sample, counted from 1; 0 for a sample that is zero.
fn write_main(
    args: &ClusterArgs,
    features: &Features,
    sums: &[f64],
    output: Output,
) -> Result<Outcome> {
    let main = |h: &[f64]| -> i64 {
        let added = h.iter().zip(sums).map(|(h, sum)| h * sum);
        let larger = |best: (i64, f64), now: (i64, f64)| if now.1 > best.1 { now } else { best };
        (1..).zip(added).fold((0, 0.0), larger).0
    };
    let clusters: Vec<i64> = features.values.columns().map(main).collect();
    let sizes: Vec<usize> =
        (1..).take(sums.len()).map(|c| clusters.iter().filter(|own| **own == c).count()).collect();
    let listed: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let samples = clusters.len();
    let text = format!("{samples} samples by their main component: {}\n", listed.join(", "));
    let object = json!({
        "source": args.source,
        "layer": features.layer,
        "samples": samples,
        "sizes": sizes,
        "out": args.out,
    });
    let table = Table::<f64>::of_columns(vec![("cluster".into(), Cells::Whole(clusters))]);
    let table = table.indexed("sample", features.names());
    tables::write(&table, &args.out, output, &text, &object)?;
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
    refuse_missing(&args.read, "features are complete: name a model for samples that are not")?;
    let data = samples_of::<f64>(&args.source, &args.read)?.into_dense()?;
    Ok(Features {
        values: data.x,
        layer: None,
        names: data.sample_names,
        parts: vec![],
        sums: None,
    })
}

/// The stored features of a model, or those of other samples.
fn of_model<T: Scalar>(args: &ClusterArgs, model: &Model<T>, output: Output) -> Result<Features> {
    let layer = args.layer.unwrap_or(model.factors.depth());
    model.factors.check_layer(layer)?;
    let parts = model.settings.parts_in(layer);
    let sum = |z: &[T]| z.iter().map(|z| z.to_f64()).sum();
    let basis = model.factors.basis(layer)?;
    let sums =
        (!model.settings.abilities().negative_data).then(|| basis.columns().map(sum).collect());
    let Some(path) = &args.data else {
        let values = model.factors.h[layer - 1].cast();
        return Ok(Features { values, layer: Some(layer), names: None, parts, sums });
    };
    let culprit = || path.display().to_string();
    let mut data = samples_of::<T>(path, &args.read)?;
    let zeros = prepare_with_zeros(model, &mut data, (args.zero, &args.read), output)
        .with_context(culprit)?;
    let mut values: Matrix<f64> =
        on_threads(args.threads, || model.project(&data.x, layer, model.usual_projection()))?
            .with_context(culprit)?
            .cast();
    for &sample in &zeros.kept {
        values.col_mut(sample).fill(0.0);
    }
    Ok(Features { values, layer: Some(layer), names: names_of_left(&data, &zeros), parts, sums })
}
