use super::*;
use crate::matrix::Parts;
use crate::models::{Factorization, Nmf, NonNegativeOptions};
use crate::stop::StopRule;
use crate::testing::{difference, literal_error, literal_product, positive};
use crate::update::{BasisProducts, Limits, h_nesterov};

/// The method by its formulas, on whole matrices, without products kept.
#[test]
fn steps_are_those_of_the_optimal_gradient_method() {
    let (x, z) = (positive::<f64>(9, 20, 1), positive::<f64>(9, 4, 2));
    let gram = literal_product(z.t(), z.view());
    let target = literal_product(z.t(), x.view());
    let start = positive::<f64>(4, 20, 3);
    let largest = crate::matrix::symmetric_eigen(&gram).unwrap().0[0];
    let (mut h, mut y, mut a) = (start.clone(), start.clone(), 1.0f64);
    for _ in 0..7 {
        let slope = difference(&literal_product(gram.view(), y.view()), &target);
        let new = difference(&y, &slope.map(|v| v / largest)).map(|v| v.max(0.0));
        let a_new = f64::midpoint(1.0, (4.0 * a * a + 1.0).sqrt());
        let along = difference(&new, &h).map(|v| -v * (a - 1.0) / a_new);
        (y, h, a) = (difference(&new, &along), new, a_new);
    }
    let mut found = start;
    let products = BasisProducts { phi_t_x: target, phi_t_phi: gram };
    let limits = Limits { tolerance: 0.0, most: 7 };
    let steps = h_nesterov(&mut found, &products, limits, Parts::whole(20)).unwrap();
    assert_eq!(steps, 7);
    assert!(crate::testing::distance(&found, &h) < 1e-10);
}

#[test]
fn it_comes_to_the_error_of_nmf() {
    let x = positive::<f64>(15, 60, 4);
    let stop = StopRule { kappa: 1e-9, max_iterations: 2000, max_seconds: None };
    let nmf = Nmf::new(4).with(NonNegativeOptions::default().stop(stop));
    let (ours, published) = (nmf.fit(&x).unwrap(), NeNmf::new(4).with(nmf).fit(&x).unwrap());
    assert!((ours.summary.error / published.summary.error - 1.0).abs() < 0.01);
    let (z, h) = (&published.factors.z[0], &published.factors.h[0]);
    assert!((literal_error(&x, z, h) / published.summary.error - 1.0).abs() < 1e-6);
    assert!(z.as_slice().iter().chain(h.as_slice()).all(|v| *v >= 0.0));
    let history = &published.summary.history;
    assert!(history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-6)), "{history:?}");
}
