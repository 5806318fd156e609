//! A file that was cut short is refused or read as if it were whole, never in part.

use std::fs;
use std::path::{Path, PathBuf};

use deepnmf_data::{Dataset, LoadOptions, load};

/// How many lengths of a file are tried.
const CUTS: usize = 300;

/// The seeds of a format, as they are named.
fn seeds(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(folder);
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect()
}

/// Cuts all seeds of a format at many lengths; `is_whole` compares what is left with the whole.
fn check(folder: &str, extension: &str, is_whole: impl Fn(&Dataset<f64>, &Dataset<f64>) -> bool) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(format!("x.{extension}"));
    let options = LoadOptions::default();
    let mut read = 0;
    for seed in seeds(folder) {
        let bytes = fs::read(&seed).unwrap();
        fs::write(&path, &bytes).unwrap();
        let Ok(whole) = load::<f64>(&path, &options) else { continue };
        read += 1;
        let step = bytes.len().div_ceil(CUTS);
        for length in (0..bytes.len()).rev().step_by(step) {
            fs::write(&path, &bytes[..length]).unwrap();
            if let Ok(found) = load::<f64>(&path, &options) {
                let name = seed.display();
                assert!(is_whole(&found, &whole), "{name} cut at {length}: {found:?}");
            }
        }
    }
    assert!(read > 0, "no seed of {folder} can be read");
}

#[cfg(feature = "hdf5")]
#[test]
fn hdf5_and_anndata_are_never_read_in_part() {
    check("hdf5", "h5ad", |_, _| false); // every file says where it ends
}

#[test]
fn npy_and_npz_are_never_read_in_part() {
    check("npy", "npy", PartialEq::eq);
    check("npz", "npz", PartialEq::eq);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_never_read_in_part() {
    check("parquet", "parquet", PartialEq::eq);
}

/// Variables follow each other, so that a file cut between two of them is a whole one of fewer.
#[test]
fn the_table_of_a_matlab_file_is_never_read_in_part() {
    check("mat", "mat", |found, whole| found.x == whole.x);
}
