//! `deepnmf evaluate`: which layer best predicts each attribute?

mod chance;
mod choice;
mod predicted;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Matrix, Model, Projection, Scalar};
use deepnmf_data::preprocess::{Split, Zeros};
use deepnmf_data::{AnyDataset, Attribute, Dataset};
use deepnmf_eval::stats::{Spread, spread};
use deepnmf_eval::{
    ClassifyOptions, ClassifyScore, ClusterOptions, ClusterScore, Scaling, classify, cluster,
};
use serde::Serialize;
use serde_json::json;

use self::chance::ClusterChance;
use self::choice::chosen;
use crate::args::{EvaluateArgs, UsageError};
use crate::input::{on_threads, prepare_with_zeros, refuse_missing, samples_of};
use crate::output::{Outcome, Output};
use crate::progress::Progress;

/// The features of one layer, or of a file.
struct Features {
    name: String,
    values: Matrix<f64>,
}

/// How well one layer predicts one attribute.
#[derive(Serialize)]
struct Cell {
    layer: String,
    components: usize,
    attribute: String,
    classes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    clustering: Option<Clustering>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classification: Option<Classification>,
}

#[derive(Serialize)]
struct Clustering {
    ac: Spread,
    nmi: Spread,
    ari: Spread,
    purity: Spread,
    /// The chance level, of the first repeat.
    chance: ClusterChance,
    runs: Vec<ClusterScore>,
}

#[derive(Serialize)]
struct Classification {
    accuracy: Spread,
    /// The chance level, mean over the repeats.
    chance: f64,
    runs: Vec<ClassifyScore>,
}

/// Evaluates features by the attributes of their samples.
pub(crate) fn run(args: &EvaluateArgs, output: Output) -> Result<Outcome> {
    let progress = Progress::new(output);
    progress.doing("reading");
    let (Read { layers, origin, predictions }, attributes) = read(args, output)?;
    let attributes = chosen(&attributes, &args.attribute, output)?;
    let predictions = predicted::judge(&predictions, &attributes);
    let mut cells = Vec::new();
    for layer in &layers {
        for attribute in &attributes {
            progress.doing(&format!("{}: {}", layer.name, attribute.name));
            cells.push(on_threads(args.threads, || judge(args, layer, attribute))??);
        }
    }
    drop(progress);
    let names: Vec<&str> = attributes.iter().map(|a| a.name.as_str()).collect();
    let mut text = format!("{origin}\n{}", text(args, &layers, &names, &cells));
    predicted::describe(&mut text, &predictions, origin == Origin::Fit);
    let object = json!({
        "source": args.source,
        "features": origin.name(),
        "samples": layers[0].values.cols(),
        "scale": Scaling::from(args.scale),
        "repeats": args.repeats,
        "restarts": args.restarts,
        "swaps": args.swaps,
        "seed": args.seed,
        "cells": cells,
        "predictions": predictions,
    });
    output.result(&text, &object)?;
    Ok(Outcome::Done)
}

/// The features of every layer asked for, and what is known of their samples.
fn read(args: &EvaluateArgs, output: Output) -> Result<(Read, Vec<Attribute>)> {
    let is_model = args.source.extension().is_some_and(|e| e == "safetensors");
    let (found, attributes) = if is_model {
        match load_model(&args.source)? {
            AnyModel::F32(model) => of_model(args, &model, output)?,
            AnyModel::F64(model) => of_model(args, &model, output)?,
        }
    } else {
        of_file(args)?
    };
    if attributes.is_empty() {
        let text = "no labels are known: name the data with --data, and their labels with \
                    --labels-key or --labels-file";
        return Err(UsageError(text.into()).into());
    }
    let n = found.layers[0].values.cols();
    if let Some(attribute) = attributes.iter().find(|a| a.len() != n) {
        bail!(
            "{} has {} labels but there are features of {n} samples: name the data that the \
             features belong to, compute theirs with --project, or say --zero-samples drop if the fit \
             dropped samples",
            attribute.name,
            attribute.len()
        );
    }
    Ok((found, attributes))
}

/// The features of a file, each of its columns one.
fn of_file(args: &EvaluateArgs) -> Result<(Read, Vec<Attribute>)> {
    if args.project.is_some() || args.layer.is_some() {
        let text = "--project and --layer belong to a model (.safetensors): leave them out";
        return Err(UsageError(text.into()).into());
    }
    // With --data, the flags on how to read a file are about that one.
    let plain = crate::args::ReadArgs::default();
    let read = if args.data.is_some() { &plain } else { &args.read };
    refuse_missing(read, "features are complete: name a model for samples that are not")?;
    let Dataset { x, attributes, .. } = samples_of::<f64>(&args.source, read)?.into_dense()?;
    let layers = vec![Features { name: "features".into(), values: x }];
    let labelled = args.data.as_deref().map(|path| samples_of::<f64>(path, &args.read));
    let attributes = labelled.transpose()?.map_or(attributes, |data| data.attributes);
    Ok((Read { layers, origin: Origin::File, predictions: vec![] }, attributes))
}

