//! `deepnmf demo`: attributes of built-in faces found apart, in a picture and a page.

mod layers;
mod parts;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use deepnmf::persist::check_writable;
use deepnmf::{
    AdditiveSemiNmf, DeepSemiNmf, Factorization, FitOptions, FitSession, Model, Settings,
    StopReason,
};
use deepnmf_data::builtin;
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_data::{Attribute, Dataset, ImageShape, write_npy};
use deepnmf_report::{Draft, Options};
use serde_json::json;

use self::layers::Layers;
use self::parts::Parts;
use crate::args::DemoArgs;
use crate::input::{on_threads, provenance};
use crate::output::{Outcome, Output, extended, summary_json};
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
    let settings = settings(args, &faces);
    let (model, shown, report) = on_threads(args.threads, || -> Result<_> {
        let mut tell = |event: &deepnmf::Event| deepnmf::Observer::on_event(&mut progress, event);
        let mut session = FitSession::new().observed_by(&mut tell).stopped_by(cancel);
        let mut model = settings.fit_in(&faces.x, &[], &mut session)?;
        model.provenance = provenance;
        let shown = TakenApart::of(&model, &faces)?;
        let report = draft.finish(&model, &faces, &mut |what| progress.doing(what))?;
        Ok((model, shown, report))
    })??;
    drop(progress);
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    write_npy(&out.join("faces.npy"), &drawn)?;
    write_labels(&out.join("labels.csv"), &faces.attributes)?;
    model.save(&out.join("model.safetensors"))?;
    let picture = shown.draw(out, &faces, shape)?;
    report.write(&out.join(REPORT))?;

    let text = text(args, (&model, &faces), (&shown, picture), shape, output)?;
    let object = extended(
        summary_json(&model.settings, &model.summary),
        json!({
            "found": shown.numbers(),
            "out": args.out,
            "files": ["faces.npy", "labels.csv", "model.safetensors", picture, REPORT],
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

/// The model to show: parts, or layers where these are asked for.
fn settings(args: &DemoArgs, faces: &Dataset<f64>) -> Settings {
    let options = FitOptions::default().seed(args.seed);
    if !args.layers.is_empty() {
        return DeepSemiNmf::new(args.layers.as_slice()).with(options).into();
    }
    let classes = |name: &str| {
        let attribute = faces.attributes.iter().find(|attribute| attribute.name == name);
        attribute.map_or(2, |attribute| attribute.classes().len()).max(2)
    };
    let parts = match args.parts.as_slice() {
        [] => vec![classes("identity"), classes("illumination")],
        parts => parts.to_vec(),
    };
    AdditiveSemiNmf::new(parts).with(options).into()
}

/// Which samples the picture shows: spread over the whole set, and over the attributes, by a prime stride.
fn shown(samples: usize) -> Vec<usize> {
    (0..SHOWN.min(samples)).map(|i| i * 67 % samples).collect()
}

/// The samples as the model takes them apart.
enum TakenApart {
    Parts(Parts),
    Layers(Layers),
}

impl TakenApart {
    fn of(model: &Model<f64>, faces: &Dataset<f64>) -> Result<Self> {
        match model.settings {
            Settings::AdditiveSemiNmf(_) => Ok(Self::Parts(Parts::of(model, faces)?)),
            _ => Ok(Self::Layers(Layers::of(model, &faces.x)?)),
        }
    }

    /// Writes the picture, and returns what it is called.
    fn draw(&self, out: &Path, faces: &Dataset<f64>, shape: ImageShape) -> Result<&'static str> {
        let name = match self {
            Self::Parts(_) => "parts.png",
            Self::Layers(_) => "layers.png",
        };
        match self {
            Self::Parts(parts) => parts.draw(&out.join(name), faces, shape)?,
            Self::Layers(layers) => layers.draw(&out.join(name), faces, shape)?,
        }
        Ok(name)
    }

    fn numbers(&self) -> serde_json::Value {
        match self {
            Self::Parts(parts) => json!(parts.found),
            Self::Layers(layers) => json!({ "layer_errors": layers.errors }),
        }
    }
}

fn text(
    args: &DemoArgs,
    (model, faces): (&Model<f64>, &Dataset<f64>),
    (shown, picture): (&TakenApart, &str),
    shape: ImageShape,
    output: Output,
) -> Result<String> {
    let attributes: Vec<String> =
        faces.attributes.iter().map(|a| format!("{} {}", a.classes().len(), a.name)).collect();
    let ImageShape { width, height, .. } = shape;
    let mut text = format!(
        "{} faces of {width} x {height} pixels: {}\n",
        faces.samples(),
        attributes.join(" x ")
    );
    text += &match shown {
        TakenApart::Parts(parts) => parts.text(model, faces, shape, output)?,
        TakenApart::Layers(layers) => layers.text(model, faces, shape, output)?,
    };
    let folder = args.out.display();
    let _ = write!(
        text,
        "then try  deepnmf info {folder}/model.safetensors\n          \
         deepnmf transform {folder}/model.safetensors {folder}/faces.npy --out h.npy\n\
         look at   {folder}/{picture}\n\
         open      {folder}/{REPORT}, the page that explores all of it\n"
    );
    Ok(text)
}
