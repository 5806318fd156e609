//! Laws of components that stay as they are.

use super::{
    DeepSemiNmf, ElasticNet, Factorization, FitOptions, FixedComponents, Model, Neighbourhood, Nmf,
    NonNegativeOptions, SemiNmf, Settings,
};
use crate::init::{NonNegativeStart, ScaleIn, Start};
use crate::matrix::{DataMatrix, Incomplete, Matrix, PartColumns, Sparse, product};
use crate::objective::Divergence;
use crate::project::Projection;
use crate::split_tests::on_parts;
use crate::stop::StopRule;
use crate::testing::{distance, normal, positive};
use crate::update::rows_of;
use crate::{FitSession, HSolver};

const NONE: FixedComponents<f64> = FixedComponents { bases: None, features: None };

fn steps(max_iterations: usize) -> StopRule {
    StopRule { kappa: 0.0, max_iterations, max_seconds: None }
}

/// Every model, rule and start that takes them, with four components.
fn every_one(stop: &StopRule) -> Vec<(String, Settings)> {
    let mut all: Vec<(String, Settings)> = vec![];
    let solvers = [HSolver::HALS, HSolver::ACCELERATED, HSolver::MULTIPLICATIVE];
    for start in [Start::Optimal, Start::Svd, Start::KMeans, Start::Random] {
        for solver in solvers {
            let options = FitOptions::default().stop(*stop).start(start).solver(solver);
            all.push((format!("semi {start:?} {solver:?}"), SemiNmf::new(4).with(options).into()));
        }
    }
    let options = |start| NonNegativeOptions::default().stop(*stop).start(start);
    for start in [NonNegativeStart::Nndsvd, NonNegativeStart::Nndsvda, NonNegativeStart::Random] {
        for solver in [HSolver::HALS, HSolver::ACCELERATED, Nmf::MULTIPLICATIVE] {
            let nmf = Nmf::new(4).with(options(start).solver(solver));
            all.push((format!("nmf {start:?} {solver:?}"), nmf.into()));
        }
        let kl = Nmf::new(4).with(options(start)).divergence(Divergence::KullbackLeibler);
        all.push((format!("nmf kl {start:?}"), kl.into()));
    }
    all
}

/// Two known basis vectors and one known row of features.
fn known(p: usize, n: usize) -> FixedComponents<f64> {
    let zeros = |v: f64| if v < 0.5 { 0.0 } else { v };
    FixedComponents {
        bases: Some(positive::<f64>(p, 2, 11).map(zeros)),
        features: Some(positive::<f64>(1, n, 12).map(zeros)),
    }
}

fn fit(settings: &Settings, x: &dyn DataMatrix<f64>, fixed: FixedComponents<f64>) -> Model<f64> {
    settings
        .fit_fixed(x, fixed, None, &mut FitSession::new())
        .unwrap_or_else(|error| panic!("{}: {error}", settings.name()))
}

fn assert_stays(what: &str, model: &Model<f64>, known: &FixedComponents<f64>) {
    let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
    if let Some(bases) = &known.bases {
        assert_eq!(z.view_columns(0..bases.cols()).to_matrix(), *bases, "{what}");
    }
    if let Some(features) = &known.features {
        let k = h.rows();
        assert_eq!(rows_of(h, &(k - features.rows()..k)), *features, "{what}");
    }
}

#[test]
fn what_is_known_stays_to_the_bit_and_the_objective_never_rises() {
    let x = positive::<f64>(9, 50, 1);
    for exponent in [0, 90] {
        let unit = f64::from(exponent).exp2();
        let (x, all) = (x.map(|v| v * unit), known(9, 50));
        let bases = all.bases.as_ref().map(|bases| bases.map(|v| v * unit));
        for known in [
            FixedComponents { bases: bases.clone(), features: None },
            FixedComponents { bases: None, features: all.features.clone() },
            FixedComponents { bases, features: all.features.clone() },
        ] {
            for (what, settings) in every_one(&steps(12)) {
                let model = fit(&settings, &x, known.clone());
                assert_stays(&what, &model, &known);
                let history = &model.summary.history;
                for (before, now) in history.iter().zip(&history[1..]) {
                    assert!(*now <= before * (1.0 + 1e-9), "{what}: {before} to {now}");
                }
                let z = &model.factors.z[0];
                let own = model.error_of(&x, 1, &model.factors.h[0]).unwrap();
                assert!((own / model.summary.error - 1.0).abs() < 1e-8, "{what}");
                assert!(z.as_slice().iter().all(|v| v.is_finite()), "{what}");
            }
        }
    }
}

