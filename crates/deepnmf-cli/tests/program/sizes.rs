//! `--layers auto`.

use std::fmt::Write;

use crate::common::{Folder, number};

/// Sums of six components with noise, nothing but noise, and counts drawn about sums of six components.
fn write(folder: &Folder) {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let basis: Vec<f64> = (0..6 * 30).map(|_| random().powi(2)).collect();
    let (mut planted, mut noise) = (String::new(), String::new());
    for _ in 0..150 {
        let usage: Vec<f64> = (0..6).map(|_| random().powi(3)).collect();
        for i in 0..30 {
            let value: f64 = (0..6).map(|r| usage[r] * basis[r * 30 + i]).sum();
            let between = if i == 0 { "" } else { "," };
            write!(planted, "{between}{:.5}", value + 0.1 * random()).unwrap();
            write!(noise, "{between}{:.5}", random()).unwrap();
        }
        planted.push('\n');
        noise.push('\n');
    }
    let mut counts = String::new();
    for _ in 0..150 {
        let usage: Vec<f64> = (0..6).map(|_| random().powi(3)).collect();
        for i in 0..30 {
            let expected: f64 = (0..6).map(|r| 12.0 * usage[r] * basis[r * 30 + i]).sum();
            // As many as fit into a while (Knuth).
            let (mut count, mut left) = (0, random());
            while left > (-expected).exp() {
                (count, left) = (count + 1, left * random());
            }
            let between = if i == 0 { "" } else { "," };
            write!(counts, "{between}{count}").unwrap();
        }
        counts.push('\n');
    }
    folder.write("counts.csv", counts);
    folder.write("planted.csv", planted);
    folder.write("noise.csv", noise);
}

const FLAGS: &str = "--header no --normalize none";

#[test]
fn the_sizes_that_were_planted_are_found_fitted_and_explained() {
    let folder = Folder::new();
    write(&folder);
    let text = folder
        .run(&format!("fit planted.csv {FLAGS} --layers auto --curves c.svg --out m.safetensors"));
    assert_eq!(text.code, Some(0), "{text}");
    assert!(text.stdout.contains("layer 1: 6 components"), "{text}");
    assert!(text.stdout.contains("layers 6\n"), "{text}");
    let picture = std::fs::read_to_string(folder.path("c.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("held-out loss"));

    let fit = folder.fit(&format!("planted.csv {FLAGS} --layers 4..9"));
    assert_eq!(fit["layers"][0], 6);
    let choice = &fit["choice"][0]["choice"];
    assert_eq!(choice["chosen"], 6);
    assert_eq!(choice["curve"].as_array().unwrap().len(), 6);
    assert!(number(&choice["curve"][2], "held_out") < number(&choice["curve"][0], "held_out"));
}

/// Seven an entry: squares see fewer components than the divergence, which knows how much counts scatter.
#[test]
fn counts_are_judged_by_their_divergence() {
    let folder = Folder::new();
    write(&folder);
    let flags = format!("counts.csv {FLAGS} --model nmf --layers auto --zero-samples keep");
    let [by_squares, by_divergence] = ["frobenius", "kl"].map(|divergence| {
        let fit = folder.fit(&format!("{flags} --divergence {divergence}"));
        fit["layers"][0].as_u64().unwrap()
    });
    assert!(by_squares < 6 && by_divergence == 6, "{by_squares} {by_divergence}");
}

#[test]
fn no_structure_beyond_noise_is_an_answer() {
    let folder = Folder::new();
    write(&folder);
    for model in ["semi-nmf", "nmf"] {
        let flags = format!("noise.csv {FLAGS} --model {model} --layers auto --out m.safetensors");
        let answer = folder.fit(&flags);
        assert_eq!(answer["layers"].as_array().unwrap().len(), 0);
        assert_eq!(answer["choice"][0]["choice"]["chosen"], 0);
        assert!(!folder.path("m.safetensors").exists(), "there is nothing to write");
    }
}

#[test]
fn a_second_layer_that_is_not_worth_it_is_left_out() {
    let folder = Folder::new();
    write(&folder);
    let run = folder.run(&format!("fit planted.csv {FLAGS} --layers auto,auto"));
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("layer 2 is not worth it"), "{run}");
    assert!(run.stdout.contains("semi-nmf:"), "{run}");
    let named = "--model deep-semi-nmf --layers auto,auto";
    folder.refuses(&format!("fit planted.csv {FLAGS} {named}"), 1, &["not worth it"]);
}

#[test]
fn workers_share_the_search() {
    let folder = Folder::new();
    write(&folder);
    let flags = format!("planted.csv {FLAGS} --layers 2..8 --masks 3 --records found");
    let worker =
        |index: usize| folder.fit(&format!("{flags} --worker-index {index} --total-workers 2"));
    assert_eq!(worker(0)["missing"], 10);
    let last = worker(1);
    assert_eq!(last["choice"][0]["choice"]["chosen"], 6);
    let alone = folder.fit(&format!("planted.csv {FLAGS} --layers 2..8 --masks 3"));
    assert_eq!(alone["error"], last["error"]);
}

#[test]
fn several_fits_are_brought_together() {
    let folder = Folder::new();
    write(&folder);
    let flags = format!("planted.csv {FLAGS} --model nmf --layers 6");
    let one = folder.fit(&flags);
    let fit = folder.fit(&format!("{flags} --consensus 5 --out m.safetensors"));
    let stability = fit["stability"].as_array().unwrap();
    assert_eq!(stability.len(), 6);
    assert!(stability.iter().all(|cosine| cosine.as_f64().unwrap() > 0.8), "{stability:?}");
    assert!(number(&fit, "error") < 1.1 * number(&one, "error"));
    let again = folder.json("transform m.safetensors planted.csv --header no --out h.csv");
    let (a, b) = (number(&again, "error"), number(&fit, "error"));
    assert!((a - b).abs() < 1e-6 * b, "{a} and {b}");
    let deep = format!("fit planted.csv {FLAGS} --layers 6,3 --consensus 5");
    folder.refuses(&deep, 2, &["semi-nmf or nmf"]);
}

#[test]
fn flags_that_make_no_sense_with_it_are_refused() {
    let folder = Folder::new();
    write(&folder);
    let refused = |flags: &str, words: &[&str]| {
        folder.refuses(&format!("fit planted.csv {flags}"), 2, words);
    };
    refused("--layers auto --plan", &["--plan", "name them with --layers"]);
    refused("--layers auto --memory 1GB", &["--memory", "name them"]);
    refused("--layers 5 --masks 3", &["--masks", "--layers auto"]);
    refused("--layers auto --model whitened-pca", &["whitened-pca"]);
    refused("--layers 9..4", &["smaller number"]);
    refused("--layers some", &["auto"]);
    refused("--layers auto --worker-index 0", &["--total-workers"]);
    refused("--layers auto --held-out 1", &["below 1"]);
}
