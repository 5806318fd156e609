//! Every mistake ends in one sentence that names the culprit, and leaves every file as it was.

use crate::common::{FACES, Folder, npy, samples, table};

/// A MATLAB v5 file with one variable of 64-bit numbers.
fn mat(name: &str, rows: u32, cols: u32) -> Vec<u8> {
    let element = |kind: u32, bytes: &[u8]| {
        let mut element =
            [kind.to_le_bytes(), u32::try_from(bytes.len()).unwrap().to_le_bytes()].concat();
        element.extend(bytes);
        element.resize(element.len().next_multiple_of(8), 0);
        element
    };
    let words = |words: [u32; 2]| words.map(u32::to_le_bytes).concat();
    let numbers: Vec<u8> = (0..rows * cols).flat_map(|v| f64::from(v + 1).to_le_bytes()).collect();
    let parts = [(6, words([6, 0])), (5, words([rows, cols])), (1, name.into()), (9, numbers)];
    let variable = parts.map(|(kind, bytes)| element(kind, &bytes)).concat();
    let mut file = b"MATLAB 5.0 MAT-file".to_vec();
    file.resize(124, b' ');
    file.extend(b"\x00\x01IM");
    file.extend(element(14, &variable));
    file
}

/// A folder with good data, a good model and an old file that nothing may touch.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("x.csv", table("a,b,c,d"));
    folder.write("old.safetensors", "old");
    folder.fit("x.csv --layers 3,2 --out m.safetensors");
    folder
}

#[test]
fn data_files_that_hold_no_table_are_refused() {
    let folder = prepared();
    let refuses = |name: &str, content: &[u8], words: &[&str]| {
        folder.write(name, content);
        folder.refuses(&format!("fit {name} --layers 2 --out old.safetensors"), 1, &[name]);
        folder.refuses(&format!("fit {name} --layers 2 --out new.safetensors"), 1, words);
    };
    refuses("empty.npy", b"", &["empty"]);
    refuses("empty.csv", b"", &["empty"]);
    refuses("empty.mat", b"", &["empty"]);
    refuses("ragged.csv", b"a,b\n1,2\n3\n", &["line 3 has 1 field", "2"]);
    refuses("words.csv", b"a,b\n1,2\n3,x\n", &["line 3, column 2", "\"x\"", "not a number"]);
    refuses("nan.csv", b"a,b\n1,2\n3,nan\n", &["sample 2, feature 2", "\"b\"", "NaN"]);
    refuses("infinite.npy", &npy(&[[1.0], [f64::INFINITY]]), &["sample 2, feature 1", "inf"]);
    refuses("nan.npy", &npy(&[[1.0, f64::NAN]]), &["sample 1, feature 2", "NaN"]);
    refuses("no_rows.npy", &npy(&[[0.0; 0]; 0]), &["empty"]);
    refuses("cut.npy", &npy(&samples())[..150], &["damaged or cut short"]);
    refuses("text.npy", b"1,2\n3,4\n", &[".npy", "numpy.save"]);
    refuses("cut.mat", &mat("fea", 4, 3)[..200], &["damaged or cut short"]);
    refuses("zero.csv", b"a,b\n1,2\n0,0\n", &["sample 2", "all zero", "--normalize none"]);
    refuses("what.xyz", b"\x00\x01\x02", &["format is not known", ".npy"]);
}

#[test]
fn data_that_are_not_there_are_refused() {
    let folder = prepared();
    let refuses = |data: &str, words: &[&str]| {
        folder.refuses(&format!("fit {data} --layers 2 --out old.safetensors"), 1, words);
    };
    folder.write("x.mat", mat("fea", 4, 3));
    refuses("missing.npy", &["missing.npy", "no file"]);
    refuses(".", &["folder"]);
    refuses("x.mat --data-key X", &["\"X\"", "fea (4 x 3 double)"]);
    refuses("x.mat --labels-key gnd", &["\"gnd\"", "fea (4 x 3 double)"]);
    refuses("x.csv --labels-key species", &["\"species\"", "\"a\", \"b\""]);
    refuses("x.csv --data-key fea", &["--data-key", "text file"]);
    refuses("builtin:noses", &["\"noses\"", "faces"]);
    refuses("builtin:faces:noses=2", &["\"noses\"", "identities"]);
    refuses("builtin:faces:poses=0", &["poses", "from 1"]);
}