#[test]
fn with_nothing_known_it_is_the_model_itself_to_the_bit() {
    let x = positive::<f64>(9, 50, 1);
    for (what, settings) in every_one(&steps(6)) {
        let plain = settings.fit(&x, &[], &mut FitSession::new()).unwrap();
        assert_eq!(fit(&settings, &x, NONE).factors, plain.factors, "{what}");
    }
}

#[test]
fn with_all_bases_known_the_features_are_the_projection_on_them() {
    let (x, bases) = (positive::<f64>(9, 50, 1), positive::<f64>(9, 4, 2));
    let stop = StopRule { kappa: 1e-14, max_iterations: 3000, max_seconds: None };
    for (what, settings) in every_one(&stop) {
        if what.contains("Multiplicative") || what.contains("Random") {
            continue; // these take their time
        }
        let known = FixedComponents { bases: Some(bases.clone()), features: None };
        let model = fit(&settings, &x, known);
        let projected = model.project(&x, 1, Projection::NonNegative).unwrap();
        let error = |h: &Matrix<f64>| model.error_of(&x, 1, h).unwrap();
        let least = error(&projected);
        assert!((error(&model.factors.h[0]) / least - 1.0).abs() < 1e-5, "{what}");
    }
}

#[test]
fn what_is_not_known_of_planted_components_is_found() {
    let sparse = |v: f64| if v < 0.7 { 0.0 } else { v };
    let (z, h) = (positive::<f64>(30, 4, 1).map(sparse), positive::<f64>(4, 200, 2).map(sparse));
    let x = product(z.view(), h.view());
    let known = FixedComponents {
        bases: Some(z.view_columns(0..2).to_matrix()),
        features: Some(rows_of(&h, &(3..4))),
    };
    let stop = StopRule { kappa: 1e-12, max_iterations: 3000, max_seconds: None };
    let options = NonNegativeOptions::default().stop(stop);
    let nmf = Nmf::new(4).with(options);
    let kl = nmf.clone().divergence(Divergence::KullbackLeibler);
    for settings in [Settings::from(nmf), kl.into()] {
        let model = fit(&settings, &x, known.clone());
        assert!(model.summary.relative_error < 1e-3, "{}", model.summary.relative_error);
        let [found, planted] = [&model.factors.z[0], &z].map(|z| {
            let column = z.view_columns(2..3).to_matrix();
            let length = column.norm_sq().sqrt();
            column.map(|v| v / length)
        });
        assert!(distance(&found, &planted) < 0.02, "{}", distance(&found, &planted));
    }
}

#[test]
fn sparse_split_and_weighted_data_agree_with_dense_ones() {
    let x = positive::<f64>(9, 84, 1).map(|v| if v < 0.6 { 0.0 } else { v });
    let known = known(9, 84);
    for (what, settings) in every_one(&steps(3)) {
        let dense = fit(&settings, &x, known.clone());
        let sparse = fit(&settings, &Sparse::from_dense(&x), known.clone());
        assert!(distance(&dense.factors.z[0], &sparse.factors.z[0]) < 1e-8, "{what}: sparse");
        let parts = on_parts(&[20, 64], |parts| {
            let columns = |a: &Matrix<f64>| a.view_columns(parts.range()).to_matrix();
            let own = FixedComponents {
                bases: known.bases.clone(),
                features: known.features.as_ref().map(columns),
            };
            let held = columns(&x);
            fit(&settings, &PartColumns::new(held.view(), parts), own).factors
        });
        for part in &parts {
            assert!(distance(&dense.factors.z[0], &part.z[0]) < 1e-8, "{what}: split");
        }
        if what.contains("Random") || what.contains("Nndsvda") {
            continue; // they begin with other numbers
        }
        let weights: Vec<f64> = (0..84).map(|j| f64::from(1 + j % 3)).collect();
        let places: Vec<usize> = (0..84).flat_map(|j| vec![j; 1 + j % 3]).collect();
        let repeated =
            |a: &Matrix<f64>| Matrix::from_fn(a.rows(), places.len(), |i, j| a[(i, places[j])]);
        let copies = FixedComponents {
            bases: known.bases.clone(),
            features: known.features.as_ref().map(repeated),
        };
        let copied = fit(&settings, &repeated(&x), copies);
        let weighted =
            settings.fit_fixed(&x, known.clone(), Some(&weights), &mut FitSession::new()).unwrap();
        assert_stays(&what, &weighted, &known);
        let off = distance(&weighted.factors.z[0], &copied.factors.z[0]);
        assert!(off < 1e-6, "{what}: weighted, {off}");
    }
}

