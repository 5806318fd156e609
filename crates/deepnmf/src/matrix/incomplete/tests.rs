//! Missing entries: what is answered of them, and what fits make of them.

use super::*;
use crate::matrix::{PartData, Scaled, product};
use crate::models::{Factorization, FitOptions, Model, Nmf, NonNegativeOptions, SemiNmf, Settings};
use crate::split_tests::{every_setting, on_parts};
use crate::stop::StopRule;
use crate::testing::{distance, normal, positive};
use crate::update::HSolver;
use crate::{FitSession, Start};

/// A random share of the places `(feature, sample)`, but never all of a sample or feature.
fn some_holes((p, n): (usize, usize), share: f64, seed: u64) -> Vec<(usize, usize)> {
    let chance = normal::<f64>(p, n, seed).map(|v| 0.5 * (1.0 + (v / (1.0 + v.abs()))));
    let mut all: Vec<f64> = chance.as_slice().to_vec();
    all.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a place
    let limit = all[((share * all.len() as f64) as usize).min(all.len() - 1)];
    let places = (0..n).flat_map(|j| (0..p).map(move |i| (i, j)));
    places.filter(|&(i, j)| chance[(i, j)] < limit && i % n != j % p && j % p != i).collect()
}

fn with_nan(x: &Matrix<f64>, holes: &[(usize, usize)]) -> Matrix<f64> {
    let mut x = x.clone();
    for place in holes {
        x[*place] = f64::NAN;
    }
    x
}

/// The error over the observed entries by its definition.
fn literal(x: &Matrix<f64>, phi: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let mut sum = 0.0;
    for j in 0..x.cols() {
        for i in 0..x.rows() {
            if !x[(i, j)].is_nan() {
                let model: f64 = (0..h.rows()).map(|k| phi[(i, k)] * h[(k, j)]).sum();
                sum += (x[(i, j)] - model).powi(2);
            }
        }
    }
    sum.sqrt()
}

/// What a model keeps small, over the observed entries, by its definition.
fn literal_error(settings: &Settings, x: &Matrix<f64>, phi: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    if settings.divergence().is_usual() {
        return literal(x, phi, h);
    }
    let y = product(phi.view(), h.view());
    let pairs = x.as_slice().iter().zip(y.as_slice()).filter(|(x, _)| !x.is_nan());
    let term = |(x, y): (&f64, &f64)| if *x > 0.0 { x * (x / y).ln() - x + y } else { *y };
    (2.0 * pairs.map(term).sum::<f64>()).sqrt()
}

fn stop(max_iterations: usize) -> StopRule {
    StopRule { kappa: 0.0, max_iterations, max_seconds: None }
}

fn semi(k: usize, iterations: usize, start: Start) -> SemiNmf {
    SemiNmf::new(k).with(FitOptions::default().stop(stop(iterations)).start(start))
}

fn nmf(k: usize, iterations: usize) -> Nmf {
    Nmf::new(k).with(NonNegativeOptions::default().stop(stop(iterations)))
}

pub(super) fn never_rises(what: &str, history: &[f64]) {
    for (before, now) in history.iter().zip(&history[1..]) {
        assert!(*now <= before * (1.0 + 1e-9), "{what}: {before} to {now}");
    }
}

/// Sparse data, the same with their zeros in place, and holes in them.
fn sparse_sample(seed: u64) -> (Matrix<f64>, Sparse<'static, f64>, Vec<(usize, usize)>) {
    let mask = normal::<f64>(15, 40, seed + 1);
    let x = positive::<f64>(15, 40, seed);
    let x =
        Matrix::from_fn(
            15,
            40,
            |i, j| {
                if mask[(i, j)] > 0.2 || i == j % 15 { x[(i, j)] } else { 0.0 }
            },
        );
    let sparse = Sparse::from_dense(&x);
    (x, sparse, some_holes((15, 40), 0.2, seed + 2))
}

/// Data of a kind, and what they lack.
type Case<'a> = (&'a str, Incomplete<'a, f64>, &'a [(usize, usize)]);

