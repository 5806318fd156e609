//! Entries with weights: what is answered of them, and what fits make of them.

use super::*;
use crate::matrix::{PartData, product};
use crate::models::{Factorization, FitOptions, Model, Nmf, NonNegativeOptions, SemiNmf, Settings};
use crate::split_tests::{every_setting, on_parts};
use crate::stop::StopRule;
use crate::testing::{distance, literal_product, normal, positive};
use crate::{Divergence, FitSession, HSolver, Projection, Start};

/// Weights between 0 and 5, a tenth of them 0, but some of each sample and feature.
fn some_weights(p: usize, n: usize, seed: u64) -> Matrix<f64> {
    let drawn = positive::<f64>(p, n, seed);
    Matrix::from_fn(p, n, |i, j| {
        let weight = drawn[(i, j)].min(5.0);
        if weight < 0.1 && i % n != j % p && j % p != i { 0.0 } else { weight.max(0.05) }
    })
}

fn largest(weights: &Matrix<f64>) -> f64 {
    weights.as_slice().iter().fold(0.0, |most, w| most.max(*w))
}

/// The loss by its definition, with weights relative to the largest.
fn literal(x: &Matrix<f64>, weights: &Matrix<f64>, y: &Matrix<f64>) -> f64 {
    let most = largest(weights);
    let entries = x.as_slice().iter().zip(y.as_slice()).zip(weights.as_slice());
    entries.map(|((x, y), w)| w / most * (x - y).powi(2)).sum::<f64>().sqrt()
}

fn steps(max_iterations: usize) -> StopRule {
    StopRule { kappa: 0.0, max_iterations, max_seconds: None }
}

#[test]
fn every_answer_is_that_of_the_filled_data_or_of_the_weighted_loss() {
    let (x, weights) = (normal::<f64>(15, 300, 1), some_weights(15, 300, 2));
    let data = Incomplete::weighted(x.clone(), &weights).unwrap();
    let (phi, h) = (normal::<f64>(15, 3, 5), normal::<f64>(3, 300, 6));
    let (z, g) = (normal::<f64>(15, 4, 7), normal::<f64>(4, 300, 8));
    assert!(data.is_incomplete());
    assert_eq!(data.missing(), weights.as_slice().iter().filter(|w| **w == 0.0).count());
    for exponent in [0, 5, -70] {
        let unit = f64::from(exponent).exp2();
        let (phi, x) = (phi.map(|v| v * unit), x.map(|v| v * unit));
        let fit = Incomplete::for_fit(&data, exponent).unwrap();
        let left = fit.fill_in(&phi, &h).unwrap().unwrap();
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{exponent}: {a} {b}");
        let model = literal_product(phi.view(), h.view());
        close(left.sqrt(), literal(&x, &weights, &model));
        let most = largest(&weights);
        let filled = Matrix::from_fn(15, 300, |i, j| {
            let w = weights[(i, j)] / most;
            w * x[(i, j)] + (1.0 - w) * model[(i, j)]
        });
        let same = |a: &Matrix<f64>, b: &Matrix<f64>| {
            assert!(distance(a, b) < 1e-12, "{exponent}: {}", distance(a, b));
        };
        same(&fit.own_dense().unwrap(), &filled);
        let (mut a, mut b) = (Matrix::zeros(4, 300), Matrix::zeros(4, 300));
        fit.tr_mul(&z, &mut a).unwrap();
        filled.tr_mul(&z, &mut b).unwrap();
        same(&a, &b);
        fit.wide_tr_mul(&z, &mut a).unwrap();
        same(&a, &b);
        let (mut a, mut b) = (Matrix::zeros(15, 4), Matrix::zeros(15, 4));
        fit.mul_tr(&g, &mut a).unwrap();
        filled.mul_tr(&g, &mut b).unwrap();
        same(&a, &b);
        fit.wide_mul_tr(&g, &mut a).unwrap();
        same(&a, &b);
        same(&fit.gram_of_features().unwrap(), &filled.gram_of_features().unwrap());
        close(fit.entry_sum().unwrap(), filled.entry_sum().unwrap());
        close(fit.norm_sq().unwrap().sqrt(), literal(&x, &weights, &Matrix::zeros(15, 300)));
        let other = z.map(|v| v * unit);
        let found = fit.residual_norm_sq(&other, &g).unwrap().sqrt();
        close(found, literal(&x, &weights, &literal_product(other.view(), g.view())));
    }
}

