use super::algorithm::JointLoop;
use super::*;
use crate::driver::Algorithm;
use crate::matrix::Matrix;
use crate::models::{Factorization, Nmf, NonNegativeOptions};
use crate::objective::Divergence;
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

/// Counts with zeros.
fn counts() -> Matrix<f64> {
    let (z, h) = (positive::<f64>(14, 4, 11), positive::<f64>(4, 50, 12));
    let (product, noise) = (literal_product(z.view(), h.view()), positive::<f64>(14, 50, 13));
    Matrix::from_fn(14, 50, |i, j| (product[(i, j)] * noise[(i, j)] - 0.5).max(0.0).ceil())
}

fn kullback_leibler(layers: &[usize], max_iterations: usize) -> MultilayerNmf {
    let stop = StopRule { kappa: 0.0, max_iterations, max_seconds: None };
    let options = NonNegativeOptions::default().stop(stop);
    let nmf = Nmf::new(1).divergence(Divergence::KullbackLeibler).with(options);
    MultilayerNmf::new(layers).with(nmf)
}

#[test]
fn the_divergence_never_rises_and_is_what_it_says() {
    let x = counts();
    for layers in [vec![4], vec![8, 4], vec![9, 6, 3]] {
        let fitted = kullback_leibler(&layers, 40).fit(&x).unwrap();
        let history = &fitted.summary.history;
        assert!(history.len() > 10, "{layers:?}");
        assert!(history.windows(2).all(|pair| pair[1] <= pair[0]), "{history:?}");
        let factors = &fitted.factors;
        let phi = factors.basis(layers.len()).unwrap();
        let y = literal_product(phi.view(), factors.top_features().view());
        let term = |(x, y): (&f64, &f64)| if *x > 0.0 { x * (x / y).ln() - x + y } else { *y };
        let divergence: f64 = x.as_slice().iter().zip(y.as_slice()).map(term).sum();
        let error = (2.0 * divergence).sqrt();
        assert!((fitted.summary.error / error - 1.0).abs() < 1e-9);
        for i in 0..layers.len() {
            let h = fitted.project(&x, i + 1, crate::Projection::NonNegative).unwrap();
            assert!(fitted.error_of(&x, i + 1, &h).unwrap() <= error * (1.0 + 1e-9));
        }
    }
}

/// What a layer more brings: joint tuning ends below what is found layer by layer.
#[test]
fn tuning_lowers_the_divergence_of_layers_found_one_by_one() {
    let fitted = kullback_leibler(&[8, 4], 60).fit(&counts()).unwrap();
    let history = &fitted.summary.history;
    assert!(history[history.len() - 1] < 0.99 * history[0], "{history:?}");
}

#[test]
fn one_layer_is_tuned_as_nmf_is() {
    let x = counts();
    let deep = kullback_leibler(&[4], 3000).fit(&x).unwrap();
    let options = kullback_leibler(&[4], 3000).nmf.options;
    let shallow =
        Nmf::new(4).divergence(Divergence::KullbackLeibler).with(options).fit(&x).unwrap();
    assert!((deep.summary.error / shallow.summary.error - 1.0).abs() < 1e-4);
}