#[test]
fn incomplete_data_are_measured_by_what_is_observed() {
    let x = positive::<f64>(9, 50, 1);
    let hidden: Vec<(usize, usize)> = (0..50).map(|j| (j * 7 % 9, j)).collect();
    let data = Incomplete::with_holes(&x, &hidden).unwrap();
    for (what, settings) in every_one(&steps(12)) {
        let model = fit(&settings, &data, known(9, 50));
        assert_stays(&what, &model, &known(9, 50));
        assert_eq!(model.summary.missing, 50);
        let own = model.error_of(&data, 1, &model.factors.h[0]).unwrap();
        assert!((own / model.summary.error - 1.0).abs() < 1e-8, "{what}");
        let history = &model.summary.history;
        assert!(history.iter().zip(&history[1..]).all(|(a, b)| *b <= a * (1.0 + 1e-9)), "{what}");
    }
}

#[test]
fn what_cannot_stay_is_refused_with_the_reason() {
    let x = normal::<f64>(9, 50, 1);
    let refused = |settings: Settings, x: &Matrix<f64>, known: FixedComponents<f64>| {
        let fitted = settings.fit_fixed(x, known, None, &mut FitSession::new());
        fitted.expect_err("it is refused").to_string()
    };
    let semi = || Settings::from(SemiNmf::new(4));
    let bases = |bases| FixedComponents { bases: Some(bases), features: None };
    let features = |features| FixedComponents { bases: None, features: Some(features) };
    let some = || bases(positive::<f64>(9, 1, 2));
    let text = refused(DeepSemiNmf::new([4, 2]).into(), &x, some());
    assert!(text.contains("deep-semi-nmf leaves none") && text.contains("semi-nmf, nmf"), "{text}");
    let near = SemiNmf::new(4).neighbourhood(Neighbourhood::of([3]));
    assert!(refused(near.into(), &x, some()).contains("neighbours"));
    let small = Nmf::new(4).penalty(ElasticNet::new(0.1, 0.1, 0.5));
    assert!(refused(small.into(), &x.map(f64::abs), some()).contains("elastic-net"));
    let scale = SemiNmf::new(4).with(FitOptions::default().scale(ScaleIn::H));
    assert!(refused(scale.into(), &x, some()).contains("features that carry the scale"));
    assert!(refused(semi(), &x, bases(positive(8, 1, 2))).contains("9, as the data have"));
    assert!(refused(semi(), &x, features(positive(1, 51, 2))).contains("50, as the data have"));
    assert!(refused(semi(), &x, bases(positive(9, 5, 2))).contains("4 components in all"));
    assert!(refused(semi(), &x, features(normal(2, 50, 2))).contains("must not be negative"));
    let nmf = Settings::from(Nmf::new(4));
    assert!(refused(nmf, &x.map(f64::abs), bases(normal(9, 2, 2))).contains("fixed basis"));
    let mut broken = positive::<f64>(9, 2, 2);
    broken[(3, 1)] = f64::NAN;
    assert!(refused(semi(), &x, bases(broken)).contains("NaN"));
}
