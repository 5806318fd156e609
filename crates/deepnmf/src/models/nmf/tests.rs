use super::algorithm::{Alternation, alternate};
use super::*;
use crate::driver::{Algorithm, FitSession};
use crate::graph::{
    ClassMeans, Fisher, Graph, NeighbourWeights, Neighbours, Weighted, WeightedSum,
};
use crate::init::{NonNegativeStart, begin_non_negative};
use crate::matrix::{Matrix, Parts};
use crate::models::extrapolation::Extrapolated;
use crate::models::extrapolation::tests::only_rounding;
use crate::models::factors::Pair;
use crate::models::{Factorization, Factors, NonNegativeOptions, SemiNmf, WarmStart};
use crate::objective::Divergence;
use crate::stop::StopRule;
use crate::testing::{distance, in_common_unit, literal_error, literal_product, normal, positive};
use crate::update::HSolver;

const STARTS: [NonNegativeStart; 4] = [
    NonNegativeStart::Random,
    NonNegativeStart::Nndsvd,
    NonNegativeStart::Nndsvda,
    NonNegativeStart::Nndsvdar,
];
const SOLVERS: [HSolver; 4] =
    [Nmf::LEE_SEUNG, HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED];

fn rounds(max_iterations: usize) -> StopRule {
    StopRule { kappa: 0.0, max_iterations, max_seconds: None }
}

fn options() -> NonNegativeOptions {
    NonNegativeOptions::default()
}

/// Many sweeps, far beyond where most of them converge; none of them may rise.
fn sweep<'a>(
    x: &'a Matrix<f64>,
    start: NonNegativeStart,
    solver: HSolver,
    constraint: Option<Constraint<'a, f64>>,
) -> Extrapolated<Alternation<'a, f64>> {
    let started = begin_non_negative(x, 4, start, 0).unwrap();
    let pair = Pair { z: started.z, h: started.h };
    let mut descent = alternate(x, pair, solver, constraint).unwrap();
    let before = descent.error();
    for _ in 0..300 {
        descent.step().unwrap();
    }
    assert!(descent.error() < before, "{start:?} {solver:?}");
    assert!(only_rounding(&descent.rising), "{start:?} {solver:?} {:?}", descent.rising);
    descent
}

fn labels(n: u32) -> Vec<Option<u32>> {
    (0..n).map(|j| (j % 3 != 1).then_some((j / 2) % 4)).collect()
}

#[test]
fn no_sweep_rises_whatever_constrains_the_features() {
    let (x, labels) = (positive::<f64>(12, 50, 2), labels(50));
    let fisher = |gamma| Fisher::new(Parts::whole(50), &labels, gamma, 0.0).unwrap();
    let apart = Fisher::new(Parts::whole(50), &labels, 0.1, 10.0).unwrap();
    let mut graphs: Vec<Box<dyn Graph<f64>>> = vec![Box::new(fisher(0.1)), Box::new(fisher(10.0))];
    for weights in
        [NeighbourWeights::Binary, NeighbourWeights::Heat { sigma: None }, NeighbourWeights::Dot]
    {
        for weight in [0.1, 100.0] {
            let near = Box::new(Neighbours::new(&x, 4, weights).unwrap());
            let term = Weighted { weight, graph: near };
            graphs.push(Box::new(WeightedSum::new(vec![term], Parts::whole(50)).unwrap()));
        }
    }
    for start in STARTS {
        for solver in SOLVERS {
            for graph in &graphs {
                let graph = graph.as_ref();
                for form in [GraphForm::Printed, GraphForm::ScaleFree] {
                    sweep(&x, start, solver, Some(Constraint::Graph { graph, form }));
                }
                if solver != Nmf::LEE_SEUNG {
                    let form = GraphForm::UnitBasis;
                    sweep(&x, start, solver, Some(Constraint::Graph { graph, form }));
                }
            }
            if solver != Nmf::LEE_SEUNG {
                let (graph, form) = (&apart, GraphForm::UnitBasis);
                sweep(&x, start, solver, Some(Constraint::Graph { graph, form }));
            }
            let classes = ClassMeans::new(Parts::whole(50), &labels).unwrap();
            sweep(&x, start, solver, Some(Constraint::Equal(classes)));
        }
    }
}

#[test]
fn no_sweep_rises_and_the_error_is_what_it_says_from_every_start() {
    let x = in_common_unit(positive::<f64>(12, 50, 1));
    for start in STARTS {
        for solver in SOLVERS {
            let options = options().start(start).solver(solver).stop(rounds(300));
            let model = Nmf::new(4).with(options).fit(&x).unwrap();
            let swept = sweep(&x, start, solver, None);
            assert!(swept.error() <= model.summary.error, "{start:?} {solver:?}");
            let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
            assert!(z.as_slice().iter().chain(h.as_slice()).all(|v| *v >= 0.0));
            let error = literal_error(&x, z, h);
            assert!((model.summary.error / error - 1.0).abs() < 1e-6, "{start:?} {solver:?}");
            assert!(model.summary.gap.unwrap() > -1e-9);
        }
    }
}

