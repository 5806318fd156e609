use super::*;
use crate::Start;
use crate::driver::{Algorithm, FitSession};
use crate::matrix::{Matrix, Parts, SvdMethod, pseudo_inverse, truncated_svd};
use crate::models::deep_semi_nmf::literal::{LiteralLoop, Printed};
use crate::models::graphs::Graphs;
use crate::models::{Factorization, Factors, FitOptions, Notice, SemiNmf, WarmStart};
use crate::observe::Stage;
use crate::stop::{StopReason, StopRule};
use crate::testing::{distance, literal_error, literal_product, normal, positive};
use crate::update::HSolver;

const SOLVERS: [HSolver; 3] = [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED];

fn options(solver: HSolver, max_iterations: usize) -> FitOptions {
    let stop = StopRule { kappa: 0.0, max_iterations, max_seconds: None };
    FitOptions::default().solver(solver).stop(stop)
}

/// Factors as pre-training leaves them, but far from a minimum.
fn pretrained(x: &Matrix<f64>, layers: &[usize]) -> Factors<f64> {
    let options = FitOptions::default().start(Start::Random).stop(StopRule {
        kappa: 0.0,
        max_iterations: 4,
        max_seconds: None,
    });
    let mut factors = Factors::new(vec![], vec![]);
    for &k in layers {
        let input = factors.h.last().unwrap_or(x);
        let layer = SemiNmf::new(k).with(options.clone()).fit(input).unwrap();
        factors.z.extend(layer.factors.z);
        factors.h.extend(layer.factors.h);
    }
    factors
}

/// Both forms, the same number of iterations from the same factors.
fn both_forms(
    x: &Matrix<f64>,
    start: &Factors<f64>,
    solver: HSolver,
    iterations: usize,
) -> (Factors<f64>, Factors<f64>) {
    let form = Printed { graphs: Graphs::NONE, variant: Variant::Printed };
    let mut literal = LiteralLoop::new(x, start.clone(), form, solver).unwrap();
    for _ in 0..iterations {
        literal.step().unwrap();
    }
    let (literal, _) = literal.finish().unwrap();
    let mut session = FitSession::new();
    let options = options(solver, iterations);
    let (fast, runs) =
        algorithm::fine_tune(x, start.clone(), Graphs::NONE, &options, &mut session).unwrap();
    assert_eq!((runs[0].stage, runs[0].iterations), (Stage::FineTuning, iterations));
    (literal, fast)
}

#[test]
fn the_fast_form_equals_algorithm_one_as_printed() {
    for layers in [&[7, 3][..], &[9, 5, 3], &[10, 8, 5, 3], &[4]] {
        let x = normal::<f64>(14, 60, 1);
        let start = pretrained(&x, layers);
        assert!(algorithm::applies_to(&start, Parts::whole(60)).unwrap());
        for solver in SOLVERS {
            for iterations in [1, 30] {
                let (literal, fast) = both_forms(&x, &start, solver, iterations);
                assert!(distance(fast.top_features(), literal.top_features()) < 1e-9);
                for (i, (fast, literal)) in fast.z.iter().zip(&literal.z).enumerate() {
                    let off = distance(fast, literal);
                    assert!(off < 1e-8, "{layers:?} {solver:?} Z_{}: {off}", i + 1);
                }
            }
        }
    }
}

#[test]
fn lower_features_of_the_fast_form_fit_no_worse_than_the_printed_ones() {
    let x = normal::<f64>(14, 60, 2);
    let start = pretrained(&x, &[9, 5, 3]);
    // Coordinate descent: the other rules have not converged after so few steps, and then the
    // paths they took decide.
    let (literal, fast) = both_forms(&x, &start, HSolver::HALS, 40);
    for layer in 1..3 {
        let error = |f: &Factors<f64>| literal_error(&x, &f.basis(layer).unwrap(), &f.h[layer - 1]);
        assert!(error(&fast) <= error(&literal) * (1.0 + 1e-6), "layer {layer}");
        assert!(fast.h[layer - 1].as_slice().iter().all(|h| *h >= 0.0));
    }
}

#[test]
fn the_error_is_that_of_the_whole_chain() {
    let x = positive::<f64>(20, 80, 3);
    for form in [Form::Fast, Form::Literal] {
        let model = DeepSemiNmf::new([10, 6, 4]).form(form).fit(&x).unwrap();
        let phi = model.factors.basis(3).unwrap();
        let error = literal_error(&x, &phi, model.factors.top_features());
        assert!((model.summary.error / error - 1.0).abs() < 1e-8, "{form:?}");
        assert!(model.summary.gap.unwrap() > -1e-9);
        assert!(model.factors.h.iter().flat_map(Matrix::as_slice).all(|h| *h >= 0.0));
    }
}

#[test]
fn one_layer_is_semi_nmf() {
    let x = normal::<f64>(12, 40, 4);
    let deep = DeepSemiNmf::new([5]).fit(&x).unwrap();
    let shallow = SemiNmf::new(5).fit(&x).unwrap();
    assert_eq!(deep.factors, shallow.factors);
    assert_eq!(deep.summary.history, shallow.summary.history);
}

