//! Components that stay, and weights of entries: `--fixed-bases`, `--fixed-features`, `--entry-weights-file`.

use serde_json::Value;

use crate::common::Folder;

/// 40 samples of 6 features, and weights for their entries.
fn folder() -> Folder {
    let folder = Folder::new();
    let table = |cell: &dyn Fn(usize, usize) -> String| {
        let row = |j| (0..6).map(|i| cell(i, j)).collect::<Vec<_>>().join(",") + "\n";
        (0..40).map(row).collect::<String>()
    };
    folder.write("x.csv", table(&|i, j| (1 + (i + 2) * (j + 3) * (j + 3) % 17).to_string()));
    folder.write("w.csv", table(&|i, j| (1 + (i * j) % 3).to_string()));
    folder.write("ones.csv", table(&|_, _| "2".into()));
    folder
}

fn error(fit: &Value) -> f64 {
    fit["error"].as_f64().unwrap()
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

const FLAGS: &str = "--header no --normalize none --kappa 0 --max-iter 40";

#[test]
fn given_components_stay_and_the_others_are_found() {
    let folder = folder();
    for model in ["nmf", "semi-nmf"] {
        let flags = format!("{FLAGS} --model {model}");
        let all = folder.fit(&format!("x.csv {flags} --layers 3 --out three.safetensors"));
        folder.json("export three.safetensors --what bases --out bases.csv");
        let both = ["three.safetensors", "bases.csv"].map(|given| {
            let fit = format!("x.csv {flags} --layers 4 --fixed-bases {given} --out m.safetensors");
            let fitted = folder.fit(&fit);
            folder.json("export m.safetensors --what bases --out found.csv");
            let [given, found] = ["bases.csv", "found.csv"].map(|name| text(&folder, name));
            let mut lines = given.lines().zip(found.lines());
            assert!(lines.all(|(given, found)| found.starts_with(given)), "{given}\n{found}");
            error(&fitted)
        });
        assert!(
            (both[0] / both[1] - 1.0).abs() < 1e-9 && both[0] < error(&all),
            "{model} {both:?}"
        );
        folder.write("h.csv", "0\n1\n".repeat(20));
        folder.fit(&format!("x.csv {flags} --layers 3 --fixed-features h.csv --out m.safetensors"));
        folder.json("export m.safetensors --what features --out found.csv");
        let found = text(&folder, "found.csv");
        for (j, line) in found.lines().skip(1).enumerate() {
            let last: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
            assert!((last - (j % 2) as f64).abs() < 1e-15, "{line}");
        }
    }
}

#[test]
fn weights_of_entries_decide_what_fits() {
    let folder = folder();
    let flags = format!("{FLAGS} --model semi-nmf --layers 2");
    let plain = folder.fit(&format!("x.csv {flags}"));
    let equal = folder.fit(&format!("x.csv {flags} --entry-weights-file ones.csv"));
    assert_eq!(error(&plain).to_bits(), error(&equal).to_bits());
    let weighted = folder.fit(&format!("x.csv {flags} --entry-weights-file w.csv"));
    assert!(error(&weighted) < error(&plain));
    assert!(weighted["svd_bound"].is_null() && weighted["missing"] == 0);
}

#[test]
fn what_does_not_fit_is_refused_with_the_file() {
    let folder = folder();
    folder.write("small.csv", "1,2\n3,4\n");
    folder.write("minus.csv", text(&folder, "w.csv").replacen('1', "-1", 1));
    let fit = |rest: &str| format!("fit x.csv --header no {rest}");
    for flag in ["--fixed-bases", "--fixed-features", "--entry-weights-file"] {
        folder.refuses(&fit(&format!("--layers auto {flag} w.csv")), 2, &[flag, "--layers"]);
        let small = fit(&format!("--model nmf --layers 3 {flag} small.csv"));
        folder.refuses(&small, 1, &[flag, "small.csv"]);
        folder.refuses(&fit(&format!("--layers 3 {flag} none.csv")), 1, &["none.csv"]);
    }
    let minus = fit("--layers 3 --entry-weights-file minus.csv");
    folder.refuses(&minus, 1, &["minus.csv", "weight of feature 1 of sample 1", "-1"]);
    let deep = fit("--model deep-semi-nmf --layers 3,2 --fixed-bases w.csv");
    folder.refuses(&deep, 2, &["--fixed-bases", "semi-nmf or nmf"]);
    let kl = fit("--model nmf --divergence kl --layers 3 --entry-weights-file w.csv");
    folder.refuses(&kl, 1, &["weights of entries", "Kullback-Leibler"]);
}
