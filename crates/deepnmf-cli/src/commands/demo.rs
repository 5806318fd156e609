//! `deepnmf demo`: from built-in faces to a picture of what each layer found.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use deepnmf::persist::check_writable;
use deepnmf::{
    DeepSemiNmf, Factorization, FitOptions, FitSession, Matrix, Model, StopReason,
    reconstruction_error,
};
use deepnmf_data::builtin;
use deepnmf_data::picture::{Scale, Sheet, terminal_preview};
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_data::{Attribute, Dataset, ImageShape, PixelOrder, write_npy};
use deepnmf_report::{Draft, Options};
use serde_json::json;

use crate::args::DemoArgs;
use crate::input::{on_threads, provenance};
use crate::output::{Outcome, Output, extended, summary_json, summary_text};
use crate::progress::Progress;
use crate::signals;

/// The page that explores the model.
const REPORT: &str = "report.html";

/// Faces or components shown in a row of the picture.
const SHOWN: usize = 15;

/// Factorizes built-in faces, draws the result and says where everything is.
pub(crate) fn run(args: &DemoArgs, output: Output) -> Result<Outcome> {
    let out = args.out.as_path();
    check_folder(out)?;
    let mut progress = Progress::new(output);
    progress.doing("drawing faces");
    let mut faces = builtin::generate::<f64>(&faces_spec(args))?;
    let shape = faces.image_shape.context("the faces have no image shape")?;
    let drawn = faces.x.clone();
    let draft = Draft::new(&faces, report_options(args));
    let steps = Pipeline::new([Step::Unit]);
    let provenance = provenance(&faces, &steps)?;
    steps.apply(&mut faces)?;

    let cancel = signals::listen()?;
    let algorithm =
        DeepSemiNmf::new(args.layers.as_slice()).with(FitOptions::default().seed(args.seed));
    let (model, by_layer, report) = on_threads(args.threads, || -> Result<_> {
        let mut tell = |event: &deepnmf::Event| deepnmf::Observer::on_event(&mut progress, event);
        let mut session = FitSession::new().observed_by(&mut tell).stopped_by(cancel);
        let mut model = algorithm.fit_in(&faces.x, &[], &mut session)?;
        model.provenance = provenance;
        let by_layer = Layers::of(&model, &faces.x)?;
        let report = draft.finish(&model, &faces, &mut |what| progress.doing(what))?;
        Ok((model, by_layer, report))
    })??;
    drop(progress);
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    write_npy(&out.join("faces.npy"), &drawn)?;
    write_labels(&out.join("labels.csv"), &faces.attributes)?;
    model.save(&out.join("model.safetensors"))?;
    draw(&out.join("layers.png"), &faces, &by_layer, shape)?;
    report.write(&out.join(REPORT))?;

    let text = text(args, &model, &faces, &by_layer, shape, output)?;
    let object = extended(
        summary_json(&model.settings, &model.summary),
        json!({
            "layer_errors": by_layer.errors,
            "out": args.out,
            "files": ["faces.npy", "labels.csv", "model.safetensors", "layers.png", REPORT],
            "headline": report.content().words.headline,
        }),
    );
    output.result(&text, &object)?;
    let interrupted = model.summary.runs.iter().any(|run| run.stop == StopReason::Cancelled);
    if interrupted {
        output.remark("interrupted: this is the best so far");
    }
    Ok(if interrupted { Outcome::Interrupted } else { Outcome::Done })
}

fn report_options(args: &DemoArgs) -> Options {
    Options { data_name: Some("Drawn faces".into()), seed: args.seed, ..Options::default() }
}

/// Finds out whether files can be written to the folder, without making it.
fn check_folder(out: &Path) -> Result<()> {
    let there = out.ancestors().find(|path| path.exists()).unwrap_or(Path::new(""));
    if there.exists() && !there.is_dir() {
        bail!(
            "cannot make the folder {}: {} is not a folder: name another with --out",
            out.display(),
            there.display()
        );
    }
    Ok(check_writable(&there.join("model.safetensors"))?)
}

/// The options of the faces with the seed, unless they name one themselves.
fn faces_spec(args: &DemoArgs) -> String {
    let options = args.faces.trim();
    match (options, options.contains("seed=")) {
        ("", _) => format!("faces:seed={}", args.seed),
        (_, true) => format!("faces:{options}"),
        (_, false) => format!("faces:{options},seed={}", args.seed),
    }
}

/// The basis, reconstruction and error of each layer.
struct Layers {
    bases: Vec<Matrix<f64>>,
    /// The shown samples as each layer rebuilds them.
    rebuilt: Vec<Matrix<f64>>,
    errors: Vec<f64>,
    shown: Vec<usize>,
}

