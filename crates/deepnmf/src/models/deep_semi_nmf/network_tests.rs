use super::fit::Goal;
use super::network::Network;
use super::params::Loss;
use crate::activation::Activation;
use crate::descent::{Objective, Point};
use crate::graph::Graph;
use crate::matrix::Matrix;
use crate::models::Factors;
use crate::models::graphs::Graphs;
use crate::testing::{DenseGraph, literal_product, normal, positive};

const P: usize = 9;
const N: usize = 14;
const LAYERS: [usize; 4] = [6, 5, 4, 3];
const LOSSES: [Loss; 3] = [Loss::Paper, Loss::Layer, Loss::Data];

fn factors(activation: Activation, depth: usize) -> Factors<f64> {
    let below = std::iter::once(P).chain(LAYERS);
    let sizes = || LAYERS.iter().take(depth).zip(below.clone()).enumerate();
    let z = sizes().map(|(i, (&k, below))| normal(below, k, i as u64).map(|v| 0.3 * v)).collect();
    let h = sizes().map(|(i, (&k, _))| positive(k, N, 10 + i as u64).map(|v| v + 0.1)).collect();
    Factors { activation, ..Factors::new(z, h) }
}

/// The loss by its definition.
fn literal(x: &Matrix<f64>, f: &Factors<f64>, goal: &Goal<'_, f64>) -> f64 {
    let Goal { loss, weights, ridge, sparsity, graphs, scale_free } = goal;
    let g = |m: Matrix<f64>| m.map(|v| f.activation.value(v));
    let half_square = |a: &Matrix<f64>, b: &Matrix<f64>| {
        a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / 2.0
    };
    let from = |layer: usize| {
        let mut h = f.h[layer].clone();
        for z in f.z[1..=layer].iter().rev() {
            h = g(literal_product(z.view(), h.view()));
        }
        literal_product(f.z[0].view(), h.view())
    };
    let depth = f.depth();
    let fit: f64 = match loss {
        Loss::Paper => half_square(x, &from(depth - 1)),
        Loss::Data => (0..depth).map(|i| weights[i] * half_square(x, &from(i))).sum(),
        Loss::Layer => (0..depth)
            .map(|i| {
                let image = literal_product(f.z[i].view(), f.h[i].view());
                weights[i]
                    * if i == 0 {
                        half_square(x, &image)
                    } else {
                        half_square(&f.h[i - 1], &g(image))
                    }
            })
            .sum(),
    };
    let features = if *loss == Loss::Paper { &f.h[depth - 1..] } else { &f.h[..] };
    let sum: f64 = features.iter().flat_map(Matrix::as_slice).sum();
    let squares: f64 = f.z.iter().map(Matrix::norm_sq).sum();
    let per_sample = x.norm_sq() / N as f64;
    let penalty = literal_penalty(f, *loss, *graphs, *scale_free);
    fit + per_sample * (ridge * squares / 2.0 + sparsity * sum) + penalty
}

/// `1/4 sum_jl w_jl |h_j - h_l|^2` of every layer that has a graph, or of `Z_1 ... Z_i h_j`.
fn literal_penalty(f: &Factors<f64>, loss: Loss, graphs: Graphs<'_, f64>, scale_free: bool) -> f64 {
    let mut h = f.top_features().clone();
    let mut sum = 0.0;
    for layer in (1..=f.depth()).rev() {
        if loss != Loss::Paper {
            h = f.h[layer - 1].clone();
        }
        if graphs.of(layer).is_some() {
            let h = if scale_free {
                literal_product(f.basis(layer).unwrap().view(), h.view())
            } else {
                h.clone()
            };
            for j in 0..N {
                for l in 0..N {
                    let away = h.col(j).iter().zip(h.col(l)).map(|(a, b)| (a - b) * (a - b));
                    sum += weight(j, l) * away.sum::<f64>() / 4.0;
                }
            }
        }
        if layer > 1 {
            let image = literal_product(f.z[layer - 1].view(), h.view());
            h = image.map(|v| f.activation.value(v));
        }
    }
    sum
}

/// The weight of an edge in the graph below.
fn weight(j: usize, l: usize) -> f64 {
    0.01 * ((j * l + j + l) % 5) as f64
}

/// Data, factors, and what is minimised.
struct Case<'a> {
    x: &'a Matrix<f64>,
    factors: Factors<f64>,
    loss: Loss,
    ridge: f64,
    sparsity: f64,
    graphs: Graphs<'a, f64>,
    scale_free: bool,
}