/// The filled data by their definition.
fn literal_fill(x: &Matrix<f64>, phi: &Matrix<f64>, h: &Matrix<f64>) -> Matrix<f64> {
    let model = product(phi.view(), h.view());
    Matrix::from_fn(
        x.rows(),
        x.cols(),
        |i, j| {
            if x[(i, j)].is_nan() { model[(i, j)] } else { x[(i, j)] }
        },
    )
}

#[test]
fn every_answer_is_that_of_the_filled_data_or_of_the_observed_entries() {
    let (x, sparse, holes) = sparse_sample(1);
    let places = (0..40).flat_map(|j| (0..15).map(move |i| (i, j)));
    let zeros: Vec<_> = places.filter(|place| x[*place] == 0.0).collect();
    let dense = || Incomplete::from_nan(with_nan(&x, &holes)).unwrap();
    let listed = || Incomplete::with_holes(&sparse, &holes).unwrap();
    let turned = sparse.turned_around();
    let by_feature = || Incomplete::with_holes(&turned, &holes).unwrap();
    let held = || Incomplete::of_held(&sparse);
    let cases: [Case<'_>; 4] = [
        ("dense", dense(), &holes),
        ("listed", listed(), &holes),
        ("by feature", by_feature(), &holes),
        ("held", held(), &zeros),
    ];
    let (phi, h) = (normal::<f64>(15, 3, 5), normal::<f64>(3, 40, 6));
    let (z, g) = (normal::<f64>(15, 4, 7), normal::<f64>(4, 40, 8));
    for exponent in [0, 5, -70] {
        for (what, data, missing) in &cases {
            let known = with_nan(&x, missing);
            let fit = Incomplete::for_fit(data, exponent).unwrap();
            let unit = f64::from(exponent).exp2();
            let phi = phi.map(|v| v * unit);
            let known = known.map(|v| v * unit);
            let left = fit.fill_in(&phi, &h).unwrap().unwrap();
            let close = |a: f64, b: f64| {
                assert!((a / b - 1.0).abs() < 1e-12, "{what} {exponent}: {a} {b}");
            };
            close(left.sqrt(), literal(&known, &phi, &h));
            let filled = literal_fill(&known, &phi, &h);
            let same = |a: &Matrix<f64>, b: &Matrix<f64>| {
                assert!(distance(a, b) < 1e-12, "{what} {exponent}: {}", distance(a, b));
            };
            same(&fit.own_dense().unwrap(), &filled);
            let (mut a, mut b) = (Matrix::zeros(4, 40), Matrix::zeros(4, 40));
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
            let lengths = |x: &dyn DataMatrix<f64>| {
                Matrix::from_vec(1, 40, x.sample_norms_sq().unwrap()).unwrap()
            };
            same(&lengths(&fit), &lengths(&filled));
            let zero = Matrix::zeros(15, 3);
            close(fit.norm_sq().unwrap().sqrt(), literal(&known, &zero, &h));
            let other = z.map(|v| v * unit);
            let found = fit.residual_norm_sq(&other, &g).unwrap().sqrt();
            close(found, literal(&known, &other, &g));
            let scaled = Scaled::new(data, exponent);
            close(scaled.residual_norm_sq(&other, &g).unwrap().sqrt(), found);
            close(scaled.norm_sq().unwrap(), fit.norm_sq().unwrap());
            assert_eq!(data.missing(), missing.len(), "{what}");
        }
    }
    // How they are held makes no difference to who they are, and what is missing does.
    let print = |x: &dyn DataMatrix<f64>| x.fingerprint().unwrap();
    assert_eq!(print(&dense()), print(&listed()));
    assert_eq!(print(&dense()), print(&by_feature()));
    assert_ne!(print(&dense()), print(&x));
    assert_ne!(print(&held()), print(&x));
}