#[test]
fn the_first_basis_collapses_to_the_rank_of_the_top_layer() {
    let x = positive::<f64>(20, 80, 5);
    let model = DeepSemiNmf::new([10, 4]).fit(&x).unwrap();
    assert_eq!(model.summary.notices, [Notice::RankCollapse { first: 10, last: 4 }]);
    let s = truncated_svd(&model.factors.z[0], 10, SvdMethod::Exact, 0).unwrap().s;
    assert!(s[3] > 1e-6 * s[0] && s[4] < 1e-9 * s[0], "{s:?}");
}

#[test]
fn depth_with_default_settings_ends_near_the_bound() {
    let x = positive::<f64>(40, 300, 6);
    for layers in [vec![20, 5], vec![25, 15, 5]] {
        let model = DeepSemiNmf::new(layers).fit(&x).unwrap();
        assert!(model.summary.gap.unwrap() < 0.01, "{:?}", model.summary.gap);
    }
}

#[test]
fn increasing_layers_work_and_are_noticed() {
    let x = normal::<f64>(10, 40, 7);
    let model = DeepSemiNmf::new([3, 6]).with(options(HSolver::HALS, 20)).fit(&x).unwrap();
    let notices = &model.summary.notices;
    assert!(notices.contains(&Notice::IncreasingLayers { layer: 2, components: 6, below: 3 }));
    assert!(notices.contains(&Notice::LiteralForm));
    assert!(model.summary.history.windows(2).all(|e| e[1] <= e[0] * (1.0 + 1e-9)));
    let phi = model.factors.basis(2).unwrap();
    let error = literal_error(&x, &phi, model.factors.top_features());
    assert!((model.summary.error / error - 1.0).abs() < 1e-9);
}

#[test]
fn given_factors_are_fine_tuned_instead_of_pretrained() {
    let x = positive::<f64>(15, 50, 8);
    let first = DeepSemiNmf::new([8, 3]).fit(&x).unwrap();
    let again = DeepSemiNmf::new([8, 3])
        .fit_from(&x, WarmStart::Factors(first.factors.clone()), &mut FitSession::new())
        .unwrap();
    assert!(again.summary.error <= first.summary.error * (1.0 + 1e-12));
    assert_eq!(again.summary.runs[0].stage, Stage::FineTuning);
    let given = WarmStart::Factors(first.factors);
    let other = DeepSemiNmf::new([7, 3]).fit_from(&x, given, &mut FitSession::new());
    assert!(other.unwrap_err().to_string().contains("Z_1: found 15 x 8, but 15 x 7 is needed"));
}

#[test]
fn the_released_variant_takes_each_basis_from_its_own_features() {
    let x = positive::<f64>(12, 50, 4);
    let start = pretrained(&x, &[8, 5, 3]);
    let form = Printed { graphs: Graphs::NONE, variant: Variant::Released };
    let released = LiteralLoop::new(&x, start.clone(), form, HSolver::HALS).unwrap();
    let (found, _) = released.finish().unwrap();
    let inverse = |m: &Matrix<f64>| pseudo_inverse(m.view()).unwrap();
    let times = |a: &Matrix<f64>, b: &Matrix<f64>| literal_product(a.view(), b.view());
    let z1 = times(&x, &inverse(&times(&start.z[1], &start.h[1])));
    assert!(distance(&found.z[0], &z1) < 1e-8);
    let z2 = times(&inverse(&z1), &times(&x, &inverse(&start.h[1])));
    assert!(distance(&found.z[1], &z2) < 1e-8);
    let z3 = times(&inverse(&times(&z1, &z2)), &times(&x, &inverse(&start.h[2])));
    assert!(distance(&found.z[2], &z3) < 1e-8);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let x = positive::<f64>(270, 500, 9);
    let model = DeepSemiNmf::new([60, 9]).with(options(HSolver::HALS, 5));
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| model.fit(&x).unwrap())
    };
    assert_eq!(fit(1).factors, fit(2).factors);
}

#[test]
fn layers_that_do_not_fit_are_refused_in_words() {
    let x = normal::<f64>(10, 20, 1);
    let message = |layers: &[usize]| DeepSemiNmf::new(layers).fit(&x).unwrap_err().to_string();
    assert!(message(&[]).contains("at least one layer"));
    assert!(message(&[8, 0]).contains("layer 2 is 0"));
    assert!(message(&[21, 4]).contains("layer 1 is 21: with 20 samples"));
}

#[test]
fn a_time_budget_spans_the_whole_fit() {
    let x = positive::<f64>(20, 60, 1);
    let stop = StopRule { max_seconds: Some(0.0), ..StopRule::default() };
    let model = DeepSemiNmf::new([8, 3]).with(FitOptions::default().stop(stop)).fit(&x).unwrap();
    assert!(model.summary.runs.iter().all(|r| r.stop == StopReason::TimeBudget));
    assert_eq!(model.factors.depth(), 2);
}
