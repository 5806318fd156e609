//! Nonlinear models and consistent losses, whole.

use super::blocks::descend;
use super::fit::Goal;
use super::network::Network;
use super::*;
use crate::activation::Activation;
use crate::descent::Lbfgs;
use crate::driver::{Algorithm, FitSession};
use crate::graph::Graph;
use crate::matrix::{Matrix, pseudo_inverse};
use crate::models::extrapolation::tests::only_rounding;
use crate::models::factors::chain;
use crate::models::graphs::Graphs;
use crate::models::{Factorization, Factors, FitOptions, SemiNmf, WarmStart};
use crate::observe::Stage;
use crate::stop::StopRule;
use crate::testing::{DenseGraph, distance, literal_error, literal_product, normal, positive};
use crate::update::HSolver;
use crate::{Model, Projection};

const CONSISTENT: [Loss; 2] = [Loss::Layer, Loss::Data];

/// Samples on a curved surface: products of few factors and their squares.
fn curved(p: usize, n: usize, seed: u64) -> Matrix<f64> {
    let hidden = positive::<f64>(3, n, seed);
    let mixed = literal_product(normal::<f64>(p, 3, seed + 1).view(), hidden.view());
    mixed.map(|v| (2.0 * v).sin() + 1.5)
}

fn never_rises(history: &[f64]) -> bool {
    history.windows(2).all(|pair| pair[1] <= pair[0])
}

fn tuned(model: &Model<f64>) -> &crate::Run {
    let run = model.summary.runs.last().unwrap();
    assert_eq!(run.stage, Stage::FineTuning);
    run
}

#[test]
fn every_activation_lowers_the_error_and_never_raises_the_objective() {
    let x = curved(15, 80, 1);
    for activation in Activation::ALL {
        for layers in [vec![10, 4], vec![10, 7, 4]] {
            let model = DeepSemiNmf::new(layers.clone()).activation(activation).fit(&x).unwrap();
            let summary = &model.summary;
            assert!(never_rises(&summary.history), "{activation}");
            let decoded = model.factors.decode(layers.len(), model.factors.top_features()).unwrap();
            let error = literal_error(&x, &model.factors.z[0], &decoded);
            assert!((summary.error / error - 1.0).abs() < 1e-6, "{activation} {error}");
            assert!(
                model.factors.h.iter().flat_map(Matrix::as_slice).all(|h| *h >= 0.0)
                    || activation == Activation::Stanh,
                "{activation}"
            );
        }
    }
}

#[test]
fn a_nonlinear_model_goes_below_the_bound_of_linear_ones() {
    let x = curved(15, 80, 2);
    for activation in [Activation::Relu, Activation::Softplus, Activation::Square] {
        let model = DeepSemiNmf::new([10, 3]).activation(activation).fit(&x).unwrap();
        assert!(model.summary.gap.unwrap() < 0.0, "{activation} {:?}", model.summary.gap);
    }
}

#[test]
fn every_optimizer_lowers_every_loss() {
    let x = curved(12, 50, 3);
    let optimizers = [
        Optimizer::Varpro,
        Optimizer::Apg { joint: true },
        Optimizer::Apg { joint: false },
        Optimizer::Adam { step: 1e-3 },
    ];
    for loss in [Loss::Paper, Loss::Layer, Loss::Data] {
        for optimizer in optimizers {
            let model = DeepSemiNmf::new([8, 4]).activation(Activation::Softplus).loss(loss);
            let model = model.optimizer(optimizer).fit(&x).unwrap();
            let run = tuned(&model);
            let last = run.history[run.history.len() - 1];
            assert!(never_rises(&run.history), "{loss:?} {optimizer:?}");
            assert!(last < run.history[0], "{loss:?} {optimizer:?} {:?}", run.stop);
        }
    }
}

#[test]
fn implied_features_are_the_images_of_the_layer_above() {
    let x = curved(12, 50, 4);
    let model = DeepSemiNmf::new([8, 6, 4]).activation(Activation::Relu).fit(&x).unwrap();
    let f = &model.factors;
    for i in 0..2 {
        let image = literal_product(f.z[i + 1].view(), f.h[i + 1].view()).map(|v| v.max(0.0));
        assert!(distance(&f.h[i], &image) < 1e-12);
    }
}

#[test]
fn single_precision_takes_the_same_first_steps_as_double() {
    let x = curved(15, 80, 5);
    // The problem is not convex: after many steps rounding alone leads to another minimum.
    let descent = Descent { max_iterations: 5, ..Descent::default() };
    let model = DeepSemiNmf::new([10, 4]).activation(Activation::Relu).descent(descent);
    let (wide, narrow) = (model.fit(&x).unwrap(), model.fit(&x.cast::<f32>()).unwrap());
    for (wide, narrow) in wide.summary.history.iter().zip(&narrow.summary.history) {
        assert!((wide / narrow - 1.0).abs() < 1e-3, "{wide} {narrow}");
    }
}

