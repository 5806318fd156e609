use super::*;
use crate::driver::FitSession;
use crate::matrix::Matrix;
use crate::models::{DeepSemiNmf, FitOptions, Gnmf, Nmf, NonNegativeOptions};
use crate::stop::StopRule;
use crate::testing::{distance, normal, positive};
use crate::update::HSolver;

/// Samples of a few components with noise, in no order.
fn samples(n: usize, seed: u64) -> Matrix<f64> {
    let z = normal::<f64>(15, 4, 1).map(f64::abs);
    let h = normal::<f64>(4, n, seed).map(|v| v.max(0.0));
    let noise = normal::<f64>(15, n, seed + 1);
    let exact = crate::matrix::product(z.view(), h.view());
    Matrix::from_fn(15, n, |i, j| (exact[(i, j)] + 0.05 * noise[(i, j)]).abs())
}

fn batches(x: &Matrix<f64>, size: usize) -> impl Iterator<Item = Matrix<f64>> {
    let n = x.cols();
    (0..n).step_by(size).map(move |start| x.view_columns(start..(start + size).min(n)).to_matrix())
}

fn settings() -> [Settings; 3] {
    [SemiNmf::new(4).into(), Nmf::new(4).into(), DeepSemiNmf::new([6, 4]).into()]
}

/// `Tr(Z A Z^T) / 2 - Tr(Z^T B)`, as it is written.
fn bound(z: &Matrix<f64>, sums: &Sums) -> f64 {
    let za = crate::matrix::product(z.view(), sums.hht.view());
    za.inner(z) / 2.0 - z.inner(&sums.x_ht)
}

#[test]
fn sums_are_those_of_the_samples() {
    let x = samples(60, 3);
    let mut learner = Learner::begin(&settings()[0], &x.view_columns(0..20).to_matrix()).unwrap();
    let (z, before) = (learner.model().factors.z[0].clone(), learner.progress().clone());
    let batch = x.view_columns(20..60).to_matrix();
    learner.learn(&batch).unwrap();
    let h = non_negative(&batch, &z).unwrap();
    let fading = (20.0f64 / 60.0).powf(FADING);
    let Sums { hht, x_ht } = &learner.progress().sums;
    for r in 0..4 {
        for s in 0..4 {
            let new: f64 = (0..40).map(|j| h[(r, j)] * h[(s, j)]).sum();
            let expected = fading * before.sums.hht[(r, s)] + new;
            assert!((hht[(r, s)] - expected).abs() < 1e-10 * expected.abs().max(1.0));
        }
        for i in 0..15 {
            let new: f64 = (0..40).map(|j| batch[(i, j)] * h[(r, j)]).sum();
            let expected = fading * before.sums.x_ht[(i, r)] + new;
            assert!((x_ht[(i, r)] - expected).abs() < 1e-10 * expected.abs().max(1.0));
        }
    }
    assert!((learner.progress().samples - 60.0).abs() < 1e-12);
}

#[test]
fn a_basis_never_raises_the_bound_of_what_was_seen() {
    let x = samples(300, 5);
    for solver in [HSolver::HALS, HSolver::ACCELERATED, Nmf::LEE_SEUNG] {
        let nmf = Nmf::new(4).with(NonNegativeOptions::default().solver(solver));
        for settings in [nmf.into(), settings()[0].clone()] {
            let rule = Rule::of(&settings);
            let mut all = batches(&x, 50);
            let learner = Learner::begin(&settings, &all.next().unwrap()).unwrap();
            let (mut z, mut sums) =
                (learner.model().factors.z[0].clone(), learner.progress().sums.clone());
            for batch in all {
                sums.add(&batch, &non_negative(&batch, &z).unwrap(), 0.7).unwrap();
                let before = bound(&z, &sums);
                rule.update(&mut z, &[], &sums).unwrap();
                assert!(bound(&z, &sums) <= before + 1e-9 * before.abs(), "{}", settings.name());
            }
        }
    }
}

#[test]
fn a_basis_by_least_squares_is_where_the_slope_vanishes() {
    let x = samples(200, 7);
    let mut learner = Learner::begin(&settings()[0], &x.view_columns(0..100).to_matrix()).unwrap();
    learner.learn(&x.view_columns(100..200).to_matrix()).unwrap();
    let (z, sums) = (&learner.model().factors.z[0], &learner.progress().sums);
    let za = crate::matrix::product(z.view(), sums.hht.view());
    assert!(distance(&za, &sums.x_ht) < 1e-10);
}

