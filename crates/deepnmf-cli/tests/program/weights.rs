//! Weights of samples: `--weights-file`.

use crate::common::Folder;

/// 60 samples, weights from 1 to 3 for them, and each as often as its weight says.
fn folder() -> Folder {
    let folder = Folder::new();
    let cell = |i: usize, j: usize| (1 + (i + 2) * (j + 3) * (j + 3) % 17).to_string();
    let row = |j| (0..6).map(|i| cell(i, j)).collect::<Vec<_>>().join(",") + "\n";
    let weight = |j: usize| 1 + j % 3;
    folder.write("x.csv", (0..60).map(row).collect::<String>());
    folder.write("copies.csv", (0..60).map(|j| row(j).repeat(weight(j))).collect::<String>());
    folder.write("w.csv", (0..60).map(|j| weight(j).to_string() + "\n").collect::<String>());
    folder
}

#[test]
fn a_weight_is_a_number_of_copies() {
    let folder = folder();
    for model in ["semi-nmf", "nmf", "nenmf"] {
        let flags = format!("--header no --model {model} --layers 3 --max-iter 10 --kappa 0");
        let weighted = folder.fit(&format!("x.csv --weights-file w.csv {flags}"));
        let copied = folder.fit(&format!("copies.csv {flags}"));
        let error = |fit: &serde_json::Value| fit["error"].as_f64().unwrap();
        assert!((error(&weighted) / error(&copied) - 1.0).abs() < 1e-9, "{model}");
    }
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let folder = folder();
    let fit = |rest: &str| format!("fit x.csv --header no {rest}");
    let other = fit("--layers 3 --weights-file x.csv");
    folder.refuses(&other, 1, &["x.csv", "6 numbers", "one number for each of the 60 samples"]);
    let gnmf = fit("--model gnmf --layers 3 --weights-file w.csv");
    folder.refuses(&gnmf, 2, &["--weights-file", "nenmf"]);
    folder.refuses(&fit("--layers auto --weights-file w.csv"), 2, &["--weights-file", "--layers"]);
    let near = fit("--layers 3 --neighbours 3 --weights-file w.csv");
    folder.refuses(&near, 1, &["weights of samples", "neighbours"]);
}
