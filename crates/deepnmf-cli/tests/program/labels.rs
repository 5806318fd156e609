//! Models that learn from labels, end to end.

use crate::common::{FACES, Folder, number, tensors};

const THREE: &str = "--model deep-wsf --layers 10,6,4 --attributes pose,none,identity";

#[test]
fn every_model_graph_and_form_can_be_asked_for() {
    let folder = Folder::new();
    for model in [
        "--model wsf --layers 4 --attributes identity --lambda 0.01",
        "--model wsf-ma --layers 4 --attributes identity,pose --lambda 0.01,0.001",
        THREE,
    ] {
        for graph in ["--graph binary", "--graph rbf", "--graph rbf --sigma 0.5", "--graph dot"] {
            let fit = folder.fit(&format!("{FACES} {model} {graph} --max-iter 20"));
            assert!(number(&fit, "relative_error") < 0.7, "{fit}");
            assert!(fit["attributes"][0].is_string(), "{fit}");
        }
    }
    for flags in [
        "--variant released --form literal",
        "--variant printed --pretraining semi-nmf",
        "--neighbours 3 --neighbour-lambda 0.5",
        "--activation relu",
        "--loss layer",
        "--loss data --activation stanh",
        "--lambda 0.1,0,0.001 --dtype f32",
    ] {
        let fit = folder.fit(&format!("{FACES} {THREE} {flags} --max-iter 10"));
        assert_eq!(fit["model"], "deep-wsf");
        assert_eq!(fit["attributes"][1], serde_json::Value::Null);
    }
}

#[test]
fn without_a_weight_the_model_is_the_unsupervised_one() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 10,6,4 --out a.safetensors"));
    folder.fit(&format!("{FACES} {THREE} --lambda 0 --out b.safetensors"));
    let (plain, mut labelled) =
        (tensors(&folder.read("a.safetensors")), tensors(&folder.read("b.safetensors")));
    // Machines that predict have learnt from the labels all the same.
    labelled.retain(|name, _| !name.starts_with(['w', 'm']));
    assert!(plain == labelled);
}

#[test]
fn features_learnt_with_labels_can_be_judged_by_them() {
    let folder = Folder::new();
    let drawn = "builtin:faces:identities=6,poses=3,expressions=3,illuminations=2,size=16,seed=";
    folder.fit(&format!(
        "{drawn}1 --model wsf --layers 12 --attributes identity --lambda 0.1 --out m.safetensors"
    ));
    let told = folder.json(&format!(
        "evaluate m.safetensors --data {drawn}1 --classify --attribute identity --repeats 2"
    ));
    // A graph can always pull the samples of a fit together: this is a floor, not a result.
    let accuracy = told["cells"][0]["classification"]["accuracy"]["mean"].as_f64().unwrap();
    assert!(accuracy > 0.9, "{told}");
}

/// How well a line tells the subjects of the XOR set apart by the features of a model, mean of ten
/// seeds.
fn xor_identity(model: &str) -> f64 {
    let folder = Folder::new();
    let accuracy = |seed| {
        let xor = format!("builtin:xor:seed={seed}");
        folder.fit(&format!("{xor} --normalize none {model} --out m.safetensors"));
        let judged = folder.json(&format!(
            "evaluate m.safetensors --data {xor} --classify --attribute identity --repeats 1"
        ));
        let cells = judged["cells"].as_array().unwrap();
        cells[cells.len() - 1]["classification"]["accuracy"]["mean"].as_f64().unwrap()
    };
    (0..10).map(accuracy).sum::<f64>() / 10.0
}

#[test]
fn labels_make_identity_separable_where_no_line_tells_it() {
    assert!(xor_identity("--model whitened-pca --layers 2") < 0.55); // the plane itself
    let deep = "--model deep-wsf --layers 16,8 --attributes pose,identity --activation relu";
    // The printed weight is one that suits this set; it is that of samples of length one, and these have a mean
    // squared length of 2^5.
    for weight in ["--lambda 1", "--variant printed --lambda 1.6e-5"] {
        let separable = xor_identity(&format!("{deep} {weight}"));
        assert!(separable >= 0.95, "{weight}: {separable}");
    }
}

