//! Tables that the program writes: `transform --out`, `export`.

use crate::common::{Folder, npy, samples, table};

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

/// A model of the features a, b, c and d, and its data.
fn fitted() -> Folder {
    let folder = Folder::new();
    folder.write("x.csv", table("a,b,c,d"));
    folder.fit("x.csv --layers 3,2 --out m.safetensors");
    folder
}

#[test]
fn the_end_of_the_name_decides_how_features_are_written() {
    let folder = fitted();
    for (name, start) in [
        ("h.csv", &b"component_1,component_2\n"[..]),
        ("h.tsv", b"component_1\tcomponent_2\n"),
        ("h.npy", b"\x93NUMPY"),
        ("h.npz", b"PK\x03\x04"),
        #[cfg(feature = "parquet")]
        ("h.parquet", b"PAR1"),
    ] {
        folder.json(&format!("transform m.safetensors x.csv --out {name}"));
        assert!(folder.read(name).starts_with(start), "{name}");
    }
    assert_eq!(text(&folder, "h.csv").lines().count(), 1 + samples().len());
}

#[test]
fn features_in_any_format_are_the_same_when_read_again() {
    let folder = fitted();
    folder.json("transform m.safetensors x.csv --out h.npy");
    let clusters = |name: &str| {
        folder.json(&format!("cluster {name} --clusters 2 --out c.csv"));
        text(&folder, "c.csv")
    };
    let expected = clusters("h.npy");
    for name in ["h.csv", "h.tsv", "h.npz"] {
        folder.json(&format!("transform m.safetensors x.csv --out {name}"));
        assert_eq!(clusters(name), expected, "{name}");
    }
}

#[test]
fn a_table_on_standard_output_stands_there_alone() {
    let folder = fitted();
    let run = folder.run("transform m.safetensors x.csv --out -");
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.starts_with("component_1,component_2\n"), "{run}");
    assert_eq!(run.stdout.lines().count(), 1 + samples().len(), "{run}");
    assert!(run.stderr.contains("features of layer 2"), "{run}");
    let quiet = folder.run("transform m.safetensors x.csv --out - --quiet");
    assert_eq!((quiet.stdout, quiet.stderr), (run.stdout, String::new()));
    let json = folder.run("transform m.safetensors x.csv --out - --json");
    assert_eq!(json.code, Some(2), "{json}");
    assert!(json.json()["failure"].as_str().unwrap().contains("--out"), "{json}");
}

#[test]
fn unknown_formats_are_refused_with_those_that_are_known() {
    let folder = fitted();
    for out in ["h.xlsx", "h.txt", "h", "h.csv.gz"] {
        folder.refuses(
            &format!("transform m.safetensors x.csv --out {out}"),
            2,
            &[out, ".csv, .tsv, .npy, .npz or .parquet"],
        );
    }
    #[cfg(not(feature = "parquet"))]
    folder.refuses("transform m.safetensors x.csv --out h.parquet", 2, &["feature \"parquet\""]);
}

#[test]
fn a_model_is_written_under_the_name_of_its_format_only() {
    let folder = fitted();
    for out in ["m.npz", "m", "m.csv", "m.h5"] {
        folder.refuses(&format!("fit x.csv --layers 2 --out {out}"), 2, &[out, ".safetensors"]);
    }
}

#[test]
fn bases_are_a_row_per_feature_and_features_a_row_per_sample() {
    let folder = fitted();
    let told = folder.json("export m.safetensors --what bases --out z.csv");
    assert_eq!(
        (&told["layer"], &told["components"], &told["rows"]),
        (&2.into(), &2.into(), &4.into())
    );
    let bases = text(&folder, "z.csv");
    let first: Vec<&str> = bases.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(first, ["feature", "a", "b", "c", "d"]);
    assert!(bases.starts_with("feature,component_1,component_2\n"), "{bases}");
    folder.json("export m.safetensors --what features --layer 1 --out h1.tsv");
    let features = text(&folder, "h1.tsv");
    assert!(features.starts_with("component_1\tcomponent_2\tcomponent_3\n"), "{features}");
    assert_eq!(features.lines().count(), 1 + samples().len());
}

#[test]
fn top_features_fall_in_weight_and_have_names() {
    let folder = fitted();
    let run = folder.run("export m.safetensors --what top-features --top 3 --out -");
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some("component,rank,feature,weight"), "{run}");
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2 * 3);
    for component in rows.chunks(3) {
        let weights: Vec<f64> = component.iter().map(|row| row[3].parse().unwrap()).collect();
        assert!(weights.windows(2).all(|w| w[0].abs() >= w[1].abs()), "{run}");
        assert_eq!(component.iter().map(|row| row[1]).collect::<Vec<_>>(), ["1", "2", "3"]);
        assert!(component.iter().all(|row| ["a", "b", "c", "d"].contains(&row[2])), "{run}");
    }
}

#[test]
fn features_without_names_are_numbered() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&samples()));
    folder.fit("x.npy --layers 2 --out m.safetensors");
    let run = folder.run("export m.safetensors --what bases --out -");
    assert!(run.stdout.contains("\nfeature_4,"), "{run}");
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = fitted();
    let export = |flags: &str| format!("export m.safetensors {flags}");
    folder.refuses(&export("--what bases --layer 3 --out z.csv"), 1, &["layer is 3", "1 to 2"]);
    folder.refuses(&export("--what bases --top 3 --out z.csv"), 2, &["--top", "top-features"]);
    folder.refuses(&export("--what top-features --out z.npy"), 1, &["z.npy", "use .csv"]);
    folder.refuses(&export("--what bases --out m.safetensors"), 2, &["another file"]);
    folder.refuses("export none.safetensors --what bases --out z.csv", 1, &["none.safetensors"]);
}

#[cfg(feature = "images")]
#[test]
fn names_of_samples_come_first_where_the_data_have_them() {
    let folder = Folder::new();
    for (name, pixels) in [("anna.pgm", b"\x01\x90"), ("otto.pgm", b"\x80\x03")] {
        std::fs::create_dir_all(folder.path("faces")).unwrap();
        folder.write(&format!("faces/{name}"), [b"P5 2 1 255\n".as_slice(), pixels].concat());
    }
    folder.fit("faces --layers 1 --out m.safetensors");
    folder.json("transform m.safetensors faces --out h.csv");
    let h = text(&folder, "h.csv");
    assert!(h.starts_with("sample,component_1\nanna.pgm,"), "{h}");
}