/// One round of Lee & Seung's rules by their formulas.
#[test]
fn the_multiplicative_rule_is_the_one_of_lee_and_seung() {
    let x = positive::<f64>(9, 30, 2);
    let options = options().solver(Nmf::LEE_SEUNG);
    let fit = |n| Nmf::new(3).with(options.clone().stop(rounds(n))).fit(&x).unwrap().factors;
    let (before, after) = (fit(0), fit(1));
    let (z, h) = (&before.z[0], &before.h[0]);
    let ratio = |a: &Matrix<f64>, up: &Matrix<f64>, down: &Matrix<f64>| {
        Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] * up[(i, j)] / down[(i, j)])
    };
    let hht = literal_product(h.view(), h.t());
    let new_z = ratio(z, &literal_product(x.view(), h.t()), &literal_product(z.view(), hht.view()));
    assert!(distance(&after.z[0], &new_z) < 1e-12);
    let gram = literal_product(new_z.t(), new_z.view());
    let new_h =
        ratio(h, &literal_product(new_z.t(), x.view()), &literal_product(gram.view(), h.view()));
    assert!(distance(&after.h[0], &new_h) < 1e-12);
}

#[test]
fn a_product_of_non_negative_factors_is_found_again() {
    let x = literal_product(positive::<f64>(15, 3, 3).view(), positive(3, 60, 4).view());
    let stop = StopRule { kappa: 1e-12, max_iterations: 5000, max_seconds: None };
    let model = Nmf::new(3).with(options().stop(stop)).fit(&x).unwrap();
    assert!(model.summary.relative_error < 1e-4, "{}", model.summary.relative_error);
}

#[test]
fn more_freedom_is_never_worse() {
    let x = positive::<f64>(12, 50, 5);
    let (nmf, semi) = (Nmf::new(4).fit(&x).unwrap(), SemiNmf::new(4).fit(&x).unwrap());
    assert!(semi.summary.error <= nmf.summary.error * (1.0 + 1e-9));
}

#[test]
fn single_precision_agrees_with_double() {
    let x = positive::<f64>(12, 50, 6);
    let (wide, narrow) = (Nmf::new(4).fit(&x).unwrap(), Nmf::new(4).fit(&x.cast::<f32>()).unwrap());
    assert!((wide.summary.error / narrow.summary.error - 1.0).abs() < 1e-3);
}

#[test]
fn negative_data_are_refused_with_place_and_advice() {
    let mut x = positive::<f64>(5, 8, 7);
    x[(2, 4)] = -0.5;
    let message = Nmf::new(2).fit(&x).unwrap_err().to_string();
    for words in ["sample 5", "feature 3", "-0.5", "Semi-NMF"] {
        assert!(message.contains(words), "{message}");
    }
    assert!(Nmf::new(2).fit(&normal::<f64>(5, 8, 8)).is_err());
}

#[test]
fn nndsvd_keeps_the_larger_half_of_each_triplet() {
    let x = positive::<f64>(6, 9, 9);
    let start =
        |start| Nmf::new(3).with(options().start(start).stop(rounds(0))).fit(&x).unwrap().factors;
    let (plain, filled) = (start(NonNegativeStart::Nndsvd), start(NonNegativeStart::Nndsvda));
    let mean = x.as_slice().iter().sum::<f64>() / 54.0;
    for (plain, filled) in plain.z[0].as_slice().iter().zip(filled.z[0].as_slice()) {
        let expected = if *plain == 0.0 { mean } else { *plain };
        assert!((filled - expected).abs() < 1e-12);
    }
    // The first triplet of positive data is positive: its product is the best of rank one.
    let first = |m: &Matrix<f64>| m.view_columns(0..1).to_matrix();
    let z = first(&plain.z[0]);
    let h = Matrix::from_fn(1, 9, |_, j| plain.h[0][(0, j)]);
    let bound = SemiNmf::new(1).fit(&x).unwrap().summary.svd_bound.unwrap();
    assert!((literal_error(&x, &z, &h) / bound - 1.0).abs() < 1e-6);
}

#[test]
fn a_fit_goes_on_from_the_factors_of_another() {
    let x = positive(9, 40, 3);
    for divergence in [Divergence::Frobenius, Divergence::KullbackLeibler] {
        let nmf = |iterations| {
            let stop = StopRule { kappa: 0.0, max_iterations: iterations, max_seconds: None };
            Nmf::new(3).divergence(divergence).with(NonNegativeOptions::default().stop(stop))
        };
        let first = nmf(5).fit(&x).unwrap();
        let from = |factors: &Factors<f64>| {
            nmf(3).fit_from(&x, WarmStart::Factors(factors.clone()), &mut FitSession::new())
        };
        let more = from(&first.factors).unwrap();
        let begun = more.summary.history[0];
        // The divergence begins with every sample brought to its own sum, which can only help.
        let before = first.summary.error;
        assert!(begun <= before * (1.0 + 1e-9) && begun > 0.99 * before, "{divergence:?}");
        assert!(more.summary.error < begun);
        let Factors { z, h, .. } = &first.factors;
        let negative = Factors::new(vec![z[0].clone().map(|v| -v)], h.clone());
        let message = from(&negative).unwrap_err().to_string();
        assert!(message.contains("the basis must not be negative"), "{message}");
        let narrow = Factors::new(vec![Matrix::zeros(9, 2)], vec![Matrix::zeros(2, 40)]);
        assert!(from(&narrow).unwrap_err().to_string().contains("Z_1: found 9 x 2"));
    }
}
