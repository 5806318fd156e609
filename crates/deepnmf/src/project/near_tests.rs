//! New samples of models with neighbours in the data.

use super::Projection;
use crate::graph::NeighbourWeights;
use crate::matrix::{Matrix, pseudo_inverse};
use crate::models::{Factorization, Gnmf, Neighbourhood, SemiNmf, Settings, Wsf};
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