impl<'a> Case<'a> {
    fn goal(&self) -> Goal<'a, f64> {
        let &Self { loss, ridge, sparsity, graphs, scale_free, .. } = self;
        let weights = [1.0, 0.5, 2.0, 0.7][..self.factors.depth()].to_vec();
        Goal { loss, weights, ridge, sparsity, graphs, scale_free }
    }

    fn network(&self, eliminate: bool) -> (Network<'a, f64>, Point<f64>) {
        let network = Network::new(self.x, &self.factors, self.goal(), eliminate).unwrap();
        let point = network.point_of(self.factors.clone());
        (network, point)
    }

    /// Signals of lower rank than the first layer leave the least squares problem without one
    /// answer; then a ridge that is far above rounding decides, and differences can be taken.
    fn with_some_ridge(self) -> Self {
        Self { ridge: self.ridge.max(1e-2), ..self }
    }

    fn name(&self) -> String {
        format!("{} {} {:?}", self.factors.activation, self.factors.depth(), self.loss)
    }
}

fn every_case(mut check: impl FnMut(Case<'_>)) {
    let x = normal::<f64>(P, N, 99);
    let graph = DenseGraph::new(Matrix::from_fn(N, N, weight));
    let some = [Some(&graph as &dyn Graph<f64>), Some(&graph), None, Some(&graph)];
    for activation in Activation::ALL {
        for depth in 2..=4 {
            for loss in LOSSES {
                for (ridge, sparsity, graphs, scale_free) in [
                    (0.0, 0.0, &[][..], false),
                    (0.03, 0.02, &some, false),
                    (0.03, 0.0, &some, true),
                ] {
                    let (factors, graphs) = (factors(activation, depth), Graphs::new(graphs));
                    check(Case { x: &x, factors, loss, ridge, sparsity, graphs, scale_free });
                }
            }
        }
    }
}

/// The largest difference between the gradient and central differences, relative to the gradient.
fn gradient_error(network: &mut Network<'_, f64>, point: &Point<f64>) -> f64 {
    let at = network.evaluate(point).unwrap();
    let scale = at.gradient.iter().map(Matrix::norm_sq).sum::<f64>().sqrt();
    let mut worst: f64 = 0.0;
    for block in 0..point.len() {
        for entry in (0..point[block].as_slice().len()).step_by(3) {
            let mut value = |step: f64| {
                let mut moved = point.clone();
                moved[block].as_mut_slice()[entry] += step;
                network.evaluate(&moved).unwrap().value
            };
            let step = 1e-5;
            let slope = (value(step) - value(-step)) / (2.0 * step);
            worst = worst.max((slope - at.gradient[block].as_slice()[entry]).abs() / scale);
        }
    }
    worst
}

#[test]
fn the_loss_is_that_of_its_definition() {
    every_case(|case| {
        let (mut network, point) = case.network(false);
        let value = network.evaluate(&point).unwrap().value;
        let by_hand = literal(case.x, &case.factors, &case.goal());
        assert!((value / by_hand - 1.0).abs() < 1e-10, "{}", case.name());
    });
}

#[test]
fn gradients_are_those_of_finite_differences() {
    every_case(|case| {
        let (mut network, point) = case.network(false);
        let off = gradient_error(&mut network, &point);
        assert!(off < 1e-6, "{}: {off}", case.name());
    });
}

#[test]
fn gradients_with_the_first_basis_eliminated_are_those_of_finite_differences() {
    every_case(|case| {
        let case = case.with_some_ridge();
        let (mut network, point) = case.network(true);
        let off = gradient_error(&mut network, &point);
        assert!(off < 1e-6, "{}: {off}", case.name());
    });
}

#[test]
fn no_first_basis_is_better_than_the_eliminated_one() {
    every_case(|case| {
        let case = case.with_some_ridge();
        let (mut network, point) = case.network(true);
        let best = network.factors_at(&point).unwrap();
        let value = network.evaluate(&point).unwrap().value;
        for seed in 0..3 {
            let mut other = case.factors.clone();
            let push = normal::<f64>(P, LAYERS[0], seed);
            other.z[0] =
                Matrix::from_fn(P, LAYERS[0], |i, j| best.z[0][(i, j)] + 1e-3 * push[(i, j)]);
            let literal = literal(case.x, &other, &case.goal());
            assert!(literal >= value * (1.0 - 1e-9));
        }
    });
}
