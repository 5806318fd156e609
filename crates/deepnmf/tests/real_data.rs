//! Laws on real faces: CMU PIE, pose 27.

#![allow(clippy::unwrap_used)] // a test may stop at once

use deepnmf::{
    DeepSemiNmf, Factorization, FitOptions, Form, HSolver, Matrix, Projection, SemiNmf, Start,
    StopRule,
};
use deepnmf_data::preprocess::Normalize;
use deepnmf_data::{LoadOptions, load};
use deepnmf_testing::real_data;

fn faces() -> Option<Matrix<f64>> {
    let path = real_data("PIE_pose27.mat")?;
    let mut x = load(&path, &LoadOptions::default()).unwrap().x;
    Normalize::Unit.apply(&mut x).unwrap();
    Some(x)
}

/// Every so manieth face.
fn some_of(x: &Matrix<f64>, step: usize) -> Matrix<f64> {
    Matrix::from_fn(x.rows(), x.cols() / step, |i, j| x[(i, step * j)])
}

fn iterations(max_iterations: usize) -> FitOptions {
    FitOptions::default().stop(StopRule { kappa: 0.0, max_iterations, max_seconds: None })
}

/// The largest difference relative to the largest entry.
fn distance(a: &Matrix<f64>, b: &Matrix<f64>) -> f64 {
    let largest = |m: &Matrix<f64>| m.as_slice().iter().fold(0.0f64, |l, v| l.max(v.abs()));
    let off = Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)]);
    largest(&off) / largest(b)
}

#[test]
fn the_fast_form_equals_algorithm_one_as_printed_on_faces() {
    let Some(x) = faces() else { return };
    let model = DeepSemiNmf::new([150, 40]).with(iterations(5).solver(HSolver::MULTIPLICATIVE));
    let fast = model.fit(&x).unwrap();
    let literal = model.form(Form::Literal).fit(&x).unwrap();
    assert_eq!(fast.summary.iterations, literal.summary.iterations);
    let off = |a: &Matrix<f64>, b: &Matrix<f64>, most: f64| {
        let off = distance(a, b);
        assert!(off < most, "{off} is not below {most}");
    };
    off(fast.factors.top_features(), literal.factors.top_features(), 1e-9);
    off(&fast.factors.z[1], &literal.factors.z[1], 1e-9);
    off(&fast.factors.z[0], &literal.factors.z[0], 1e-7);
}

#[test]
fn every_start_and_rule_lowers_the_error_on_faces() {
    let Some(x) = faces() else { return };
    let few = some_of(&x, 7);
    for start in [Start::Random, Start::KMeans, Start::Svd, Start::Optimal] {
        for solver in [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED] {
            let options = iterations(10).start(start).solver(solver);
            let summary = SemiNmf::new(20).with(options).fit(&few).unwrap().summary;
            let falls = summary.history.windows(2).all(|e| e[1] <= e[0] * (1.0 + 1e-9));
            assert!(falls, "{start:?} {solver:?}: {:?}", summary.history);
            assert!(summary.gap.unwrap() > -1e-6);
        }
    }
}

#[test]
fn projected_faces_never_have_a_larger_error_than_the_fit() {
    let Some(x) = faces() else { return };
    let few = some_of(&x, 9);
    let model = DeepSemiNmf::new([80, 20]).with(iterations(3)).fit(&few).unwrap();
    let h = model.project(&few, 2, Projection::NonNegative).unwrap();
    let error = deepnmf::reconstruction_error(&few, &model.factors.basis(2).unwrap(), &h).unwrap();
    assert!(error <= model.summary.error * (1.0 + 1e-12));
}