#[test]
fn a_share_of_the_labels_changes_the_fit_and_the_seed_says_which() {
    let folder = Folder::new();
    let model = "--model wsf --layers 4 --attributes identity --lambda 0.1 --out";
    let fit = |flags: &str, name: &str| {
        folder.fit(&format!("{FACES} {model} {name} {flags}"));
        tensors(&folder.read(name))
    };
    let all = fit("", "all.safetensors");
    let half = fit("--label-fraction 0.5", "half.safetensors");
    assert!(all != half);
    assert!(fit("--label-fraction 0.5", "again.safetensors") == half);
}

#[test]
fn the_model_file_remembers_the_attributes_and_projects_new_samples() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} {THREE} --activation relu --max-iter 10 --out m.safetensors"));
    let info = folder.run("info m.safetensors");
    assert!(info.stdout.contains("pose,none,identity"), "{info}");
    for layer in 1..=3 {
        folder.json(&format!("transform m.safetensors {FACES} --layer {layer} --out h.npy"));
    }
}

#[test]
fn mixed_data_know_another_attribute_in_each_part() {
    let folder = Folder::new();
    let (mut data, mut labels) = (vec!["a,b,c".to_owned()], vec!["pose,identity"]);
    for i in 0..20 {
        let x = f64::from(i);
        data.push(format!("{},{},{}", x.sin() + 2.0, x.cos() + 2.0, (x * x).sin() + 2.0));
        labels.push(match (i < 10, i % 2) {
            (true, 0) => "left,",
            (true, _) => "right,",
            (false, 0) => ",anna",
            (false, _) => ",otto",
        });
    }
    folder.write("x.csv", data.join("\n"));
    folder.write("labels.csv", labels.join("\n"));
    let fit = folder.fit(
        "x.csv --labels-file labels.csv --model deep-wsf --layers 3,2 --attributes pose,identity \
         --lambda 0.1",
    );
    assert_eq!(fit["attributes"], serde_json::json!(["pose", "identity"]));
}

#[test]
fn one_command_pre_trains_on_labelled_samples() {
    let folder = Folder::new();
    let others = "builtin:faces:identities=4,poses=2,expressions=2,illuminations=2,size=12,seed=9";
    let flags = "--layers 10,4 --attributes none,identity --lambda 0,0.01";
    let fit = folder.fit(&format!("{others} {flags} --auxiliary {FACES} --out one.safetensors"));
    assert_eq!(fit["model"], "deep-semi-nmf");
    // The same in two steps.
    folder.fit(&format!("{FACES} --model deep-wsf {flags} --out aux.safetensors"));
    folder
        .fit(&format!("{others} --layers 10,4 --bases-from aux.safetensors --out two.safetensors"));
    assert!(tensors(&folder.read("one.safetensors")) == tensors(&folder.read("two.safetensors")));
}

