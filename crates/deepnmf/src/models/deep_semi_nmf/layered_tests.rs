//! Layers that read the features of the layer below.

use crate::graph::{NeighbourWeights, nearest_neighbours};
use crate::matrix::{Matrix, pseudo_inverse};
use crate::models::{DeepSemiNmf, Factorization, Neighbourhood, SemiNmf};
use crate::project::Projection;
use crate::testing::{distance, literal_product, positive};

fn model(weights: NeighbourWeights) -> DeepSemiNmf {
    let near = Neighbourhood::of([0, 4]).weights(weights).lambda(1.5);
    DeepSemiNmf::new([9, 5]).neighbourhood(near)
}

/// `(h - mean) / |h - mean|`, and a one.
fn literal_unit(h: &Matrix<f64>, of: &Matrix<f64>) -> Matrix<f64> {
    let (k, n) = (of.rows(), of.cols());
    let mean: Vec<f64> =
        (0..k).map(|i| (0..n).map(|j| of[(i, j)]).sum::<f64>() / n as f64).collect();
    let length = |j: usize| (0..k).map(|i| (h[(i, j)] - mean[i]).powi(2)).sum::<f64>().sqrt();
    Matrix::from_fn(
        k + 1,
        h.cols(),
        |i, j| if i < k { (h[(i, j)] - mean[i]) / length(j) } else { 1.0 },
    )
}

#[test]
fn without_a_weight_it_is_the_model_without_neighbours_bit_for_bit() {
    let x = positive::<f64>(12, 60, 1);
    let near = Neighbourhood::of([4, 4]).lambda(0.0);
    let plain = DeepSemiNmf::new([9, 5]).fit(&x).unwrap();
    let twin = DeepSemiNmf::new([9, 5]).neighbourhood(near.clone()).fit(&x).unwrap();
    assert_eq!(plain.factors, twin.factors);
    let near = Neighbourhood { neighbours: vec![4], ..near };
    let twin = SemiNmf::new(5).neighbourhood(near).fit(&x).unwrap();
    assert_eq!(SemiNmf::new(5).fit(&x).unwrap().factors, twin.factors);
}

/// Connected samples are nearer in the features the more the graph weighs.
#[test]
fn neighbours_are_drawn_together() {
    let x = positive::<f64>(12, 60, 1);
    let mut before = f64::INFINITY;
    for lambda in [0.1, 1.0, 10.0] {
        let near = Neighbourhood::of([0, 4]).lambda(lambda);
        let fitted = DeepSemiNmf::new([9, 5]).neighbourhood(near).fit(&x).unwrap();
        let read = literal_unit(&fitted.factors.h[0], &fitted.factors.h[0]);
        let h = &fitted.factors.h[1];
        let seen = literal_product(fitted.factors.readings[1].as_ref().unwrap().view(), h.view());
        let apart = |j: usize, l: usize| -> f64 {
            seen.col(j).iter().zip(seen.col(l)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let near = nearest_neighbours(&read, 4);
        let sum: f64 = near
            .iter()
            .enumerate()
            .flat_map(|(j, near)| near.iter().map(move |n| (j, n.sample)))
            .map(|(j, l)| apart(j, l))
            .sum();
        assert!(sum < 0.9 * before, "{lambda}: {sum} {before}");
        before = sum;
        assert!(fitted.summary.relative_error < 1.0);
        assert!(fitted.summary.error >= fitted.summary.svd_bound.unwrap() * (1.0 - 1e-9));
    }
}

#[test]
fn samples_of_the_fit_get_its_features_by_both_methods() {
    let x = positive::<f64>(12, 60, 1);
    for weights in
        [NeighbourWeights::Binary, NeighbourWeights::Heat { sigma: None }, NeighbourWeights::Dot]
    {
        let fitted = model(weights).fit(&x).unwrap();
        for method in [Projection::Basis, Projection::NonNegative] {
            assert_eq!(fitted.project(&x, 2, method).unwrap(), fitted.factors.h[1]);
        }
    }
}

/// `V^+ (y + lambda sum_l w_l V h_l) / (1 + lambda)`, by its definition.
#[test]
fn new_samples_are_drawn_to_the_nearest_of_the_fit() {
    let (x, new) = (positive::<f64>(12, 60, 1), positive::<f64>(12, 7, 2));
    let fitted = model(NeighbourWeights::Binary).fit(&x).unwrap();
    let (below, top) = (&fitted.factors.h[0], &fitted.factors.h[1]);
    let v = fitted.factors.readings[1].as_ref().unwrap();
    let h = fitted.project(&new, 1, Projection::Basis).unwrap();
    let (y, trained) = (literal_unit(&h, below), literal_unit(below, below));
    let seen = literal_product(v.view(), top.view());
    let mut target = y.clone();
    for j in 0..7 {
        let away = |l: usize| -> f64 {
            y.col(j).iter().zip(trained.col(l)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut order: Vec<usize> = (0..60).collect();
        order.sort_by(|a, b| away(*a).total_cmp(&away(*b)));
        for i in 0..y.rows() {
            let mean = order[..4].iter().map(|l| seen[(i, *l)]).sum::<f64>() / 4.0;
            target[(i, j)] = (y[(i, j)] + 1.5 * mean) / 2.5;
        }
    }
    let expected = literal_product(pseudo_inverse(v.view()).unwrap().view(), target.view());
    let found = fitted.project(&new, 2, Projection::Basis).unwrap();
    assert!(distance(&found, &expected) < 1e-9, "{}", distance(&found, &expected));
}
