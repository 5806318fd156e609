use proptest::prelude::*;

use super::*;
use deepnmf::rng::{generator, uniform};

fn random(p: usize, n: usize, seed: u64) -> Matrix<f64> {
    let mut rng = generator(seed, 0);
    Matrix::from_fn(p, n, |i, _| (i + 1) as f64 * uniform(&mut rng) + i as f64)
}

/// `X X^T / (n - 1)`.
fn covariance(x: &Matrix<f64>) -> Matrix<f64> {
    let turned = x.t().to_matrix();
    Matrix::from_fn(x.rows(), x.rows(), |i, j| {
        dot(turned.col(i), turned.col(j)) / (x.cols() as f64 - 1.0)
    })
}

#[test]
fn whitened_features_are_uncorrelated_with_variance_one_and_mean_zero() {
    let white = Scaling::Whitened.apply(&random(5, 60, 1)).unwrap();
    let covariance = covariance(&white);
    for i in 0..5 {
        for j in 0..5 {
            let expected = if i == j { 1.0 } else { 0.0 };
            assert!((covariance[(i, j)] - expected).abs() < 1e-10);
        }
    }
    assert!(mean_sample(&white).iter().all(|m| m.abs() < 1e-12));
}

#[test]
fn whitening_leaves_out_directions_without_variance() {
    let x = random(3, 40, 2);
    let twice = Matrix::from_fn(6, 40, |i, j| x[(i % 3, j)]);
    assert_eq!(Scaling::Whitened.apply(&twice).unwrap().rows(), 3);
    assert_eq!(Scaling::Whitened.apply(&twice.cast::<f32>()).unwrap().rows(), 3);
    let constant = Matrix::from_fn(3, 5, |i, _| i as f64);
    assert!(matches!(Scaling::Whitened.apply(&constant), Err(EvalError::NoVariance)));
    assert!(Scaling::Whitened.apply(&random(3, 1, 0)).is_err());
}

#[test]
fn zero_samples_and_rows_stay_zero() {
    let x = Matrix::from_vec(2, 2, vec![0.0, 0.0, 3.0, 0.0]).unwrap();
    assert_eq!(Scaling::UnitSamples.apply(&x).unwrap().as_slice(), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(Scaling::UnitRows.apply(&x).unwrap().as_slice(), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn new_samples_are_scaled_by_what_was_learned() {
    let (train, test) = (random(4, 30, 3), random(4, 7, 4));
    for scaling in Scaling::ALL {
        let scaler = scaling.fit(&train).unwrap();
        let both =
            Matrix::from_fn(4, 37, |i, j| if j < 30 { train[(i, j)] } else { test[(i, j - 30)] });
        let (all, alone) = (scaler.apply(&both).unwrap(), scaler.apply(&test).unwrap());
        for j in 0..7 {
            for (a, b) in all.col(30 + j).iter().zip(alone.col(j)) {
                assert!((a - b).abs() < 1e-12, "{scaling}");
            }
        }
        assert!(scaler.apply(&random(3, 2, 0)).is_err());
    }
}

#[test]
fn every_scaling_is_known_by_its_name() {
    for scaling in Scaling::ALL {
        assert_eq!(scaling.to_string().parse::<Scaling>().unwrap(), scaling);
        assert_eq!(serde_json::to_value(scaling).unwrap(), scaling.to_string());
    }
    let error = "white".parse::<Scaling>().unwrap_err().to_string();
    assert!(error.contains("none, unit-samples, unit-rows, whitened"), "{error}");
}

proptest! {
    #[test]
    fn unit_samples_have_norm_one(p in 1usize..8, n in 1usize..8, power in -300i32..300) {
        let x = random(p, n, 5).map(|v| (v + 1.0) * 10f64.powi(power));
        for column in Scaling::UnitSamples.apply(&x).unwrap().columns() {
            prop_assert!((dot(column, column) - 1.0).abs() < 1e-12);
        }
    }
}
