use super::algorithm::JointLoop;
use super::*;
use crate::driver::Algorithm;
use crate::matrix::Matrix;
use crate::models::{Factorization, Nmf, NonNegativeOptions};
use crate::stop::StopRule;
use crate::testing::{distance, in_common_unit, literal_error, literal_product, positive};

#[test]
fn joint_rules_are_the_printed_ones() {
    let x = positive::<f64>(9, 30, 1);
    let z = vec![positive::<f64>(9, 6, 2), positive(6, 4, 3), positive(4, 3, 4)];
    let h = positive::<f64>(3, 30, 5);
    let mut joint = JointLoop::new(&x, z.clone(), h.clone()).unwrap();
    joint.step().unwrap();
    let times = |a: &Matrix<f64>, b: &Matrix<f64>| literal_product(a.view(), b.view());
    let turned = |m: &Matrix<f64>| m.t().to_matrix();
    let ratio = |a: &Matrix<f64>, up: &Matrix<f64>, down: &Matrix<f64>| {
        Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] * up[(i, j)] / down[(i, j)])
    };
    let mut literal = z;
    for i in 0..3 {
        let identity = Matrix::identity(9);
        let psi = literal[..i].iter().fold(identity, |p, z| times(&p, z));
        let signal = literal[i + 1..].iter().rev().fold(h.clone(), |h, z| times(z, &h));
        let up = times(&turned(&psi), &times(&x, &turned(&signal)));
        let model = times(&psi, &times(&literal[i], &signal));
        let down = times(&turned(&psi), &times(&model, &turned(&signal)));
        literal[i] = ratio(&literal[i], &up, &down);
        assert!(distance(&joint.z[i], &literal[i]) < 1e-10, "Z_{}", i + 1);
    }
    let phi = literal[1..].iter().fold(literal[0].clone(), |p, z| times(&p, z));
    let up = times(&turned(&phi), &x);
    let down = times(&turned(&phi), &times(&phi, &h));
    assert!(distance(&joint.h, &ratio(&h, &up, &down)) < 1e-10);
}

#[test]
fn the_error_never_rises_and_is_what_it_says() {
    let x = in_common_unit(positive::<f64>(14, 50, 6));
    let stop = StopRule { kappa: 0.0, max_iterations: 60, max_seconds: None };
    for layers in [vec![4], vec![8, 4], vec![9, 6, 3]] {
        let model = MultilayerNmf::new(layers.clone())
            .with(Nmf::new(1).with(NonNegativeOptions::default().stop(stop)));
        let fitted = model.fit(&x).unwrap();
        let history = &fitted.summary.history;
        assert!(history.len() > 20); // where nothing is left to gain, rounding decides when it ends
        assert!(history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{history:?}");
        let factors = &fitted.factors;
        let basis = factors.basis(layers.len()).unwrap();
        let error = literal_error(&x, &basis, factors.top_features());
        assert!((fitted.summary.error / error - 1.0).abs() < 1e-6);
        for i in 0..layers.len() {
            // Every layer rebuilds the data as the top one does.
            let same = literal_error(&x, &factors.basis(i + 1).unwrap(), &factors.h[i]);
            assert!((same / error - 1.0).abs() < 1e-6);
        }
    }
}
