//! Loads bytes as if they were a file, for tests.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use deepnmf::Scalar;

use super::{LoadOptions, extension};
use crate::Dataset;
use crate::error::Fault;

/// A committed file, unpacked; see `tests/fixtures/make.py`.
#[allow(dead_code)] // only formats that are features need one
pub(super) fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let packed = fs::read(folder.join(format!("{name}.gz"))).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

/// What is read from a file of this name with these bytes, made dense.
pub(super) fn loaded<T: Scalar>(
    name: &str,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<Dataset<T>, Fault> {
    loaded_as_held(name, bytes, options).map(|data| data.into_dense().unwrap())
}

/// The same as the file holds it.
pub(super) fn loaded_as_held<T: Scalar>(
    name: &str,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<crate::AnyDataset<T>, Fault> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let file = File::open(&path).unwrap();
    super::read(file, bytes.len() as u64, &extension(&path), options)
}
