use super::*;
use crate::testing::{normal, positive};

/// Two layers of neighbours, a sample without any among them.
fn pulls() -> Vec<Option<Pull<f64>>> {
    let pull = |k: usize, seed: u64| {
        let root = normal::<f64>(k, k, seed);
        let gram = product(root.t(), root.view());
        Some(Pull {
            gram,
            means: positive(k, 6, seed + 1),
            weights: vec![0.7, 0.7, 0.0, 0.7, 0.7, 0.7],
        })
    };
    vec![pull(3, 1), None, pull(5, 3)]
}

#[test]
fn the_gradient_is_that_of_the_value() {
    let z = [normal::<f64>(5, 4, 11), normal(4, 3, 12)];
    let root = normal::<f64>(5, 5, 13);
    let gram = product(root.t(), root.view());
    for pulls in [vec![], pulls()] {
        let chain = Chain { z: &z, g: Activation::Softplus, gram: gram.clone(), pulls: &pulls };
        // Some of the samples, in an order of their own.
        let aim = Aim { target: normal::<f64>(5, 4, 14).into_vec(), columns: vec![4, 2, 0, 5] };
        let h = positive::<f64>(3, 4, 15).into_vec();
        let Evaluated { gradient, .. } = chain.evaluate(&h, &aim);
        for i in 0..h.len() {
            let moved = |by: f64| {
                let mut h = h.clone();
                h[i] += by;
                chain.forward(&h, &aim).values.iter().sum::<f64>()
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - gradient[i]).abs() < 1e-6 * (1.0 + slope.abs()), "{i}: {slope}");
        }
    }
}

#[test]
fn what_draws_a_sample_adds_its_weighted_distance() {
    let (z, pulls) = ([normal::<f64>(5, 4, 11), normal(4, 3, 12)], pulls());
    let gram = Matrix::identity(5);
    let aim = Aim { target: vec![0.0; 30], columns: (0..6).collect() };
    let h = positive::<f64>(3, 6, 15);
    let values = |pulls: &[Option<Pull<f64>>]| {
        let chain = Chain { z: &z, g: Activation::Softplus, gram: gram.clone(), pulls };
        chain.forward(h.as_slice(), &aim).values
    };
    let (with, without) = (values(&pulls), values(&[]));
    let first = Activation::Softplus.apply(&product(z[1].view(), h.view()));
    let first = Activation::Softplus.apply(&product(z[0].view(), first.view()));
    for j in 0..6 {
        let mut expected = 0.0;
        for (pull, h) in [(&pulls[0], &h), (&pulls[2], &first)] {
            let Some(Pull { gram, means, weights }) = pull else { continue };
            for a in 0..h.rows() {
                for b in 0..h.rows() {
                    let away = |i: usize| h[(i, j)] - means[(i, j)];
                    expected += weights[j] * away(a) * gram[(a, b)] * away(b) / 2.0;
                }
            }
        }
        assert!((with[j] - without[j] - expected).abs() < 1e-9 * (1.0 + expected), "{j}");
    }
}
