//! A sample of weight 2 is two copies of it, in every model that takes weights.

use crate::init::{NonNegativeStart, Start};
use crate::matrix::{DataMatrix, Incomplete, Matrix, PartColumns, Parts, Sparse};
use crate::models::{
    DeepSemiNmf, ElasticNet, Factorization, FitOptions, Form, Model, MultilayerNmf, NeNmf,
    Neighbourhood, Nmf, NonNegativeOptions, SemiNmf, Settings, WarmStart, Wsf,
};
use crate::objective::{Divergence, kl_divergence};
use crate::split_tests::on_parts;
use crate::stop::StopRule;
use crate::testing::{difference, distance, literal_error, literal_product, normal, positive};
use crate::{Activation, FitSession, HSolver};

/// So many that no rule of NMF works less on them than on their copies (`HSolver::worth`).
const SAMPLES: usize = 84;

/// So few iterations that rounding stays what it is, and does not decide when to stop.
const STOP: StopRule = StopRule { max_iterations: 12, kappa: 0.0, max_seconds: None };

/// Whole weights from 1 to 4.
fn copies() -> Vec<usize> {
    (0..SAMPLES).map(|j| 1 + (j * j + 3 * j) % 4).collect()
}

fn weights() -> Vec<f64> {
    copies().into_iter().map(|count| count as f64).collect()
}

/// Each sample as often as its weight says.
fn repeated(x: &Matrix<f64>) -> Matrix<f64> {
    let places: Vec<usize> =
        copies().into_iter().enumerate().flat_map(|(j, count)| vec![j; count]).collect();
    Matrix::from_fn(x.rows(), places.len(), |i, j| x[(i, places[j])])
}

/// Everything that takes weights, with deterministic initializations.
fn settings() -> Vec<(String, Matrix<f64>, Settings)> {
    let (signed, positive) = (normal(9, SAMPLES, 1), positive(9, SAMPLES, 2));
    let semi = |start| FitOptions::default().start(start).stop(STOP);
    let mut all = vec![];
    let mut add = |what: &str, x: &Matrix<f64>, settings: Settings| {
        all.push((what.to_owned(), x.clone(), settings));
    };
    for start in [Start::Optimal, Start::Svd, Start::KMeans] {
        for (sign, x) in [("signed", &signed), ("positive", &positive)] {
            let options = semi(start).solver(HSolver::ACCELERATED);
            add(&format!("semi, {start:?}, {sign}"), x, SemiNmf::new(4).with(options).into());
        }
        let deep = DeepSemiNmf::new([6, 3]).with(semi(start));
        add(&format!("deep, {start:?}"), &signed, deep.clone().into());
        add(&format!("deep, literal, {start:?}"), &signed, deep.form(Form::Literal).into());
    }
    let frobenius = |start| NonNegativeOptions::default().start(start).stop(STOP);
    for start in [NonNegativeStart::Nndsvd, NonNegativeStart::Nndsvda] {
        for solver in [HSolver::HALS, Nmf::MULTIPLICATIVE, HSolver::ACCELERATED] {
            let nmf = Nmf::new(4).with(frobenius(start).solver(solver));
            add(&format!("nmf, {start:?}, {solver:?}"), &positive, nmf.into());
        }
        let nmf = Nmf::new(4).with(frobenius(start));
        add(&format!("nenmf, {start:?}"), &positive, NeNmf::new(4).with(nmf.clone()).into());
        let kl = Nmf::new(4).with(frobenius(start));
        let kl = kl.divergence(Divergence::KullbackLeibler);
        add(&format!("nmf, kl, {start:?}"), &positive, kl.clone().into());
        for nmf in [kl, Nmf::new(4).with(frobenius(start))] {
            let what = format!("multilayer, {:?}, {start:?}", nmf.divergence);
            add(&what, &positive, MultilayerNmf::new([5, 3]).with(nmf).into());
        }
    }
    all
}

fn fit(settings: &Settings, x: &dyn DataMatrix<f64>) -> Model<f64> {
    settings.fit_weighted(x, &weights(), None, &mut FitSession::new()).unwrap()
}

