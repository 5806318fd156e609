//! Components of many fits, brought together.

#![allow(clippy::unwrap_used, clippy::panic)] // as in every test

use deepnmf::matrix::{dot, product};
use deepnmf::rng::{generator, uniform};
use deepnmf::{CancelToken, DeepSemiNmf, Divergence, FitOptions, Matrix, Nmf, Settings};
use deepnmf_select::Consensus;

/// Five programs with features of their own, and which samples have how much of each.
fn programs() -> (Matrix<f64>, Matrix<f64>) {
    let mut rng = generator(1, 1);
    let z = Matrix::from_fn(50, 5, |i, r| {
        let own = i / 10 == r;
        uniform(&mut rng) * if own { 1.0 } else { 0.1 }
    });
    let h = Matrix::from_fn(5, 200, |_, _| uniform(&mut rng).powi(3));
    let mut x = product(z.view(), h.view());
    for v in x.as_mut_slice() {
        *v += 0.05 * uniform(&mut rng);
    }
    (x, z)
}

fn of(x: &Matrix<f64>, settings: &Settings, fits: usize) -> deepnmf::Result<Consensus<f64>> {
    Consensus::of(x, settings, fits, &mut |_| (), &CancelToken::new())
}

#[test]
fn planted_programs_are_found_by_all_fits() {
    let (x, z) = programs();
    for divergence in [Divergence::Frobenius, Divergence::KullbackLeibler] {
        let settings = Nmf::new(5).divergence(divergence).into();
        let found = of(&x, &settings, 6).unwrap();
        assert_eq!(found.errors.len(), 6);
        let basis = &found.model.factors.z[0];
        for (r, stability) in found.stability.iter().enumerate() {
            assert!(*stability > 0.95, "{:?}", found.stability);
            let column = basis.col(r);
            assert!((dot(column, column) - 1.0).abs() < 1e-9);
            let cosine = |s: usize| dot(column, z.col(s)) / dot(z.col(s), z.col(s)).sqrt();
            assert!((0..5).map(cosine).fold(0.0, f64::max) > 0.95);
        }
        // The features are the best ones for these components, and the error is theirs.
        let least = found.errors.iter().copied().fold(f64::INFINITY, f64::min);
        let error = found.model.error_of(&x, 1, &found.model.factors.h[0]).unwrap();
        assert!((found.model.summary.error - error).abs() < 1e-12 * error);
        assert!(error >= least * (1.0 - 1e-6) && error < 1.2 * least, "{error} and {least}");
        let again = of(&x, &settings, 6).unwrap();
        assert_eq!(again.model.factors, found.model.factors);
    }
}

#[test]
fn components_that_are_not_there_are_not_stable() {
    let (x, _) = programs();
    let right = of(&x, &Nmf::new(5).into(), 5).unwrap();
    let more = of(&x, &Nmf::new(12).into(), 5).unwrap();
    let least = |found: &Consensus<f64>| found.stability.iter().copied().fold(1.0, f64::min);
    assert!(least(&more) < least(&right) - 0.05, "{} and {}", least(&more), least(&right));
}

#[test]
fn what_cannot_be_brought_together_is_refused() {
    let (x, _) = programs();
    let told = |settings: Settings, fits| of(&x, &settings, fits).unwrap_err().to_string();
    assert!(told(Nmf::new(3).into(), 1).contains("two fits"));
    assert!(told(DeepSemiNmf::new([4, 2]).into(), 3).contains("deep-semi-nmf"));
    let cancel = CancelToken::new();
    cancel.cancel();
    let settings = Nmf::new(3).with(FitOptions::default().start(deepnmf::NonNegativeStart::Random));
    let stopped = Consensus::of(&x, &settings.into(), 3, &mut |_| (), &cancel);
    assert!(stopped.unwrap_err().to_string().contains("interrupted"));
}
