//! `deepnmf reproduce`, as quick as it gets.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::Folder;
use serde_json::Value;

const EXPERIMENTS: [&str; 6] =
    ["xor", "layers", "reconstruction", "clustering", "pretraining", "attributes"];

fn lines(folder: &Folder, file: &str) -> usize {
    std::fs::read_to_string(folder.path(file)).map_or(0, |text| text.matches('\n').count())
}

#[test]
fn a_quick_run_leaves_records_tables_figures_and_pages_and_is_not_run_twice() {
    let folder = Folder::new();
    for experiment in ["reconstruction", "pretraining"] {
        let told = folder.json(&format!("reproduce {experiment} --quick --repeats 2 --out r"));
        let section = &told["experiments"][0];
        assert_eq!(section["done"], section["cells"], "{told}");
        assert_eq!(told["failures"], serde_json::json!([]));
        for claim in section["claims"].as_array().unwrap() {
            assert!(claim["rule"].as_str().unwrap().starts_with("holds if"), "{claim}");
            assert!(claim["stand_in_for"].is_string(), "{claim}");
        }
        for file in told["files"].as_array().unwrap() {
            assert!(!folder.read(&format!("r/{}", file.as_str().unwrap())).is_empty());
        }
        let before = lines(&folder, "r/records.jsonl");
        folder.json(&format!("reproduce {experiment} --quick --repeats 2 --out r"));
        assert_eq!(lines(&folder, "r/records.jsonl"), before);
    }
    let page = String::from_utf8(folder.read("r/index.html")).unwrap();
    for word in ["stand-in for PIE", "Supervised pre-training", "says nothing about the paper"] {
        assert!(page.contains(word), "{word}");
    }
    for line in String::from_utf8(folder.read("r/records.jsonl")).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        for key in ["seed", "layers", "fits", "seconds", "version", "machine", "data"] {
            assert!(!record[key].is_null(), "{key} is missing in {record}");
        }
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_keeps_what_is_done_and_goes_on() {
    let folder = Folder::new();
    let command = "reproduce clustering --quick --threads 1 --out r --json";
    let mut child = folder.command(command);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while lines(&folder, "r/records.jsonl") == 0 && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "no cell ends");
        sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let section = &told["experiments"][0];
    let (done, cells) = (section["done"].as_u64().unwrap(), section["cells"].as_u64().unwrap());
    assert!((1..cells).contains(&done), "{done} of {cells}");
    let page = String::from_utf8(folder.read("r/index.html")).unwrap();
    assert!(page.contains("cells are not finished"));
    let told = folder.json("reproduce clustering --quick --out r");
    assert_eq!(told["experiments"][0]["done"], cells);
    // Two of the records are of pages.
    assert_eq!(lines(&folder, "r/records.jsonl") as u64, cells + 2, "no cell is run twice");
}

#[test]
fn the_list_names_every_experiment_with_its_cost() {
    let folder = Folder::new();
    let run = folder.run("reproduce --list --quick");
    assert_eq!(run.code, Some(0), "{run}");
    for name in EXPERIMENTS.into_iter().chain(["all", "stand-in for Multi-PIE"]) {
        assert!(run.stdout.contains(name), "{run}");
    }
    let told = folder.json("reproduce --list --quick");
    assert_eq!(told["experiments"].as_array().unwrap().len(), EXPERIMENTS.len());
}

#[test]
fn what_cannot_be_reproduced_is_refused_with_advice() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.refuses("reproduce", 2, &["reconstruction", "--list"]);
    folder.refuses("reproduce everything", 2, &["everything", "or all"]);
    folder.refuses("reproduce reconstruction --data nowhere", 1, &["nowhere", "--data"]);
    let advice = ["empty", "PIE_pose27.mat", "deepnmf datasets fetch pie-pose27"];
    folder.refuses("reproduce reconstruction --data empty", 1, &advice);
}