#[test]
fn no_sweep_of_block_descent_rises_and_it_agrees_with_gradients() {
    for (seed, loss) in CONSISTENT.into_iter().enumerate() {
        let x = curved(12, 50, 6 + seed as u64);
        let stop = StopRule { kappa: 1e-9, max_iterations: 3000, max_seconds: None };
        let options = FitOptions::default().stop(stop);
        let penalties = Penalties { ridge: 0.01, sparsity: 0.001, ..Penalties::default() };
        let model = DeepSemiNmf::new([6, 3]).loss(loss).penalties(penalties).with(options);
        let pretrained = model.clone().descent(Descent { max_iterations: 0, ..Descent::default() });
        let start = pretrained.fit(&x).unwrap().factors;
        let mut sweeps = descend(&x, start, model.goal(Graphs::NONE), HSolver::HALS).unwrap();
        (0..500).for_each(|_| sweeps.step().unwrap());
        assert!(only_rounding(&sweeps.rising), "{loss:?} {:?}", sweeps.rising);
        let blocks = model.fit(&x).unwrap();
        let descent = Descent { optimizer: Optimizer::Varpro, max_iterations: 3000 };
        let gradients = model.descent(descent).fit(&x).unwrap();
        let end = |m: &Model<f64>| tuned(m).history[tuned(m).history.len() - 1];
        assert!((end(&blocks) / end(&gradients) - 1.0).abs() < 1e-2, "{loss:?}");
    }
}

/// Values that never rise say nothing of the gradient; a way down from every slope does.
#[test]
fn gradient_methods_find_a_way_down_wherever_there_is_one() {
    let x = curved(12, 50, 3);
    let labels: Vec<Option<u32>> = (0..50).map(|j| (j % 5 != 2).then_some(j % 3)).collect();
    let graph = DenseGraph::of_labels(0.05, &labels);
    let some = [Some(&graph as &dyn Graph<f64>), Some(&graph)];
    for loss in [Loss::Paper, Loss::Layer, Loss::Data] {
        for graphs in [Graphs::NONE, Graphs::new(&some)] {
            for eliminate in [true, false] {
                let model = DeepSemiNmf::new([8, 4]).activation(Activation::Softplus).loss(loss);
                let untouched = Descent { max_iterations: 0, ..Descent::default() };
                let start = model.clone().descent(untouched).fit(&x).unwrap().factors;
                let ridge = Penalties { ridge: 0.01, ..Penalties::default() };
                let goal = model.penalties(ridge).goal(graphs);
                let network = Network::new(&x, &start, goal, eliminate).unwrap();
                let point = network.point_of(start);
                let mut lbfgs = Lbfgs::new(network, point).unwrap();
                (0..100).for_each(|_| lbfgs.step().unwrap());
                let steepest = lbfgs.given_up.iter().fold(0.0, |a: f64, b| a.max(*b));
                assert!(steepest < 1e-4, "{loss:?} {eliminate} {steepest}");
            }
        }
    }
}

#[test]
fn no_sweep_of_block_descent_rises_with_any_rule_or_graph() {
    let x = normal::<f64>(9, 40, 8);
    let start = Factors::new(
        vec![normal(9, 6, 1), normal(6, 4, 2), normal(4, 3, 3)],
        vec![positive(6, 40, 4), positive(4, 40, 5), positive(3, 40, 6)],
    );
    let labels: Vec<Option<u32>> = (0..40).map(|j| (j % 5 != 2).then_some(j % 3)).collect();
    let graph = DenseGraph::of_labels(0.05, &labels);
    let some = [Some(&graph as &dyn Graph<f64>), None, Some(&graph)];
    for loss in CONSISTENT {
        for solver in [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED] {
            for graphs in [Graphs::NONE, Graphs::new(&some)] {
                let weights = vec![1.0, 0.5, 2.0];
                let (ridge, sparsity, scale_free) = (1e-3, 1e-3, false);
                let goal = Goal { loss, weights, ridge, sparsity, graphs, scale_free };
                let mut blocks = descend(&x, start.clone(), goal, solver).unwrap();
                let before = blocks.error();
                for _ in 0..200 {
                    blocks.step().unwrap();
                }
                assert!(blocks.error() < before, "{loss:?} {solver:?}");
                assert!(only_rounding(&blocks.rising), "{loss:?} {solver:?} {:?}", blocks.rising);
            }
        }
    }
}

