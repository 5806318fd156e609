//! Where the search for parts looks: starts, cuts and merges.

use super::cut::{cut_and_merge, drawn, halves};
use super::descent::{Found, State};
use super::memberships::Memberships;
use super::propose::{Wanted, features_for};
use super::starts::{best_start, start};
use super::tests::{any_memberships, attributes, coordinates, planted};
use crate::matrix::{Matrix, symmetric_eigen};
use crate::rng::generator;
use crate::testing::{difference, literal_product, normal};

fn log_det(a: &Matrix<f64>) -> f64 {
    symmetric_eigen(a).unwrap().0.iter().map(|value| value.ln()).sum()
}

/// The same merges by their definition: of all pairs the one with the least `log det` of what is left over then.
fn literal_merges(
    mut a: Matrix<f64>,
    mut centres: Vec<Vec<f64>>,
    mut counts: Vec<f64>,
) -> [Vec<usize>; 2] {
    let mut into: Vec<usize> = (0..counts.len()).collect();
    let mut left = into.clone();
    let mut after_one = vec![];
    while left.len() > 3 {
        let grown = |x: usize, y: usize| {
            let d: Vec<f64> = centres[x].iter().zip(&centres[y]).map(|(a, b)| a - b).collect();
            let m = counts[x] * counts[y] / (counts[x] + counts[y]);
            Matrix::from_fn(d.len(), d.len(), |i, j| a[(i, j)] + m * d[i] * d[j])
        };
        let pairs =
            left.iter().flat_map(|y| left.iter().filter(move |x| *x < y).map(move |x| (*x, *y)));
        let cost = |pair: &(usize, usize)| log_det(&grown(pair.0, pair.1));
        let (x, y) = pairs.min_by(|p, q| cost(p).total_cmp(&cost(q))).unwrap();
        a = grown(x, y);
        let total = counts[x] + counts[y];
        let mean = |(p, q): (&f64, &f64)| (counts[x] * p + counts[y] * q) / total;
        centres[x] = centres[x].iter().zip(&centres[y]).map(mean).collect();
        counts[x] = total;
        left.retain(|other| *other != y);
        into.iter_mut().filter(|to| **to == y).for_each(|to| *to = x);
        if after_one.is_empty() {
            after_one = into.iter().map(|to| left.iter().position(|l| l == to).unwrap()).collect();
        }
    }
    [after_one, into.iter().map(|to| left.iter().position(|l| l == to).unwrap()).collect()]
}

#[test]
fn merged_clusters_are_those_of_the_least_literal_log_det() {
    for seed in 0..10 {
        let samples = coordinates(&normal::<f64>(9, 80, seed));
        let memberships = any_memberships(&[8, 3], 80, seed);
        let state = State::of(&samples, &memberships).unwrap();
        let h = memberships.one_hot::<f64>(0..80);
        let rest = difference(&samples.y, &literal_product(state.centres.view(), h.view()));
        let mut a = literal_product(rest.view(), rest.t());
        (0..9).for_each(|i| a[(i, i)] += samples.floor);
        let centres = (0..8).map(|c| state.centres.col(c).to_vec()).collect();
        let shared = memberships.shared();
        let counts = (0..8).map(|c| shared[(c, c)]).collect();
        let [one, five] = literal_merges(a, centres, counts);
        assert_eq!(state.merged(&[8, 3], 0, 7), one, "seed {seed}");
        assert_eq!(state.merged(&[8, 3], 0, 3), five, "seed {seed}");
    }
}

#[test]
fn merges_of_a_layer_are_the_first_of_the_next() {
    let samples = coordinates(&normal::<f64>(9, 80, 3));
    let memberships = any_memberships(&[20, 3], 80, 3);
    let state = State::of(&samples, &memberships).unwrap();
    let [ten, four] = [10, 4].map(|wanted| state.merged(&[20, 3], 0, wanted));
    for (a, b) in (0..20).flat_map(|b| (0..b).map(move |a| (a, b))) {
        assert!(ten[a] != ten[b] || four[a] == four[b]);
    }
    assert_eq!(state.merged(&[20, 3], 0, 20), (0..20).collect::<Vec<_>>());
}

#[test]
fn a_cluster_of_two_is_cut_between_them() {
    for seed in 0..10 {
        let noise = normal::<f64>(6, 50, seed);
        let x = Matrix::from_fn(6, 50, |i, j| {
            noise[(i, j)] + if j % 3 == 0 { 9.0 * (i as f64 - 2.0) } else { 0.0 }
        });
        let second = halves(x).unwrap();
        assert!((0..50).all(|j| (second[j] == second[0]) == (j % 3 == 0)), "seed {seed}");
    }
    assert_eq!(halves(Matrix::from_fn(4, 9, |i, _| i as f64)), None);
    assert_eq!(halves(normal(4, 1, 0)), None);
    assert_eq!(halves(Matrix::zeros(4, 0)), None);
}

/// Whatever is cut, there are as many clusters as before, and only in that part.
#[test]
fn cut_and_merged_parts_have_their_sizes() {
    let x = planted(&attributes((6, 3), 120, 1), 20, 1.0, 1);
    let samples = coordinates(&x);
    for seed in 0..5 {
        let memberships = any_memberships(&[6, 3], 120, seed);
        let state = State::of(&samples, &memberships).unwrap();
        let from = Found { memberships, state };
        for part in [0, 1] {
            let size = [6, 3][part];
            let cut = drawn(size, size.div_ceil(2), &mut generator(seed, 1));
            assert!(cut.len() == size.div_ceil(2) && cut.windows(2).all(|pair| pair[0] < pair[1]));
            let found = cut_and_merge(&samples, &from, part, &cut).unwrap();
            assert_eq!(found.memberships.sizes, [6, 3]);
            let labels = &found.memberships.labels;
            assert!(labels.iter().enumerate().all(|(i, label)| *label < [6, 3][i % 2]));
            assert!(found.state.objective < from.state.objective); // random clusters are bad ones
        }
    }
}

/// With two parts there is one order, and nothing to share but the features.
#[test]
fn the_best_start_is_the_best_of_starts_by_themselves() {
    let samples = coordinates(&planted(&attributes((5, 3), 90, 2), 20, 2.0, 2));
    let known = Memberships::together(vec![1, 1], 90);
    let best = best_start(&samples, &[5, 3], &known, 7, &|| Ok(())).unwrap();
    let first = features_for(&samples, &known, (0, 5), 7, &|| Ok(())).unwrap();
    let alone = |(i, more): (u64, usize)| {
        let wanted = |part: usize| {
            let number = if part == 0 { i } else { 4 + i };
            Wanted { part, size: [5, 3][part], more, number, seed: 7 }
        };
        start(&samples, &known, &first, &[0, 1], wanted, &|| Ok(())).unwrap().unwrap()
    };
    let all: Vec<Found> = (0..).zip([1, 2, 3, 5]).map(alone).collect();
    let least = all.iter().map(|f| f.state.objective).fold(f64::INFINITY, f64::min);
    assert_eq!(best.state.objective.to_bits(), least.to_bits());
}

#[test]
fn many_parts_are_found_in_the_order_of_their_sizes() {
    let samples = coordinates(&normal::<f64>(12, 60, 4));
    let known = Memberships::together(vec![1; 5], 60);
    let found = best_start(&samples, &[2, 3, 4, 2, 3], &known, 0, &|| Ok(())).unwrap();
    assert_eq!(found.memberships.sizes, [2, 3, 4, 2, 3]);
}
