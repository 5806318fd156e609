//! The scale-free graph penalty.

use proptest::prelude::*;

use super::*;
use crate::testing::{
    DenseGraph, difference, distance, literal_error, literal_product, normal, positive,
};

const SOLVERS: [HSolver; 3] = [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED];

/// `|X - Z H|^2 / 2 + sum_jl w_jl |Z h_j - Z h_l|^2 / 4`, by its definition.
fn literal_objective(x: &Matrix<f64>, z: &Matrix<f64>, h: &Matrix<f64>, graph: &DenseGraph) -> f64 {
    let reconstruction = literal_product(z.view(), h.view());
    literal_error(x, z, h).powi(2) / 2.0 + graph.literal_penalty(&reconstruction) / 2.0
}

fn gram(z: &Matrix<f64>) -> Matrix<f64> {
    literal_product(z.t(), z.view())
}

fn products(x: &Matrix<f64>, z: &Matrix<f64>) -> BasisProducts<f64> {
    BasisProducts { phi_t_x: literal_product(z.t(), x.view()), phi_t_phi: gram(z) }
}

/// Weights between any two samples, or few; none of them negative.
fn graph(n: usize, size: f64, seed: u64) -> DenseGraph {
    let noise = normal::<f64>(n, n, seed);
    DenseGraph::new(Matrix::from_fn(n, n, |j, l| {
        let both = noise[(j, l)] + noise[(l, j)];
        if both > 0.5 && j != l { size * both } else { 0.0 }
    }))
}

#[test]
fn the_penalty_is_that_of_reconstructions() {
    let (z, h, graph) = (normal::<f64>(9, 3, 1), positive::<f64>(3, 14, 2), graph(14, 0.3, 3));
    let term = smoothness::Smoothness::new(&graph, &h).unwrap();
    let literal = graph.literal_penalty(&literal_product(z.view(), h.view()));
    assert!((term.penalty(&gram(&z)) / literal - 1.0).abs() < 1e-12);
}

#[test]
fn the_basis_that_follows_leaves_no_slope() {
    let (x, h, graph) = (normal::<f64>(9, 14, 1), positive::<f64>(3, 14, 2), graph(14, 0.3, 3));
    let term = smoothness::Smoothness::new(&graph, &h).unwrap();
    let mut hht = literal_product(h.view(), h.t());
    term.add_to(&mut hht);
    let mut z = Matrix::zeros(9, 3);
    z_least_squares(&mut z, &x, &h, &hht, &mut ZScratch::new(9, 3)).unwrap();
    let value = literal_objective(&x, &z, &h, &graph);
    for (i, r) in [(0, 0), (4, 1), (8, 2)] {
        for step in [1e-4, -1e-4] {
            let mut moved = z.clone();
            moved[(i, r)] += step;
            assert!(literal_objective(&x, &moved, &h, &graph) > value);
        }
    }
}

#[test]
fn repeated_updates_reach_the_minimum_over_the_features() {
    let (x, z, graph) = (normal::<f64>(9, 14, 1), normal::<f64>(9, 3, 2), graph(14, 0.05, 3));
    let products = products(&x, &z);
    for solver in [HSolver::HALS, HSolver::ACCELERATED] {
        let mut h = positive::<f64>(3, 14, 4);
        let mut term = smoothness::Smoothness::new(&graph, &h).unwrap();
        for _ in 0..400 {
            term.update(solver, &mut h, &products).unwrap();
        }
        // The slope G H (I + L) - B, by finite differences of the literal objective.
        for (r, j) in [(0, 0), (1, 7), (2, 13)] {
            let mut up = h.clone();
            up[(r, j)] += 1e-5;
            let slope = (literal_objective(&x, &z, &up, &graph)
                - literal_objective(&x, &z, &h, &graph))
                / 1e-5;
            assert!(slope > -1e-3, "{solver:?} {slope}");
            assert!(h[(r, j)] == 0.0 || slope < 1e-3, "{solver:?} {slope}");
        }
    }
}

proptest! {
    #[test]
    fn no_rule_raises_the_objective(
        (p, n, k) in (2usize..8, 3usize..12, 1usize..4),
        size in -4i32..3,
        seed in 0u64..1000,
    ) {
        let graph = graph(n, 10f64.powi(size), seed);
        let (x, z) = (normal::<f64>(p, n, seed + 1), normal::<f64>(p, k, seed + 2));
        let products = products(&x, &z);
        for solver in SOLVERS {
            let mut h = positive::<f64>(k, n, seed + 3);
            let mut term = smoothness::Smoothness::new(&graph, &h).unwrap();
            let mut before = literal_objective(&x, &z, &h, &graph);
            for _ in 0..5 {
                term.update(solver, &mut h, &products).unwrap();
                let after = literal_objective(&x, &z, &h, &graph);
                prop_assert!(after <= before * (1.0 + 1e-9) + 1e-12, "{:?} {} {}", solver, before, after);
                before = after;
            }
        }
    }

    /// A component times a number, or all components turned into others, is the same to it.
    #[test]
    fn no_change_of_components_changes_the_penalty(scale in -12i32..12, seed in 0u64..1000) {
        let (z, h, graph) = (normal::<f64>(6, 2, seed), positive::<f64>(2, 9, seed + 1), graph(9, 1.0, seed));
        let by = 2f64.powi(scale);
        let (mut scaled_z, mut scaled_h) = (z.clone(), h.clone());
        scaled_z.col_mut(1).iter_mut().for_each(|v| *v *= by);
        (0..9).for_each(|j| scaled_h[(1, j)] /= by);
        let penalty = |z: &Matrix<f64>, h: &Matrix<f64>| {
            smoothness::Smoothness::new(&graph, h).unwrap().penalty(&gram(z))
        };
        prop_assert!((penalty(&scaled_z, &scaled_h) / penalty(&z, &h) - 1.0).abs() < 1e-9);
    }
}

/// `G (I + L) = B` is what smoothing promises.
#[test]
fn smoothed_features_solve_their_equation() {
    for size in [1e-4, 0.1, 3.0, 100.0] {
        let (b, graph) = (normal::<f64>(70, 30, 1), graph(30, size, 2));
        let smooth = crate::graph::smoothed(&graph, &b).unwrap();
        let mut image = Matrix::zeros(70, 30);
        crate::graph::Graph::add_product(&graph, -1.0, &smooth, &mut image).unwrap();
        let degrees = crate::graph::Graph::degrees(&graph);
        let left =
            Matrix::from_fn(70, 30, |i, j| image[(i, j)] + (1.0 + degrees[j]) * smooth[(i, j)]);
        assert!(difference(&left, &b).norm_sq().sqrt() < 1e-11 * b.norm_sq().sqrt(), "{size}");
        assert!(distance(&smooth, &b) > 1e-6);
    }
}
