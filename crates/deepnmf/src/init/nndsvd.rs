//! NNDSVD (Boutsidis & Gallopoulos 2008): non-negative factors from a singular value decomposition.
//!
//! Each triplet `s u v^T` is cut into the outer products of the positive and of the negative parts of
//! its vectors, of which the larger is kept, its scale by equal parts in `Z` and `H`:
//!
//! ```text
//! z_i = sqrt(s m) u^+ / |u^+|      h_i = sqrt(s m) v^+ / |v^+|      m = |u^+| |v^+|   (or with ^-)
//! ```
//!
//! A multiplicative rule never leaves a zero, so the zeros can be filled: with the mean of the data
//! (NNDSVDa), or with random numbers about a hundredth of it (NNDSVDar).

use serde::{Deserialize, Serialize};

use super::random::uniform_features;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, SvdMethod, truncated_svd};
use crate::rng::{Purpose, stream, uniform};

/// How the factors of a non-negative model begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NonNegativeStart {
    /// Uniform random numbers.
    Random,
    /// From the singular value decomposition, with zeros.
    Nndsvd,
    /// The same, with the mean of the data in place of zeros.
    #[default]
    Nndsvda,
    /// The same, with small random numbers in place of zeros.
    Nndsvdar,
}

/// `Z` (`p x k`) and `H` (`k x n`), and the singular values where they were computed.
pub(crate) type Pair<T> = (Matrix<T>, Matrix<T>, Option<Vec<f64>>);

/// Factors to begin with.
pub(crate) fn begin_non_negative<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    start: NonNegativeStart,
    seed: u64,
) -> Result<Pair<T>> {
    let (p, n) = x.shape();
    let mean = mean_entry(x);
    let rank = k.min(p).min(n);
    // Beyond the rank of the data there are no triplets to begin from.
    if start == NonNegativeStart::Random || rank < k {
        let (z, h) = random_pair(p, n, k, (mean / k as f64).sqrt(), seed);
        return Ok((z, h, None));
    }
    let svd = truncated_svd(x, k, SvdMethod::Auto, seed)?;
    let (mut z, mut h) = (Matrix::zeros(p, k), Matrix::zeros(k, n));
    for (i, s) in svd.s.iter().enumerate() {
        let (u, v) = (svd.u.col(i), svd.v.col(i));
        let (sign, scale) = larger_half(u, v, *s);
        let keep = |w: &T, scale: f64| T::from_f64((sign * w.to_f64()).max(0.0) * scale);
        z.col_mut(i).iter_mut().zip(u).for_each(|(z, u)| *z = keep(u, scale.0));
        v.iter().enumerate().for_each(|(j, v)| h[(i, j)] = keep(v, scale.1));
    }
    let mut rng = stream(seed, Purpose::Start);
    for entry in z.as_mut_slice().iter_mut().chain(h.as_mut_slice()) {
        if *entry == T::ZERO {
            *entry = match start {
                NonNegativeStart::Nndsvda => T::from_f64(mean),
                NonNegativeStart::Nndsvdar => T::from_f64(mean * uniform(&mut rng) / 100.0),
                NonNegativeStart::Random | NonNegativeStart::Nndsvd => T::ZERO,
            };
        }
    }
    Ok((z, h, Some(svd.s)))
}

/// The sign of the larger half of a triplet, and by what its two vectors are scaled.
fn larger_half<T: Scalar>(u: &[T], v: &[T], s: f64) -> (f64, (f64, f64)) {
    let length = |w: &[T], sign: f64| {
        w.iter().map(|w| (sign * w.to_f64()).max(0.0).powi(2)).sum::<f64>().sqrt()
    };
    let [plus, minus] = [1.0, -1.0].map(|sign| (sign, length(u, sign), length(v, sign)));
    let (sign, u, v) = if plus.1 * plus.2 >= minus.1 * minus.2 { plus } else { minus };
    let root = (s * u * v).sqrt();
    let over = |length: f64| if length > 0.0 { root / length } else { 0.0 };
    (sign, (over(u), over(v)))
}

/// Random factors whose product has about the mean of the data.
fn random_pair<T: Scalar>(
    p: usize,
    n: usize,
    k: usize,
    size: f64,
    seed: u64,
) -> (Matrix<T>, Matrix<T>) {
    // Uniform numbers have a mean of one half.
    let scaled = |m: Matrix<T>| m.map(|v| v * T::from_f64(2.0 * size));
    let both = uniform_features::<T>(k, p + n, seed);
    let z = Matrix::from_fn(p, k, |i, c| both[(c, i)]);
    (scaled(z), scaled(both.view_columns(p..p + n).to_matrix()))
}

fn mean_entry<T: Scalar>(x: &dyn DataMatrix<T>) -> f64 {
    let (p, n) = x.shape();
    let mut sum = [0.0];
    x.blocks(&mut |_, block| {
        for j in 0..block.cols() {
            sum[0] += block.col(j).map(Scalar::to_f64).sum::<f64>();
        }
        std::ops::ControlFlow::Continue(())
    });
    x.sum_over_parts(&mut sum);
    sum[0] / (p * n) as f64
}
