//! `deepnmf demo`, and what a newcomer sees first: help, version, completions.

use crate::common::{Folder, number, read_npy, tensors};
use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::json;

const SMALL: &str =
    "demo --faces identities=3,poses=2,expressions=2,illuminations=2,size=12 --layers 10,4";

#[test]
fn the_demo_writes_data_labels_model_picture_and_report() {
    let folder = Folder::new();
    let told = folder.json(&format!("{SMALL} --out there/demo"));
    let files = ["faces.npy", "labels.csv", "model.safetensors", "layers.png", "report.html"];
    assert_eq!(told["files"], json!(files));
    assert_eq!(folder.listing().len(), files.len() + 2, "five files in two folders");
    assert_eq!(read_npy(&folder.read("there/demo/faces.npy")).0, "(24, 144)");
    let labels = String::from_utf8(folder.read("there/demo/labels.csv")).unwrap();
    assert_eq!(labels.lines().count(), 25);
    for attribute in ["identity", "pose", "expression", "illumination"] {
        assert!(labels.lines().next().unwrap().contains(attribute), "{labels}");
    }
    assert_eq!(tensors(&folder.read("there/demo/model.safetensors")).len(), 4);
    assert!(folder.read("there/demo/layers.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(folder.read("there/demo/report.html").starts_with(b"<!doctype html>"));
}

#[test]
fn without_a_label_the_demo_takes_faces_apart() {
    let folder = Folder::new();
    let told = folder
        .json("demo --faces identities=6,poses=1,expressions=2,illuminations=3,size=16 --out d");
    let found = told["found"].as_array().unwrap();
    assert_eq!([&found[0]["attribute"], &found[1]["attribute"]], ["identity", "illumination"]);
    assert!(found.iter().all(|part| number(part, "nmi") > 0.9), "{told}");
    assert!(folder.read("d/parts.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    let run = folder.run("demo --faces identities=6,poses=1,expressions=2,illuminations=3,size=16");
    assert!(run.stdout.contains("without a single label"), "{run}");
    folder.refuses("demo --parts 3,2 --layers 4", 2, &["--parts", "--layers"]);
    folder.refuses("demo --parts 3,1", 2, &["--parts", "at least 2"]);
}

#[test]
fn the_demo_ends_by_naming_the_report() {
    let folder = Folder::new();
    let run = folder.run(SMALL);
    let last = run.stdout.lines().last().unwrap();
    assert!(last.contains("deepnmf-demo/report.html"), "{run}");
}

#[test]
fn every_command_that_the_demo_recommends_works() {
    let folder = Folder::new();
    let run = folder.run(SMALL);
    assert_eq!(run.code, Some(0), "{run}");
    let recommended: Vec<&str> =
        run.stdout.lines().filter_map(|line| Some(line.split_once("deepnmf ")?.1)).collect();
    assert_eq!(recommended.len(), 2, "{run}");
    for arguments in recommended {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(0), "{run}");
    }
}

#[test]
fn the_demo_and_a_fit_of_its_faces_agree() {
    let folder = Folder::new();
    let demo = folder.json(&format!("{SMALL} --out demo"));
    let fit = folder.fit("demo/faces.npy --layers 10,4");
    let (shown, fitted) = (number(&demo, "error"), number(&fit, "error"));
    assert!((shown - fitted).abs() <= 1e-9 * fitted, "{shown} and {fitted}");
}

#[test]
fn the_same_seed_gives_the_same_demo() {
    let folder = Folder::new();
    for out in ["a", "b"] {
        folder.json(&format!("{SMALL} --seed 5 --out {out}"));
    }
    folder.json(&format!("{SMALL} --seed 6 --out c"));
    for file in ["faces.npy", "labels.csv", "layers.png"] {
        assert!(folder.read(&format!("a/{file}")) == folder.read(&format!("b/{file}")), "{file}");
    }
    assert!(folder.read("a/faces.npy") != folder.read("c/faces.npy"));
}

#[test]
fn a_demo_that_cannot_be_leaves_nothing_behind() {
    let folder = Folder::new();
    folder.write("file", "old");
    folder.refuses("demo --faces noses=2", 1, &["noses", "identities"]);
    folder.refuses(&format!("{SMALL},30"), 1, &["30", "24 samples"]);
    folder.refuses(&format!("{SMALL} --out file"), 1, &["file", "not a folder", "--out"]);
    folder.refuses(&format!("{SMALL} --out file/deeper"), 1, &["file", "not a folder"]);
    folder.refuses("demo --layers 0", 2, &["--layers", "at least 1"]);
}

#[test]
fn the_help_of_every_command_shows_how_it_is_used() {
    let folder = Folder::new();
    for command in ["", "demo", "fit", "transform", "info", "report", "completions", "man"] {
        for help in ["-h", "--help"] {
            folder
                .command(&format!("{command} {help}"))
                .assert()
                .success()
                .stdout(contains("Usage: deepnmf").and(contains(format!("\n  deepnmf {command}"))))
                .stderr(is_empty());
        }
    }
    folder.command("help fit").assert().success().stdout(contains("--layers"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let version = format!("deepnmf {}\n", env!("CARGO_PKG_VERSION"));
    Folder::new().command("--version").assert().success().stdout(version).stderr(is_empty());
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let page = folder.run("man");
    assert!(page.stdout.starts_with(".ie") && page.stdout.contains("deepnmf\\-fit"), "{page}");
    let written = folder.json("man --out pages");
    let names = written["pages"].as_array().unwrap();
    for name in ["deepnmf.1", "deepnmf-fit.1", "deepnmf-datasets-fetch.1"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    let fit = String::from_utf8(folder.read("pages/deepnmf-fit.1")).unwrap();
    assert!(fit.contains("deepnmf fit") && fit.contains("layers"), "{fit}");
    folder.write("taken", "");
    folder.refuses("man --out taken", 1, &["--out taken"]);
}

#[test]
fn every_shell_gets_completions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let arguments = format!("completions {shell}");
        folder.command(&arguments).assert().success().stdout(contains("transform"));
        assert_eq!(folder.json(&arguments)["shell"], shell);
    }
}