/// The features of a model: those that it holds if the samples are those of the fit, in their order;
/// otherwise those that the samples are projected to.
fn of_model<T: Scalar>(
    args: &EvaluateArgs,
    model: &Model<T>,
    output: Output,
) -> Result<(Read, Vec<Attribute>)> {
    let layers: Vec<usize> = match args.layer {
        Some(layer) => vec![layer],
        None => (1..=model.factors.depth()).collect(),
    };
    if args.project.is_some() && args.data.is_none() {
        let text = "--project needs the samples: name them with --data";
        return Err(UsageError(text.into()).into());
    }
    let data = args.data.as_deref().map(|path| prepared(model, path, args, output)).transpose()?;
    let own = data.as_ref().map_or(Ok(true), |(data, _)| model.was_fitted_to(&data.x))?;
    let method = args.project.map_or(model.usual_projection(), Projection::from);
    let origin = match (args.project, own) {
        (None, true) => Origin::Fit,
        (None, false) => Origin::OtherSamples,
        (Some(_), _) => Origin::Projected,
    };
    let features = |layer: usize| {
        model.factors.check_layer(layer)?;
        let values = match &data {
            Some((data, zeros)) if origin != Origin::Fit => {
                let mut h = on_threads(args.threads, || model.project(&data.x, layer, method))??;
                for &sample in &zeros.kept {
                    h.col_mut(sample).fill(T::ZERO);
                }
                h.cast()
            }
            _ => model.factors.h[layer - 1].cast(),
        };
        Ok(Features { name: format!("layer {layer}"), values })
    };
    let read = layers.iter().map(|layer| features(*layer)).collect::<Result<_>>()?;
    let layers = in_parts(read, &layers, model)?;
    let predictions = match &data {
        Some((data, _)) => on_threads(args.threads, || predicted::of_model(model, data))??,
        None => vec![],
    };
    Ok((Read { layers, origin, predictions }, data.map_or(vec![], |(data, _)| data.attributes)))
}

/// The features of each part of a model that has parts, and of each layer of others. `numbers` are those of the layers.
fn in_parts<T: Scalar>(
    layers: Vec<Features>,
    numbers: &[usize],
    model: &Model<T>,
) -> Result<Vec<Features>> {
    let parts = model.settings.parts().len();
    if parts < 2 {
        return Ok(layers);
    }
    let mut of_parts = vec![];
    for (whole, &layer) in layers.iter().zip(numbers) {
        let of_part = |part: usize| {
            let rows = model.part_rows_in(layer, part)?;
            let own = |i: usize, j: usize| whole.values[(rows.start + i, j)];
            let values = Matrix::from_fn(rows.len(), whole.values.cols(), own);
            let name = match model.factors.depth() {
                1 => format!("part {part}"),
                _ => format!("part {part}, layer {layer}"),
            };
            Ok(Features { name, values })
        };
        of_parts.extend((1..=parts).map(of_part).collect::<Result<Vec<_>>>()?);
    }
    Ok(of_parts)
}

/// The features of all layers, and where they come from.
struct Read {
    layers: Vec<Features>,
    origin: Origin,
    /// What the machines of the model say of the samples.
    predictions: Vec<predicted::Predicted>,
}

/// Where features come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// They are those of a file.
    File,
    /// They are those that the fit has found.
    Fit,
    /// They were projected because somebody asked for it.
    Projected,
    /// They were projected because the samples are not those of the fit, or in another order.
    OtherSamples,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Fit => "fit",
            Self::Projected | Self::OtherSamples => "projected",
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::File => "features of the file",
            Self::Fit => "features of the fit",
            Self::Projected => "projected features",
            Self::OtherSamples => {
                "projected features: these are not the samples of the fit, or not in their order"
            }
        })
    }
}

fn prepared<T: Scalar>(
    model: &Model<T>,
    path: &Path,
    args: &EvaluateArgs,
    output: Output,
) -> Result<(AnyDataset<T>, Zeros)> {
    let mut data = samples_of::<T>(path, &args.read)?;
    let zeros = prepare_with_zeros(model, &mut data, (args.zero, &args.read), output)
        .with_context(|| path.display().to_string())?;
    Ok((data, zeros))
}

fn judge(args: &EvaluateArgs, layer: &Features, attribute: &Attribute) -> Result<Cell> {
    // Without either flag, both.
    let both = args.cluster == args.classify;
    let context = || format!("{} against {}", layer.name, attribute.name);
    Ok(Cell {
        layer: layer.name.clone(),
        components: layer.values.rows(),
        attribute: attribute.name.clone(),
        classes: attribute.classes().len(),
        clustering: (both || args.cluster)
            .then(|| clustering(args, layer, attribute).with_context(context))
            .transpose()?,
        classification: (both || args.classify)
            .then(|| classification(args, layer, attribute).with_context(context))
            .transpose()?,
    })
}

