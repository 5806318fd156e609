use std::fs;
use std::path::Path;

use deepnmf::{Factorization, Nmf, SemiNmf};

use super::*;
use crate::load::test_files::{encode, npy};
use crate::preprocess::{Pipeline, ZeroSamples};
use crate::{AnyDataset, DatasetOf, LoadOptions, Values, load_any};

const SAMPLES: usize = 53;
const FEATURES: usize = 7;

/// Counts; samples 11 and 40 have none.
fn counts() -> Matrix<f64> {
    Matrix::from_fn(FEATURES, SAMPLES, |i, j| match j {
        11 | 40 => 0.0,
        _ => ((i * 31 + j * 17 + i * j) % 11) as f64,
    })
}

/// A file of [`counts`] in either order.
fn write(path: &Path, kind: &str, big: bool, fortran: bool) {
    let x = counts();
    let values: Vec<f64> =
        if fortran { x.t().to_matrix().as_slice().to_vec() } else { x.as_slice().to_vec() };
    let descr = format!("{}{kind}", if big { '>' } else { '<' });
    let shape = format!("({SAMPLES}, {FEATURES})");
    fs::write(path, npy(1, &descr, fortran, &shape, &encode(kind, big, &values))).unwrap();
}

fn loaded(path: &Path, memory: Option<u64>) -> AnyDataset<f64> {
    load_any(path, &LoadOptions { memory, ..LoadOptions::default() }).unwrap()
}

/// Data that stay in their file, in blocks of few samples.
fn kept(path: &Path, samples_of_a_block: usize) -> AnyDataset<f64> {
    let data = loaded(path, Some(0));
    data.holding(|x| {
        let Values::InFile(x) = x else { panic!("they stay in their file") };
        Values::InFile(x.within(samples_of_a_block * FEATURES * 24))
    })
}

fn in_file<T: Scalar>(data: &AnyDataset<T>) -> &InFile<T> {
    let Values::InFile(x) = &data.x else { panic!("they stay in their file") };
    x
}

#[test]
fn a_file_is_the_same_read_at_once_or_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    for kind in ["f8", "f4", "u1", "i2"] {
        for (big, fortran) in [(false, false), (true, false), (false, true)] {
            write(&path, kind, big, fortran);
            for block in [1, 5, 52, 53, 1000] {
                let x = kept(&path, block).x;
                assert_eq!(x.own_dense().unwrap(), counts(), "{kind} {big} {fortran} {block}");
            }
            assert_eq!(loaded(&path, Some(1 << 20)).x.into_dense().unwrap(), counts());
        }
    }
}

#[test]
fn products_are_those_of_data_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let (x, stored) = (counts(), kept(&path, 10).x);
    let z = Matrix::from_fn(FEATURES, 3, |i, k| ((i * 5 + k * 3) % 7) as f64 - 2.5);
    let h = Matrix::from_fn(3, SAMPLES, |k, j| ((j * 3 + k * 7) % 5) as f64);
    let (mut a, mut b) = (Matrix::zeros(3, SAMPLES), Matrix::zeros(3, SAMPLES));
    x.tr_mul(&z, &mut a).unwrap();
    stored.tr_mul(&z, &mut b).unwrap();
    assert_eq!(a, b, "whole numbers and halves are exact");
    let (mut a, mut b) = (Matrix::zeros(FEATURES, 3), Matrix::zeros(FEATURES, 3));
    x.mul_tr(&h, &mut a).unwrap();
    stored.mul_tr(&h, &mut b).unwrap();
    assert_eq!(a, b);
    assert_eq!(x.sample_norms_sq().unwrap(), stored.sample_norms_sq().unwrap());
    assert_eq!(x.fingerprint().unwrap(), stored.fingerprint().unwrap());
}