#[test]
fn the_error_is_that_of_the_observed_entries_and_never_rises() {
    let x = product(positive::<f64>(14, 4, 1).view(), positive::<f64>(4, 50, 2).view());
    let noise = positive::<f64>(14, 50, 3);
    let x = Matrix::from_fn(14, 50, |i, j| x[(i, j)] + noise[(i, j)]);
    for share in [0.02, 0.3, 0.8] {
        let known = with_nan(&x, &some_holes((14, 50), share, 4));
        let data = Incomplete::from_nan(known.clone()).unwrap();
        let rules = [HSolver::HALS, HSolver::ACCELERATED, Nmf::MULTIPLICATIVE];
        let mut fits: Vec<(Settings, usize)> = vec![];
        for iterations in [0, 1, 2, 3, 20] {
            for start in [Start::Random, Start::KMeans, Start::Svd, Start::Optimal] {
                fits.push((semi(4, iterations, start).into(), iterations));
            }
            for rule in rules {
                let options = NonNegativeOptions::default().stop(stop(iterations)).solver(rule);
                fits.push((Nmf::new(4).with(options).into(), iterations));
            }
        }
        for (settings, iterations) in fits {
            let model = Factorization::fit(&settings, &data).unwrap();
            let summary = &model.summary;
            let found = literal(&known, &model.factors.z[0], &model.factors.h[0]);
            let what = format!("{share} {iterations} {}", settings.name());
            assert!(
                (summary.error / found - 1.0).abs() < 1e-9,
                "{what}: {} {found}",
                summary.error
            );
            let zero = Matrix::zeros(14, 4);
            let norm = literal(&known, &zero, &model.factors.h[0]);
            assert!((summary.relative_error * norm / found - 1.0).abs() < 1e-9, "{what}");
            assert_eq!((summary.iterations, summary.svd_bound), (iterations, None), "{what}");
            assert_eq!(summary.observed(), 14 * 50 - data.missing());
            never_rises(&what, &summary.history);
        }
    }
}

#[test]
fn with_nothing_missing_no_bit_changes() {
    for tried in every_setting() {
        let plain = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        let data = Incomplete::from_nan(tried.x.clone()).unwrap();
        let same = tried.fit(&data, &mut FitSession::new()).unwrap();
        assert_eq!(same.factors, plain.factors, "{}", tried.what);
        assert_eq!(same.summary.without_times(), plain.summary.without_times(), "{}", tried.what);
    }
}

#[test]
fn a_low_rank_is_recovered_where_nothing_was_observed() {
    let whole = product(positive::<f64>(30, 3, 1).view(), positive::<f64>(3, 120, 2).view());
    let holes = some_holes((30, 120), 0.3, 3);
    let data = Incomplete::from_nan(with_nan(&whole, &holes)).unwrap();
    for settings in [Settings::from(semi(3, 400, Start::Optimal)), nmf(3, 1000).into()] {
        let model = Factorization::fit(&settings, &data).unwrap();
        let found = model.factors.reconstruct(1, &model.factors.h[0]).unwrap();
        let (mut off, mut size) = (0.0, 0.0);
        for place in &holes {
            off += (found[*place] - whole[*place]).powi(2);
            size += whole[*place].powi(2);
        }
        let off = (off / size).sqrt();
        assert!(off < 1e-2, "{}: {off}", settings.name());
    }
}

#[test]
fn sparse_data_give_what_dense_ones_do() {
    let (x, sparse, holes) = sparse_sample(11);
    let places = (0..40).flat_map(|j| (0..15).map(move |i| (i, j)));
    let zeros: Vec<_> = places.filter(|place| x[*place] == 0.0).collect();
    for settings in [
        Settings::from(semi(3, 15, Start::KMeans)),
        semi(3, 1, Start::Optimal).into(),
        nmf(3, 15).into(),
    ] {
        let fit = |x: &dyn DataMatrix<f64>| Factorization::fit(&settings, x).unwrap();
        let same = |a: &Model<f64>, b: &Model<f64>| {
            let off = distance(&a.factors.z[0], &b.factors.z[0]);
            assert!(off < 1e-7, "{}: {off}", settings.name());
            assert!((a.summary.error / b.summary.error - 1.0).abs() < 1e-9);
        };
        let dense = |list: &[(usize, usize)]| Incomplete::from_nan(with_nan(&x, list)).unwrap();
        let turned = sparse.turned_around();
        for sparse in [&sparse, &turned] {
            same(&fit(&Incomplete::with_holes(sparse, &holes).unwrap()), &fit(&dense(&holes)));
            same(&fit(&Incomplete::of_held(sparse)), &fit(&dense(&zeros)));
        }
    }
}