#[test]
fn a_weight_is_a_number_of_copies() {
    for (what, x, settings) in settings() {
        let weighted = fit(&settings, &x);
        let copied = settings.fit(&repeated(&x), &[], &mut FitSession::new()).unwrap();
        for (a, b) in weighted.factors.z.iter().zip(&copied.factors.z) {
            assert!(distance(a, b) < 1e-9, "{what}: bases differ by {}", distance(a, b));
        }
        for (a, b) in weighted.factors.h.iter().zip(&copied.factors.h) {
            let a = repeated(a);
            assert!(distance(&a, b) < 1e-9, "{what}: features differ by {}", distance(&a, b));
        }
        let (a, b) = (&weighted.summary, &copied.summary);
        let same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(same(a.error, b.error), "{what}: errors are {} and {}", a.error, b.error);
        assert!(same(a.relative_error, b.relative_error), "{what}");
        assert!(a.svd_bound.zip(b.svd_bound).is_none_or(|(a, b)| same(a, b)), "{what}");
        assert_eq!(a.svd_bound.is_some(), b.svd_bound.is_some(), "{what}");
        assert_eq!(a.samples, SAMPLES, "{what}");
        assert_eq!(a.notices, b.notices, "{what}");
        assert!(a.history.iter().zip(&b.history).all(|(a, b)| same(*a, *b)), "{what}");
    }
}

#[test]
fn the_error_is_that_of_the_weighted_loss() {
    for (what, x, settings) in settings() {
        let Model { factors, summary, .. } = fit(&settings, &x);
        let (phi, h) = (factors.basis(factors.depth()).unwrap(), factors.top_features());
        let loss: f64 = match settings.divergence() {
            Divergence::Frobenius => {
                let rest = difference(&x, &literal_product(phi.view(), h.view()));
                let squares = rest.columns().map(|c| c.iter().map(|v| v * v).sum::<f64>());
                squares.zip(weights()).map(|(square, w)| square * w).sum()
            }
            Divergence::KullbackLeibler => {
                2.0 * kl_divergence(&repeated(&x), &phi, &repeated(h)).unwrap()
            }
        };
        assert!((summary.error / loss.sqrt() - 1.0).abs() < 1e-10, "{what}");
    }
}

#[test]
fn weights_of_one_change_nothing() {
    for (what, x, settings) in settings() {
        let ones = vec![1.0; SAMPLES];
        let mut session = FitSession::new();
        let weighted = settings.fit_weighted(&x, &ones, None, &mut session).unwrap();
        let plain = settings.fit(&x, &[], &mut session).unwrap();
        assert!(distance(&weighted.factors.z[0], &plain.factors.z[0]) < 1e-10, "{what}");
        assert_eq!(weighted.summary.fingerprint, plain.summary.fingerprint, "{what}");
    }
}

#[test]
fn sparse_samples_and_samples_in_parts_take_weights() {
    for (what, x, settings) in settings() {
        let x = x.map(|v| if v.abs() < 0.3 { 0.0 } else { v });
        let whole = fit(&settings, &x);
        let close = |z: &Matrix<f64>| distance(z, &whole.factors.z[0]) < 1e-8;
        let sparse = Sparse::from_dense(&x);
        assert!(close(&fit(&settings, &sparse).factors.z[0]), "{what}");
        assert!(close(&fit(&settings, &sparse.turned_around()).factors.z[0]), "{what}");
        let found = on_parts(&[20, 0, 64], |parts: Parts<'_>| {
            let own = PartColumns::new(x.view_columns(parts.range()), parts);
            let weights = &weights()[parts.range()];
            let mut session = FitSession::new();
            settings.fit_weighted(&own, weights, None, &mut session).unwrap().factors
        });
        assert!(found.iter().all(|factors| close(&factors.z[0])), "{what}");
        assert!(
            distance(&found[2].h[0], &whole.factors.h[0].view_columns(20..SAMPLES).to_matrix())
                < 1e-8
        );
    }
}

