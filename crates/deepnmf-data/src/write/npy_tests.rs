use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::{LoadOptions, load};

fn only_file_in(folder: &Path) -> PathBuf {
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn the_header_is_the_one_numpy_writes() {
    let header = header("<f4", "(3, 2)");
    assert_eq!(header.len(), 128);
    let text = "\u{1}\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
    assert!(header[6..].starts_with(text.as_bytes()));
    assert!(header.ends_with(b" \n"));
}

#[test]
fn an_existing_file_is_replaced_and_nothing_else_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.npy");
    fs::write(&path, "old").unwrap();
    let h = Matrix::from_vec(2, 3, vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    write_npy(&path, &h).unwrap();
    assert_eq!(load::<f32>(&path, &LoadOptions::default()).unwrap().x, h);
    assert_eq!(only_file_in(folder.path()), path);
}

#[test]
fn a_folder_is_not_overwritten_and_a_missing_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let one: Matrix<f64> = Matrix::identity(1);
    let message = write_npy(folder.path(), &one).unwrap_err().to_string();
    assert!(message.contains("it is a folder"), "{message}");
    let nowhere = folder.path().join("no/such/h.npy");
    let message = write_npy(&nowhere, &one).unwrap_err().to_string();
    assert!(message.starts_with(&format!("cannot write {}", nowhere.display())), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn what_is_written_is_read_back_bit_for_bit(
        (rows, cols, data) in (1usize..9, 1usize..9).prop_flat_map(|(rows, cols)| {
            let number = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
            (Just(rows), Just(cols), prop::collection::vec(number, rows * cols))
        }),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        let x = Matrix::from_vec(rows, cols, data).unwrap();
        write_npy(&path, &x).unwrap();
        let back = load::<f64>(&path, &LoadOptions::default()).unwrap().x;
        prop_assert_eq!(back.shape(), x.shape());
        let bits = |m: &Matrix<f64>| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&back), bits(&x));
    }
}
