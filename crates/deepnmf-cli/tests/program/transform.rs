//! `deepnmf transform`: features of samples, prepared as those of the model were.

use crate::common::{FACES, Folder, npy, number, read_npy, samples, table};
use serde_json::json;

/// How far two lists of numbers are apart, relative to the second.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let apart: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    (apart / b.iter().map(|b| b * b).sum::<f64>()).sqrt()
}

fn features(folder: &Folder, arguments: &str) -> Vec<f64> {
    folder.json(&format!("transform {arguments} --out h.npy"));
    read_npy(&folder.read("h.npy")).1
}

#[test]
fn non_negative_features_of_the_training_data_are_no_worse_than_the_fit() {
    for layers in ["6", "10,4"] {
        let folder = Folder::new();
        let fit = folder.fit(&format!("{FACES} --layers {layers} --out m.safetensors"));
        let transform = folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
        let (ours, fitted) = (number(&transform, "error"), number(&fit, "error"));
        assert!(ours <= fitted * (1.0 + 1e-9), "{layers}: {ours} after a fit of {fitted}");
        let (_, h) = read_npy(&folder.read("h.npy"));
        assert!(h.iter().all(|&v| v >= 0.0));
    }
}

/// Counts are fitted by their divergence, and so are new samples; other models and methods say what is wrong.
#[test]
fn a_divergence_is_kept_small_by_the_fit_and_by_what_follows() {
    let folder = Folder::new();
    let fit = folder.fit(&format!(
        "{FACES} --model nmf --divergence kl --normalize none --layers 4 --out m.safetensors"
    ));
    assert!(fit["svd_bound"].is_null() && number(&fit, "relative_error") < 1.0);
    let transform = folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
    let (ours, fitted) = (number(&transform, "error"), number(&fit, "error"));
    assert!(ours <= fitted * (1.0 + 1e-9), "{ours} after a fit of {fitted}");
    let info = folder.run("info m.safetensors");
    assert!(info.stdout.contains("% of the error of the best single component"), "{}", info.stdout);
    folder.refuses(
        &format!("transform m.safetensors {FACES} --method basis --out h.npy"),
        1,
        &["Kullback-Leibler", "use nonnegative"],
    );
    let refuses = |flags: &str, words: &[&str]| {
        folder.refuses(&format!("fit {FACES} --layers 4 --divergence kl {flags}"), 2, words);
    };
    refuses("--model gnmf", &["--divergence", "nmf"]);
    refuses("", &["--divergence", "nmf"]);
    refuses("--model nmf --solver accelerated", &["coordinate descent"]);
}

#[test]
fn the_pseudo_inverse_rebuilds_at_least_as_well_as_non_negative_features() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 10,4 --out m.safetensors"));
    let [basis, nonnegative] = ["basis", "nonnegative"].map(|method| {
        let told = folder
            .json(&format!("transform m.safetensors {FACES} --method {method} --out {method}.npy"));
        assert_eq!(told["method"].as_str().unwrap().replace('-', ""), method);
        number(&told, "error")
    });
    assert!(basis <= nonnegative * (1.0 + 1e-9), "{basis} and {nonnegative}");
}

#[test]
fn each_layer_gives_a_row_per_sample_and_a_column_per_component() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 10,4 --out m.safetensors"));
    for (layer, shape) in [("1", "(24, 10)"), ("2", "(24, 4)")] {
        let told = folder
            .json(&format!("transform m.safetensors {FACES} --layer {layer} --out h{layer}.npy"));
        assert_eq!(told["layer"].to_string(), layer);
        assert_eq!(told["samples"], json!(24));
        assert_eq!(read_npy(&folder.read(&format!("h{layer}.npy"))).0, shape);
    }
    folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
    assert_eq!(folder.read("h.npy"), folder.read("h2.npy"), "the top layer is the default");
}

#[test]
fn new_samples_are_normalised_if_and_only_if_those_of_the_model_were() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&samples()));
    folder.write(
        "tenfold.npy",
        npy(&samples().iter().map(|x| x.map(|v| 10.0 * v)).collect::<Vec<_>>()),
    );
    for (normalize, factor) in [("unit", 1.0), ("none", 10.0)] {
        folder.fit(&format!("x.npy --layers 2 --normalize {normalize} --out m.safetensors"));
        for method in ["basis", "nonnegative"] {
            let h = features(&folder, &format!("m.safetensors x.npy --method {method}"));
            let tenfold =
                features(&folder, &format!("m.safetensors tenfold.npy --method {method}"));
            let expected: Vec<f64> = h.iter().map(|h| factor * h).collect();
            let apart = distance(&tenfold, &expected);
            assert!(apart < 1e-6, "{normalize}, {method}: {apart}");
        }
    }
}

#[test]
fn a_sample_has_the_same_features_alone_as_among_others() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&samples()));
    folder.write("first.npy", npy(&samples()[..1]));
    folder.fit("x.npy --layers 3 --out m.safetensors");
    let all = features(&folder, "m.safetensors x.npy");
    let first = features(&folder, "m.safetensors first.npy");
    assert!(distance(&first, &all[..3]) < 1e-9);
}

