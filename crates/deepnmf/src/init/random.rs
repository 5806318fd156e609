//! Uniform random features.

use crate::matrix::{Matrix, Scalar};
use crate::rng::{Purpose, stream, uniform};

/// `k x n` numbers between 0 and 1.
pub(super) fn uniform_features<T: Scalar>(k: usize, n: usize, seed: u64) -> Matrix<T> {
    let mut rng = stream(seed, Purpose::Start);
    Matrix::from_fn(k, n, |_, _| T::from_f64(uniform(&mut rng)))
}
