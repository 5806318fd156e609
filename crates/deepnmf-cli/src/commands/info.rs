//! `deepnmf info`.

use std::fmt::Write as _;

use anyhow::Result;
use deepnmf::persist::{AnyModel, load_model};
use deepnmf::{Dtype, Model, PartSizes, Scalar};
use deepnmf_data::preprocess::Pipeline;
use serde_json::{Value, json};

use crate::args::InfoArgs;
use crate::input::image_shape;
use crate::output::{Outcome, Output, extended, summary_json, summary_text};

/// Shows what is in a model file.
pub(crate) fn run(args: &InfoArgs, output: Output) -> Result<Outcome> {
    let (text, object) = match load_model(&args.model)? {
        AnyModel::F32(model) => (describe(&model), object(&model)),
        AnyModel::F64(model) => (describe(&model), object(&model)),
    };
    output.result(&text, &object)?;
    Ok(Outcome::Done)
}

fn describe<T: Scalar>(model: &Model<T>) -> String {
    let mut text = summary_text(&model.settings, &model.summary);
    let _ = writeln!(text, "  {:<12}{}", "numbers", T::DTYPE);
    let settings = serde_json::to_value(&model.settings).unwrap_or_default();
    let attributes: Vec<_> = model.provenance.attributes.iter().map(Option::as_deref).collect();
    let has_parts = model.settings.parts().len() > 1;
    if has_parts {
        let sizes = model.settings.part_sizes().iter().enumerate();
        let part = |(i, size): (usize, &PartSizes)| match attributes.get(i) {
            Some(Some(name)) => (*name).to_owned(),
            _ => size.to_string(),
        };
        let parts: Vec<String> = sizes.map(part).collect();
        let _ = writeln!(
            text,
            "  {:<12}--parts {}, one cluster of each a sample",
            "parts",
            parts.join(",")
        );
    }
    for name in ["activation", "loss", "seed"] {
        if let Some(value) = find(&settings, name) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = writeln!(text, "  {name:<12}{value}");
        }
    }
    // A step that has learnt something is stored as more than its name.
    let prepared = match model.provenance.preprocessing.read::<Pipeline>() {
        Ok(steps) => format!("--normalize {}", steps.unwrap_or_default()),
        Err(_) => model.provenance.preprocessing.to_string(),
    };
    let _ = writeln!(text, "  {:<12}{prepared}", "prepared");
    if let Some(shape) = image_shape(model) {
        let _ = writeln!(text, "  {:<12}--image {shape}", "pictures");
    }
    if !attributes.is_empty() && !has_parts {
        let names: Vec<_> = attributes.iter().map(|name| name.unwrap_or("none")).collect();
        let _ = writeln!(text, "  {:<12}--attributes {}", "labels", names.join(","));
    }
    if let Some(names) = &model.provenance.feature_names {
        let shown: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
        let more = if names.len() > shown.len() { ", ..." } else { "" };
        let _ = writeln!(text, "  {:<12}{}{more}", "features", shown.join(", "));
    }
    let _ = writeln!(text, "  {:<12}{}", "history", sparkline(&model.summary.history));
    for run in &model.summary.runs {
        if let Some((first, last)) = run.history.first().zip(run.history.last()) {
            let _ = writeln!(
                text,
                "  {:<12}{}: {first:.5} to {last:.5} in {} iterations; {}",
                "losses", run.stage, run.iterations, run.stop
            );
        }
    }
    for (i, (z, h)) in model.factors.z.iter().zip(&model.factors.h).enumerate() {
        let zeros = h.as_slice().iter().filter(|h| **h == T::ZERO).count();
        let share = 100.0 * zeros as f64 / h.as_slice().len() as f64;
        let layer = i + 1;
        let _ = writeln!(
            text,
            "  layer {layer:<6}Z_{layer} {} x {}, H_{layer} {} x {}, {share:.1}% of it zero",
            z.rows(),
            z.cols(),
            h.rows(),
            h.cols()
        );
    }
    text
}

/// A setting, wherever a model keeps it.
fn find<'v>(settings: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Object(entries) = settings else { return None };
    entries.get(name).or_else(|| entries.values().find_map(|inner| find(inner, name)))
}

fn object<T: Scalar>(model: &Model<T>) -> Value {
    let dtype: Dtype = T::DTYPE;
    extended(
        summary_json(&model.settings, &model.summary),
        json!({
            "dtype": dtype,
            "settings": model.settings,
            "preprocessing": model.provenance.preprocessing,
            "image": image_shape(model),
            "feature_names": model.provenance.feature_names,
        }),
    )
}

/// The course of the error in a line, on a logarithmic scale of what is left to gain.
fn sparkline(history: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const WIDTH: usize = 50;
    let Some((last, first)) = history.last().zip(history.first()) else { return String::new() };
    let step = history.len().div_ceil(WIDTH);
    let range = (first - last).max(f64::MIN_POSITIVE);
    let height = |error: &f64| {
        let left = ((error - last) / range).clamp(0.0, 1.0);
        // Three decades from top to bottom.
        let level = if left > 0.0 { 1.0 + left.log10() / 3.0 } else { 0.0 };
        let below = (1..BARS.len()).filter(|&bar| level >= bar as f64 / BARS.len() as f64);
        BARS[below.count()]
    };
    let bars: String = history.iter().step_by(step).map(height).collect();
    format!("{first:.4} {bars} {last:.4}")
}