/// Below others a basis comes to the same product, and no other is better.
#[test]
fn the_first_basis_of_many_makes_the_best_product() {
    let mut sums = Sums { hht: Matrix::zeros(3, 3), x_ht: Matrix::zeros(9, 3) };
    sums.add(&normal::<f64>(9, 40, 1), &positive::<f64>(3, 40, 2), 1.0).unwrap();
    let mut alone = Matrix::<f64>::zeros(9, 3);
    Rule::LeastSquares.update(&mut alone, &[], &sums).unwrap();
    let above = [normal::<f64>(6, 4, 3), normal::<f64>(4, 3, 4)];
    let mut first = normal::<f64>(9, 6, 5);
    Rule::LeastSquares.update(&mut first, &above, &sums).unwrap();
    let whole = crate::models::chain(&[first, above[0].clone(), above[1].clone()]);
    assert!(distance(&whole, &alone) < 1e-9);
}

/// Directions that no sample has used stay as they are.
#[test]
fn components_that_nobody_uses_keep_their_basis() {
    let mut sums = Sums { hht: Matrix::zeros(3, 3), x_ht: Matrix::zeros(5, 3) };
    let h = Matrix::from_fn(3, 10, |r, j| if r == 2 { 0.0 } else { (r + j) as f64 });
    sums.add(&positive::<f64>(5, 10, 1), &h, 1.0).unwrap();
    let old = positive::<f64>(5, 3, 2);
    let mut z = old.clone();
    Rule::LeastSquares.update(&mut z, &[], &sums).unwrap();
    assert!((0..5).all(|i| (z[(i, 2)] - old[(i, 2)]).abs() < 1e-12));
    assert!(distance(&z, &old) > 0.1);
}

#[test]
fn one_pass_over_a_stream_comes_near_the_fit_to_all_of_it() {
    let x = samples(4000, 11);
    for settings in settings() {
        let mut all = batches(&x, 100);
        let mut learner = Learner::begin(&settings, &all.next().unwrap()).unwrap();
        for batch in all {
            learner.learn(&batch).unwrap();
        }
        let model = learner.into_model();
        let depth = model.factors.depth();
        let h = model.project(&x, depth, crate::Projection::NonNegative).unwrap();
        let found = model.error_of(&x, depth, &h).unwrap();
        let whole = settings.fit(&x, &[], &mut FitSession::new()).unwrap().summary.error;
        assert!(found < 1.02 * whole, "{}: {found} beside {whole}", settings.name());
        let smallest = h.as_slice().iter().copied().fold(0.0, f64::min);
        assert!(smallest >= 0.0);
    }
}

#[test]
fn passes_in_batches_come_nearer() {
    let x = samples(1000, 13);
    for settings in settings() {
        let stop = |passes| StopRule { max_iterations: passes, ..StopRule::default() };
        let fit = |passes| {
            settings.fit_in_batches(&x, 50, &stop(passes), &mut FitSession::new()).unwrap()
        };
        let (one, many) = (fit(1), fit(20));
        let whole = settings.fit(&x, &[], &mut FitSession::new()).unwrap().summary.error;
        assert!(many.summary.error <= one.summary.error * (1.0 + 1e-6), "{}", settings.name());
        assert!(many.summary.error < 1.005 * whole, "{}", settings.name());
        assert_eq!(many.factors.top_features().cols(), 1000);
        assert!(many.was_fitted_to(&x).unwrap());
        assert_eq!(many.summary.runs.len(), 1);
    }
}