#[test]
fn who_has_nothing_observed_is_named() {
    let x = positive::<f64>(6, 9, 1);
    let mut of_sample = x.clone();
    of_sample.col_mut(3).fill(f64::NAN);
    let feature: Vec<_> = (0..9).map(|j| (4, j)).collect();
    let of_feature = with_nan(&x, &feature);
    for (x, name) in [(of_sample, "sample 4 has"), (of_feature, "feature 5 has")] {
        let refused = |data: &Incomplete<'_, f64>| {
            [SemiNmf::new(2).fit(data).unwrap_err(), Nmf::new(2).fit(data).unwrap_err()]
        };
        for error in refused(&Incomplete::from_nan(x.clone()).unwrap()) {
            assert!(error.to_string().starts_with(name), "{error}");
        }
        let sparse = Sparse::from_dense(&x.map(|v| if v.is_nan() { 0.0 } else { v }));
        for error in refused(&Incomplete::of_held(&sparse)) {
            assert!(error.to_string().starts_with(name), "{error}");
        }
        let errors = on_parts(&[2, 0, 7], |parts| {
            let own = Incomplete::from_nan(x.view_columns(parts.range()).to_matrix()).unwrap();
            SemiNmf::new(2).fit(&PartData::new(&own, parts).unwrap()).unwrap_err().to_string()
        });
        assert!(errors.iter().all(|error| error.starts_with(name)), "{errors:?}");
    }
    let error = SemiNmf::new(2).fit(&with_nan(&x, &[(1, 2)])).unwrap_err().to_string();
    assert!(error.starts_with("sample 3, feature 2 is NaN") && error.contains("--missing nan"));
    let mut infinite = with_nan(&x, &[(1, 2)]);
    infinite[(1, 3)] = f64::INFINITY;
    let error = SemiNmf::new(2).fit(&Incomplete::from_nan(infinite).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("sample 4, feature 2 is inf"), "{error}");
    let mut negative = with_nan(&x, &[(1, 2)]);
    negative[(1, 3)] = -1.0;
    let error = Nmf::new(2).fit(&Incomplete::from_nan(negative).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("sample 4, feature 2 is -1"), "{error}");
    assert!(Incomplete::with_holes(&x, &[(6, 0)]).is_err());
    assert!(Incomplete::with_holes(&x, &[(0, 9)]).is_err());
}

#[test]
fn few_observed_entries_give_an_answer() {
    let x = positive::<f64>(40, 100, 1);
    let one = Matrix::from_fn(40, 100, |i, j| if i == j % 40 { x[(i, j)] } else { f64::NAN });
    let mut few = with_nan(&x, &some_holes((40, 100), 0.99, 2));
    (0..100).for_each(|j| few[(j % 40, j)] = x[(j % 40, j)]);
    for x in [one, few] {
        let data = Incomplete::from_nan(x.clone()).unwrap();
        assert!(data.missing() > 3800);
        for settings in [Settings::from(SemiNmf::new(3)), Nmf::new(3).into()] {
            let model = Factorization::fit(&settings, &data).unwrap();
            let found = literal(&x, &model.factors.z[0], &model.factors.h[0]);
            assert!((model.summary.error - found).abs() < 1e-9, "{} {found}", model.summary.error);
            assert!(model.factors.h[0].as_slice().iter().all(|h| h.is_finite() && *h >= 0.0));
        }
    }
}

