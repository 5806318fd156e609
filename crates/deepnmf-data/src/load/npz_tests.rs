use std::io::Write;

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::super::test_files::{encode, npy};
use super::super::test_load::{loaded, loaded_as_held};
use super::*;
use crate::Dataset;

/// An archive of arrays.
fn npz(packed: bool, arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn table(values: &[f64]) -> Vec<u8> {
    npy(1, "<f8", false, &format!("({}, 2)", values.len() / 2), &encode("f8", false, values))
}

fn wide(words: &[&str]) -> Vec<u8> {
    let pad = |word: &&str| {
        let mut raw: Vec<u8> = word.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        raw.resize(12, 0);
        raw
    };
    npy(
        1,
        "<U3",
        false,
        &format!("({},)", words.len()),
        &words.iter().flat_map(pad).collect::<Vec<_>>(),
    )
}

fn read_with(
    bytes: &[u8],
    data: Option<&str>,
    labels: Option<&str>,
) -> Result<Dataset<f64>, Fault> {
    let owned = |key: Option<&str>| key.map(str::to_owned);
    let options =
        LoadOptions { data_key: owned(data), labels_key: owned(labels), ..LoadOptions::default() };
    loaded("x.npz", bytes, &options)
}

#[test]
fn packed_or_not_the_arrays_are_the_same() {
    for packed in [false, true] {
        let labels = npy(1, "<i8", false, "(2,)", &encode("i8", false, &[7.0, 3.0]));
        let bytes = npz(packed, &[("X.npy", table(&[1.0, 2.0, 3.0, 4.0])), ("y.npy", labels)]);
        let data = read_with(&bytes, None, None).unwrap();
        assert_eq!(data.x.col(1), &[3.0, 4.0]);
        assert_eq!(data.attribute("y").unwrap().classes(), ["3", "7"]);
    }
}

#[test]
fn labels_may_be_words() {
    let arrays = [("data.npy", table(&[1.0, 2.0, 3.0, 4.0])), ("who.npy", wide(&["eva", "jo"]))];
    let data = read_with(&npz(true, &arrays), None, Some("who")).unwrap();
    assert_eq!(data.attributes[0].classes(), ["eva", "jo"]);
}

#[test]
fn the_only_table_is_the_data_whatever_its_name() {
    let arrays = [("pixels.npy", table(&[1.0, 2.0])), ("note.txt", b"hello".to_vec())];
    assert_eq!(read_with(&npz(false, &arrays), None, None).unwrap().x.col(0), &[1.0, 2.0]);
    let two = [("a.npy", table(&[1.0; 4])), ("b.npy", table(&[1.0; 4]))];
    assert_eq!(
        read_with(&npz(false, &two), None, None).unwrap_err().to_string(),
        "no variable is named X or data and 2 others could be the data: name a numeric table with \
         --data-key; the file holds a (2 x 2 float64), b (2 x 2 float64)"
    );
    let chosen = read_with(&npz(false, &two), Some("b"), None).unwrap();
    assert_eq!(chosen.samples(), 2);
}

#[test]
fn archives_of_something_else_and_lies_are_refused() {
    let message = read_with(&npz(false, &[("a.xml", b"<x/>".to_vec())]), None, None);
    assert!(message.unwrap_err().to_string().contains("ZIP archive without NumPy arrays"));
    let lie = npy(1, "<f8", false, "(100000, 100000)", &[0; 64]);
    let message = read_with(&npz(true, &[("X.npy", lie)]), None, None).unwrap_err().to_string();
    assert!(message.contains("damaged") || message.contains("memory"), "{message}");
}

/// The arrays of a sparse table, as `scipy.sparse.save_npz` names them.
fn scipy(format: &str, shape: &[f64], parts: &[(&str, &str, &str, &[f64])]) -> Vec<u8> {
    let mut arrays = vec![
        ("format.npy", npy(1, &format!("|S{}", format.len()), false, "()", format.as_bytes())),
        ("shape.npy", npy(1, "<i8", false, "(2,)", &encode("i8", false, shape))),
    ];
    for (name, kind, lengths, values) in parts {
        let array = npy(1, &format!("<{kind}"), false, lengths, &encode(kind, false, values));
        arrays.push((name, array));
    }
    npz(true, &arrays)
}

/// (1, 0, 2), (0, 0, 3)
const HELD: [f64; 6] = [1.0, 0.0, 2.0, 0.0, 0.0, 3.0];

#[test]
fn every_format_of_scipy_is_the_same_sparse_table() {
    let shape = [2.0, 3.0];
    let values: &[f64] = &[1.0, 2.0, 3.0];
    let files = [
        scipy(
            "csr",
            &shape,
            &[
                ("data.npy", "f4", "(3,)", values),
                ("indices.npy", "i4", "(3,)", &[0.0, 2.0, 2.0]),
                ("indptr.npy", "i4", "(3,)", &[0.0, 2.0, 3.0]),
            ],
        ),
        scipy(
            "csc",
            &shape,
            &[
                ("data.npy", "i8", "(3,)", values),
                ("indices.npy", "i8", "(3,)", &[0.0, 0.0, 1.0]),
                ("indptr.npy", "i8", "(4,)", &[0.0, 1.0, 1.0, 3.0]),
            ],
        ),
        // Unsorted, and one place twice.
        scipy(
            "coo",
            &shape,
            &[
                ("data.npy", "f8", "(4,)", &[2.5, 1.0, 2.0, 0.5]),
                ("row.npy", "i4", "(4,)", &[1.0, 0.0, 0.0, 1.0]),
                ("col.npy", "i4", "(4,)", &[2.0, 0.0, 2.0, 2.0]),
            ],
        ),
        scipy(
            "bsr",
            &shape,
            &[
                ("data.npy", "f8", "(2, 2, 1)", &[1.0, 0.0, 2.0, 3.0]),
                ("indices.npy", "i4", "(2,)", &[0.0, 2.0]),
                ("indptr.npy", "i4", "(2,)", &[0.0, 2.0]),
            ],
        ),
        scipy(
            "dia",
            &shape,
            &[
                ("data.npy", "f8", "(3, 3)", &[1.0, 0.0, 9.0, 9.0, 0.0, 3.0, 9.0, 9.0, 2.0]),
                ("offsets.npy", "i4", "(3,)", &[0.0, 1.0, 2.0]),
            ],
        ),
    ];
    for file in files {
        let data: crate::AnyDataset<f64> =
            loaded_as_held("x.npz", &file, &LoadOptions::default()).unwrap();
        assert!(matches!(data.x, Values::Sparse(_)));
        assert_eq!(data.into_dense().unwrap().x.as_slice(), HELD);
    }
}

#[test]
fn sparse_tables_of_scipy_that_contradict_themselves_are_refused() {
    let part = |indices: &[f64], starts: &[f64], shape: &[f64]| {
        let length = format!("({},)", indices.len());
        let bounds = format!("({},)", starts.len());
        scipy(
            "csr",
            shape,
            &[
                ("data.npy", "f8", "(2,)", &[1.0, 2.0]),
                ("indices.npy", "i8", &length, indices),
                ("indptr.npy", "i8", &bounds, starts),
            ],
        )
    };
    for (file, culprit) in [
        (part(&[0.0, 3.0], &[0.0, 1.0, 2.0], &[2.0, 3.0]), "it must be below 3"),
        (part(&[0.0, -1.0], &[0.0, 1.0, 2.0], &[2.0, 3.0]), "an index of a sparse table is -1"),
        (part(&[0.0, 1.0], &[0.0, 2.0, 1.0], &[2.0, 3.0]), "the bound behind sample 2"),
        (part(&[0.0, 1.0], &[0.0, 1.0], &[2.0, 3.0]), "one more than 2 samples"),
        (part(&[0.0], &[0.0, 1.0, 2.0], &[2.0, 3.0]), "one for each of 2 values"),
        (part(&[0.0, 1.0], &[0.0, 1.0, 2.0], &[2.0, 0.0]), "2 samples of 0 features"),
        (part(&[0.0, 1.0], &[0.0, 1.0, 2.0], &[2.0, -3.0]), "a length of a sparse table is -3"),
        (part(&[0.0, 1.0], &[0.0, 1.0, 2.0], &[2.0, 9e15]), "more than a thousand numbers a byte"),
        (scipy("xyz", &[2.0, 3.0], &[("data.npy", "f8", "(1,)", &[1.0])]), "format \"xyz\""),
        (scipy("csr", &[2.0, 3.0], &[("data.npy", "f8", "(1,)", &[1.0])]), "without \"indices\""),
    ] {
        let error = read_with(&file, None, None).unwrap_err().to_string();
        assert!(error.contains(culprit), "{culprit}: {error}");
    }
    let good = part(&[0.0, 1.0], &[0.0, 1.0, 2.0], &[2.0, 3.0]);
    assert!(read_with(&good, Some("data"), None).unwrap_err().to_string().contains("--data-key"));
}
