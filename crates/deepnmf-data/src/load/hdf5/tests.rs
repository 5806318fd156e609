use deepnmf::matrix::Stored;

use super::super::test_load::{fixture, loaded, loaded_as_held};
use super::*;
use crate::{Dataset, Values};

fn matlab(options: &LoadOptions) -> Result<Dataset<f64>, Fault> {
    loaded("x.mat", &fixture("v73.mat"), options)
}

fn options(data_key: Option<&str>, labels_key: Option<&str>) -> LoadOptions {
    let owned = |key: Option<&str>| key.map(str::to_owned);
    LoadOptions {
        data_key: owned(data_key),
        labels_key: owned(labels_key),
        ..LoadOptions::default()
    }
}

#[test]
fn a_matlab_file_has_its_rows_as_samples() {
    let data = matlab(&LoadOptions::default()).unwrap();
    assert_eq!(data.x.shape(), (3, 4));
    assert_eq!(data.x.col(1), &[3.0, 4.0, 5.0]);
    assert_eq!(data.attribute("gnd").unwrap().codes(), [0, 1, 1, 0].map(Some));
}

#[test]
fn variables_of_a_matlab_file_are_chosen_as_in_older_versions() {
    let labels = matlab(&options(Some("gnd"), None)).unwrap();
    assert_eq!(labels.x.shape(), (1, 4));
    let message = matlab(&options(Some("name"), None)).unwrap_err().to_string();
    assert!(message.contains("is 2 x 1 char, but a numeric table is needed"), "{message}");
    assert!(message.contains("st (struct)") && !message.contains('#'), "{message}");
    let message = matlab(&options(Some("no"), None)).unwrap_err().to_string();
    assert!(message.starts_with("there is no variable \"no\""), "{message}");
}

#[test]
fn anndata_dense_and_sparse_are_the_same_table() {
    let read =
        |name: &str| loaded::<f64>("x.h5ad", &fixture(name), &LoadOptions::default()).unwrap();
    let dense = read("dense.h5ad");
    assert_eq!(dense.x.shape(), (3, 4));
    assert_eq!(dense.x.col(2), &[4.0, 5.0, 0.0]);
    assert_eq!(dense, read("csr.h5ad"));
    assert_eq!(dense, read("csc.h5ad"));
    for (name, stored) in [("csr.h5ad", Stored::BySample), ("csc.h5ad", Stored::ByFeature)] {
        let data = loaded_as_held::<f32>("x.h5ad", &fixture(name), &LoadOptions::default());
        let Values::Sparse(x) = data.unwrap().x else { panic!("{name} is sparse") };
        assert_eq!(x.stored(), stored, "{name} is kept as it stands");
    }
}

#[test]
fn numbers_that_are_none_are_missing_entries_if_there_may_be_any() {
    let mut file = fixture("dense.h5ad");
    let five = 5.0_f32.to_le_bytes();
    let at = file.windows(4).position(|bytes| bytes == five).unwrap();
    file[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(loaded::<f64>("x.h5ad", &file, &LoadOptions::default()).is_err());
    for memory in [None, Some(0)] {
        let missing = LoadOptions { missing: true, memory, ..LoadOptions::default() };
        let data = loaded::<f64>("x.h5ad", &file, &missing).unwrap();
        assert_eq!(data.x.col(2)[0].to_bits(), 4.0_f64.to_bits());
        assert!(data.x.col(2)[1].is_nan());
    }
}

#[test]
fn columns_of_obs_are_attributes_and_names_are_kept() {
    let data = loaded::<f32>("x.h5ad", &fixture("dense.h5ad"), &LoadOptions::default()).unwrap();
    let names: Vec<_> = data.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["cell", "batch", "good"], "depth is a measurement");
    assert_eq!(data.attributes[0].classes(), ["a", "b"]);
    assert_eq!(data.attributes[0].codes(), [Some(1), Some(0), None, Some(1)]);
    assert_eq!(data.attributes[1].classes(), ["1", "2"]);
    assert_eq!(data.feature_names.unwrap(), ["g1", "g2", "g3"]);
    assert_eq!(data.sample_names.unwrap(), ["c1", "c2", "c3", "c4"]);
}

#[test]
fn a_layer_and_a_column_can_be_asked_for() {
    let file = fixture("dense.h5ad");
    let data = loaded::<f64>("x.h5ad", &file, &options(Some("layers/counts"), Some("batch")));
    let data = data.unwrap();
    assert_eq!(data.x.col(2), &[40.0, 50.0, 0.0]);
    assert_eq!(data.attributes.len(), 1);
    let said = |data_key, labels_key| {
        let options = options(data_key, labels_key);
        loaded::<f64>("x.h5ad", &file, &options).unwrap_err().to_string()
    };
    let message = said(Some("layers/raw"), None);
    assert_eq!(message, "there is no variable \"layers/raw\": the file holds X, layers/counts");
    let message = said(None, Some("kind"));
    assert!(message.ends_with("the file holds obs with cell, batch, depth, good"), "{message}");
    let message = said(None, Some("depth"));
    assert!(message.contains("labels are whole numbers"), "{message}");
}

#[test]
fn a_column_that_a_frame_promises_must_be_there() {
    let file = fixture("dense.h5ad");
    let places: Vec<usize> =
        (0..file.len()).filter(|&at| file[at..].starts_with(b"batch")).collect();
    assert!(places.len() > 1, "its name, and the promise");
    for at in places {
        let mut other = file.clone();
        other[at..at + 5].copy_from_slice(b"botch");
        let message =
            loaded::<f64>("x.h5ad", &other, &LoadOptions::default()).unwrap_err().to_string();
        assert!(message.contains("is missing"), "{at}: {message}");
    }
}

#[test]
fn sparse_tables_of_matlab_are_read_and_stay_sparse() {
    let file = fixture("v73_sparse.mat");
    let data = loaded_as_held::<f64>("x.mat", &file, &LoadOptions::default()).unwrap();
    assert!(matches!(data.x, Values::Sparse(_)));
    let wanted = [1.0, 0.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(data.into_dense().unwrap().x.as_slice(), wanted);
    let empty = loaded::<f64>("x.mat", &file, &options(Some("empty"), None)).unwrap();
    assert_eq!((empty.x.shape(), empty.x.norm_sq()), ((3, 2), 0.0));
}
