//! What several tests need: random matrices and slow, literal arithmetic.

use crate::matrix::{Matrix, MatrixView, Scalar};
use crate::rng::{Purpose, normal_matrix, stream};

/// Standard normal numbers.
pub(crate) fn normal<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Matrix<T> {
    normal_matrix(rows, cols, &mut stream(seed, Purpose::Start))
}

/// Absolute values of standard normal numbers.
pub(crate) fn positive<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Matrix<T> {
    normal::<T>(rows, cols, seed).map(Scalar::magnitude)
}

/// The product of two matrices by its definition.
pub(crate) fn literal_product<T: Scalar>(
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
) -> Matrix<f64> {
    assert_eq!(a.cols(), b.rows());
    Matrix::from_fn(a.rows(), b.cols(), |i, j| {
        (0..a.cols()).map(|l| a.get(i, l).to_f64() * b.get(l, j).to_f64()).sum()
    })
}

/// `a - b`.
pub(crate) fn difference(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    assert_eq!(a.shape(), b.shape());
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)])
}

/// The largest difference of two matrices relative to the largest entry of the second.
pub(crate) fn distance<T: Scalar, U: Scalar>(a: &Matrix<T>, b: &Matrix<U>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let largest = |m: &mut dyn Iterator<Item = f64>| m.fold(0.0f64, |l, v| l.max(v.abs()));
    let off =
        largest(&mut a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a.to_f64() - b.to_f64()));
    off / largest(&mut b.as_slice().iter().map(|b| b.to_f64())).max(f64::MIN_POSITIVE)
}

/// `|X - Phi H|_F` by its definition.
pub(crate) fn literal_error<T: Scalar>(x: &Matrix<T>, phi: &Matrix<T>, h: &Matrix<T>) -> f64 {
    difference(&x.cast(), &literal_product(phi.view(), h.view())).norm_sq().sqrt()
}

/// How far `h` is from the optimality conditions of `min |X - Phi H|` over `H >= 0`, relative to
/// the largest entry of `b`: descent left at zero entries, slope left at positive ones.
pub(crate) fn optimality<T: Scalar>(gram: &Matrix<f64>, b: &Matrix<f64>, h: &Matrix<T>) -> f64 {
    let slope = difference(b, &literal_product(gram.view(), h.cast::<f64>().view()));
    let scale = b.as_slice().iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let off = |(s, h): (&f64, &T)| if h.to_f64() > 0.0 { s.abs() } else { s.max(0.0) };
    assert!(h.as_slice().iter().all(|h| *h >= T::ZERO), "a feature is negative");
    slope.as_slice().iter().zip(h.as_slice()).map(off).fold(0.0, f64::max) / scale
}