#[test]
fn every_model_measures_itself_by_the_weighted_loss_and_never_rises() {
    for tried in every_setting() {
        let weights = some_weights(12, tried.x.cols(), 3);
        let data = Incomplete::weighted(tried.x.clone(), &weights).unwrap();
        let fitted = tried.fit(&data, &mut FitSession::new());
        if !tried.settings.divergence().is_usual() {
            let text = fitted.unwrap_err().to_string();
            assert!(text.contains("weights of entries"), "{}: {text}", tried.what);
            continue;
        }
        let model = fitted.unwrap_or_else(|error| panic!("{}: {error}", tried.what));
        let factors = &model.factors;
        let y = factors.reconstruct(factors.depth(), factors.top_features()).unwrap();
        let found = literal(&tried.x, &weights, &y);
        let off = (model.summary.error / found - 1.0).abs();
        assert!(off < 1e-8, "{}: {} {found}", tried.what, model.summary.error);
        let norm = literal(&tried.x, &weights, &Matrix::zeros(12, tried.x.cols()));
        assert!((model.summary.relative_error * norm / found - 1.0).abs() < 1e-8, "{}", tried.what);
        assert_eq!(model.summary.svd_bound, None);
        if super::tests::is_monotone(&tried.what, &tried.settings) {
            for run in &model.summary.runs {
                super::tests::never_rises(&format!("{} {}", run.stage, tried.what), &run.history);
            }
        }
    }
}

#[test]
fn weights_of_zero_and_one_are_missing_and_observed_entries_to_the_bit() {
    let x = positive::<f64>(14, 50, 1);
    let weights = some_weights(14, 50, 2).map(|w| if w > 0.3 { 4.0 } else { 0.0 });
    let holed =
        Matrix::from_fn(14, 50, |i, j| if weights[(i, j)] > 0.0 { x[(i, j)] } else { f64::NAN });
    let nmf = Nmf::new(3).with(NonNegativeOptions::default().stop(steps(20)));
    let fit = |x: &dyn DataMatrix<f64>| nmf.fit(x).unwrap();
    let (weighted, missing) = (
        fit(&Incomplete::weighted(x.clone(), &weights).unwrap()),
        fit(&Incomplete::from_nan(holed).unwrap()),
    );
    assert_eq!(weighted.factors, missing.factors);
    assert_eq!(weighted.summary.without_times(), missing.summary.without_times());
    let equal = Incomplete::weighted(x.clone(), &Matrix::from_fn(14, 50, |_, _| 0.3)).unwrap();
    assert!(!equal.is_incomplete());
    assert_eq!(fit(&equal).factors, fit(&x).factors);
}

/// The two say the same where all entries of a sample weigh the same, and differ by the unit of the weights.
#[test]
fn a_weight_of_every_entry_of_a_sample_is_a_weight_of_the_sample() {
    let x = normal::<f64>(12, 60, 4);
    let of_samples: Vec<f64> = (0..60).map(|j| f64::from(1 + j % 4)).collect();
    let weights = Matrix::from_fn(12, 60, |_, j| of_samples[j]);
    let stop = StopRule { kappa: 1e-13, max_iterations: 5000, max_seconds: None };
    let semi = SemiNmf::new(4).with(FitOptions::default().stop(stop));
    let by_entry = semi.fit(&Incomplete::weighted(x.clone(), &weights).unwrap()).unwrap();
    let mut session = FitSession::new();
    let by_sample = semi.fit_weighted(&x, &of_samples, None, &mut session).unwrap();
    let (a, b) = (2.0 * by_entry.summary.error, by_sample.summary.error);
    assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
}