fn clustering(args: &EvaluateArgs, layer: &Features, attribute: &Attribute) -> Result<Clustering> {
    let options = |repeat: u64| ClusterOptions {
        restarts: args.restarts,
        swaps: args.swaps,
        seed: u64::from(args.seed) + repeat,
        scale: args.scale.into(),
    };
    let runs = (0..args.repeats as u64)
        .map(|repeat| cluster(&layer.values, attribute.codes(), &options(repeat)))
        .collect::<Result<Vec<_>, _>>()?;
    let over =
        |score: fn(&ClusterScore) -> f64| spread(&runs.iter().map(score).collect::<Vec<_>>());
    Ok(Clustering {
        ac: over(|s| s.ac)?,
        nmi: over(|s| s.nmi)?,
        ari: over(|s| s.ari)?,
        purity: over(|s| s.purity)?,
        chance: chance::of_clusters(&layer.values, attribute, &options(0))?,
        runs,
    })
}

fn classification(
    args: &EvaluateArgs,
    layer: &Features,
    attribute: &Attribute,
) -> Result<Classification> {
    let data =
        Dataset { attributes: vec![attribute.clone()], ..Dataset::new(layer.values.clone()) };
    let mut chance = 0.0;
    let runs = (0..args.repeats as u64)
        .map(|repeat| {
            let seed = u64::from(args.seed) + repeat;
            let split = Split::stratified(&data, Some(&attribute.name), args.test_share, seed)?;
            let (train, test) = (data.select(&split.train)?, data.select(&split.test)?);
            let options = ClassifyOptions {
                classifier: args.classifier.into(),
                c: args.penalty,
                seed,
                scale: args.scale.into(),
            };
            chance += chance::of_classifier(&test) / args.repeats as f64;
            let labels = |part: &Dataset<f64>| part.attributes[0].codes().to_vec();
            Ok(classify(&train.x, &labels(&train), &test.x, &labels(&test), &options)?)
        })
        .collect::<Result<Vec<_>>>()?;
    let accuracy = spread(&runs.iter().map(|s| s.accuracy).collect::<Vec<_>>())?;
    Ok(Classification { accuracy, chance, runs })
}

/// A score and its chance level.
type Measure = fn(&Cell) -> Option<(Spread, f64)>;

/// One table per measure: a row per layer, a column per attribute, the best layer marked.
fn text(args: &EvaluateArgs, layers: &[Features], names: &[&str], cells: &[Cell]) -> String {
    let mut text = format!(
        "{}: {} samples, features scaled: {}, {} repeats\n",
        args.source.display(),
        layers[0].values.cols(),
        Scaling::from(args.scale),
        args.repeats
    );
    let measures: [(&str, Measure); 3] = [
        ("AC: k-means accuracy, %", |c| c.clustering.as_ref().map(|c| (c.ac, c.chance.ac))),
        ("NMI: k-means mutual information, %", |c| {
            c.clustering.as_ref().map(|c| (c.nmi, c.chance.nmi))
        }),
        ("classification accuracy on held-out samples, %", |c| {
            c.classification.as_ref().map(|c| (c.accuracy, c.chance))
        }),
    ];
    for (title, measure) in measures {
        if cells.iter().any(|cell| measure(cell).is_some()) {
            let _ = writeln!(text, "\n{title} (chance level in brackets)");
            table(&mut text, names, cells, measure);
        }
    }
    if layers.len() > 1 {
        text += "\n* marks the layer that best predicts an attribute\n";
    }
    text
}

fn table(text: &mut String, names: &[&str], cells: &[Cell], measure: Measure) {
    const WIDTH: usize = 20;
    let _ = write!(text, "  {:<18}", "");
    for name in names {
        let _ = write!(text, "{name:>WIDTH$}");
    }
    text.push('\n');
    let mean = |cell: &Cell| measure(cell).map_or(f64::NEG_INFINITY, |(s, _)| s.mean);
    for row in cells.chunks(names.len()) {
        let name = format!("{} ({})", row[0].layer, row[0].components);
        let _ = write!(text, "  {name:<18}");
        for cell in row {
            let rivals = cells.iter().filter(|c| c.attribute == cell.attribute);
            let best = rivals.clone().count() > 1 && rivals.clone().all(|c| mean(c) <= mean(cell));
            let shown = measure(cell).map_or(String::new(), |(s, chance)| {
                let deviation =
                    s.deviation.map_or(String::new(), |d| format!(" ±{:.1}", 100.0 * d));
                let mark = if best { "*" } else { "" };
                format!("{:.1}{deviation}{mark} ({:.1})", 100.0 * s.mean, 100.0 * chance)
            });
            let _ = write!(text, "{shown:>WIDTH$}");
        }
        text.push('\n');
    }
    let _ = write!(text, "  {:<18}", "classes");
    for cell in &cells[..names.len()] {
        let _ = write!(text, "{:>WIDTH$}", cell.classes);
    }
    text.push('\n');
}
