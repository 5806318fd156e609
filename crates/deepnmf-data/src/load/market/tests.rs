use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::test_load::loaded_as_held;
use super::super::{LoadOptions, load, load_any};
use crate::{Dataset, Values};

fn read(text: &str) -> Result<Dataset<f64>, String> {
    let data = loaded_as_held("x.mtx", text.as_bytes(), &LoadOptions::default());
    data.map(|data| data.into_dense().unwrap()).map_err(|fault| fault.to_string())
}

/// The table row by row, which is what a file holds and what memory has.
fn rows(text: &str) -> Vec<f64> {
    read(text).unwrap().x.as_slice().to_vec()
}

const BANNER: &str = "%%MatrixMarket matrix";

#[test]
fn coordinates_of_every_kind_are_read() {
    let wanted = [0.0, 7.0, 0.5, 0.0, 0.0, 0.0];
    let text = format!("{BANNER} coordinate real general\n% a comment\n\n2 3 2\n1 2 7\n1 3 5e-1\n");
    assert_eq!(rows(&text), wanted);
    // In capitals, with other ends of lines, comments between the entries, in any order, twice the same place.
    let text = format!(
        "{BANNER} COORDINATE Integer General\r\n 2\t3  3\r\n1 3 1\r\n%\r\n1 2 7\r\n1 3 -0.5"
    );
    assert_eq!(rows(&text), wanted);
    let pattern = format!("{BANNER} coordinate pattern general\n2 2 2\n2 1\n1 1\n");
    assert_eq!(rows(&pattern), [1.0, 0.0, 1.0, 0.0]);
    let symmetric = format!("{BANNER} coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n");
    assert_eq!(rows(&symmetric), [3.0, 4.0, 4.0, 0.0]);
    let skew = format!("{BANNER} coordinate real skew-symmetric\n2 2 1\n2 1 4\n");
    assert_eq!(rows(&skew), [0.0, -4.0, 4.0, 0.0]);
    let none = format!("{BANNER} coordinate real general\n2 2 0\n");
    assert_eq!(rows(&none), [0.0; 4]);
    let held = loaded_as_held::<f32>("x.mtx", none.as_bytes(), &LoadOptions::default());
    assert!(matches!(held.unwrap().x, Values::Sparse(_)));
}

#[test]
fn arrays_are_read_column_after_column() {
    let text = format!("{BANNER} array real general\n2 3\n1\n2\n3\n4 5\n6\n");
    assert_eq!(rows(&text), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    let symmetric = format!("{BANNER} array integer symmetric\n2 2\n1\n2\n3\n");
    assert_eq!(rows(&symmetric), [1.0, 2.0, 2.0, 3.0]);
    let skew = format!("{BANNER} array real skew-symmetric\n2 2\n5\n");
    assert_eq!(rows(&skew), [0.0, -5.0, 5.0, 0.0]);
}

#[test]
fn files_that_contradict_themselves_are_refused() {
    let coordinate = |rest: &str| format!("{BANNER} coordinate real general\n{rest}");
    let cases = [
        (coordinate(""), "should say how many rows, columns and entries"),
        (coordinate("2 3\n"), "should say how many rows, columns and entries"),
        (coordinate("2 -3 1\n"), "should say how many"),
        (coordinate("2 3 2\n1 1 1\n"), "entries are missing"),
        (coordinate("2 3 1\n1 1 1\n1 2 1\n"), "line 4 is one more than the 1 entries"),
        (coordinate("2 3 1\n3 1 1\n"), "line 3 is \"3 1 1\""),
        (coordinate("2 3 1\n0 1 1\n"), "line 3 is \"0 1 1\""),
        (coordinate("2 3 1\n1 1\n"), "2 rows and 3 columns, counted from 1"),
        (coordinate("2 3 1\n1 1 x\n"), "line 3"),
        (coordinate("2 3 1\n1 2 nan\n"), "sample 1, feature 2 is NaN"),
        (coordinate("2 3 1\n1 2 1e999\n"), "sample 1, feature 2 is inf"),
        (coordinate("0 3 0\n"), "0 samples of 3 features"),
        (coordinate("99999999999 3 1\n1 1 1\n"), "more than a thousand numbers a byte"),
        (coordinate("3 99999999999 1\n1 1 1\n"), "more than a thousand numbers a byte"),
        (coordinate("3 3 99999999999\n1 1 1\n"), "99999999999 entries in"),
        (coordinate("99999999999999999999 3 1\n1 1 1\n"), "should say how many"),
        (coordinate(&format!("2 3 1\n{}", "1".repeat(9000))), "line 3 has no end"),
        (format!("{BANNER} coordinate complex general\n1 1 1\n1 1 1 1\n"), "complex numbers"),
        (
            format!("{BANNER} coordinate real hermitian\n1 1 0\n"),
            "its first line says \"hermitian\"",
        ),
        (format!("{BANNER} array pattern general\n1 1\n1\n"), "its first line says \"pattern\""),
        (format!("{BANNER} vector real general\n1 1 0\n"), "its first line says \"vector\""),
        (format!("{BANNER} coordinate real\n1 1 0\n"), "describes no matrix"),
        (format!("{BANNER} coordinate real symmetric\n2 3 0\n"), "said to be symmetric"),
        (format!("{BANNER} array real general\n2 2\n1\n2\n3\n"), "numbers are missing"),
        (format!("{BANNER} array real general\n1 1\n1\n2\n"), "more numbers than its shape"),
        (format!("{BANNER} array real general\n1 1\nx\n"), "which is no number"),
        (format!("{BANNER} array real general\n999999 999999\n1\n"), "numbers in"),
    ];
    for (text, culprit) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.contains(culprit), "{text}: {error}");
    }
    let wrong = loaded_as_held::<f64>("x.mtx", b"1 2 3\n", &LoadOptions::default());
    assert!(wrong.unwrap_err().to_string().contains("not a Matrix Market file"));
}