/// The loss by its definition, half a sum of squares, with a ridge and an l1 norm.
fn literal_loss(x: &Matrix<f64>, f: &Factors<f64>, loss: Loss, w: &[f64], p: [f64; 2]) -> f64 {
    (0..f.depth())
        .map(|i| {
            let error = match loss {
                Loss::Layer if i > 0 => literal_error(&f.h[i - 1], &f.z[i], &f.h[i]),
                _ => literal_error(x, &chain(&f.z[..=i]), &f.h[i]),
            };
            let sum: f64 = f.h[i].as_slice().iter().sum();
            w[i] * error * error / 2.0 + p[0] * f.z[i].norm_sq() / 2.0 + p[1] * sum
        })
        .sum()
}

/// `Z` that is least in the loss, all other blocks fixed: the loss is quadratic in `Z`, so its
/// gradient at zero and its curvatures, both by differences of the definition, say where.
fn literal_basis(f: &Factors<f64>, i: usize, value: &dyn Fn(&Factors<f64>) -> f64) -> Matrix<f64> {
    let (rows, cols) = f.z[i].shape();
    let at = |entries: &[(usize, f64)]| {
        let mut moved = f.clone();
        moved.z[i] = Matrix::zeros(rows, cols);
        for (entry, v) in entries {
            moved.z[i].as_mut_slice()[*entry] += v;
        }
        value(&moved)
    };
    let zero = at(&[]);
    let alone: Vec<f64> = (0..rows * cols).map(|a| at(&[(a, 1.0)])).collect();
    let slope = |a: usize| (alone[a] - at(&[(a, -1.0)])) / 2.0;
    let curvature = |a: usize, b: usize| {
        if a == b {
            alone[a] + at(&[(a, -1.0)]) - 2.0 * zero
        } else {
            at(&[(a, 1.0), (b, 1.0)]) - alone[a] - alone[b] + zero
        }
    };
    let slopes = Matrix::from_fn(rows * cols, 1, |a, _| -slope(a));
    let curvatures = Matrix::from_fn(rows * cols, rows * cols, curvature);
    let inverse = pseudo_inverse(curvatures.view()).unwrap();
    let solved = literal_product(inverse.view(), slopes.view());
    Matrix::from_fn(rows, cols, |r, c| solved.as_slice()[c * rows + r])
}

#[test]
fn every_block_is_least_in_the_loss_as_defined() {
    let x = normal::<f64>(5, 20, 8);
    let start = Factors::new(
        vec![normal(5, 4, 1), normal(4, 3, 2), normal(3, 2, 3)],
        vec![positive(4, 20, 4), positive(3, 20, 5), positive(2, 20, 6)],
    );
    let (weights, ridge, sparsity) = (vec![1.0, 0.5, 2.0], 1e-2, 1e-3);
    let per_sample = x.norm_sq() / 20.0;
    let scaled = [ridge * per_sample, sparsity * per_sample];
    for loss in CONSISTENT {
        let (graphs, scale_free) = (Graphs::NONE, false);
        let goal = Goal { loss, weights: weights.clone(), ridge, sparsity, graphs, scale_free };
        let exact = HSolver::Accelerated { steps: 3000 };
        let mut blocks = descend(&x, start.clone(), goal, exact).unwrap();
        let value = |f: &Factors<f64>| literal_loss(&x, f, loss, &weights, scaled);
        blocks.step().unwrap(); // the first one has no momentum
        let mut literal = start.clone();
        for i in 0..3 {
            literal.z[i] = literal_basis(&literal, i, &value);
            let off = distance(&literal.z[i], &blocks.point.z[i]);
            assert!(off < 1e-6, "{loss:?} Z_{}: {off}", i + 1);
            // Features: no move of one entry, up or down, lowers the loss.
            literal.h[i] = blocks.point.h[i].clone();
            let least = value(&literal);
            for entry in 0..literal.h[i].as_slice().len() {
                for move_by in [1e-2, -1e-2] {
                    let mut moved = literal.clone();
                    let v = &mut moved.h[i].as_mut_slice()[entry];
                    *v = (*v + move_by).max(0.0);
                    assert!(value(&moved) >= least - 1e-9, "{loss:?} H_{} entry {entry}", i + 1);
                }
            }
        }
        let objective = blocks.error() * blocks.error() / 2.0;
        assert!((objective / value(&literal) - 1.0).abs() < 1e-6, "{loss:?}");
    }
}

#[test]
fn with_one_layer_every_loss_is_semi_nmf() {
    let x = curved(12, 50, 9);
    let shallow = SemiNmf::new(4).fit(&x).unwrap();
    let deep = DeepSemiNmf::new([4]).loss(Loss::Data).fit(&x).unwrap();
    assert!((deep.summary.error / shallow.summary.error - 1.0).abs() < 1e-6);
}