/// A start that gives numbers at random gives each sample its own, whatever its weight is.
#[test]
fn random_features_do_not_depend_on_weights() {
    let x = positive::<f64>(9, SAMPLES, 2);
    let stop = StopRule { max_iterations: 0, ..STOP };
    let nmf =
        Nmf::new(4).with(NonNegativeOptions::default().start(NonNegativeStart::Random).stop(stop));
    for nmf in [nmf.clone(), nmf.divergence(Divergence::KullbackLeibler)] {
        let plain = nmf.fit(&x).unwrap();
        let weighted = fit(&nmf.into(), &x);
        let ratio = |j: usize| weighted.factors.h[0][(0, j)] / plain.factors.h[0][(0, j)];
        // Its size is that of the mean of the data.
        assert!((0..SAMPLES).all(|j| (ratio(j) / ratio(0) - 1.0).abs() < 1e-6));
    }
}

#[test]
fn a_fit_goes_on_from_features_as_they_are() {
    let x = positive::<f64>(9, SAMPLES, 2);
    for divergence in [Divergence::Frobenius, Divergence::KullbackLeibler] {
        let nmf = Nmf::new(4).divergence(divergence);
        let first = fit(&nmf.clone().into(), &x);
        let from = WarmStart::Factors(first.factors.clone());
        let mut session = FitSession::new();
        let second = nmf.fit_weighted(&x, &weights(), Some(from), &mut session).unwrap();
        let begun = second.summary.history[0];
        assert!((begun / first.summary.error - 1.0).abs() < 1e-9, "{divergence:?}");
    }
}

#[test]
fn heavy_samples_are_reconstructed_better() {
    let x = normal::<f64>(12, 40, 5);
    let weights: Vec<f64> = (0..40).map(|j| if j < 8 { 1e3 } else { 1e-3 }).collect();
    let nothing = SemiNmf::new(4).fit(&x).unwrap();
    let mut session = FitSession::new();
    let heavy = SemiNmf::new(4).fit_weighted(&x, &weights, None, &mut session).unwrap();
    let error = |model: &Model<f64>| {
        let (z, h) = (&model.factors.z[0], model.factors.h[0].view_columns(0..8).to_matrix());
        literal_error(&x.view_columns(0..8).to_matrix(), z, &h)
    };
    assert!(error(&heavy) < 0.8 * error(&nothing));
}

#[test]
fn what_cannot_be_weighted_is_refused_with_what_can() {
    let x = positive::<f64>(6, 20, 1);
    let refused = |settings: Settings, x: &dyn DataMatrix<f64>, weights: &[f64]| {
        let fitted = settings.fit_weighted(x, weights, None, &mut FitSession::new());
        fitted.expect_err("it is refused").to_string()
    };
    let (ones, semi) = (vec![1.0; 20], || Settings::from(SemiNmf::new(2)));
    let text = refused(Wsf::new(2, 0.1).into(), &x, &ones);
    assert!(text.contains("wsf takes none") && text.contains("semi-nmf, deep-semi-nmf, nmf"));
    let near = SemiNmf::new(2).neighbourhood(Neighbourhood::of([3]));
    assert!(refused(near.into(), &x, &ones).contains("neighbours"));
    let small = Nmf::new(2).penalty(ElasticNet::new(0.1, 0.1, 0.5));
    assert!(refused(small.into(), &x, &ones).contains("elastic-net"));
    let relu = DeepSemiNmf::new([4, 2]).activation(Activation::Relu);
    assert!(refused(relu.into(), &x, &ones).contains("activations"));
    assert!(refused(semi(), &x, &ones[..19]).contains("one for each of the 20 samples"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut weights = ones.clone();
        weights[4] = bad;
        assert!(refused(semi(), &x, &weights).contains("the weight of sample 5"));
    }
    let holes = Incomplete::with_holes(&x, &[(0, 3)]).unwrap();
    assert!(refused(semi(), &holes, &ones).contains("complete data"));
}