#[test]
fn threads_do_not_change_features() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 10,4 --out m.safetensors"));
    for method in ["basis", "nonnegative"] {
        let [one, two] = [1, 2].map(|threads| {
            features(
                &folder,
                &format!("m.safetensors {FACES} --method {method} --threads {threads}"),
            )
        });
        assert!(one.iter().zip(&two).all(|(a, b)| a.to_bits() == b.to_bits()), "{method}");
    }
}

#[test]
fn a_model_of_single_precision_gives_features_of_single_precision() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 4 --dtype f32 --out m.safetensors"));
    folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
    assert!(String::from_utf8_lossy(&folder.read("h.npy")[..100]).contains("'<f4'"));
}

#[test]
fn samples_that_do_not_fit_the_model_are_refused() {
    let folder = Folder::new();
    folder.write("x.csv", table("a,b,c,d"));
    folder.write("reordered.csv", table("a,c,b,d"));
    folder.write("fewer.csv", "a,b,c\n1,2,3\n");
    folder.write("fewer.npy", npy(&[[1.0, 2.0, 3.0]]));
    folder.write("zero.csv", "a,b,c,d\n1,2,3,4\n0,0,0,0\n");
    folder.write("h.npy", "old");
    folder.fit("x.csv --layers 3,2 --out m.safetensors");
    let refuses = |data: &str, words: &[&str]| {
        folder.refuses(&format!("transform m.safetensors {data} --out h.npy"), 1, words);
    };
    refuses("reordered.csv", &["reordered.csv", "feature 2 is \"c\"", "\"b\"", "order"]);
    refuses("fewer.csv", &["fewer.csv", "3 features", "4"]);
    refuses("fewer.npy", &["fewer.npy", "features", "3", "4"]);
    refuses("zero.csv", &["zero.csv", "sample 2", "all zero", "remove it"]);
    refuses("missing.csv", &["missing.csv", "no file"]);
    refuses("x.csv --layer 3", &["layer is 3", "2"]);
}

#[test]
fn the_model_and_the_data_are_never_overwritten() {
    let folder = Folder::new();
    folder.write("x.csv", table("a,b,c,d"));
    folder.fit("x.csv --layers 2 --out m.safetensors");
    for out in ["x.csv", "m.safetensors", "./x.csv"] {
        folder.refuses(
            &format!("transform m.safetensors x.csv --out {out}"),
            2,
            &[out, "another file"],
        );
    }
}

#[test]
fn whitened_pca_fits_transforms_and_says_what_it_cannot() {
    let folder = Folder::new();
    let fit = folder.fit(&format!("{FACES} --model whitened-pca --layers 4 --out m.safetensors"));
    assert_eq!(fit["model"], "whitened-pca");
    let projected = folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
    assert_eq!(projected["method"], "basis");
    let (fitted, again) = (fit["error"].as_f64().unwrap(), projected["error"].as_f64().unwrap());
    assert!((fitted / again - 1.0).abs() < 1e-9);
    let words = ["basis"];
    folder.refuses(
        &format!("transform m.safetensors {FACES} --method nonnegative --out new.npy"),
        1,
        &words,
    );
}

/// Penalties stand in the model file, and new samples have that of the features.
#[test]
fn penalties_belong_to_nmf_and_are_kept_for_new_samples() {
    let folder = Folder::new();
    let fit = |flags: &str, out: &str| {
        folder.json(&format!("fit {FACES} --model nmf --layers 6 {flags} --out {out}"))
    };
    let plain = fit("", "plain.safetensors");
    let sparse = fit("--alpha-features 0.0005 --l1-ratio 1", "sparse.safetensors");
    assert!(sparse["error"].as_f64() > plain["error"].as_f64());
    let zeros = |model: &str| {
        folder.json(&format!("transform {model} {FACES} --out h.csv"));
        let text = String::from_utf8(folder.read("h.csv")).unwrap();
        text.lines().skip(1).flat_map(|line| line.split(',')).filter(|v| *v == "0.0").count()
    };
    assert!(zeros("sparse.safetensors") > zeros("plain.safetensors"));
    let said = fit("--alpha-features 0.0005 --alpha-basis 0", "alone.safetensors");
    assert!(said["notices"][0].as_str().unwrap().contains("the basis has no penalty"), "{said}");
    let refuses = |flags: &str, words: &[&str]| {
        folder.refuses(&format!("fit {FACES} --layers 4 {flags}"), 2, words);
    };
    refuses("--model gnmf --alpha-features 0.1", &["--alpha-features", "nmf"]);
    refuses("--model nmf --l1-ratio 0.5", &["--l1-ratio", "--alpha-features"]);
    refuses("--model nmf --alpha-basis -1", &["--alpha-basis", "at least 0"]);
}