#[test]
fn single_precision_agrees_with_double() {
    let x = product(positive::<f64>(14, 4, 1).view(), positive::<f64>(4, 50, 2).view());
    let noise = positive::<f64>(14, 50, 3);
    let x = Matrix::from_fn(14, 50, |i, j| x[(i, j)] + 0.3 * noise[(i, j)]);
    let x = with_nan(&x, &some_holes((14, 50), 0.3, 4));
    for settings in [Settings::from(semi(4, 30, Start::KMeans)), nmf(4, 30).into()] {
        let wide =
            Factorization::fit(&settings, &Incomplete::from_nan(x.clone()).unwrap()).unwrap();
        let narrow = Factorization::fit(&settings, &Incomplete::from_nan(x.cast::<f32>()).unwrap());
        let (a, b) = (wide.summary.error, narrow.unwrap().summary.error);
        assert!((a / b - 1.0).abs() < 1e-3, "{}: {a} {b}", settings.name());
    }
}

#[test]
fn a_unit_changes_nothing_but_the_unit_of_the_result() {
    let x = with_nan(&positive::<f64>(14, 50, 1), &some_holes((14, 50), 0.3, 4));
    for settings in [Settings::from(semi(4, 10, Start::Optimal)), nmf(4, 10).into()] {
        let plain =
            Factorization::fit(&settings, &Incomplete::from_nan(x.clone()).unwrap()).unwrap();
        for exponent in [-900, -40, 3, 900] {
            let mut there = x.clone();
            crate::matrix::scale_by_power(&mut there, exponent);
            let data = Incomplete::from_nan(there).unwrap();
            let scaled = Factorization::fit(&settings, &data).unwrap();
            assert!(scaled.factors.h == plain.factors.h, "{} {exponent}", settings.name());
            let off = scaled.summary.relative_error / plain.summary.relative_error - 1.0;
            assert!(off.abs() < 1e-12, "{off}");
        }
    }
}

#[test]
fn a_second_fit_to_the_same_data_has_the_same_bits() {
    let x = with_nan(&positive::<f64>(14, 50, 1), &some_holes((14, 50), 0.3, 4));
    let data = Incomplete::from_nan(x).unwrap();
    let fit = || Nmf::new(3).fit(&data).unwrap().factors;
    assert_eq!(fit(), fit());
    // Who owns a loop is told that nobody fills in.
    let h = positive::<f64>(3, 50, 2);
    assert!(crate::SemiNmfLoop::new(&data, h, HSolver::HALS).is_err());
}

/// Models that lower a single objective, which their history is.
pub(super) fn is_monotone(what: &str, settings: &Settings) -> bool {
    let text = serde_json::to_string(settings).unwrap();
    // As printed, Algorithm 1 and what is built on it may rise; histories of layers are those of what a layer sees.
    !what.starts_with("as printed") && !text.contains("released") && !what.contains("Algorithm 2")
}

pub(crate) fn incomplete_data(x: &Matrix<f64>) -> Matrix<f64> {
    with_nan(x, &some_holes(x.shape(), 0.2, 77))
}

#[test]
fn every_model_measures_itself_by_the_observed_entries() {
    for tried in every_setting() {
        let known = incomplete_data(&tried.x);
        let data = Incomplete::from_nan(known.clone()).unwrap();
        let fitted = tried.fit(&data, &mut FitSession::new());
        let model = fitted.unwrap_or_else(|error| panic!("{}: {error}", tried.what));
        let depth = model.factors.depth();
        let model_of = model.factors.reconstruct(depth, model.factors.top_features()).unwrap();
        let identity = Matrix::identity(known.cols());
        let found = literal_error(&tried.settings, &known, &model_of, &identity);
        let off = (model.summary.error / found - 1.0).abs();
        assert!(off < 1e-8, "{}: {} {found}", tried.what, model.summary.error);
        let least = if tried.settings.divergence().is_usual() {
            literal(&known, &Matrix::zeros(12, known.cols()), &identity)
        } else {
            tried.settings.divergence().error_of_least_model(&data).unwrap()
        };
        let relative = model.summary.relative_error * least / found;
        assert!((relative - 1.0).abs() < 1e-8, "{}", tried.what);
        assert_eq!((model.summary.svd_bound, model.summary.missing), (None, data.missing()));
        if is_monotone(&tried.what, &tried.settings) {
            for run in &model.summary.runs {
                never_rises(&format!("{} {}", run.stage, tried.what), &run.history);
            }
        }
        assert!(model.was_fitted_to(&data).unwrap());
        assert!(!model.was_fitted_to(&tried.x).unwrap());
    }
}