/// Where little is trusted, a layer is fitted by a Gram matrix for each sample and feature: to the same loss.
#[test]
fn small_weights_are_fitted_alone_and_end_where_filling_in_ends() {
    let clean = product(positive::<f64>(30, 2, 1).view(), positive::<f64>(2, 80, 2).view());
    let noise = normal::<f64>(30, 80, 3);
    let x = Matrix::from_fn(30, 80, |i, j| clean[(i, j)] + 0.1 * noise[(i, j)]);
    // One entry of each sample is fully trusted, all others a tenth.
    let weights = Matrix::from_fn(30, 80, |i, j| if i == j % 30 { 1.0 } else { 0.1 });
    let data = Incomplete::weighted(x, &weights).unwrap();
    let stop = StopRule { kappa: 1e-12, max_iterations: 20_000, max_seconds: None };
    let options = FitOptions::default().stop(stop).start(Start::KMeans);
    let alone = SemiNmf::new(2).with(options.clone()).fit(&data).unwrap();
    let filled = SemiNmf::new(2).with(options.solver(HSolver::ACCELERATED)).fit(&data).unwrap();
    assert!(alone.summary.iterations < filled.summary.iterations);
    assert!((alone.summary.error / filled.summary.error - 1.0).abs() < 1e-5);
}

/// The problem of each sample by its definition: rows times the roots of the weights.
#[test]
fn projections_solve_the_weighted_problem() {
    let x = normal::<f64>(15, 40, 1);
    let weights = some_weights(15, 40, 2);
    let model = SemiNmf::new(4).fit(&x).unwrap();
    let data = Incomplete::weighted(x.clone(), &weights).unwrap();
    let phi = &model.factors.z[0];
    for method in [Projection::Basis, Projection::NonNegative] {
        let h = model.project(&data, 1, method).unwrap();
        for j in 0..40 {
            let root = |i: usize| weights[(i, j)].sqrt();
            let rows = Matrix::from_fn(15, 4, |i, k| root(i) * phi[(i, k)]);
            let column = Matrix::from_fn(15, 1, |i, _| root(i) * x[(i, j)]);
            let factors = crate::models::Factors::new(vec![rows], vec![Matrix::zeros(4, 1)]);
            let found = Model { factors, ..model.clone() }.project(&column, 1, method).unwrap();
            let own = h.view_columns(j..j + 1).to_matrix();
            assert!(distance(&own, &found) < 1e-7, "{method:?} {j}");
        }
    }
}

#[test]
fn who_hides_entries_keeps_the_weights_of_the_others() {
    let (x, weights) = (normal::<f64>(15, 40, 1), some_weights(15, 40, 2));
    let data = Incomplete::weighted(x, &weights).unwrap();
    let hidden = Incomplete::with_holes(&data, &[(3, 4), (0, 39)]).unwrap();
    let (before, after) = (data.entry_weights().unwrap(), hidden.entry_weights().unwrap());
    let pairs = before.as_slice().iter().zip(after.as_slice());
    let changed = pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    assert!(changed <= 2 && after[(3, 4)] == 0.0 && after[(0, 39)] == 0.0);
}

#[test]
fn weights_that_are_none_are_refused_with_their_place() {
    let x = positive::<f64>(6, 9, 1);
    let ones = Matrix::from_fn(6, 9, |_, _| 1.0);
    let refused = |weights: &Matrix<f64>| {
        Incomplete::weighted(x.clone(), weights).expect_err("it is refused").to_string()
    };
    assert!(refused(&Matrix::from_fn(9, 6, |_, _| 1.0)).contains("6 features of 9 samples"));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let mut weights = ones.clone();
        weights[(2, 4)] = bad;
        assert!(refused(&weights).contains("the weight of feature 3 of sample 5"));
    }
    assert!(refused(&ones.map(|_| 0.0)).contains("some entry must count"));
    let mut weights = ones;
    weights[(2, 4)] = 0.5;
    let data = Incomplete::weighted(x.clone(), &weights).unwrap();
    let kl = Settings::from(Nmf::new(2).divergence(Divergence::KullbackLeibler));
    assert!(Factorization::fit(&kl, &data).unwrap_err().to_string().contains("weights of entries"));
    let errors = on_parts(&[4, 5], |parts| {
        let columns = |a: &Matrix<f64>| a.view_columns(parts.range()).to_matrix();
        let own = Incomplete::weighted(columns(&x), &columns(&weights)).unwrap();
        SemiNmf::new(2).fit(&PartData::new(&own, parts).unwrap()).unwrap_err().to_string()
    });
    assert!(errors[1].contains("leave them out"), "{errors:?}");
}
