//! Random numbers: one seed, one independent stream per purpose, the same on every machine.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};

use crate::matrix::{Matrix, Scalar};

/// What random numbers are drawn for. Each purpose has a stream of its own, so that asking for
/// more of one kind never changes another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Start = 1,
    Svd = 2,
    KMeans = 3,
    Neighbours = 4,
}

/// The stream of random numbers for one purpose.
pub(crate) fn stream(seed: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose as u64);
    rng
}

/// A matrix of standard normal numbers.
pub(crate) fn normal_matrix<T: Scalar>(
    rows: usize,
    cols: usize,
    rng: &mut ChaCha8Rng,
) -> Matrix<T> {
    Matrix::from_fn(rows, cols, |_, _| {
        let value: f64 = StandardNormal.sample(rng);
        T::from_f64(value)
    })
}

/// A number between 0 and 1.
pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    StandardUniform.sample(rng)
}