#[test]
fn passes_that_were_interrupted_go_on_and_end_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let x = samples(400, 31);
    let stop = StopRule { kappa: 0.0, max_iterations: 6, max_seconds: None };
    for settings in settings() {
        let fit = |session: FitSession<'_>| {
            let mut session = session;
            settings.fit_in_batches(&x, 50, &stop, &mut session).unwrap()
        };
        let whole = fit(FitSession::new());
        let checkpoints = || {
            let folder = folder.path().join(settings.name());
            crate::Checkpoints::new(folder).every(std::time::Duration::ZERO).resume(true)
        };
        let cancel = crate::CancelToken::new();
        let mut early = |event: &crate::Event| {
            if matches!(event, crate::Event::Iteration { iteration: 3, .. }) {
                cancel.cancel();
            }
        };
        let session = FitSession::new().observed_by(&mut early).stopped_by(cancel.clone());
        let cut = fit(session.checkpointed(checkpoints()));
        assert_eq!(cut.summary.iterations, 3);
        let resumed = fit(FitSession::new().checkpointed(checkpoints()));
        assert_eq!(resumed.factors, whole.factors, "{}", settings.name());
        assert_eq!(resumed.summary.without_times(), whole.summary.without_times());
    }
}

#[test]
fn the_unit_of_the_data_changes_no_digit() {
    let x = samples(120, 17);
    let run = |factor: f64| {
        let x = x.clone().map(|v| v * factor);
        let mut all = batches(&x, 40);
        let mut learner = Learner::begin(&settings()[1], &all.next().unwrap()).unwrap();
        let errors: Vec<f64> = all.map(|batch| learner.learn(&batch).unwrap() / factor).collect();
        (errors, learner.into_model().factors.z[0].clone().map(|v| v / factor))
    };
    let (errors, z) = run(1.0);
    let (small_errors, small) = run(2f64.powi(-600));
    assert!(distance(&z, &small) < 1e-10, "{}", distance(&z, &small));
    assert!(errors.iter().zip(small_errors).all(|(a, b)| (a - b).abs() < 1e-9 * a));
}

#[test]
fn a_learner_goes_on_where_another_was_put_away() {
    let x = samples(200, 19);
    for settings in settings() {
        let all: Vec<_> = batches(&x, 50).collect();
        let mut learner = Learner::begin(&settings, &all[0]).unwrap();
        learner.learn(&all[1]).unwrap();
        let (model, progress) = (learner.model().clone(), learner.progress().clone());
        let mut other = Learner::resume(model, Some(progress)).unwrap();
        for batch in &all[2..] {
            assert_eq!(
                learner.learn(batch).unwrap().to_bits(),
                other.learn(batch).unwrap().to_bits()
            );
        }
        assert_eq!(learner.model().factors.z, other.model().factors.z);
    }
}

#[test]
fn what_cannot_be_learnt_from_is_refused_and_loses_nothing() {
    let x = samples(60, 23);
    for (other, why) in [
        (Gnmf::new(3).into(), "gnmf"),
        (Nmf::new(3).divergence(Divergence::KullbackLeibler).into(), "Kullback-Leibler"),
        (DeepSemiNmf::new([5, 3]).activation(Activation::Relu).into(), "nonlinear"),
    ] {
        let message = Learner::<f64>::begin(&other, &x).unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    }
    let mut learner = Learner::begin(&settings()[1], &x).unwrap();
    let before = learner.model().clone();
    assert!(learner.learn(&Matrix::zeros(14, 3)).is_err());
    assert!(learner.learn(&x.clone().map(|v| -v)).is_err());
    let mut bad = x.clone();
    bad[(3, 7)] = f64::NAN;
    assert!(learner.learn(&bad).unwrap_err().to_string().contains("sample 8, feature 4"));
    assert_eq!(*learner.model(), before);
    let small = settings()[2].fit_in_batches(&x, 3, &StopRule::default(), &mut FitSession::new());
    assert!(small.unwrap_err().to_string().contains("a batch needs as many samples"));
}

#[test]
fn f32_learns_what_f64_does() {
    let x = samples(300, 29);
    let run = |options: FitOptions| SemiNmf::new(4).with(options).into();
    let settings: Settings = run(FitOptions::default());
    let mut wide = Learner::begin(&settings, &x.view_columns(0..100).to_matrix()).unwrap();
    let mut narrow =
        Learner::begin(&settings, &x.view_columns(0..100).to_matrix().cast::<f32>()).unwrap();
    for start in [100, 200] {
        let batch = x.view_columns(start..start + 100).to_matrix();
        let (a, b) = (wide.learn(&batch).unwrap(), narrow.learn(&batch.cast::<f32>()).unwrap());
        assert!((a - b).abs() < 1e-3 * a, "{a} and {b}");
    }
}
