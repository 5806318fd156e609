//! Learning from so many samples at a time.

use crate::common::{Folder, number};

const FACES: &str = "builtin:faces:identities=20,poses=2,expressions=2,illuminations=4,size=12";

#[test]
fn passes_in_batches_come_near_a_fit_and_are_saved_whole() {
    let folder = Folder::new();
    for flags in ["--model semi-nmf --layers 8", "--model nmf --layers 8", "--layers 12,8"] {
        let whole = folder.fit(&format!("{FACES} {flags}"));
        let batches = folder.fit(&format!("{FACES} {flags} --batch 80 --out m.safetensors"));
        let (a, b) = (number(&whole, "error"), number(&batches, "error"));
        assert!(b < 1.05 * a, "{flags}: {b} beside {a}");
        assert!(number(&batches, "iterations") <= 20.0);
        // Features of all samples are in the file, and they are the best ones.
        let info = folder.json("info m.safetensors");
        assert_eq!(info["samples"], 320);
        let again = folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
        assert!((number(&again, "error") - b).abs() < 1e-6 * b);
        let same = folder.fit(&format!("{FACES} {flags} --batch 80"));
        assert_eq!(batches["history"], same["history"]);
    }
}

#[test]
fn what_cannot_learn_from_batches_says_so() {
    let folder = Folder::new();
    let refuses = |flags: &str, words: &[&str]| {
        folder.refuses(&format!("fit {FACES} {flags} --out m.safetensors"), 1, words);
    };
    refuses(
        "--layers 12,8 --batch 5",
        &["a batch needs as many samples as a layer components, 12"],
    );
    refuses("--model gnmf --layers 5 --batch 80", &["gnmf", "semi-nmf, nmf and linear"]);
    refuses("--layers 12,8 --activation relu --batch 80", &["nonlinear"]);
    refuses("--layers 5 --neighbours 5 --batch 80", &["neighbours"]);
}