#[test]
fn every_model_of_incomplete_data_is_the_same_on_parts() {
    for tried in every_setting() {
        let known = incomplete_data(&tried.x);
        let data = Incomplete::from_nan(known.clone()).unwrap();
        let whole = tried.fit(&data, &mut FitSession::new()).unwrap();
        for sizes in [&[20, 41][..], &[7, 0, 54]] {
            let split = on_parts(sizes, |parts| {
                let own = known.view_columns(parts.range()).to_matrix();
                let own = Incomplete::from_nan(own).unwrap();
                let own = PartData::new(&own, parts).unwrap();
                tried.fit_some(&own, parts.range(), &mut FitSession::new()).unwrap()
            });
            let (what, norm) = (&tried.what, tried.x.norm_sq().sqrt());
            let off = (split[0].summary.error - whole.summary.error).abs() / norm;
            assert!(off < 1e-8, "{what}: {off}");
            assert_eq!(split[0].summary.fingerprint, whole.summary.fingerprint, "{what}");
            assert_eq!(split[0].factors.z, split[1].factors.z, "{what}");
            let off = distance(&split[0].factors.z[0], &whole.factors.z[0]);
            assert!(off < 1e-6, "{what}: {off}");
        }
    }
}

/// A single component of counts of which some are missing: neither factor can be improved upon, and where nothing is missing
/// it is the product of the sums.
#[test]
fn the_least_model_of_counts_is_the_best_single_component() {
    let x = positive::<f64>(9, 30, 1);
    let divergence = crate::Divergence::KullbackLeibler;
    let holes = some_holes((9, 30), 0.3, 2);
    let data = Incomplete::from_nan(with_nan(&x, &holes)).unwrap();
    let least = divergence.error_of_least_model(&data).unwrap();
    let one = Nmf::new(1).divergence(divergence);
    let stop = StopRule { kappa: 1e-14, max_iterations: 3000, max_seconds: None };
    let fitted = one.with(NonNegativeOptions::default().stop(stop)).fit(&data).unwrap();
    assert!((fitted.summary.error / least - 1.0).abs() < 1e-6, "{} {least}", fitted.summary.error);
    let complete = Incomplete::with_holes(&x, &[(0, 0)]).unwrap();
    assert!(
        divergence.error_of_least_model(&complete).unwrap()
            < divergence.error_of_least_model(&x).unwrap()
    );
}

/// The features of each sample are those that its observed entries alone would get.
#[test]
fn projections_of_counts_see_the_observed_entries_alone() {
    let x = positive::<f64>(15, 60, 1).map(|v| (3.0 * v).floor());
    let model = Nmf::new(4).divergence(crate::Divergence::KullbackLeibler).fit(&x).unwrap();
    let known = with_nan(&x, &some_holes((15, 60), 0.4, 3));
    let data = Incomplete::from_nan(known.clone()).unwrap();
    let h = model.project(&data, 1, crate::Projection::NonNegative).unwrap();
    for j in 0..60 {
        let seen: Vec<usize> = (0..15).filter(|i| !known[(*i, j)].is_nan()).collect();
        let rows = Matrix::from_fn(seen.len(), 4, |i, k| model.factors.z[0][(seen[i], k)]);
        let column = Matrix::from_fn(seen.len(), 1, |i, _| x[(seen[i], j)]);
        let factors = crate::models::Factors::new(vec![rows], vec![Matrix::zeros(4, 1)]);
        let alone = Model { factors, ..model.clone() };
        let found = alone.project(&column, 1, crate::Projection::NonNegative).unwrap();
        let own = h.view_columns(j..j + 1).to_matrix();
        let error =
            |h: &Matrix<f64>| literal_error(&model.settings, &column, &alone.factors.z[0], h);
        assert!((error(&own) - error(&found)).abs() < 1e-6 * error(&found).max(1.0), "{j}");
    }
}

