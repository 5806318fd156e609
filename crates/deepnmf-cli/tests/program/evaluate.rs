//! `deepnmf evaluate` and `deepnmf datasets`: what features are good for, and where data come from.

use crate::common::{FACES, Folder};
use deepnmf_testing::real_data;
use serde_json::Value;

fn fitted() -> Folder {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 8,4 --out m.safetensors"));
    folder
}

fn mean(cell: &Value, measure: [&str; 2]) -> f64 {
    cell[measure[0]][measure[1]]["mean"].as_f64().unwrap()
}

#[test]
fn every_layer_is_judged_by_every_attribute() {
    let folder = fitted();
    let found = folder.json(&format!("evaluate m.safetensors --data {FACES} --repeats 2"));
    let cells = found["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2 * 4);
    for cell in cells {
        for measure in [["clustering", "ac"], ["clustering", "nmi"], ["classification", "accuracy"]]
        {
            assert!((0.0..=1.0).contains(&mean(cell, measure)), "{cell}");
        }
    }
    let run = folder.run(&format!("evaluate m.safetensors --data {FACES} --repeats 2"));
    for word in ["layer 1 (8)", "layer 2 (4)", "identity", "pose", "AC", "NMI", "*"] {
        assert!(run.stdout.contains(word), "{word} is missing in: {run}");
    }
}

#[test]
fn every_score_stands_beside_its_chance_level() {
    let folder = fitted();
    let found = folder.json(&format!("evaluate m.safetensors --data {FACES} --repeats 2"));
    for cell in found["cells"].as_array().unwrap() {
        let (clusters, classifier) = (&cell["clustering"]["chance"], &cell["classification"]);
        // A guess is right for one class of k at least, on average; few samples allow for more.
        let floor = 1.0 / cell["classes"].as_f64().unwrap();
        let ac = clusters["ac"].as_f64().unwrap();
        assert!(ac >= floor - 1e-9 && ac < 0.9, "{cell}");
        assert!((0.0..0.9).contains(&clusters["nmi"].as_f64().unwrap()), "{cell}");
        let largest = classifier["chance"].as_f64().unwrap();
        assert!(largest >= floor - 1e-9 && largest <= 1.0, "{cell}");
    }
    let run = folder.run(&format!("evaluate m.safetensors --data {FACES} --repeats 2"));
    assert!(run.stdout.contains("chance level in brackets"), "{run}");
}

/// Features of 30 samples, with labels under `header`.
fn labelled(header: &str, labels: impl Fn(usize) -> String) -> Folder {
    let folder = Folder::new();
    let h: Vec<[f64; 2]> = (0..30).map(|i| [f64::from(i % 3), f64::from(i % 7)]).collect();
    folder.write("h.npy", crate::common::npy(&h));
    let lines: Vec<String> = (0..30).map(labels).collect();
    folder.write("labels.csv", format!("{header}\n{}\n", lines.join("\n")));
    folder
}

#[test]
fn an_identifier_is_not_evaluated_unless_named() {
    let folder = labelled("id,kind", |i| format!("s{i},{}", i % 3));
    let flags = "evaluate h.npy --data h.npy --labels-file labels.csv --cluster --repeats 1";
    let run = folder.run(flags);
    assert!(run.stderr.contains("id has 30 classes for 30 labelled samples"), "{run}");
    let names = |flags: &str| {
        let cells = folder.json(flags)["cells"].clone();
        let cells = cells.as_array().unwrap().clone();
        cells.iter().map(|c| c["attribute"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(flags), ["kind"]);
    assert_eq!(names(&format!("{flags} --attributes id,kind")), ["id", "kind"]);
    let alone = labelled("id", |i| format!("s{i}"));
    alone.refuses(flags, 1, &["id has 30 classes", "identifier", "--attributes id"]);
}

#[test]
fn thousands_of_classes_are_refused_before_the_work() {
    let folder = Folder::new();
    let h: Vec<[f64; 1]> = (0..5000).map(|i| [f64::from(i)]).collect();
    folder.write("h.npy", crate::common::npy(&h));
    let lines: Vec<String> = (0..5000).map(|i| (i % 2500).to_string()).collect();
    folder.write("labels.csv", format!("who\n{}\n", lines.join("\n")));
    let flags = "evaluate h.npy --data h.npy --labels-file labels.csv";
    folder.refuses(flags, 1, &["who has 2500 classes", "minutes", "--attributes"]);
}

#[test]
fn the_number_of_threads_changes_no_score() {
    let folder = fitted();
    let with = |threads| {
        folder.json(&format!("evaluate m.safetensors --data {FACES} --threads {threads}"))["cells"]
            .clone()
    };
    assert_eq!(with(1), with(2));
}

#[test]
fn features_of_a_file_score_as_those_of_the_model() {
    let folder = fitted();
    folder.json(&format!("transform m.safetensors {FACES} --method basis --out h.npy"));
    let flags = format!("--data {FACES} --cluster --attribute pose");
    let file = folder.json(&format!("evaluate h.npy {flags}"));
    let model = folder.json(&format!("evaluate m.safetensors --project basis --layer 2 {flags}"));
    assert_eq!(file["cells"][0]["clustering"], model["cells"][0]["clustering"]);
    assert!(file["cells"][0].get("classification").is_none());
}

#[test]
fn what_cannot_be_evaluated_is_refused_with_a_reason() {
    let folder = fitted();
    folder.refuses("evaluate m.safetensors", 2, &["--data", "--labels-key"]);
    let other = "builtin:faces:identities=2,poses=2,expressions=2,illuminations=2,size=13";
    folder.refuses(&format!("evaluate m.safetensors --data {other}"), 1, &["13x13", "12x12"]);
    let with = |flags: &str| format!("evaluate m.safetensors --data {FACES} {flags}");
    folder.refuses(&with("--attribute age"), 1, &["age", "identity"]);
    folder.refuses(&with("--layer 3"), 1, &["3", "layers 1 to 2"]);
    folder.refuses(&with("--test-share 2"), 2, &["between 0 and 1"]);
    folder.refuses("evaluate m.safetensors --project basis", 2, &["--project", "--data"]);
}

#[test]
fn a_chain_of_preprocessing_is_kept_and_done_again() {
    let folder = Folder::new();
    let fit =
        folder.fit(&format!("{FACES} --layers 4 --normalize min-max,unit --out m.safetensors"));
    assert_eq!(fit["preprocessing"][1], "unit");
    assert!(folder.run("info m.safetensors").stdout.contains("--normalize min-max,unit"));
    let again = folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
    let (fitted, projected) = (fit["error"].as_f64().unwrap(), again["error"].as_f64().unwrap());
    assert!(projected <= fitted * (1.0 + 1e-9), "{projected} is above {fitted}");
    folder.refuses(&format!("fit {FACES} --layers 4 --normalize polish"), 2, &["polish"]);
}

#[cfg(feature = "fetch")]
#[test]
fn public_sets_are_listed_with_their_licence_and_found_offline() {
    let folder = Folder::new();
    let listed = folder.json("datasets list");
    assert_eq!(listed["public"][0]["name"], "pie-pose27");
    assert!(listed["public"][0]["licence"].as_str().unwrap().contains("terms"));
    assert!(listed["public"][1]["sha256"][0].is_null());
    assert!(folder.run("datasets list").stdout.contains("checksum: unknown, recorded on first"));
    folder.refuses("datasets fetch nothing", 1, &["nothing", "pie-pose27"]);
    // The licence is told first, then what is missing or wrong.
    let fails = |word: &str| {
        let run = folder.run("datasets fetch pie-pose27 --offline .");
        assert_eq!(run.code, Some(1), "{run}");
        assert!(run.stderr.contains("terms") && run.stderr.contains(word), "{run}");
    };
    fails("there is no file");
    folder.write("PIE_pose27.mat", "not the faces");
    fails("checksum");
    let Some(path) = real_data("PIE_pose27.mat") else { return };
    let folder_of_it = path.parent().unwrap().display().to_string();
    let found = folder.json(&format!("datasets fetch pie-pose27 --offline {folder_of_it}"));
    assert!(found["files"][0].as_str().unwrap().ends_with("PIE_pose27.mat"));
    let known = &listed["public"][0]["sha256"];
    assert_eq!(&found["sha256"], known);
    let faces = folder.json(&format!("datasets fetch cmu-faces --offline {folder_of_it}"));
    assert!(faces["files"][0].as_str().unwrap().ends_with("cmu-faces"));
}

#[cfg(feature = "images")]
#[test]
fn cmu_faces_load_in_one_command_with_all_four_attributes() {
    let Some(path) = real_data("cmu-faces") else { return };
    let folder = Folder::new();
    let data =
        format!("{} --pattern {{identity}}_{{pose}}_{{expression}}_{{eyes}}_4", path.display());
    let fit = folder.fit(&format!("{data} --model whitened-pca --layers 40 --out m.safetensors"));
    assert_eq!((&fit["samples"], &fit["features"]), (&624.into(), &960.into()));
    let flags = "--cluster --repeats 1 --scale unit-samples";
    let found = folder.json(&format!("evaluate m.safetensors {flags} --data {data}"));
    let cells = found["cells"].as_array().unwrap();
    let names: Vec<&str> = cells.iter().map(|c| c["attribute"].as_str().unwrap()).collect();
    assert_eq!(names, ["identity", "pose", "expression", "eyes"]);
    // Measured outside of this project: 84.6% (raw pixels 62.2%).
    assert!(mean(&cells[0], ["clustering", "ac"]) > 0.75, "{}", cells[0]);
}
