//! Sums in a fixed order, and random numbers by stream.

use deepnmf::{Matrix, Scalar};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs a loop over slices with the widest vector instructions of this machine. The loop must
/// inline into the closure; results do not depend on the width.
#[inline(always)]
pub(crate) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}

/// A dot product carried out in `f64`, in eight partial sums so that it vectorises; the order of
/// additions is fixed.
pub(crate) fn dot<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    fold(a, b, |a, b| a * b)
}

/// The squared distance of two samples, in `f64` and without cancellation.
#[inline(always)]
pub(crate) fn distance_sq<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    fold(a, b, |a, b| (a - b) * (a - b))
}

#[inline(always)]
fn fold<T: Scalar>(a: &[T], b: &[T], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0f64; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for l in 0..8 {
            sums[l] += term(a[l].to_f64(), b[l].to_f64());
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| term(a.to_f64(), b.to_f64())).sum();
    sums.iter().sum::<f64>() + rest
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

/// The random numbers of one restart, class or other task: tasks with numbers of their own can run
/// in any order.
pub(crate) fn stream(seed: u64, task: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(task as u64);
    rng
}

/// A number from 0 up to but not including 1.
pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A whole number below `bound`, which is not zero.
pub(crate) fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    let wide = u128::from(rng.next_u64()) * bound as u128;
    #[allow(clippy::cast_possible_truncation)] // it is below `bound`
    let drawn = (wide >> 64) as usize;
    drawn
}

/// Puts `items` into random order.
pub(crate) fn shuffle<I>(items: &mut [I], rng: &mut ChaCha8Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i + 1));
    }
}
