use super::*;
use crate::matrix::{Centred, DataMatrix, Matrix, mean_column};
use crate::models::Factorization;
use crate::project::Projection;
use crate::testing::{distance, literal_product, normal, positive};

fn data() -> Matrix<f64> {
    let noise = normal::<f64>(12, 80, 1);
    Matrix::from_fn(12, 80, |i, j| 5.0 + noise[(i, j)] * (12 - i) as f64)
}

#[test]
fn centred_data_answer_like_a_centred_copy() {
    let x = data();
    let mean = mean_column(&x).unwrap();
    let copy = Matrix::from_fn(12, 80, |i, j| x[(i, j)] - mean[i]);
    let centred = Centred::new(&x, &mean);
    let (z, h) = (normal::<f64>(12, 3, 2), normal::<f64>(3, 80, 3));
    let (mut z_t_x, mut x_ht) = (Matrix::zeros(3, 80), Matrix::zeros(12, 3));
    centred.tr_mul(&z, &mut z_t_x).unwrap();
    centred.mul_tr(&h, &mut x_ht).unwrap();
    assert!(distance(&z_t_x, &literal_product(z.t(), copy.view())) < 1e-12);
    assert!(distance(&x_ht, &literal_product(copy.view(), h.t())) < 1e-12);
    assert!(distance(&centred.to_dense().unwrap(), &copy) < 1e-12);
    assert!((centred.norm_sq().unwrap() / copy.norm_sq() - 1.0).abs() < 1e-12);
}

#[test]
fn features_are_centred_uncorrelated_and_of_variance_one() {
    let h = WhitenedPca::new(5).fit(&data()).unwrap().factors.h.remove(0);
    let covariance = literal_product(h.view(), h.t()).map(|v| v / 80.0);
    assert!(distance(&covariance, &Matrix::<f64>::identity(5)) < 1e-9);
    let ones = Matrix::from_fn(80, 1, |_, _| 1.0);
    assert!(literal_product(h.view(), ones.view()).as_slice().iter().all(|s| s.abs() < 1e-9));
}

#[test]
fn projecting_the_training_set_returns_its_features() {
    let x = data();
    let model = WhitenedPca::new(5).fit(&x).unwrap();
    let h = model.project(&x, 1, Projection::Basis).unwrap();
    assert!(distance(&h, &model.factors.h[0]) < 1e-9);
    let told = model.project(&x, 1, Projection::NonNegative).unwrap_err().to_string();
    assert!(told.contains("basis"), "{told}");
}

#[test]
fn all_components_rebuild_the_data() {
    let model = WhitenedPca::new(12).fit(&data()).unwrap();
    assert!(model.summary.relative_error < 1e-9);
    let again = model.factors.reconstruct(1, &model.factors.h[0]).unwrap();
    assert!(distance(&again, &data()) < 1e-9);
}

#[test]
fn data_without_variance_have_no_features() {
    let model = WhitenedPca::new(2).fit(&Matrix::from_fn(3, 9, |i, _| i as f64)).unwrap();
    assert!(model.factors.h[0].as_slice().iter().all(|h| *h == 0.0));
    assert!(model.summary.error < 1e-9);
}

#[test]
fn more_components_than_dimensions_are_refused() {
    let told = WhitenedPca::new(5).fit(&positive::<f64>(4, 9, 1)).unwrap_err().to_string();
    assert!(told.contains("components is 5") && told.contains("1 to 4"), "{told}");
}
