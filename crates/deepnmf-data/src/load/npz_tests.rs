use std::io::Write;

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::super::test_files::{encode, npy};
use super::super::test_load::loaded;
use super::*;

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
