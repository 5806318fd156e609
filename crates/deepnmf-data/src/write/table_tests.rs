use std::fs;

use super::*;
use crate::{LoadOptions, load};

fn features() -> Matrix<f64> {
    Matrix::from_vec(2, 3, vec![0.1, 2.0, 1e300, 4.0, -5.5, 1e-300]).unwrap()
}

fn named(h: &Matrix<f64>) -> Table<'_, f64> {
    Table::of_matrix(h, vec!["component_1".into(), "component_2".into()])
}

fn top() -> Table<'static, f64> {
    Table::of_columns(vec![
        ("component".into(), Cells::Whole(vec![1, 1])),
        ("feature".into(), Cells::Words(vec!["left, eye".into(), "m\u{fc}nd".into()])),
        ("weight".into(), Cells::Numbers(vec![2.5, -1.0])),
    ])
}

#[test]
fn every_format_gives_back_the_numbers_bit_for_bit() {
    let (folder, h) = (tempfile::tempdir().unwrap(), features());
    for name in ["h.csv", "h.tsv", "h.npy", "h.npz", "h.parquet"] {
        if name == "h.parquet" && cfg!(not(feature = "parquet")) {
            continue;
        }
        let path = folder.path().join(name);
        named(&h).write(&path).unwrap();
        assert_eq!(load::<f64>(&path, &LoadOptions::default()).unwrap().x, h, "{name}");
    }
}

#[test]
fn text_has_a_header_and_the_names_of_the_rows_first() {
    let (folder, h) = (tempfile::tempdir().unwrap(), features());
    let names = ["a", "b,c", "\"d\""].map(str::to_owned).to_vec();
    let path = folder.path().join("h.csv");
    named(&h).indexed("sample", names).write(&path).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "sample,component_1,component_2\na,0.1,2.0\n\"b,c\",1e300,4.0\n\"\"\"d\"\"\",-5.5,1e-300\n"
    );
    let path = folder.path().join("top.TSV");
    top().write(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "component\tfeature\tweight\n1\tleft, eye\t2.5\n1\tm\u{fc}nd\t-1.0\n");
}

#[test]
fn an_archive_holds_an_array_for_each_column_of_a_mixed_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("top.npz");
    top().write(&path).unwrap();
    let mut archive = zip::ZipArchive::new(fs::File::open(&path).unwrap()).unwrap();
    for (name, descr) in [("component", "<i8"), ("feature", "<U9"), ("weight", "<f8")] {
        let mut entry = archive.by_name(&format!("{name}.npy")).unwrap();
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        let header = String::from_utf8_lossy(&bytes[..64]).into_owned();
        assert!(header.contains(&format!("'{descr}'")), "{name}: {header}");
        assert!(String::from_utf8_lossy(&bytes).contains("'shape': (2,)"), "{name}: {header}");
    }
}

#[test]
fn a_format_that_cannot_hold_the_table_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str| {
        let path = folder.path().join(name);
        let message = top().write(&path).unwrap_err().to_string();
        assert!(!path.exists() && message.contains(name), "{message}");
        message
    };
    assert!(said("top.npy").contains("use .csv, .tsv, .npz or .parquet"));
    assert!(said("top.xlsx").contains(".xlsx: use .csv, .tsv, .npy, .npz or .parquet"));
    assert!(said("top").contains("no extension"));
    #[cfg(not(feature = "parquet"))]
    assert!(said("top.parquet").contains("feature \"parquet\""));
}

#[test]
fn names_that_do_not_fit_the_rows_are_refused() {
    let (folder, h) = (tempfile::tempdir().unwrap(), features());
    let path = folder.path().join("h.csv");
    assert!(named(&h).indexed("sample", vec!["a".into()]).write(&path).is_err());
    assert!(Table::of_matrix(&h, vec!["one".into()]).write(&path).is_err());
}

#[cfg(feature = "parquet")]
#[test]
fn words_in_parquet_can_be_read_as_labels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("top.parquet");
    top().write(&path).unwrap();
    let options = LoadOptions { labels_key: Some("feature".into()), ..LoadOptions::default() };
    let data = load::<f64>(&path, &options).unwrap();
    assert_eq!(data.x.as_slice(), &[1.0, 2.5, 1.0, -1.0]);
    assert_eq!(data.attributes[0].classes(), ["left, eye", "m\u{fc}nd"]);
}