fn packed(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// Genes are rows there, and cells columns.
#[test]
fn a_folder_of_10x_is_read_with_its_names() {
    let matrix = format!("{BANNER} coordinate integer general\n3 2 3\n1 1 5\n3 1 2\n2 2 1\n");
    let genes =
        "ENS1\tActb\tGene Expression\nENS2\tGapdh\tGene Expression\nENS3\tXist\tGene Expression\n";
    let twice = "ENS1\tActb\nENS2\tActb\nENS3\tXist\n";
    let old = [("matrix.mtx", false), ("genes.tsv", false), ("barcodes.tsv", false)];
    let new = [("matrix.mtx.gz", true), ("features.tsv.gz", true), ("barcodes.tsv.gz", true)];
    for (files, names) in [(old, genes), (new, genes), (new, twice)] {
        let folder = tempfile::tempdir().unwrap();
        for ((name, pack), text) in files.iter().zip([matrix.as_str(), names, "AAA-1\nCCC-1\n"]) {
            let bytes = if *pack { packed(text) } else { text.as_bytes().to_vec() };
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        // By the folder, or by the matrix in it.
        for path in [folder.path().to_path_buf(), folder.path().join(files[0].0)] {
            let data = load_any::<f64>(&path, &LoadOptions::default()).unwrap();
            assert!(matches!(data.x, Values::Sparse(_)));
            let named =
                if names == genes { ["Actb", "Gapdh", "Xist"] } else { ["ENS1", "ENS2", "ENS3"] };
            assert_eq!(data.feature_names.as_ref().unwrap(), &named);
            assert_eq!(data.sample_names.as_ref().unwrap(), &["AAA-1", "CCC-1"]);
            assert_eq!(data.into_dense().unwrap().x.as_slice(), [5.0, 0.0, 2.0, 0.0, 1.0, 0.0]);
        }
        let data_key = Some("X".into());
        let useless = LoadOptions { data_key, ..LoadOptions::default() };
        let error = load_any::<f64>(folder.path(), &useless).unwrap_err().to_string();
        assert!(error.contains("--data-key does not apply"), "{error}");
        std::fs::write(folder.path().join(files[1].0), packed("ENS1\n")).unwrap();
        let error = load::<f64>(folder.path(), &LoadOptions::default()).unwrap_err().to_string();
        let told = error.contains("it has 1 lines, but the matrix 3") || error.contains("UTF-8");
        assert!(told, "{error}");
    }
}

#[test]
fn a_file_that_is_no_part_of_a_folder_has_samples_as_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matrix.mtx.gz");
    let text = format!("{BANNER} coordinate integer general\n3 2 1\n1 2 5\n");
    std::fs::write(&path, packed(&text)).unwrap();
    let data = load::<f32>(&path, &LoadOptions::default()).unwrap();
    assert_eq!(data.x.shape(), (2, 3));
    assert_eq!(data.x.col(0), &[0.0, 5.0]);
}

/// A few bytes that would be terabytes if they were made dense.
#[test]
fn what_does_not_fit_into_memory_is_read_sparse_and_refused_dense() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mtx");
    let text = format!("{BANNER} coordinate pattern general\n1000000 1000000 1\n1 1\n");
    std::fs::write(&path, text).unwrap();
    let data = load_any::<f64>(&path, &LoadOptions::default()).unwrap();
    assert_eq!((data.features(), data.samples()), (1_000_000, 1_000_000));
    assert!(load::<f64>(&path, &LoadOptions::default()).is_err());
}
