//! New samples of models with neighbours in the data, and of those whose layers are fitted together.

use super::Projection;
use crate::activation::Activation;
use crate::graph::NeighbourWeights;
use crate::matrix::{Matrix, Parts, pseudo_inverse};
use crate::models::reading::Lens;
use crate::models::{
    DeepSemiNmf, Factorization, Factors, Gnmf, Loss, Neighbourhood, Penalties, SemiNmf, Settings,
    Wsf,
};
use crate::persist::{AnyModel, model_from_bytes};
use crate::testing::{distance, literal_product, positive};

fn near(weights: NeighbourWeights) -> Neighbourhood {
    Neighbourhood::of([4]).weights(weights).lambda(1.5)
}

#[test]
fn samples_of_the_fit_get_its_features_by_both_methods() {
    let x = positive::<f64>(12, 60, 1);
    let labels: Vec<Option<u32>> = (0..60).map(|j| Some(j % 3)).collect();
    let heat = near(NeighbourWeights::Heat { sigma: None });
    let models: [(Settings, bool); 3] = [
        (SemiNmf::new(5).neighbourhood(near(NeighbourWeights::Binary)).into(), false),
        (Wsf::new(5, 1.0).neighbourhood(heat).into(), true),
        (Gnmf::new(5).neighbours(4, NeighbourWeights::Dot).into(), false),
    ];
    for (settings, labelled) in models {
        let attributes: &[Option<&[Option<u32>]>] = if labelled { &[Some(&labels)] } else { &[] };
        let fitted = settings.fit_labelled(&x, attributes).unwrap();
        for method in [Projection::Basis, Projection::NonNegative] {
            let found = fitted.project(&x, 1, method).unwrap();
            assert_eq!(found, fitted.factors.h[0], "{} {method:?}", settings.name());
        }
    }
}

