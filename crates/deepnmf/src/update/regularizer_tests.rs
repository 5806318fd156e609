//! The rules for features with graph regularization.

use proptest::prelude::*;

use super::*;
use crate::graph::{Graph, SameLabel, Weighted, WeightedSum};
use crate::matrix::Parts;
use crate::testing::{
    DenseGraph, distance, literal_error, literal_product, normal, optimality, positive,
};

const SOLVERS: [HSolver; 3] = [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED];

/// `min |X - Phi H|^2 / 2 + Tr(H L H^T) / 2` with its products and a start.
struct Problem {
    x: Matrix<f64>,
    phi: Matrix<f64>,
    products: BasisProducts<f64>,
    h: Matrix<f64>,
    graph: DenseGraph,
}

impl Problem {
    fn new(p: usize, k: usize, graph: DenseGraph, seed: u64) -> Self {
        let n = graph.samples();
        let (x, phi, h) = (normal(p, n, seed), normal(p, k, seed + 1), positive(k, n, seed + 2));
        let products = BasisProducts {
            phi_t_x: literal_product(phi.t(), x.view()),
            phi_t_phi: literal_product(phi.t(), phi.view()),
        };
        Self { x, phi, products, h, graph }
    }

    fn value(&self, h: &Matrix<f64>) -> f64 {
        let error = literal_error(&self.x, &self.phi, h);
        error * error / 2.0 + self.graph.literal_penalty(h) / 2.0
    }

    /// `times` updates of the start.
    fn updated(&self, solver: HSolver, graph: &dyn Graph<f64>, times: usize) -> Vec<Matrix<f64>> {
        let mut h = self.h.clone();
        let mut regularizer = Some(Regularizer::new(graph, &h).unwrap());
        let mut update = || {
            update_regularized(solver, &mut h, &self.products, regularizer.as_mut()).unwrap();
            h.clone()
        };
        (0..times).map(|_| update()).collect()
    }
}

fn labels(n: usize, classes: u32) -> Vec<Option<u32>> {
    let label = |j: u32| (j % 7 != 3).then_some((j * j + j / 3) % classes);
    (0..).map(label).take(n).collect()
}

/// A weight between any two samples, of any sign.
fn signed(n: usize) -> DenseGraph {
    DenseGraph::new(Matrix::from_fn(n, n, |j, l| 0.05 * ((j * l + j + l) as f64).sin()))
}

#[test]
fn the_multiplicative_rule_is_that_of_algorithm_2() {
    let labels = labels(200, 4);
    let (lambda, eta) = (0.3, 0.5);
    let problem = Problem::new(9, 5, DenseGraph::of_labels(lambda, &labels), 1);
    let pos = |a: f64| f64::midpoint(a.abs(), a);
    let neg = |a: f64| (a.abs() - a) / 2.0;
    let BasisProducts { phi_t_x: b, phi_t_phi: g } = &problem.products;
    let h = &problem.h;
    let up = literal_product(g.map(neg).view(), h.view());
    let down = literal_product(g.map(pos).view(), h.view());
    let same = |j: usize, l: usize| labels[j].is_some() && labels[j] == labels[l];
    let expected = Matrix::from_fn(5, 200, |i, j| {
        let hw: f64 = (0..200).filter(|l| same(j, *l)).map(|l| h[(i, l)]).sum();
        let d = (0..200).filter(|l| same(j, *l)).count() as f64;
        let up = pos(b[(i, j)]) + up[(i, j)] + lambda * hw;
        let down = neg(b[(i, j)]) + down[(i, j)] + lambda * h[(i, j)] * d;
        h[(i, j)] * (up / down).powf(eta)
    });
    let graph = Box::new(SameLabel::<f64>::new(&labels, Parts::whole(200)).unwrap());
    let term = Weighted { weight: lambda, graph };
    let sum = WeightedSum::new(vec![term], Parts::whole(200)).unwrap();
    let found = problem.updated(HSolver::Multiplicative { eta, repeats: 1 }, &sum, 1);
    assert!(distance(&found[0], &expected) < 1e-12);
}

#[test]
fn every_rule_ends_where_no_feature_can_do_better() {
    for graph in [DenseGraph::of_labels(0.2, &labels(40, 3)), signed(40)] {
        let problem = Problem::new(9, 4, graph, 2);
        for solver in [HSolver::HALS, HSolver::ACCELERATED] {
            let found = problem.updated(solver, &problem.graph, 4000);
            let h = &found[found.len() - 1];
            // The slope of the whole objective: G H + H D - (B + H W).
            let mut target = problem.products.phi_t_x.clone();
            problem.graph.add_product(1.0, h, &mut target).unwrap();
            for (j, d) in problem.graph.degrees().iter().enumerate() {
                target.col_mut(j).iter_mut().zip(h.col(j)).for_each(|(b, h)| *b -= d * h);
            }
            let off = optimality(&problem.products.phi_t_phi, &target, h);
            assert!(off < 1e-8, "{solver:?} {off}");
        }
    }
}

#[test]
fn labels_draw_samples_of_a_class_together() {
    let labels = labels(60, 3);
    let graph = DenseGraph::of_labels(1.0, &labels);
    let problem = Problem::new(9, 4, DenseGraph::of_labels(50.0, &labels), 3);
    for solver in SOLVERS {
        let found = problem.updated(solver, &problem.graph, 300);
        let (before, after) = (graph.literal_penalty(&problem.h), &found[299]);
        assert!(graph.literal_penalty(after) < 0.01 * before, "{solver:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_rule_ever_raises_the_objective(
        seed in 0u64..1000,
        k in 1usize..6,
        n in 2usize..50,
        classes in 1u32..5,
        exponent in -3i32..3,
    ) {
        let lambda = 10f64.powi(exponent);
        for graph in [DenseGraph::of_labels(lambda, &labels(n, classes)), signed(n)] {
            let problem = Problem::new(7, k, graph, seed);
            for solver in SOLVERS {
                let mut before = problem.value(&problem.h);
                for h in problem.updated(solver, &problem.graph, 5) {
                    let now = problem.value(&h);
                    prop_assert!(now <= before * (1.0 + 1e-10), "{solver:?}: {before} to {now}");
                    before = now;
                }
            }
        }
    }
}
