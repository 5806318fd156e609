use deepnmf::{Factorization, SemiNmf};

use super::*;
use crate::Dataset;

/// Counts with zeros, as documents have them; no sample is empty.
fn counts() -> Matrix<f64> {
    Matrix::from_fn(7, 300, |i, j| {
        ((i * 31 + j * 17 + i * j) % 11) as f64 * f64::from(u8::from((i + j) % 3 > 0))
    })
}

fn close(a: &Matrix<f64>, b: &Matrix<f64>) -> bool {
    a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + b.abs()))
}

const CHAINS: [&str; 9] = [
    "none",
    "unit",
    "log1p",
    "standardize",
    "min-max",
    "tf-idf",
    "tf-idf,unit",
    "log1p,standardize",
    "unit,min-max,log1p,standardize,unit",
];

#[test]
fn lazy_steps_equal_those_in_place() {
    for chain in CHAINS {
        let x = counts();
        let mut pipeline: Pipeline = chain.parse().unwrap();
        let mut in_place = Dataset::new(x.clone());
        pipeline.fit_apply(&mut in_place).unwrap();
        let expected = in_place.x;
        let mut lazily: Pipeline = chain.parse().unwrap();
        let lazy = lazily.fit_lazily(&x).unwrap();
        assert!(close(&lazy.to_dense().unwrap(), &expected), "{chain}: values");
        let z = Matrix::from_fn(7, 3, |i, k| ((i * 5 + k * 3) % 7) as f64 - 2.5);
        let h = Matrix::from_fn(3, 300, |k, j| ((k + 2 * j) % 5) as f64 - 1.0);
        let (mut found, mut wanted) = (Matrix::zeros(3, 300), Matrix::zeros(3, 300));
        lazy.tr_mul(&z, &mut found).unwrap();
        expected.tr_mul(&z, &mut wanted).unwrap();
        assert!(close(&found, &wanted), "{chain}: Z^T X");
        let (mut found, mut wanted) = (Matrix::zeros(7, 3), Matrix::zeros(7, 3));
        lazy.mul_tr(&h, &mut found).unwrap();
        expected.mul_tr(&h, &mut wanted).unwrap();
        assert!(close(&found, &wanted), "{chain}: X H^T");
        let off = lazy.norm_sq().unwrap() / expected.norm_sq() - 1.0;
        assert!(off.abs() < 1e-12, "{chain}: norm");
    }
}

#[test]
fn new_data_are_mapped_as_those_the_chain_was_fitted_to() {
    let (x, new) = (counts(), counts().map(|v| v + 0.5));
    let mut pipeline: Pipeline = "min-max,unit".parse().unwrap();
    pipeline.fit_lazily(&x).unwrap();
    let mut in_place = Dataset::new(new.clone());
    pipeline.apply(&mut in_place).unwrap();
    assert!(close(&pipeline.lazily(&new).unwrap().to_dense().unwrap(), &in_place.x));
}

#[test]
fn a_fit_to_lazy_data_equals_that_to_changed_ones() {
    let x = counts();
    let mut pipeline: Pipeline = "log1p,unit".parse().unwrap();
    let lazy = pipeline.fit_lazily(&x).unwrap();
    let mut in_place = Dataset::new(x.clone());
    pipeline.apply(&mut in_place).unwrap();
    let (a, b) = (SemiNmf::new(3).fit(&lazy).unwrap(), SemiNmf::new(3).fit(&in_place.x).unwrap());
    assert!((a.summary.error / b.summary.error - 1.0).abs() < 1e-10);
    assert!(close(&a.factors.h[0], &b.factors.h[0]));
}

#[test]
fn what_cannot_be_done_lazily_is_refused_in_the_words_of_the_step() {
    let x = Matrix::from_vec(2, 3, vec![1.0, 2.0, 0.0, 0.0, -3.0, 1.0]).unwrap();
    let refused = |chain: &str| {
        let mut pipeline: Pipeline = chain.parse().unwrap();
        let error = pipeline.fit_lazily(&x).err().expect("refused").to_string();
        let mut in_place = Dataset::new(x.clone());
        (error, pipeline.fit_apply(&mut in_place).unwrap_err().to_string())
    };
    for chain in ["unit", "log1p", "tf-idf"] {
        let (lazy, in_place) = refused(chain);
        assert_eq!(lazy, in_place, "{chain}");
    }
    assert!(refused("resize=2x2").0.contains("cannot be taken lazily"));
}
