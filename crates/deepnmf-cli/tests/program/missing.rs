//! Entries that are missing: `--missing` and `impute`.

use crate::common::Folder;

/// 40 samples of rank two, with an empty cell, `NA` or `nan` in every sample, and the same without.
fn folder() -> Folder {
    let folder = Folder::new();
    let value = |i: usize, j: usize| {
        let (i, j) = (i as f64, j as f64);
        (1.0 + i) * (1.0 + (j * 0.7).sin().abs()) + (6.0 - i) * (0.3 * j).cos().abs()
    };
    let table = |hole: &dyn Fn(usize, usize) -> Option<&'static str>| {
        let cell = |i, j| hole(i, j).map_or_else(|| value(i, j).to_string(), str::to_owned);
        let row = |j| (0..6).map(|i| cell(i, j)).collect::<Vec<_>>().join(",");
        format!("a,b,c,d,e,f\n{}\n", (0..40).map(row).collect::<Vec<_>>().join("\n"))
    };
    folder.write("x.csv", table(&|i, j| (i == j % 6).then_some(["", "NA", "nan"][j % 3])));
    folder.write("zeros.csv", table(&|i, j| (i == j % 6).then_some("0")));
    folder.write("whole.csv", table(&|_, _| None));
    folder
}

fn numbers(folder: &Folder, name: &str) -> Vec<f64> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    text.lines().skip(1).flat_map(|line| line.split(',').map(|v| v.parse().unwrap())).collect()
}

#[test]
fn missing_cells_are_refused_with_the_flag_that_would_help() {
    let folder = folder();
    folder.refuses("fit x.csv --layers 2", 1, &["x.csv", "missing value", "--missing nan"]);
    folder.refuses("impute m.safetensors x.csv --out y.csv", 2, &["--missing nan"]);
}

#[test]
fn what_is_missing_is_left_out_and_filled_in() {
    let folder = folder();
    let whole = numbers(&folder, "whole.csv");
    for (data, how) in [("x.csv", "nan"), ("zeros.csv", "zeros")] {
        for steps in ["none", "unit", "standardize", "min-max,log1p"] {
            // Steps that move the data add a component.
            let components = if steps == "none" { 2 } else { 3 };
            let fit = folder.fit(&format!(
                "{data} --missing {how} --model semi-nmf --normalize {steps} --layers {components} --kappa 0 \
                 --max-iter 400 --out m.safetensors"
            ));
            assert_eq!(fit["missing"], 40, "{data} {steps}");
            assert!(fit["svd_bound"].is_null());
            let run = folder
                .json(&format!("impute m.safetensors {data} --missing {how} --out filled.csv"));
            assert_eq!((&run["missing"], &run["by"]), (&fit["missing"], &"fit".into()));
            let filled = numbers(&folder, "filled.csv");
            for (at, (found, wanted)) in filled.iter().zip(&whole).enumerate() {
                let (j, i) = (at / 6, at % 6);
                if i == j % 6 {
                    // Of rank two; after other steps they are not quite, and five entries fit much.
                    let off = (found / wanted - 1.0).abs();
                    assert!(found.is_finite() && (steps != "none" || off < 0.02), "{at}: {off}");
                } else {
                    assert_eq!(found.to_bits(), wanted.to_bits(), "{steps} {at}");
                }
            }
            let h =
                folder.json(&format!("transform m.safetensors {data} --missing {how} --out h.csv"));
            assert_eq!(h["samples"], 40);
        }
    }
}

#[test]
fn what_is_filled_in_far_outside_of_what_was_observed_is_told() {
    let folder = Folder::new();
    folder.write("x.csv", "0.001,1\n".repeat(39) + "0.1,\n");
    let flags = "x.csv --header no --missing nan";
    folder.fit(&format!(
        "{flags} --normalize none --model nmf --layers 1 --kappa 0 --max-iter 2000 --out m.safetensors"
    ));
    let run = folder.run(&format!("impute m.safetensors {flags} --out filled.csv"));
    assert!(run.code == Some(0) && run.stderr.contains("fit fewer components"), "{run}");
}