#[test]
fn an_all_zero_sample_is_welcome_where_nothing_is_scaled() {
    let folder = Folder::new();
    folder.write("zero.csv", "a,b\n1,2\n0,0\n2,1\n");
    folder.fit("zero.csv --layers 2 --normalize none");
}

#[test]
fn layers_that_cannot_be_are_refused() {
    let folder = prepared();
    for (layers, code, words) in [
        ("0", 2, ["'0'", "at least 1"]),
        ("3,0", 2, ["'0'", "at least 1"]),
        ("-3", 2, ["'-3'", "whole number"]),
        ("3,", 2, ["--layers", "whole number"]),
        ("two", 2, ["'two'", "whole number"]),
        ("9", 1, ["components is 9", "8 samples"]),
        ("3,9", 1, ["layer 2 is 9", "8 samples"]),
    ] {
        let arguments = format!("fit x.csv --layers {layers} --out old.safetensors");
        folder.refuses(&arguments, code, &words);
    }
}

#[test]
fn flags_that_do_not_go_together_or_have_no_such_value_are_usage_errors() {
    let folder = prepared();
    let refuses = |flags: &str, words: &[&str]| {
        folder.refuses(&format!("fit x.csv --layers 3,2 {flags}"), 2, words);
    };
    refuses("--model semi-nmf", &["this model has one layer", "2", "deep-semi-nmf"]);
    refuses("--model pca", &["'pca'", "semi-nmf, deep-semi-nmf"]);
    refuses("--eta 0.3", &["--eta", "multiplicative"]);
    refuses("--init random --init-from m.safetensors", &["--init ", "--init-from"]);
    refuses("--kappa -1", &["'-1'", "--kappa", "at least 0"]);
    refuses("--kappa nan", &["'nan'", "--kappa"]);
    refuses("--max-iter -1", &["'-1'", "--max-iter", "whole number"]);
    refuses("--max-seconds 1e300", &["'1e300'", "--max-seconds", "at most"]);
    refuses("--seed -1", &["'-1'", "--seed"]);
    refuses("--threads 0", &["'0'", "--threads"]);
    refuses("--threads 1000000", &["--threads", "at most"]);
    refuses("--dtype f16", &["'f16'", "f32, f64"]);
    refuses("--frobnicate", &["--frobnicate"]);
    refuses("--out x.csv", &["x.csv", "another file"]);
    folder.refuses("fit x.csv --layers 2 --form literal", 2, &["--form", "deep-semi-nmf"]);
    folder.refuses("fit x.csv", 2, &["--layers"]);
    folder.refuses("fit --layers 2", 2, &["<DATA>"]);
    folder.refuses("frobnicate", 2, &["frobnicate"]);
    folder.refuses("completions tcsh", 2, &["'tcsh'", "bash"]);
    folder.refuses(&format!("fit {FACES} --layers 2 --labels-key gnd"), 2, &["--labels-key"]);
}

#[test]
fn output_that_cannot_be_written_is_refused_before_the_work() {
    let folder = prepared();
    std::fs::create_dir(folder.path("folder")).unwrap();
    for command in ["fit missing.csv --layers 2", "transform m.safetensors missing.csv"] {
        let refuses = |out: &str, words: &[&str]| {
            folder.refuses(&format!("{command} --out {out}"), 1, words);
        };
        refuses("nowhere/m", &["nowhere/m", "no folder nowhere"]);
        refuses("folder", &["folder", "it is a folder", "name a file"]);
        refuses("new/", &["new/", "it is a folder", "name a file"]);
        refuses("old.safetensors/m", &["no folder old.safetensors"]);
    }
}

