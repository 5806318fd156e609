use proptest::prelude::*;

use super::*;

fn norms<T: Scalar>(x: &Matrix<T>) -> Vec<f64> {
    x.columns().map(|c| c.iter().map(|v| v.to_f64().powi(2)).sum::<f64>().sqrt()).collect()
}

#[test]
fn neither_huge_nor_tiny_numbers_break_the_norm() {
    for scale in [1e300, f64::MAX / 4.0, 1e-300, 1.5e-323] {
        let mut x = Matrix::from_vec(2, 1, vec![3.0 * scale, -4.0 * scale]).unwrap();
        Normalize::Unit.apply(&mut x).unwrap();
        assert!((norms(&x)[0] - 1.0).abs() < 1e-12, "{scale}");
        assert!(x[(0, 0)] > 0.5 && x[(1, 0)] < -0.7);
    }
    let mut x = Matrix::from_vec(2, 1, vec![f32::MAX, f32::MAX]).unwrap();
    Normalize::Unit.apply(&mut x).unwrap();
    assert!((norms(&x)[0] - 1.0).abs() < 1e-6);
}

#[test]
fn a_sample_that_cannot_be_scaled_is_named_and_nothing_is_changed() {
    for (bad, what) in [(0.0, "all zero"), (f64::NAN, "missing in every feature")] {
        let before = Matrix::from_vec(1, 3, vec![2.0, bad, 4.0]).unwrap();
        let mut x = before.clone();
        let message = Normalize::Unit.apply(&mut x).unwrap_err().to_string();
        let expected = format!("sample 2 (counted from 1) is {what}");
        assert!(message.starts_with(&expected), "{message}");
        assert!(message.ends_with("--normalize none"), "{message}");
        assert_eq!(message.contains("--zero-samples"), bad == 0.0, "{message}");
        assert_eq!((x[(0, 0)], x[(0, 2)]), (2.0, 4.0));
    }
}

#[test]
fn none_changes_nothing_not_even_zeros() {
    let before: Matrix<f32> = Matrix::zeros(2, 2);
    let mut x = before.clone();
    Normalize::None.apply(&mut x).unwrap();
    assert_eq!(x, before);
}

proptest! {
    #[test]
    fn every_sample_has_norm_one_and_its_old_direction(
        data in prop::collection::vec(0.1..1e6f64, 12),
    ) {
        let before = Matrix::from_vec(4, 3, data).unwrap();
        let mut x = before.clone();
        Normalize::Unit.apply(&mut x).unwrap();
        for (j, norm) in norms(&x).into_iter().enumerate() {
            prop_assert!((norm - 1.0).abs() < 1e-12);
            let ratio = before[(0, j)] / x[(0, j)];
            for i in 1..4 {
                prop_assert!((before[(i, j)] / x[(i, j)] / ratio - 1.0).abs() < 1e-12);
            }
        }
    }
}
