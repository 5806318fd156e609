use proptest::prelude::*;

use super::*;
use crate::driver::FitSession;
use crate::matrix::{Matrix, SvdMethod, truncated_svd};
use crate::models::{Factorization, Factors, FitOptions, WarmStart};
use crate::observe::Event;
use crate::stop::{CancelToken, StopReason, StopRule};
use crate::testing::{distance, literal_error, literal_product, normal, optimality, positive};
use crate::update::HSolver;
use crate::{Start, models::Notice};

const SOLVERS: [HSolver; 3] = [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED];

fn iterations(kappa: f64, max_iterations: usize) -> StopRule {
    StopRule { kappa, max_iterations, max_seconds: None }
}

#[test]
fn no_factorization_is_better_than_the_smallest_error() {
    let x = positive::<f64>(12, 30, 3);
    let model = SemiNmf::new(4).fit(&x).unwrap();
    let least = crate::smallest_error(&x, 4, 0).unwrap();
    assert!((model.summary.svd_bound.unwrap() - least).abs() < 1e-9 * least);
    assert!(crate::smallest_error(&x, 99, 0).unwrap() < 1e-12);
    assert!(crate::smallest_error(&x, 0, 0).is_err());
}

#[test]
fn features_of_the_wrong_shape_rebuild_nothing() {
    let model = SemiNmf::new(4).fit(&positive::<f64>(12, 30, 3)).unwrap();
    let told = model.factors.reconstruct(1, &Matrix::zeros(3, 2)).unwrap_err().to_string();
    assert!(told.contains("found 3 x 2, but 4 x 2"), "{told}");
}

#[test]
fn the_error_is_that_of_the_factors() {
    let x = normal::<f64>(12, 80, 1);
    let model = SemiNmf::new(4).fit(&x).unwrap();
    let error = literal_error(&x, &model.factors.z[0], &model.factors.h[0]);
    assert!((model.summary.error - error).abs() < 1e-9 * error);
    assert!((model.summary.relative_error - error / x.norm_sq().sqrt()).abs() < 1e-9);
    assert_eq!(model.summary.history.last(), Some(&model.summary.error));
    assert_eq!(model.summary.history.len(), model.summary.iterations + 1);
}

#[test]
fn the_bound_is_the_singular_value_bound() {
    let x = normal::<f64>(12, 80, 1);
    let svd = truncated_svd(&x, 12, SvdMethod::Exact, 0).unwrap();
    let bound = svd.s[4..].iter().map(|s| s * s).sum::<f64>().sqrt();
    for start in [Start::Random, Start::Optimal] {
        let model = SemiNmf::new(4).with(FitOptions::default().start(start)).fit(&x).unwrap();
        assert!((model.summary.svd_bound.unwrap() - bound).abs() < 1e-9 * bound);
        assert!((model.summary.gap.unwrap() - (model.summary.error / bound - 1.0)).abs() < 1e-9);
    }
    let full = SemiNmf::new(12).fit(&positive::<f64>(12, 80, 1)).unwrap();
    assert_eq!((full.summary.svd_bound, full.summary.gap), (Some(0.0), None));
    assert!(full.summary.relative_error < 1e-9);
}

#[test]
fn non_negative_data_end_at_the_bound() {
    let model = SemiNmf::new(5).fit(&positive::<f64>(20, 90, 2)).unwrap();
    assert!(model.summary.gap.unwrap().abs() < 1e-9);
    assert_eq!(model.summary.stop, StopReason::Converged);
    assert!(model.summary.notices.is_empty());
}

#[test]
fn symmetric_data_tell_that_no_positive_vector_exists() {
    let half = normal::<f64>(6, 20, 3);
    let x = Matrix::from_fn(6, 40, |i, j| if j < 20 { half[(i, j)] } else { -half[(i, j - 20)] });
    let model = SemiNmf::new(3).fit(&x).unwrap();
    assert_eq!(model.summary.notices, [Notice::NoPositiveVector { layer: 1 }]);
}

#[test]
fn coordinate_descent_and_accelerated_gradients_end_where_features_are_optimal() {
    let parts = literal_product(normal::<f64>(15, 3, 4).view(), positive::<f64>(3, 60, 5).view());
    let noise = normal::<f64>(15, 60, 6);
    let x = Matrix::from_fn(15, 60, |i, j| parts[(i, j)] + 0.3 * noise[(i, j)]);
    for solver in [HSolver::HALS, HSolver::ACCELERATED] {
        let options = FitOptions::default().start(Start::Random).solver(solver);
        let model = SemiNmf::new(3).with(options.stop(iterations(0.0, 5000))).fit(&x).unwrap();
        let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
        let (gram, b) = (literal_product(z.t(), z.view()), literal_product(z.t(), x.view()));
        assert!(optimality(&gram, &b, h) < 1e-6, "{solver:?} {}", optimality(&gram, &b, h));
    }
}

#[test]
fn single_precision_ends_where_double_does() {
    let x = positive::<f64>(30, 200, 5);
    let wide = SemiNmf::new(6).fit(&x).unwrap();
    let narrow = SemiNmf::new(6).fit(&x.cast::<f32>()).unwrap();
    assert!((wide.summary.error / narrow.summary.error - 1.0).abs() < 1e-4);
}

