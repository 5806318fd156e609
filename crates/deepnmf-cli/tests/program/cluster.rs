//! `deepnmf cluster`: the cluster of every sample.

use crate::common::{FACES, Folder, npy};

/// Three groups that nobody could mistake: of four, three and two samples.
fn groups() -> Vec<[f64; 2]> {
    let centres = [[9.0, 1.0], [9.0, 1.0], [1.0, 9.0], [9.0, 1.0], [1.0, 9.0]];
    let others = [[5.0, 5.0], [9.0, 1.0], [1.0, 9.0], [5.0, 5.0]];
    centres.into_iter().chain(others).collect()
}

const EXPECTED: &str = "sample,cluster\n1,1\n2,1\n3,2\n4,1\n5,2\n6,3\n7,1\n8,2\n9,3\n";

#[test]
fn samples_are_numbered_and_the_largest_cluster_comes_first() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&groups()));
    let told = folder.json("cluster x.npy --clusters 3 --out labels.csv");
    assert_eq!(told["sizes"], serde_json::json!([4, 3, 2]));
    assert_eq!(String::from_utf8(folder.read("labels.csv")).unwrap(), EXPECTED);
    let run = folder.run("cluster x.npy --clusters 3 --out -");
    assert_eq!(run.stdout, EXPECTED);
    assert!(run.stderr.contains("9 samples in 3 clusters of 4, 3, 2"), "{run}");
    folder.json("cluster x.npy --clusters 3 --out labels.npy");
    assert!(folder.read("labels.npy").starts_with(b"\x93NUMPY"));
}

#[test]
fn a_model_gives_its_own_features_or_those_of_other_samples() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&groups()));
    folder.write("new.npy", npy(&[[1.0, 9.0], [2.0, 18.0], [9.0, 1.0]]));
    folder.fit("x.npy --layers 2 --out m.safetensors");
    folder.json("cluster m.safetensors --clusters 3 --out own.csv");
    assert_eq!(String::from_utf8(folder.read("own.csv")).unwrap(), EXPECTED);
    folder.json("cluster m.safetensors --data new.npy --clusters 2 --out new.csv");
    let new = String::from_utf8(folder.read("new.csv")).unwrap();
    assert_eq!(new, "sample,cluster\n1,1\n2,1\n3,2\n");
}

#[test]
fn layers_scalings_and_seeds_can_be_chosen_and_threads_change_nothing() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 8,4 --out m.safetensors"));
    let cluster = |flags: &str| {
        let told = folder.json(&format!("cluster m.safetensors --clusters 3 {flags} --out c.csv"));
        (told, folder.read("c.csv"))
    };
    let (told, first) = cluster("--layer 1 --scale unit-samples --seed 3 --threads 1");
    assert_eq!((&told["layer"], &told["seed"]), (&1.into(), &3.into()));
    assert_eq!(told["scale"], "unit-samples");
    let (_, again) = cluster("--layer 1 --scale unit-samples --seed 3 --threads 2");
    assert!(first == again);
}

#[test]
fn what_cannot_be_clustered_is_refused() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&groups()));
    folder.fit("x.npy --layers 2 --out m.safetensors");
    folder.refuses("cluster x.npy --clusters 10 --out c.csv", 1, &["x.npy", "10", "9"]);
    folder.refuses("cluster x.npy --clusters 0 --out c.csv", 2, &["at least 1"]);
    folder.refuses("cluster x.npy --layer 1 --clusters 2 --out c.csv", 2, &["--layer", "model"]);
    folder.refuses("cluster m.safetensors --layer 2 --clusters 2 --out c.csv", 1, &["layer is 2"]);
    folder.refuses("cluster x.npy --clusters 2 --out x.npy", 2, &["another file"]);
}

/// Topics are clusters already.
#[test]
fn a_model_without_negative_numbers_has_the_main_component_of_each_sample() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&[[4.0, 0.0], [0.0, 3.0], [9.0, 1.0], [0.0, 0.5], [0.0, 0.0]]));
    folder.fit("x.npy --model nmf --layers 2 --normalize none --out m.safetensors");
    let told = folder.json("cluster m.safetensors --out c.csv");
    let text = String::from_utf8(folder.read("c.csv")).unwrap();
    let found: Vec<&str> =
        text.lines().skip(1).map(|line| line.split_once(',').unwrap().1).collect();
    assert_eq!((found[0], found[1]), (found[2], found[3]));
    assert!(found[0] != found[1] && found[4] == "0", "a sample of zeros has none: {text}");
    assert_eq!(told["sizes"], serde_json::json!([2, 2]));
    folder.json("cluster m.safetensors --data x.npy --out new.csv");
    assert_eq!(String::from_utf8(folder.read("new.csv")).unwrap(), text);
    folder.fit("x.npy --layers 2 --normalize none --out semi.safetensors");
    folder.refuses("cluster semi.safetensors --out c.csv", 2, &["--clusters"]);
}