/// `(Z^+ x + lambda sum_l w_l h_l) / (1 + lambda)` with the nearest in the space of the basis, by definitions.
#[test]
fn new_samples_are_drawn_to_the_nearest_of_the_fit() {
    let (x, new) = (positive::<f64>(12, 60, 1), positive::<f64>(12, 7, 2));
    let model = SemiNmf::new(5).neighbourhood(near(NeighbourWeights::Binary));
    let fitted = model.fit(&x).unwrap();
    let (z, h) = (&fitted.factors.z[0], &fitted.factors.h[0]);
    let inverse = pseudo_inverse(z.view()).unwrap();
    let b = literal_product(inverse.view(), new.view());
    let there = literal_product(z.view(), literal_product(inverse.view(), x.view()).view());
    let here = literal_product(z.view(), b.view());
    let expected = Matrix::from_fn(5, 7, |i, j| {
        let away = |l: usize| -> f64 {
            here.col(j).iter().zip(there.col(l)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut order: Vec<usize> = (0..60).collect();
        order.sort_by(|a, b| away(*a).total_cmp(&away(*b)));
        let mean = order[..4].iter().map(|l| h[(i, *l)]).sum::<f64>() / 4.0;
        (b[(i, j)] + 1.5 * mean) / 2.5
    });
    let found = fitted.project(&new, 1, Projection::Basis).unwrap();
    assert!(distance(&found, &expected) < 1e-9, "{}", distance(&found, &expected));
    let found = fitted.project(&new, 1, Projection::NonNegative).unwrap();
    assert!(found.as_slice().iter().all(|v| *v >= 0.0));
    if expected.as_slice().iter().all(|v| *v >= 0.0) {
        assert!(distance(&found, &expected) < 1e-9);
    }
}

/// Models whose layers are fitted together.
fn joint() -> Vec<DeepSemiNmf> {
    let both = || Neighbourhood::of([3, 4]).lambda(1.5);
    let top = || Neighbourhood::of([0, 4]).lambda(1.5);
    let deep = || DeepSemiNmf::new([7, 4]);
    vec![
        deep().activation(Activation::Softplus).neighbourhood(top()),
        deep().activation(Activation::Softplus).neighbourhood(both()),
        deep().activation(Activation::Stanh).loss(Loss::Data).neighbourhood(both()),
        deep().loss(Loss::Layer).neighbourhood(both()),
        // Not fewer components at the top: the first basis would lose its rank.
        DeepSemiNmf::new([4, 4])
            .penalties(Penalties { ridge: 1e-3, ..Penalties::default() })
            .neighbourhood(both()),
    ]
}

#[test]
fn samples_of_a_joint_fit_get_its_features_by_both_methods_and_from_a_file() {
    let x = positive::<f64>(12, 60, 1);
    for model in joint() {
        let fitted = model.fit(&x).unwrap();
        let AnyModel::F64(read) = model_from_bytes(&fitted.to_bytes().unwrap()).unwrap() else {
            panic!("the model has f64")
        };
        for layer in 1..=2 {
            for method in [Projection::Basis, Projection::NonNegative] {
                let found = read.project(&x, layer, method).unwrap();
                assert_eq!(found, fitted.factors.h[layer - 1], "{model:?} {layer} {method:?}");
            }
        }
    }
}

/// `|x - Z_1 g(Z_2 h)|^2 / 2 + lambda sum_i |Phi_i (h_i - m_i)|^2 / 2` by definitions: no step along an axis lowers it by
/// much more than what a last step of the descent may gain, a thousandth.
#[test]
fn new_samples_of_joint_models_minimise_what_the_fit_minimised() {
    let (x, new) = (positive::<f64>(12, 60, 1), positive::<f64>(12, 5, 2));
    for model in joint() {
        let fitted = model.fit(&x).unwrap();
        let factors = &fitted.factors;
        let inverse = pseudo_inverse(factors.z[0].view()).unwrap();
        let along = |x: &Matrix<f64>| literal_product(inverse.view(), x.view());
        let first = Factors::new(vec![factors.z[0].clone()], vec![along(&x)]);
        let lens = Lens::new(&first, 1, 4, Parts::whole(60)).unwrap();
        let compared = |layer: usize, x: &Matrix<f64>| match layer {
            1 => literal_product(factors.z[0].view(), along(x).view()),
            _ => lens.unit_features(&along(x)),
        };
        let mean_features = |layer: usize, j: usize| -> Vec<f64> {
            let (there, here) = (compared(layer, &x), compared(layer, &new));
            let squares =
                |l: usize| here.col(j).iter().zip(there.col(l)).map(|(a, b)| (a - b).powi(2));
            let away = |l: usize| squares(l).sum::<f64>().sqrt();
            let mut order: Vec<usize> = (0..60).collect();
            order.sort_by(|a, b| away(*a).total_cmp(&away(*b)));
            order.truncate(model.neighbourhood.neighbours[layer - 1]);
            let sigma = away(order[order.len() / 2]);
            let weight = |l: &usize| (-(away(*l) / sigma).powi(2) / 2.0).exp();
            let all: f64 = order.iter().map(weight).sum();
            let h = &factors.h[layer - 1];
            (0..h.rows())
                .map(|i| order.iter().map(|l| weight(l) / all * h[(i, *l)]).sum::<f64>())
                .collect()
        };
        let found = fitted.project(&new, 2, Projection::NonNegative).unwrap();
        for j in 0..5 {
            let layers = if model.loss == Loss::Paper { 1..=2 } else { 2..=2 };
            let drawn = layers.filter(|layer| model.neighbourhood.neighbours[layer - 1] > 0);
            let drawn: Vec<_> = drawn
                .map(|layer| (layer, factors.basis(layer).unwrap(), mean_features(layer, j)))
                .collect();
            let value = |h: &[f64]| {
                let h = Matrix::from_vec(4, 1, h.to_vec()).unwrap();
                let signal = factors.decode(2, &h).unwrap();
                let fitted = literal_product(factors.z[0].view(), signal.view());
                let left = (0..12).map(|i| (new[(i, j)] - fitted[(i, 0)]).powi(2)).sum::<f64>();
                let pulls = drawn.iter().map(|(layer, phi, mean)| {
                    let h = if *layer == 2 { &h } else { &signal };
                    let away = Matrix::from_fn(h.rows(), 1, |i, _| h[(i, 0)] - mean[i]);
                    1.5 * literal_product(phi.view(), away.view()).norm_sq()
                });
                f64::midpoint(left, pulls.sum::<f64>())
            };
            let h = found.col(j).to_vec();
            let (least, size) = (value(&h), h.iter().sum::<f64>());
            for i in 0..4 {
                for step in [1e-2 * size, -1e-2 * size] {
                    let mut moved = h.clone();
                    moved[i] = (moved[i] + step).max(0.0);
                    assert!(value(&moved) >= least * (1.0 - 5e-3), "{model:?} {j} {i} {step}");
                }
            }
        }
    }
}