impl Layers {
    fn of(model: &Model<f64>, x: &Matrix<f64>) -> Result<Self> {
        let count = SHOWN.min(x.cols());
        // Spread over the whole set, and over the attributes: a prime stride.
        let shown: Vec<usize> = (0..count).map(|i| i * 67 % x.cols()).collect();
        let mut layers = Self { bases: vec![], rebuilt: vec![], errors: vec![], shown };
        for (i, h) in model.factors.h.iter().enumerate() {
            let basis = model.factors.basis(i + 1)?;
            layers.errors.push(reconstruction_error(x, &basis, h)?);
            layers.rebuilt.push(rebuild(&basis, h, &layers.shown));
            layers.bases.push(basis);
        }
        Ok(layers)
    }
}

/// Some columns of `basis h`.
fn rebuild(basis: &Matrix<f64>, h: &Matrix<f64>, columns: &[usize]) -> Matrix<f64> {
    let mut rebuilt = Matrix::zeros(basis.rows(), columns.len());
    for (j, &column) in columns.iter().enumerate() {
        for (component, weight) in basis.columns().zip(h.col(column)) {
            for (pixel, value) in rebuilt.col_mut(j).iter_mut().zip(component) {
                *pixel += weight * value;
            }
        }
    }
    rebuilt
}

fn draw(path: &Path, faces: &Dataset<f64>, layers: &Layers, shape: ImageShape) -> Result<()> {
    let mut sheet = Sheet::new().columns(SHOWN).enlargement(2);
    let samples = layers.shown.iter().map(|&j| faces.x.col(j));
    sheet.add_section("Some of the faces", samples, shape, Scale::OwnRange)?;
    for (i, rebuilt) in layers.rebuilt.iter().enumerate() {
        let caption = format!("Rebuilt from layer {}", i + 1);
        sheet.add_section(&caption, rebuilt.columns(), shape, Scale::OwnRange)?;
    }
    for (i, basis) in layers.bases.iter().enumerate() {
        let count = basis.cols().min(SHOWN);
        let caption = format!(
            "Basis of layer {}: {count} of {} components, blue negative, red positive",
            i + 1,
            basis.cols()
        );
        sheet.add_section(&caption, basis.columns().take(count), shape, Scale::Signed)?;
    }
    Ok(sheet.write_png(path)?)
}

fn write_labels(path: &Path, attributes: &[Attribute]) -> Result<()> {
    let names: Vec<&str> = attributes.iter().map(|a| a.name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    for sample in 0..attributes.first().map_or(0, Attribute::len) {
        let row: Vec<&str> =
            attributes.iter().map(|a| a.class_of(sample).unwrap_or_default()).collect();
        text += &row.join(",");
        text.push('\n');
    }
    Ok(deepnmf::persist::write_atomically(path, |file| file.write_all(text.as_bytes()))?)
}

fn text(
    args: &DemoArgs,
    model: &Model<f64>,
    faces: &Dataset<f64>,
    layers: &Layers,
    shape: ImageShape,
    output: Output,
) -> Result<String> {
    let attributes: Vec<String> =
        faces.attributes.iter().map(|a| format!("{} {}", a.classes().len(), a.name)).collect();
    let ImageShape { width, height, order } = shape;
    debug_assert_eq!(order, PixelOrder::RowMajor);
    let mut text = format!(
        "{} faces of {width} x {height} pixels: {}\n",
        faces.samples(),
        attributes.join(" x ")
    );
    if output.shows_pictures() {
        let samples = layers.shown.iter().map(|&j| faces.x.col(j));
        text += &terminal_preview(samples, shape, Scale::OwnRange, 19)?;
        text += "the same, rebuilt from the top layer:\n";
        if let Some(top) = layers.rebuilt.last() {
            text += &terminal_preview(top.columns(), shape, Scale::OwnRange, 19)?;
        }
    }
    text += &summary_text(&model.settings, &model.summary);
    for (i, error) in layers.errors.iter().enumerate() {
        let (z, share) = (&layers.bases[i], 100.0 * error / faces.x.norm_sq().sqrt());
        let _ = writeln!(
            text,
            "  layer {:<6}{} components, reconstruction error {share:.2}% of the norm",
            i + 1,
            z.cols()
        );
    }
    let folder = args.out.display();
    let _ = write!(
        text,
        "then try  deepnmf info {folder}/model.safetensors\n          \
         deepnmf transform {folder}/model.safetensors {folder}/faces.npy --out h.npy\n\
         look at   {folder}/layers.png\n\
         open      {folder}/{REPORT}, the page that explores all of it\n"
    );
    Ok(text)
}
