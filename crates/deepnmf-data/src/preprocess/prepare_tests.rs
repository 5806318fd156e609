use deepnmf::{DataMatrix, Matrix, Sparse};

use crate::preprocess::{Pipeline, ZeroSamples};
use crate::{AnyDataset, Dataset, DatasetOf, Values};

/// Counts, most of them zero; one sample and one feature have none.
fn counts() -> Matrix<f64> {
    Matrix::from_fn(7, 11, |i, j| {
        let mixed = (i * 31 + j * 17 + i * j * 7) % 13;
        if i == 3 || j == 4 || mixed < 7 { 0.0 } else { (mixed - 6) as f64 }
    })
}

fn both(x: &Matrix<f64>) -> [AnyDataset<f64>; 2] {
    let by_sample = Sparse::from_dense(x);
    [by_sample.turned_around(), by_sample].map(|x| DatasetOf::new(Values::Sparse(x)))
}

fn off(a: &Matrix<f64>, b: &Matrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let pairs = a.as_slice().iter().zip(b.as_slice());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn steps_make_of_sparse_data_what_they_make_of_dense() {
    for steps in [
        "unit",
        "log1p",
        "tf-idf",
        "counts-per=100",
        "min-max",
        "standardize",
        "counts-per=1e4,log1p,unit",
        "tf-idf,unit,standardize",
        "log1p,standardize,min-max",
    ] {
        for zeros in [ZeroSamples::Keep, ZeroSamples::Drop] {
            let (mut dense, mut chain) =
                (Dataset::new(counts()), steps.parse::<Pipeline>().unwrap());
            let wanted = chain.fit_apply_with(&mut dense, zeros).unwrap();
            for sparse in both(&counts()) {
                let (mut data, mut fitted) = (sparse.clone(), steps.parse::<Pipeline>().unwrap());
                assert_eq!(fitted.fit_apply_with(&mut data, zeros).unwrap(), wanted, "{steps}");
                assert!(!matches!(data.x, Values::Dense(_)), "{steps}");
                let found = data.x.own_dense().unwrap();
                assert!(off(&found, &dense.x) < 1e-12, "{steps}: {}", off(&found, &dense.x));
                // The same chain once more, as fitted to dense data.
                let mut again = sparse;
                chain.apply_with(&mut again, zeros).unwrap();
                assert!(off(&again.x.own_dense().unwrap(), &dense.x) < 1e-12, "{steps}");
                let norm = dense.x.norm_sq();
                assert!((data.x.norm_sq().unwrap() / norm - 1.0).abs() < 1e-12, "{steps}");
            }
        }
    }
}

#[test]
fn steps_that_keep_zeros_keep_data_sparse() {
    for steps in ["unit", "log1p", "tf-idf", "counts-per=100", "min-max"] {
        for mut data in both(&counts()) {
            let mut chain: Pipeline = steps.parse().unwrap();
            chain.fit_apply_with(&mut data, ZeroSamples::Keep).unwrap();
            assert!(matches!(data.x, Values::Sparse(_)), "{steps}");
        }
    }
}

#[test]
fn what_sparse_data_cannot_take_is_refused_as_of_dense_data_or_with_a_way_out() {
    let negative = Matrix::from_vec(2, 2, vec![0.0, -1.5, 2.0, 0.0]).unwrap();
    for steps in ["log1p", "tf-idf", "counts-per=10"] {
        let mut dense = Dataset::new(negative.clone());
        let wanted = steps.parse::<Pipeline>().unwrap().fit_apply(&mut dense).unwrap_err();
        for mut data in both(&negative) {
            let found = steps.parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap_err();
            assert_eq!(found.to_string(), wanted.to_string());
        }
    }
    for mut data in both(&counts()) {
        let error = "unit".parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap_err();
        assert!(error.to_string().starts_with("sample 5 (counted from 1) is all zero"), "{error}");
        let late = "standardize,log1p".parse::<Pipeline>().unwrap().fit_apply(&mut data);
        assert!(late.unwrap_err().to_string().contains("put it in front"));
    }
    for wrong in ["counts-per=0", "counts-per=-1", "counts-per=inf", "counts-per=x", "counts-per"] {
        assert!(wrong.parse::<Pipeline>().is_err(), "{wrong}");
    }
    let chain: Pipeline = "counts-per=10000,log1p".parse().unwrap();
    assert_eq!(chain.to_string(), "counts-per=10000,log1p");
    let stored = serde_json::to_string(&chain).unwrap();
    assert_eq!(serde_json::from_str::<Pipeline>(&stored).unwrap(), chain);
}

#[test]
fn every_sample_has_the_sum_asked_for() {
    let mut data = Dataset::new(counts());
    "counts-per=250".parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap();
    for (j, column) in data.x.columns().enumerate() {
        let sum: f64 = column.iter().sum();
        assert!(if j == 4 { sum == 0.0 } else { (sum - 250.0).abs() < 1e-10 }, "{j}: {sum}");
    }
}

#[test]
fn samples_of_sparse_data_are_chosen_and_joined_as_dense_ones() {
    let x = counts();
    for data in both(&x) {
        let chosen = data.select(&[3, 0, 3]).unwrap();
        let joined = DatasetOf::concat(&[("a".into(), data), ("b".into(), chosen)]).unwrap();
        let wanted =
            Matrix::from_fn(7, 14, |i, j| x[(i, if j < 11 { j } else { [3, 0, 3][j - 11] })]);
        assert!(matches!(joined.x, Values::Sparse(_)));
        assert_eq!(joined.into_dense().unwrap().x, wanted);
    }
}