#[test]
fn labels_that_do_not_fit_are_refused_in_words() {
    let folder = Folder::new();
    for (flags, code, words) in [
        ("--model wsf --layers 4", 2, "--attributes"),
        ("--model wsf --layers 4 --attributes age", 1, "there are"),
        ("--model wsf --layers 4 --attributes pose,identity", 2, "names 2"),
        ("--model wsf-ma --layers 4 --attributes pose,identity --lambda 1,2,3", 2, "3 weights"),
        ("--model deep-wsf --layers 9,4 --attributes pose", 2, "names 1"),
        ("--model wsf --layers 9,4 --attributes pose", 2, "one layer"),
        ("--model wsf --layers 4 --attributes pose --sigma 1", 2, "--sigma belongs to --graph rbf"),
        (
            "--model wsf --layers 4 --attributes pose --variant released",
            1,
            "scale-free and printed",
        ),
        (
            "--model deep-wsf --layers 9,4 --attributes none,pose --pretraining semi-nmf",
            1,
            "printed and released",
        ),
        ("--layers 9,4 --neighbours 3,3,3", 2, "3 numbers for 2 layers"),
        ("--layers 9,4 --neighbour-lambda 3", 2, "needs --neighbours"),
        ("--layers 9,4 --fade 3", 2, "needs --scale soft or --neighbours"),
        ("--layers 9,4 --neighbours 3 --form literal", 1, "form fast"),
        ("--layers 9,4 --neighbours 24", 1, "from 1 to 23"),
        ("--model wsf --layers 4 --attributes pose --lambda -1", 2, "-1"),
        ("--layers 4 --attributes pose", 2, "--attributes belongs to"),
        ("--layers 9,4 --label-fraction 0.5", 2, "--label-fraction belongs to"),
        ("--model wsf --layers 4 --attributes pose --init-from m.safetensors", 2, "--init-from"),
        ("--layers 9,4 --auxiliary other.npy", 2, "--attributes"),
        ("--layers 9,4 --auxiliary other.npy --attributes none,pose", 1, "other.npy"),
    ] {
        folder.refuses(&format!("fit {FACES} {flags}"), code, &[words]);
    }
}

#[test]
fn neighbours_are_known_to_every_command() {
    let folder = Folder::new();
    let fit = folder.fit(&format!("{FACES} --layers 12,5 --neighbours 4 --out m.safetensors"));
    assert!(number(&fit, "relative_error") < 0.5, "{fit}");
    assert_eq!(fit["settings"]["neighbourhood"]["neighbours"], serde_json::json!([0, 4]));
    // Training samples get the features of the fit.
    folder.json(&format!("transform m.safetensors {FACES} --out h.csv"));
    folder.json("export m.safetensors --what features --out trained.csv");
    assert!(folder.read("h.csv") == folder.read("trained.csv"));
    let other = FACES.replace("size=12", "size=12,seed=5");
    for method in ["basis", "nonnegative"] {
        folder.json(&format!("transform m.safetensors {other} --method {method} --out h.npy"));
    }
    folder.json(&format!("evaluate m.safetensors --data {FACES} --cluster"));
    let shallow = folder.fit(&format!("{FACES} --layers 5 --neighbours 4"));
    assert_eq!(shallow["settings"]["neighbourhood"]["neighbours"], serde_json::json!([4]));
}

#[test]
fn attributes_of_samples_without_labels_are_predicted() {
    let folder = Folder::new();
    let faces = "builtin:faces:identities=6,poses=3,expressions=3,illuminations=2,size=16";
    folder.fit(&format!(
        "{faces} --model deep-wsf --layers 30,20 --attributes illumination,identity \
         --label-fraction 0.3 --out m.safetensors"
    ));
    let told = folder.json(&format!("predict m.safetensors {faces} --out p.csv"));
    assert_eq!(told["attributes"][1]["attribute"], "identity");
    assert!(number(&told["attributes"][1], "leave_one_out_error") < 0.3, "{told}");
    let table = String::from_utf8(folder.read("p.csv")).unwrap();
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    assert!(
        header.ends_with("illumination,illumination_margin,identity,identity_margin"),
        "{header}"
    );
    assert_eq!(lines.count(), 6 * 3 * 3 * 2);
    folder.json(&format!("predict m.safetensors {faces} --attribute identity --out one.csv"));
    folder.refuses(
        &format!("predict m.safetensors {faces} --attributes age --out x.csv"),
        2,
        &["age", "illumination, identity"],
    );
    let told = folder.json(&format!("evaluate m.safetensors --data {faces} --cluster --repeats 1"));
    assert_eq!(told["predictions"][0]["samples"], 6 * 3 * 3 * 2);
    assert!(number(&told["predictions"][0], "accuracy") > 0.7, "{told}");
    folder.fit(&format!("{faces} --layers 5 --out plain.safetensors"));
    folder.refuses(&format!("predict plain.safetensors {faces} --out x.csv"), 1, &["--attributes"]);
}
