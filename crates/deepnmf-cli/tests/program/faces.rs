//! Graphs on real faces, where they are at hand.

use deepnmf_testing::real_data;
use serde_json::Value;

use crate::common::{Folder, number};

/// The CMU faces with their four attributes.
fn cmu() -> Option<String> {
    let path = real_data("cmu-faces")?;
    let pattern = "{identity}_{pose}_{expression}_{eyes}_4";
    Some(format!("{} --pattern {pattern}", path.display()))
}

/// The mean accuracy of clusters of the last layer, seeds 0 to 4.
fn accuracy(folder: &Folder, data: &str, attribute: &str) -> f64 {
    let found = folder.json(&format!(
        "evaluate m.safetensors --cluster --attributes {attribute} --repeats 5 --layer 2 --data {data}"
    ));
    number(&found["cells"][0]["clustering"]["ac"], "mean")
}

/// As printed it ended with an error of thousands of norms, or after 1000 iterations a layer.
#[test]
fn deep_wsf_comes_to_rest_whatever_the_attributes_and_weights() {
    let Some(data) = cmu() else { return };
    let folder = Folder::new();
    for attributes in ["pose,eyes,identity", "pose,expression,identity", "identity,eyes,expression"]
    {
        for layers in ["100,100,100", "100,60,30"] {
            for lambda in ["1e-4", "1e-2", "0.1", "1"] {
                let told = folder.fit(&format!(
                    "{data} --model deep-wsf --layers {layers} --attributes {attributes} --lambda {lambda}"
                ));
                let runs = told["runs"].as_array().unwrap();
                let rests =
                    |run: &Value| run["stop"] == "converged" && number(run, "iterations") < 50.0;
                assert!(runs.iter().all(rests), "{told}");
                assert!(
                    number(&told, "gap") > -1e-6 && number(&told, "relative_error") < 1.0,
                    "{told}"
                );
                assert_eq!(told["notices"], Value::Array(vec![]), "{told}");
            }
        }
    }
}

#[test]
fn neighbours_in_whitened_features_find_people() {
    let folder = Folder::new();
    let flags = "--layers 200,40 --neighbours 5 --out m.safetensors";
    if let Some(data) = cmu() {
        folder.fit(&format!("{data} {flags}"));
        let found = accuracy(&folder, &data, "identity");
        assert!(found >= 0.89, "{found}");
    }
    if let Some(data) = real_data("PIE_pose27.mat") {
        let data = data.display().to_string();
        folder.fit(&format!("{data} {flags}"));
        let found = accuracy(&folder, &data, "gnd");
        assert!(found >= 0.99, "{found}");
    }
}

#[test]
fn parts_that_nobody_names_are_found_with_reasons() {
    let folder = Folder::new();
    let faces = "builtin:faces:identities=6,poses=1,expressions=4,illuminations=3,size=16";
    let told = folder.fit(&format!("{faces} --parts auto --out m.safetensors"));
    let parts = told["settings"]["parts"].as_array().unwrap();
    assert!(!parts.is_empty(), "{told}");
    let reasons = told["notices"].to_string();
    assert!(reasons.contains("samples without structure"), "{reasons}");
}