#[test]
fn the_normal_form_changes_lengths_and_nothing_else() {
    let x = curved(12, 50, 10);
    let model = DeepSemiNmf::new([8, 4]).activation(Activation::Relu);
    let plain = model.fit(&x).unwrap();
    for normal_form in [NormalForm::Features, NormalForm::Basis] {
        let penalties = Penalties { normal_form, ..Penalties::default() };
        let formed = model.clone().penalties(penalties).fit(&x).unwrap();
        assert!((formed.summary.error / plain.summary.error - 1.0).abs() < 1e-9);
        let (z, h) = (&formed.factors.z[1], &formed.factors.h[1]);
        for r in 0..4 {
            let length: f64 = match normal_form {
                NormalForm::Features => h.columns().map(|c| c[r] * c[r]).sum(),
                _ => z.col(r).iter().map(|v| v * v).sum(),
            };
            assert!((length - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn sparsity_makes_features_smaller() {
    let x = curved(12, 50, 11);
    let sum = |sparsity| {
        let penalties = Penalties { ridge: 1e-3, sparsity, ..Penalties::default() };
        let model = DeepSemiNmf::new([8, 4]).activation(Activation::Relu).penalties(penalties);
        model.fit(&x).unwrap().factors.top_features().as_slice().iter().sum::<f64>()
    };
    assert!(sum(1e-2) < 0.9 * sum(0.0));
}

#[test]
fn the_projected_training_set_has_no_larger_error_than_the_fit() {
    let x = curved(15, 80, 12);
    for activation in [Activation::Relu, Activation::Softplus, Activation::Sigmoid] {
        let model = DeepSemiNmf::new([10, 6, 4]).activation(activation).fit(&x).unwrap();
        for layer in 1..=3 {
            let error = |h: &Matrix<f64>| model.factors.reconstruction_error(&x, layer, h).unwrap();
            let first = model.project(&x, layer, Projection::Basis).unwrap();
            let second = model.project(&x, layer, Projection::NonNegative).unwrap();
            assert!(second.as_slice().iter().all(|h| *h >= 0.0));
            let clipped = first.map(|v| v.max(0.0));
            assert!(error(&second) <= error(&clipped) * (1.0 + 1e-9), "{activation} {layer}");
            let fitted = error(&model.factors.h[layer - 1]);
            let found = error(&second);
            assert!(found <= fitted * (1.0 + 1e-6), "{activation} {layer} {found} {fitted}");
        }
    }
}

#[test]
fn the_features_of_a_sample_do_not_depend_on_its_company() {
    let x = curved(15, 600, 13);
    let model = DeepSemiNmf::new([10, 4]).activation(Activation::Softplus).fit(&x).unwrap();
    let all = model.project(&x, 2, Projection::NonNegative).unwrap();
    let some = x.view_columns(300..310).to_matrix();
    let alone = model.project(&some, 2, Projection::NonNegative).unwrap();
    assert!(distance(&alone, &all.view_columns(300..310).to_matrix()) < 1e-6);
}

#[test]
fn the_bases_of_another_model_are_where_a_fit_begins() {
    let (x, other) = (curved(15, 80, 14), curved(15, 60, 14));
    for activation in [Activation::Identity, Activation::Relu] {
        let model = DeepSemiNmf::new([10, 4]).activation(activation);
        let first = model.fit(&other).unwrap();
        let (bases, session) = (WarmStart::Bases(first.factors.z), &mut FitSession::new());
        let second = model.fit_from(&x, bases.clone(), session).unwrap();
        assert_eq!(second.summary.runs[0].stage, Stage::FineTuning);
        assert_eq!(second.factors.top_features().shape(), (4, 80));
        let wrong = DeepSemiNmf::new([10, 5]).fit_from(&x, bases, session);
        assert!(wrong.unwrap_err().to_string().contains("found 10-4, but 10-5"));
    }
}

#[test]
fn settings_that_do_not_fit_are_refused_in_words() {
    let x = normal::<f64>(10, 20, 1);
    let says = |model: DeepSemiNmf| model.fit(&x).unwrap_err().to_string();
    let deep = || DeepSemiNmf::new([5, 3]);
    assert!(says(deep().weights([1.0])).contains("no weights"));
    assert!(says(deep().loss(Loss::Data).weights([1.0])).contains("each of the 2 layers"));
    assert!(says(deep().loss(Loss::Data).weights([1.0, 0.0])).contains("above 0"));
    assert!(says(deep().optimizer(Optimizer::Adam { step: 0.0 })).contains("step size"));
    let penalties = Penalties { sparsity: 1.0, ..Penalties::default() };
    assert!(says(deep().penalties(penalties)).contains("ridge"));
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let x = curved(40, 600, 15);
    for activation in [Activation::Relu, Activation::Identity] {
        let model = DeepSemiNmf::new([20, 6]).activation(activation).loss(Loss::Data);
        let model = model.descent(Descent { max_iterations: 5, ..Descent::default() });
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| model.fit(&x).unwrap())
        };
        assert_eq!(fit(1).factors, fit(2).factors);
    }
}
