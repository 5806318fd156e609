//! Sums over samples, in a fixed order.

use deepnmf::matrix::{dot, sum_of_pairs};
use deepnmf::{Matrix, Scalar};

/// Runs a loop over slices with the widest vector instructions of this machine. The loop must
/// inline into the closure; results do not depend on the width.
#[inline(always)]
pub(crate) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}

/// The squared distance of two samples, in `f64` and without cancellation.
#[inline(always)]
pub(crate) fn distance_sq<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    sum_of_pairs(a, b, |a, b| (a - b) * (a - b))
}

/// The mean sample.
pub(crate) fn mean_sample<T: Scalar>(x: &Matrix<T>) -> Vec<f64> {
    let mut mean = vec![0.0; x.rows()];
    for column in x.columns() {
        for (m, v) in mean.iter_mut().zip(column) {
            *m += v.to_f64();
        }
    }
    for m in &mut mean {
        *m /= x.cols() as f64;
    }
    mean
}

/// Every sample less `mean`.
pub(crate) fn centred<T: Scalar>(x: &Matrix<T>, mean: &[f64]) -> Matrix<T> {
    let mut x = x.clone();
    for j in 0..x.cols() {
        for (v, m) in x.col_mut(j).iter_mut().zip(mean) {
            *v = T::from_f64(v.to_f64() - m);
        }
    }
    x
}

/// The squared lengths of all samples.
pub(crate) fn squared_lengths<T: Scalar>(x: &Matrix<T>) -> Vec<f64> {
    x.columns().map(|c| dot(c, c)).collect()
}

/// The error that rounding can cause in `|x|^2 - 2 c^T x + |c|^2` when the middle term is a
/// product of `T`s over `rows` features, as a share of `|x|^2 + |c|^2`.
pub(crate) fn rounding_share<T: Scalar>(rows: usize) -> f64 {
    (rows + 4) as f64 * T::EPSILON.to_f64()
}