#[test]
fn files_that_are_no_model_are_refused_wherever_a_model_is_read() {
    let folder = prepared();
    let good = folder.read("m.safetensors");
    let foreign =
        b"\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    let mut foreign = foreign.to_vec();
    foreign.resize(8 + 64, b' ');
    foreign.extend([0; 4]);
    let mut renamed = good.clone();
    let name = good.windows(13).position(|bytes| bytes == b"deep-semi-nmf").unwrap();
    renamed[name + 12] = b'g';
    folder.write("empty", "");
    folder.write("five", &good[..5]);
    folder.write("header", &good[..100]);
    folder.write("cut", &good[..good.len() - 1]);
    folder.write("longer", [good.as_slice(), b"x"].concat());
    folder.write("foreign", foreign);
    folder.write("renamed", renamed);
    let cases: [(&str, &[&str]); 9] = [
        ("empty", &["the file is empty"]),
        ("five", &["not a model file"]),
        ("header", &["not a model file"]),
        ("x.csv", &["not a model file"]),
        ("cut", &["bytes", "truncated"]),
        ("longer", &["bytes"]),
        ("foreign", &["safetensors", "not a model of deepnmf"]),
        ("renamed", &["deep-semi-nmg"]),
        ("missing", &["no such file"]),
    ];
    for (name, words) in cases {
        let words = [&[name], words].concat();
        folder.refuses(&format!("info {name}"), 1, &words);
        folder.refuses(&format!("transform {name} x.csv --out h.npy"), 1, &words);
        let flags = "--layers 3,2 --out old.safetensors --init-from";
        folder.refuses(
            &format!("fit x.csv {flags} {name}"),
            1,
            &[&words[..], &["--init-from"]].concat(),
        );
    }
}

#[test]
fn a_model_of_other_layers_or_samples_cannot_be_begun_from() {
    let folder = prepared();
    let words = ["--init-from m.safetensors", "found", "needed"];
    folder.refuses("fit x.csv --layers 4,2 --init-from m.safetensors", 1, &words);
    folder.refuses("fit x.csv --layers 3 --init-from m.safetensors", 1, &words);
    folder.refuses(&format!("fit {FACES} --layers 3,2 --init-from m.safetensors"), 1, &words);
}

#[test]
fn a_flipped_byte_in_a_model_never_causes_a_panic() {
    let folder = prepared();
    let good = folder.read("m.safetensors");
    for at in (0..good.len()).step_by(good.len() / 100) {
        let mut bad = good.clone();
        bad[at] ^= 0xff;
        folder.write("bad", bad);
        let run = folder.run("info bad");
        assert!(matches!(run.code, Some(0 | 1)), "byte {at}: {run}");
    }
}

#[test]
fn lists_given_twice_and_empty_chains_are_refused() {
    let folder = prepared();
    for flags in ["--layers 2 --layers 3", "--layers 3,2 --weights 1,2 --weights 1,2"] {
        folder.refuses(&format!("fit x.csv {flags}"), 2, &["multiple times"]);
    }
    let mut command = folder.command("fit x.csv --layers 2 --normalize");
    let output = command.arg("").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--normalize") && said.contains("or none"), "{said}");
}

#[test]
fn more_components_than_features_or_samples_are_said() {
    let folder = prepared();
    let run = folder.run("fit x.csv --layers 6,2");
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stderr.contains("layer 1 has 6 components, more than the 4 features"), "{run}");
    assert!(!folder.run("fit x.csv --layers 4,2").stderr.contains("components"));
    folder.write("wide.npy", npy(&samples()[..3]));
    folder.refuses("fit wide.npy --layers 4", 1, &["with 3 samples", "between 1 and 3"]);
    folder.refuses("fit x.csv --layers 6 --model whitened-pca", 1, &["6"]);
}

/// Each of several processes would write the same files.
#[test]
#[cfg(not(feature = "mpi"))]
fn one_of_several_processes_is_refused_by_a_program_without_mpi() {
    let folder = Folder::new();
    let mut command = folder.command(&format!("fit {FACES} --layers 4 --out m.safetensors"));
    let run =
        crate::common::Run::new("fit", &command.env("OMPI_COMM_WORLD_SIZE", "4").output().unwrap());
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("one of 4 processes") && run.stderr.contains("mpi"), "{run}");
    assert!(folder.listing().is_empty());
}