#[test]
fn a_borrowed_fortran_ordered_array_gives_the_same_model() {
    let x = positive::<f64>(9, 40, 6);
    let by_feature = x.t().to_matrix();
    let view = crate::MatrixView::strided(by_feature.as_slice(), 9, 40, 40, 1).unwrap();
    let (owned, borrowed) = (SemiNmf::new(3).fit(&x).unwrap(), SemiNmf::new(3).fit(&view).unwrap());
    assert!(distance(&borrowed.factors.h[0], &owned.factors.h[0]) < 1e-8);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let x = normal::<f64>(300, 700, 7);
    for start in [Start::Random, Start::KMeans, Start::Svd, Start::Optimal] {
        for solver in SOLVERS {
            let options = FitOptions::default().start(start).solver(solver);
            let model = SemiNmf::new(12).with(options.stop(iterations(1e-6, 8)));
            let fit = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| model.fit(&x).unwrap())
            };
            let (one, two, three) = (fit(1), fit(2), fit(3));
            assert_eq!(one.factors, two.factors, "{start:?} {solver:?}");
            assert_eq!(one.factors, three.factors, "{start:?} {solver:?}");
        }
    }
}

#[test]
fn given_features_are_where_it_begins() {
    let x = normal::<f64>(8, 30, 1);
    let h = positive::<f64>(3, 30, 2);
    let options = FitOptions::default().stop(iterations(1e-6, 0));
    let from = |model: SemiNmf, h: &Matrix<f64>| {
        let given = WarmStart::Factors(Factors::new(vec![], vec![h.clone()]));
        model.fit_from(&x, given, &mut FitSession::new())
    };
    let model = from(SemiNmf::new(3).with(options), &h).unwrap();
    assert_eq!(model.factors.h[0], h);
    for bad in [positive::<f64>(2, 30, 2), h.map(|v| v - 1.0), h.map(|_| f64::NAN)] {
        assert!(from(SemiNmf::new(3), &bad).is_err());
    }
}

#[test]
fn every_reason_to_stop_is_told() {
    let x = normal::<f64>(20, 60, 1);
    let random = FitOptions::default().start(Start::Random);
    let fit = |stop| SemiNmf::new(4).with(random.clone().stop(stop)).fit(&x).unwrap().summary;
    assert_eq!(fit(iterations(1e-3, 1000)).stop, StopReason::Converged);
    let few = fit(iterations(0.0, 3));
    assert_eq!((few.stop, few.iterations), (StopReason::MaxIterations, 3));
    let hasty = fit(StopRule { kappa: 0.0, max_iterations: 1000, max_seconds: Some(0.0) });
    assert_eq!((hasty.stop, hasty.iterations), (StopReason::TimeBudget, 0));
}

#[test]
fn a_fit_can_be_stopped_and_keeps_the_best_so_far() {
    let x = normal::<f64>(20, 60, 1);
    let cancel = CancelToken::new();
    let mut seen = Vec::new();
    let switch = cancel.clone();
    let mut observer = |event: &Event| {
        if let Event::Iteration { iteration, error, .. } = *event {
            seen.push(error);
            if iteration == 2 {
                switch.cancel();
            }
        }
    };
    let options = FitOptions::default().start(Start::Random).stop(iterations(0.0, 1000));
    let mut session = FitSession::new().observed_by(&mut observer).stopped_by(cancel);
    let model = SemiNmf::new(4).with(options).fit_in(&x, &[], &mut session).unwrap();
    assert_eq!(model.summary.stop, StopReason::Cancelled);
    assert_eq!(model.summary.history, seen);
    assert_eq!(seen.len(), 3);
}

#[test]
fn settings_and_data_that_do_not_fit_are_refused_in_words() {
    let x = normal::<f64>(5, 10, 1);
    let message = |model: SemiNmf, x: &Matrix<f64>| model.fit(x).unwrap_err().to_string();
    let told = message(SemiNmf::new(0), &x);
    assert!(told.contains("components is 0") && told.contains("between 1 and 10"), "{told}");
    assert!(message(SemiNmf::new(11), &x).contains("components is 11"));
    let options = FitOptions::default().stop(iterations(f64::NAN, 10));
    assert!(message(SemiNmf::new(2).with(options), &x).contains("kappa is NaN"));
    let budget = StopRule { max_seconds: Some(-1.0), ..StopRule::default() };
    let options = FitOptions::default().stop(budget);
    assert!(message(SemiNmf::new(2).with(options), &x).contains("time budget is -1"));
    let mut spoilt = x.clone();
    spoilt[(1, 2)] = f64::NAN;
    assert!(message(SemiNmf::new(2), &spoilt).contains("sample 3, feature 2 is NaN"));
}

#[test]
fn data_of_zeros_fit_perfectly() {
    let model = SemiNmf::new(2).fit(&Matrix::<f64>::zeros(4, 6)).unwrap();
    assert_eq!((model.summary.error, model.summary.relative_error), (0.0, 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_objective_never_rises(
        p in 1usize..14, n in 2usize..40, k in 1usize..8, seed in 0u64..1000, signed: bool,
    ) {
        prop_assume!(k <= n);
        let x = if signed { normal::<f64>(p, n, seed) } else { positive(p, n, seed) };
        let scale = x.norm_sq().sqrt();
        for solver in SOLVERS {
            for start in [Start::Random, Start::Svd, Start::Optimal] {
                let options = FitOptions::default().start(start).solver(solver).seed(seed);
                let model = SemiNmf::new(k).with(options.stop(iterations(0.0, 30)));
                let history = model.fit(&x).unwrap().summary.history;
                for pair in history.windows(2) {
                    prop_assert!(pair[1] <= pair[0] + 1e-9 * scale, "{solver:?} {start:?} {pair:?}");
                }
            }
        }
    }
}

#[test]
fn the_clock_counts_from_the_beginning_of_the_loop() {
    let model = SemiNmf::new(4).fit(&normal::<f64>(60, 400, 1)).unwrap();
    let run = &model.summary.runs[0];
    assert!(run.clock.is_sorted() && run.clock.len() == run.history.len());
    assert!(run.clock[run.iterations] <= run.seconds);
}