/// Pose of the CMU faces with labels of a tenth of the samples, beside a part that is found without any.
#[test]
fn a_part_with_labels_of_some_samples_is_predicted() {
    let Some(data) = cmu() else { return };
    let folder = Folder::new();
    let told = folder
        .fit(&format!("{data} --parts 20,pose,eyes --label-fraction 0.1 --out m.safetensors"));
    assert_eq!(told["settings"]["parts"], serde_json::json!([20, 4, 2]));
    let shown = folder.run("info m.safetensors");
    assert!(shown.stdout.contains("--parts 20,pose,eyes, one cluster"), "{shown}");
    folder.json(&format!("predict m.safetensors {data} --out p.csv"));
    let table = String::from_utf8(folder.read("p.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next().unwrap(), "sample,pose,pose_margin,eyes,eyes_margin");
    let right = |place: usize| {
        let rows: Vec<&str> = table.lines().skip(1).collect();
        let same = rows.iter().filter(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            cells[0].contains(&format!("_{}_", cells[place]))
        });
        same.count() as f64 / rows.len() as f64
    };
    // A linear support vector machine has .81 and .72 with as many labels.
    assert!(right(1) > 0.86 && right(3) > 0.75, "{} {}", right(1), right(3));
    let found = folder.json("cluster m.safetensors --out c.csv");
    assert_eq!(found["parts"], serde_json::json!([20, 4, 2]));
}

#[test]
fn deep_parts_are_fitted_shown_and_clustered_in_each_layer() {
    let folder = Folder::new();
    let data = "builtin:faces:identities=6,poses=3,size=16";
    let told = folder.fit(&format!("{data} --parts 14-6,3 --out m.safetensors"));
    assert_eq!(told["layers"], serde_json::json!([17, 9]));
    assert_eq!(told["settings"]["parts"], serde_json::json!([[14, 6], 3]));
    let shown = folder.run("info m.safetensors");
    assert!(shown.stdout.contains("--parts 14-6,3, one cluster of each"), "{shown}");
    for (flags, parts) in [("", [6, 3]), ("--layer 1", [14, 3])] {
        let found = folder.json(&format!("cluster m.safetensors {flags} --out own.csv"));
        assert_eq!(found["parts"], serde_json::json!(parts));
        folder.json(&format!("cluster m.safetensors {flags} --data {data} --out new.csv"));
        let clusters = |name: &str| {
            let text = String::from_utf8(folder.read(name)).unwrap();
            text.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(clusters("own.csv"), clusters("new.csv"));
    }
    let told = folder.json(&format!("evaluate m.safetensors --data {data} --cluster --repeats 1"));
    let names: Vec<&str> =
        [0, 4, 8, 12].iter().map(|i| told["cells"][i]["layer"].as_str().unwrap()).collect();
    let of = |part: usize, layer: usize| format!("part {part}, layer {layer}");
    assert_eq!(names, [of(1, 1), of(2, 1), of(1, 2), of(2, 2)]);
    folder.json(&format!("report m.safetensors --data {data} --out r.html"));
    let refused = |parts: &str, code, words| {
        folder.refuses(&format!("fit {data} --parts {parts}"), code, &[words]);
    };
    refused("6-14,3", 1, "it must fall");
    refused("14-,3", 2, "auto, or the name");
    refused("14-6", 1, "beside others");
}

#[test]
fn parts_are_fitted_shown_and_projected() {
    let folder = Folder::new();
    let data = "builtin:faces:identities=6,poses=3,size=16";
    let told = folder.fit(&format!("{data} --parts 6,3 --out m.safetensors"));
    assert_eq!(told["model"], "additive-semi-nmf");
    assert_eq!(told["layers"], serde_json::json!([9]));
    let shown = folder.json("info m.safetensors");
    assert_eq!(shown["settings"]["parts"], serde_json::json!([6, 3]));
    let refused =
        |flags: &str, code, words| folder.refuses(&format!("fit {data} {flags}"), code, &[words]);
    refused("--model additive-semi-nmf --layers 3", 2, "such as --parts 20,4");
    refused("--model nmf --parts 3,2", 2, "--parts belongs to --model additive-semi-nmf");
    refused("--parts 6,3 --solver hals", 2, "--solver belongs to");
    refused("--parts 6,3 --neighbours 5", 2, "--neighbours belongs to");
    refused("--parts 6,1", 2, "at least 2, auto, or the name");
    refused("--parts 6,height", 1, "there is no attribute \"height\"");
    refused("--parts 6,3 --attributes pose", 2, "such as --parts 20,pose");
    refused("--parts 6,pose --lambda 1", 2, "--lambda belongs to");
    refused("--parts 6,3 --label-fraction 0.5", 2, "--label-fraction belongs to");
    refused("--parts auto,3", 2, "leave the numbers out");
    refused("--parts 6,3 --layers 9", 2, "cannot be used with");
    let found = folder.json("cluster m.safetensors --out c.csv");
    assert_eq!(found["parts"], serde_json::json!([6, 3]));
    let table = String::from_utf8(folder.read("c.csv")).unwrap();
    assert!(table.starts_with("sample,part_1,part_2\n1,"), "{table}");
    folder.json(&format!("cluster m.safetensors --data {data} --out d.csv"));
    let rows = |name: &str| {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let row = |line: &str| line.split_once(',').unwrap().1.to_owned();
        text.lines().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows("c.csv"), rows("d.csv"));
    let told = folder.json(&format!("evaluate m.safetensors --data {data} --cluster --repeats 1"));
    assert_eq!([&told["cells"][0]["layer"], &told["cells"][4]["layer"]], ["part 1", "part 2"]);
    folder.fit(&format!("{data} --layers 5 --out plain.safetensors"));
    folder.refuses("cluster plain.safetensors --out c.csv", 2, &["--clusters"]);
}
