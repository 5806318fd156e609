//! Sparse files give what the same table gives as text.

use std::fmt::Write as _;

use serde_json::json;

use crate::common::{Folder, number, read_npy};

/// Counts of 40 samples of 9 words in two classes, most of them zero; no sample is without any.
fn counts() -> Vec<Vec<u32>> {
    let count = |sample: u32, word: u32| {
        let mixed = (sample * 31 + word * 17 + sample * word * 7) % 13;
        let of_class = u32::from(word / 5 == sample % 2);
        if word == 4 { 1 } else { of_class * mixed.saturating_sub(5) }
    };
    (0..40).map(|sample| (0..9).map(|word| count(sample, word)).collect()).collect()
}

/// The table as text, as Matrix Market, and as a folder of 10x, with labels in a file of their own.
fn written(folder: &Folder) {
    let (mut csv, mut entries) = (String::new(), vec![]);
    for (sample, row) in (1..).zip(counts()) {
        let words: Vec<String> = row.iter().map(u32::to_string).collect();
        writeln!(csv, "{}", words.join(",")).unwrap();
        let held = (1..).zip(row).filter(|(_, count)| *count > 0);
        entries.extend(held.map(|(word, count): (u32, u32)| (sample, word, count)));
    }
    let market = |rows: u32, columns: u32, turned: bool| {
        let banner = "%%MatrixMarket matrix coordinate integer general";
        let mut text = format!("{banner}\n{rows} {columns} {}\n", entries.len());
        for (sample, word, count) in &entries {
            let (row, column) = if turned { (word, sample) } else { (sample, word) };
            writeln!(text, "{row} {column} {count}").unwrap();
        }
        text
    };
    folder.write("x.csv", csv);
    folder.write("x.mtx", market(40, 9, false));
    std::fs::create_dir(folder.path("cells")).unwrap();
    folder.write("cells/matrix.mtx", market(9, 40, true));
    let named = |prefix: &str, count: u32| -> String {
        let lines: Vec<String> = (1..=count).map(|number| format!("{prefix}{number}")).collect();
        lines.join("\n")
    };
    folder.write("cells/genes.tsv", named("g", 9));
    folder.write("cells/barcodes.tsv", named("cell", 40));
    let labels: Vec<&str> = (0..40).map(|sample| ["a", "b"][sample % 2]).collect();
    folder.write("labels.csv", format!("kind\n{}\n", labels.join("\n")));
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-7 * largest, "{a} {b}");
    }
}

#[test]
fn every_command_takes_sparse_files() {
    let folder = Folder::new();
    written(&folder);
    let labels = "--labels-file labels.csv";
    for model in ["nmf", "semi-nmf", "wsf"] {
        let attributes = if model == "wsf" { "--attributes kind" } else { "" };
        let mut features = vec![];
        for data in ["x.csv", "x.mtx", "cells"] {
            let header = if data == "x.csv" { "--header no" } else { "" };
            let fit = folder.fit(&format!(
                "{data} {header} {labels} --model {model} --layers 3 {attributes} --max-iter 10 \
                 --normalize counts-per=100,log1p --out m.safetensors"
            ));
            let transform =
                folder.json(&format!("transform m.safetensors {data} {header} --out h.npy"));
            assert!(number(&transform, "error") <= number(&fit, "error") * (1.0 + 1e-9));
            features.push(read_npy(&folder.read("h.npy")).1);
            let told = folder.json(&format!(
                "evaluate m.safetensors --data {data} {header} {labels} --repeats 1"
            ));
            assert_eq!(told["features"], json!("fit"), "{data}: {told}");
            folder.json(&format!(
                "cluster m.safetensors --data {data} {header} --clusters 2 --out c.csv"
            ));
            if model == "wsf" {
                let told =
                    folder.json(&format!("predict m.safetensors {data} {header} --out p.csv"));
                assert_eq!(told["samples"], json!(40));
            }
            let page = format!(
                "report m.safetensors --data {data} {header} {labels} --samples 20 --out r.html"
            );
            assert_eq!(folder.json(&page)["samples"], json!(40));
        }
        close(&features[1], &features[0]);
        close(&features[2], &features[0]);
    }
    let info = folder.json("info m.safetensors");
    assert_eq!(info["feature_names"][0], json!("g1"), "of the folder of 10x");
}

#[test]
fn a_plan_counts_the_entries_that_are_held() {
    let folder = Folder::new();
    let empty = "%%MatrixMarket matrix coordinate pattern general\n100000 50000 2\n1 1\n2 2\n";
    folder.write("large.mtx", empty);
    let plan = folder.json("fit large.mtx --model nmf --layers 5 --normalize none --plan");
    assert_eq!(
        (&plan["samples"], &plan["features"], &plan["entries"]),
        (&json!(100_000), &json!(50_000), &json!(2))
    );
    assert!(plan["memory"].as_u64().unwrap() < 1_000_000_000, "{plan}");
}

#[test]
fn standardized_sparse_samples_give_what_dense_ones_give() {
    let folder = Folder::new();
    written(&folder);
    let mut features = vec![];
    for data in ["x.csv --header no", "x.mtx"] {
        folder.fit(&format!(
            "{data} --layers 3 --max-iter 5 --normalize standardize --out m.safetensors"
        ));
        folder.json(&format!("transform m.safetensors {data} --out h.npy"));
        features.push(read_npy(&folder.read("h.npy")).1);
    }
    close(&features[1], &features[0]);
    let late = folder.run("fit x.mtx --layers 3 --normalize standardize,unit --out m.safetensors");
    assert_ne!(late.code, Some(0));
    assert!(late.to_string().contains("put it in front"), "{late}");
}

#[test]
fn several_sparse_files_are_one_set() {
    let folder = Folder::new();
    written(&folder);
    let fit = folder.fit("x.mtx x.mtx --layers 2 --max-iter 3 --out m.safetensors");
    assert_eq!(fit["samples"], json!(80));
}