#[test]
fn steps_are_those_of_data_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f4", false, true);
    let chains = ["unit", "counts-per=100,log1p", "standardize,unit", "min-max", "tf-idf,unit"];
    for how in [ZeroSamples::Keep, ZeroSamples::Drop] {
        for chain in chains {
            let mut in_place = DatasetOf::new(Values::Dense(counts()));
            let mut blocks = kept(&path, 10);
            let [mut a, mut b]: [Pipeline; 2] = [chain, chain].map(|chain| chain.parse().unwrap());
            let dropped = a.fit_apply_with(&mut in_place, how).unwrap();
            assert_eq!(b.fit_apply_with(&mut blocks, how).unwrap(), dropped, "{chain}");
            let (expected, found) =
                (in_place.x.into_dense().unwrap(), blocks.x.own_dense().unwrap());
            assert_eq!(expected.shape(), found.shape(), "{chain}");
            for (e, f) in expected.as_slice().iter().zip(found.as_slice()) {
                assert!((e - f).abs() <= 1e-12 * (1.0 + e.abs()), "{chain}: {e} and {f}");
            }
            // Other samples, scaled by what was learnt from these.
            let mut others = kept(&path, 10);
            b.apply_with(&mut others, how).unwrap();
            assert_eq!(others.x.own_dense().unwrap(), found);
        }
    }
}

#[test]
fn steps_refuse_what_they_refuse_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    for chain in ["unit", "igo"] {
        let message = |mut data: AnyDataset<f64>| {
            let mut pipeline: Pipeline = chain.parse().unwrap();
            pipeline.fit_apply(&mut data).unwrap_err().to_string()
        };
        let expected = message(DatasetOf::new(Values::Dense(counts())));
        assert_eq!(message(kept(&path, 10)), expected);
    }
}

#[test]
fn any_samples_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let mut data = kept(&path, 4);
    let mut scaled: Pipeline = "unit".parse().unwrap();
    scaled.fit_apply_with(&mut data, ZeroSamples::Keep).unwrap();
    let all = data.x.own_dense().unwrap();
    let picked = [3, 4, 5, 40, 2, 11, 52];
    let some = in_file(&data).chosen(&picked);
    let expected = Matrix::from_fn(FEATURES, picked.len(), |i, j| all[(i, picked[j])]);
    // Zeros among them stay zero, wherever they stand now.
    assert_eq!(some.own_dense().unwrap(), expected);
    let again = some.range(1..5).own_dense().unwrap();
    assert_eq!(again, expected.view_columns(1..5).to_matrix());
    assert_eq!(in_file(&data).range(30..30).own_dense().unwrap().cols(), 0);
}

#[test]
fn models_are_those_of_data_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let (x, stored) = (counts(), kept(&path, 10).x);
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * a, "{a} and {b}");
    let (a, b) = (SemiNmf::new(3).fit(&x).unwrap(), SemiNmf::new(3).fit(&stored).unwrap());
    close(a.summary.error, b.summary.error);
    let (a, b) = (Nmf::new(3).fit(&x).unwrap(), Nmf::new(3).fit(&stored).unwrap());
    close(a.summary.error, b.summary.error);
    let of = |model: &deepnmf::Model<f64>, x: &dyn DataMatrix<f64>| {
        model.project(x, 1, deepnmf::Projection::NonNegative).unwrap()
    };
    let (a, b) = (of(&a, &x), of(&a, &stored));
    assert!(a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn a_number_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    for (fortran, place) in [(false, 19 * FEATURES + 4), (true, 4 * SAMPLES + 19)] {
        let mut values = vec![1.0; SAMPLES * FEATURES];
        values[place] = f64::NAN;
        let shape = format!("({SAMPLES}, {FEATURES})");
        fs::write(&path, npy(1, "<f8", fortran, &shape, &encode("f8", false, &values))).unwrap();
        let message = SemiNmf::new(2).fit(&kept(&path, 10).x).unwrap_err().to_string();
        assert!(message.contains("sample 20, feature 5 is NaN"), "{message}");
        assert!(message.contains("x.npy"), "{message}");
    }
}

#[test]
fn a_file_that_was_cut_short_since_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    write(&path, "f8", false, false);
    let data = kept(&path, 10);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(1000).unwrap();
    let message = Nmf::new(2).fit(&data.x).unwrap_err().to_string();
    assert!(message.contains("it has become shorter while it was read"), "{message}");
}

#[test]
fn other_formats_are_refused_beyond_the_memory_they_may_take() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    fs::write(&path, "1,2\n3,4\n5,6\n").unwrap();
    let options = |memory| LoadOptions { memory: Some(memory), ..LoadOptions::default() };
    assert!(load_any::<f64>(&path, &options(48)).is_ok());
    // Once the file itself is larger, and once what it becomes.
    for memory in [11, 47] {
        let message = load_any::<f64>(&path, &options(memory)).unwrap_err().to_string();
        assert!(message.contains("can only be read all at once"), "{message}");
    }
}
