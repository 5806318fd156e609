//! `deepnmf datasets list | fetch NAME`.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use crate::args::{DatasetsCommand, FetchArgs};
use crate::output::{Outcome, Output};

/// Lists or downloads public data sets.
pub(crate) fn run(command: &DatasetsCommand, output: Output) -> Result<Outcome> {
    match command {
        DatasetsCommand::List => list(output),
        DatasetsCommand::Fetch(args) => download(args, output),
    }
}

fn list(output: Output) -> Result<Outcome> {
    let mut text = String::from("built in (use them as builtin:NAME)\n");
    let builtin = [
        ("faces", "drawn faces: identity x pose x expression x illumination"),
        ("faces-multipie", "faces by identity x pose x expression"),
        ("faces-pie", "faces by identity x illumination"),
        ("xor", "the paper's example: two subjects x two poses, not linearly separable"),
    ];
    for (name, what) in builtin {
        let _ = writeln!(text, "  {name:<16}{what}");
    }
    text += "\npublic (deepnmf datasets fetch NAME)\n";
    let public = public(&mut text);
    let names: Vec<&str> = builtin.iter().map(|(name, _)| *name).collect();
    output.result(&text, &json!({ "builtin": names, "public": public }))?;
    Ok(Outcome::Done)
}

/// The sets that can be downloaded.
#[cfg(feature = "fetch")]
fn public(text: &mut String) -> Vec<Value> {
    let one = |set: &deepnmf_data::fetch::PublicSet| {
        let known = set.files.iter().all(|file| file.sha256.is_some());
        let checksum = if known { "known" } else { "unknown, recorded on first download" };
        let _ = writeln!(text, "  {:<16}{}", set.name, set.description);
        let _ = writeln!(text, "  {:<16}{}\n  {:<16}checksum: {checksum}", "", set.licence, "");
        let sums: Vec<Option<&str>> = set.files.iter().map(|file| file.sha256).collect();
        json!({
            "name": set.name,
            "description": set.description,
            "licence": set.licence,
            "sha256": sums,
        })
    };
    deepnmf_data::fetch::sets().iter().map(one).collect()
}

/// What is missing for downloads.
#[cfg(not(feature = "fetch"))]
const COMPILED_OUT: &str = "this program was compiled without downloads: install it with \
                            cargo install --path crates/deepnmf-cli --features fetch";

#[cfg(not(feature = "fetch"))]
fn public(text: &mut String) -> Vec<Value> {
    let _ = writeln!(text, "  {COMPILED_OUT}");
    Vec::new()
}

#[cfg(not(feature = "fetch"))]
fn download(_: &FetchArgs, _: Output) -> Result<Outcome> {
    anyhow::bail!(COMPILED_OUT)
}

#[cfg(feature = "fetch")]
fn download(args: &FetchArgs, output: Output) -> Result<Outcome> {
    use deepnmf_data::fetch::{self, FetchOptions};
    use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

    let set = fetch::find(&args.name)?;
    output.remark(format!("{}: {}", set.name, set.licence));
    let mut options = FetchOptions::from_env();
    options.cache = args.cache.clone().or(options.cache);
    options.mirror = args.mirror.clone().or(options.mirror);
    options.offline = args.offline.clone().or(options.offline);
    if let Some(seconds) = args.patience {
        options.patience = std::time::Duration::from_secs(seconds);
    }
    let bar = ProgressBar::no_length();
    if !output.shows_progress() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}")
    {
        bar.set_style(style);
    }
    let files = fetch::fetch(set, &options, &mut |progress| {
        if let Some(total) = progress.total {
            bar.set_length(total);
        }
        bar.set_message(progress.file.to_owned());
        bar.set_position(progress.bytes);
    });
    bar.finish_and_clear();
    let files = files?;
    let mut text = String::new();
    for (file, found) in set.files.iter().zip(&files) {
        // Standard output is for the path alone: `deepnmf fit "$(deepnmf datasets fetch NAME)"`.
        let _ = writeln!(text, "{}", found.path.display());
        if let (None, Some(sum)) = (file.sha256, &found.sha256) {
            output.remark(format!(
                "{}: sha256 {sum}, which nobody has published: recorded on first download",
                file.name
            ));
        }
    }
    let paths: Vec<Value> = files.iter().map(|file| json!(file.path)).collect();
    let sums: Vec<Value> = files.iter().map(|file| json!(file.sha256)).collect();
    output.result(
        &text,
        &json!({ "name": set.name, "licence": set.licence, "files": paths, "sha256": sums }),
    )?;
    Ok(Outcome::Done)
}