/// The problem of each sample by its definition.
#[test]
fn projections_solve_the_problem_of_the_observed_entries() {
    let x = product(normal::<f64>(15, 4, 1).view(), positive::<f64>(4, 60, 2).view());
    let model = SemiNmf::new(4).fit(&x).unwrap();
    let holes = some_holes((15, 60), 0.5, 3);
    let known = with_nan(&x, &holes);
    let data = Incomplete::from_nan(known.clone()).unwrap();
    let phi = &model.factors.z[0];
    for method in [crate::Projection::Basis, crate::Projection::NonNegative] {
        let h = model.project(&data, 1, method).unwrap();
        for j in 0..60 {
            let seen: Vec<usize> = (0..15).filter(|i| !known[(*i, j)].is_nan()).collect();
            let rows = Matrix::from_fn(seen.len(), 4, |i, k| phi[(seen[i], k)]);
            let column = Matrix::from_fn(seen.len(), 1, |i, _| x[(seen[i], j)]);
            let alone = crate::models::Factors::new(vec![rows], vec![Matrix::zeros(4, 1)]);
            let alone = Model { factors: alone, ..model.clone() };
            let found = alone.project(&column, 1, method).unwrap();
            let own = h.view_columns(j..j + 1).to_matrix();
            assert!(distance(&own, &found) < 1e-7, "{method:?} {j}");
        }
        // Data of that rank come back with what was missing, where enough was seen.
        let back = model.factors.reconstruct(1, &h).unwrap();
        let seen = |j: usize| (0..15).filter(|i| !known[(*i, j)].is_nan()).count();
        for j in (0..60).filter(|j| seen(*j) > 6 && method == crate::Projection::Basis) {
            let off = (0..15).map(|i| (back[(i, j)] - x[(i, j)]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-2, "{j}: {off}");
        }
    }
}

#[test]
fn every_model_projects_incomplete_samples_no_matter_with_whom() {
    for tried in every_setting() {
        let model = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        let new = normal::<f64>(12, 9, 5)
            .map(|v| if model.settings.abilities().negative_data { v } else { v.abs() });
        let known = with_nan(&new, &some_holes((12, 9), 0.3, 6));
        let data = Incomplete::from_nan(known.clone()).unwrap();
        let complete = Incomplete::from_nan(new.clone()).unwrap();
        let some = Incomplete::from_nan(known.view_columns(2..5).to_matrix()).unwrap();
        for layer in 1..=model.factors.depth() {
            for method in [crate::Projection::Basis, crate::Projection::NonNegative] {
                let Ok(plain) = model.project(&new, layer, method) else { continue };
                assert_eq!(model.project(&complete, layer, method).unwrap(), plain);
                let h = model.project(&data, layer, method).unwrap();
                let of_some = model.project(&some, layer, method).unwrap();
                let off = distance(&h.view_columns(2..5).to_matrix(), &of_some);
                assert!(off < 1e-6, "{} layer {layer} {method:?}: {off}", tried.what);
                assert!(h.as_slice().iter().all(|h| h.is_finite()));
            }
        }
    }
}

#[test]
fn who_hides_more_entries_keeps_those_that_were_missing() {
    let (x, sparse, holes) = sparse_sample(21);
    let data = Incomplete::from_nan(with_nan(&x, &holes[4..])).unwrap();
    let all = Incomplete::from_nan(with_nan(&x, &holes)).unwrap();
    let print = |x: &dyn DataMatrix<f64>| x.fingerprint().unwrap();
    assert_eq!(print(&Incomplete::with_holes(&data, &holes[..4]).unwrap()), print(&all));
    let listed = Incomplete::with_holes(&sparse, &holes[4..]).unwrap();
    assert_eq!(print(&Incomplete::with_holes(&listed, &holes[..4]).unwrap()), print(&all));
}
