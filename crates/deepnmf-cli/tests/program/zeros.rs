//! Samples that are zero in every feature: `--zero-samples`.

use crate::common::{Folder, samples};

/// Eight samples with two that are zero among them, and their labels.
fn with_zeros() -> Folder {
    let folder = Folder::new();
    let mut rows = samples();
    rows.insert(2, [0.0; 4]);
    rows.insert(6, [0.0; 4]);
    let line = |(i, row): (usize, &[f64; 4])| {
        format!("s{},{},{}", i + 1, ["u", "v"][i % 2], row.map(|v| v.to_string()).join(","))
    };
    let lines: Vec<String> = rows.iter().enumerate().map(line).collect();
    folder.write("x.csv", format!("id,kind,a,b,c,d\n{}\n", lines.join("\n")));
    folder
}

const READ: &str = "--names-key id --labels-key kind";

#[test]
fn zero_samples_are_refused_with_the_flag_that_would_help() {
    let folder = with_zeros();
    let words =
        ["x.csv", "sample 3", "all zero", "--zero-samples keep or drop", "--normalize none"];
    folder.refuses(&format!("fit x.csv {READ} --layers 2"), 1, &words);
    folder.fit(&format!("x.csv {READ} --layers 2 --zero-samples keep --out m.safetensors"));
    let words = ["x.csv", "sample 3", "all zero", "--zero-samples keep or drop"];
    folder.refuses(&format!("transform m.safetensors x.csv {READ} --out h.csv"), 1, &words);
}

#[test]
fn zero_samples_that_are_kept_have_zero_features() {
    let folder = with_zeros();
    for model in ["semi-nmf", "whitened-pca"] {
        let fit = folder.fit(&format!(
            "x.csv {READ} --layers 2 --model {model} --zero-samples keep --out m.safetensors"
        ));
        assert_eq!(fit["samples"], 10);
        let run = folder
            .run(&format!("transform m.safetensors x.csv {READ} --zero-samples keep --out -"));
        let zeros = run.stdout.lines().filter(|line| line.ends_with(",0.0,0.0"));
        assert_eq!(zeros.collect::<Vec<_>>(), ["s3,0.0,0.0", "s7,0.0,0.0"], "{model}: {run}");
        assert!(run.stderr.contains("stay zero: 2 in all, 3, 7"), "{run}");
    }
}

#[test]
fn zero_samples_that_are_dropped_are_named_and_take_their_labels_along() {
    let folder = with_zeros();
    let drop = "--zero-samples drop";
    let run = folder.run(&format!("fit x.csv {READ} --layers 2 {drop} --out m.safetensors"));
    assert!(run.stderr.contains("were dropped: 2 in all, 3, 7 (counted from 1)"), "{run}");
    let told = folder.json(&format!("transform m.safetensors x.csv {READ} {drop} --out h.csv"));
    assert_eq!((&told["samples"], &told["dropped"]), (&8.into(), &2.into()));
    let h = String::from_utf8(folder.read("h.csv")).unwrap();
    assert!(h.contains("\ns2,") && h.contains("\ns4,") && !h.contains("\ns3,"), "{h}");
    let flags = format!("evaluate m.safetensors --data x.csv {READ} --cluster --repeats 1");
    let judged = folder.json(&format!("{flags} {drop}"));
    assert_eq!(judged["samples"], 8);
    folder.refuses(&flags, 1, &["sample 3", "--zero-samples"]);
    let projected = folder.json(&format!("{flags} {drop} --project nonnegative"));
    assert_eq!(projected["samples"], 8);
}

#[test]
fn rows_that_are_left_keep_their_numbers() {
    let folder = with_zeros();
    let read = "--columns a,b,c,d";
    folder.fit(&format!("x.csv {read} --layers 2 --zero-samples drop --out m.safetensors"));
    let run = folder.run(&format!(
        "cluster m.safetensors --data x.csv {read} --clusters 2 --zero-samples drop --out -"
    ));
    let first: Vec<&str> = run.stdout.lines().map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(first, ["sample", "1", "2", "4", "5", "6", "8", "9", "10"], "{run}");
}
