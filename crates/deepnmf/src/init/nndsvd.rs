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

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::weighted;
use crate::error::Result;
use crate::matrix::{
    AUTO_TOLERANCE, DataMatrix, Matrix, Parts, Scalar, Svd, SvdMethod, truncated_svd,
};
use crate::rng::{Purpose, uniform_columns};

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

/// `Z` (`p x k`) and `H` (`k x n`) to begin with.
pub(crate) struct StartedPair<T> {
    pub(crate) z: Matrix<T>,
    pub(crate) h: Matrix<T>,
    /// The leading singular values of the data, where they were computed, and well enough for a bound.
    pub(crate) singular_values: Option<Vec<f64>>,
    /// Whether somebody stopped it, so that random factors took its place.
    pub(crate) cut_short: bool,
}

/// Squared singular values that are off by more than this share of what they leave over are no bound.
const OFF: f64 = 1e-6;

/// Factors to begin with; all parts of `x` call it together.
pub(crate) fn begin_non_negative<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    start: NonNegativeStart,
    seed: u64,
) -> Result<StartedPair<T>> {
    let (p, parts) = (x.shape().0, x.parts());
    let mut mean = mean_entry(x)?;
    if mean <= 0.0 {
        // What fixed components leave of the data may have any sign.
        mean = (x.norm_sq()? / (p * parts.total()) as f64).sqrt();
    }
    let rank = k.min(p).min(parts.total());
    // Beyond the rank of the data there are no triplets to begin from.
    if start == NonNegativeStart::Random || rank < k {
        // Uniform numbers have a mean of one half, and products are to have about that of the data.
        let size = T::from_f64(2.0 * (mean / k as f64).sqrt());
        let (z, h) = uniform_pair::<T>(p, parts.range(), k, seed);
        let (z, h) = (z.map(|v| v * size), weighted(x, h.map(|v| v * size)));
        return Ok(StartedPair { z, h, singular_values: None, cut_short: false });
    }
    // The flat spectra of counts have digits that cost many rounds, and a beginning needs few.
    let mut svd = truncated_svd(x, k, SvdMethod::Rough, seed)?;
    let kept: f64 = svd.s.iter().map(|s| s * s).sum();
    let off = (svd.accuracy * svd.s[0]).powi(2);
    let exact = svd.accuracy <= AUTO_TOLERANCE || off <= OFF * (x.norm_sq()? - kept);
    let halves = larger_halves(&svd, parts)?;
    if let Some(weights) = x.weights() {
        let mut samples = svd.v.t().to_matrix();
        weights.take_off(&mut samples);
        svd.v = samples.t().to_matrix();
    }
    let keep = |v: T, least: f64, sign: f64, scale: f64| {
        let v = sign * v.to_f64();
        T::from_f64(if v > least { v * scale } else { 0.0 })
    };
    let [least_u, least_v] = least_entries(&svd, parts)?;
    let mut z = Matrix::from_fn(p, k, |i, c| {
        keep(svd.u[(i, c)], least_u[c], halves[c].sign, halves[c].of_u)
    });
    let mut h = Matrix::from_fn(k, parts.samples(), |c, j| {
        keep(svd.v[(j, c)], least_v[c], halves[c].sign, halves[c].of_v)
    });
    match start {
        NonNegativeStart::Random | NonNegativeStart::Nndsvd => {}
        NonNegativeStart::Nndsvda => {
            for entry in z.as_mut_slice().iter_mut().chain(h.as_mut_slice()) {
                if *entry == T::ZERO {
                    *entry = T::from_f64(mean);
                }
            }
        }
        NonNegativeStart::Nndsvdar => {
            let (random_z, random_h) = uniform_pair::<f64>(p, parts.range(), k, seed);
            let entries = z.as_mut_slice().iter_mut().chain(h.as_mut_slice());
            let random = random_z.as_slice().iter().chain(random_h.as_slice());
            for (entry, random) in entries.zip(random) {
                if *entry == T::ZERO {
                    *entry = T::from_f64(mean * random / 100.0);
                }
            }
        }
    }
    let h = weighted(x, h);
    Ok(StartedPair { z, h, singular_values: exact.then_some(svd.s), cut_short: false })
}

/// *Together*: the mean of all entries, where a sample counts as often as its weight says.
fn mean_entry<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<f64> {
    let p = x.shape().0;
    let Some(weights) = x.weights() else {
        return Ok(x.entry_sum()? / (p * x.parts().total()) as f64);
    };
    let (factors, mut sums) = (weights.factors(), Matrix::zeros(p, 1));
    x.wide_mul_tr(&Matrix::from_fn(1, factors.len(), |_, j| factors[j]), &mut sums)?;
    Ok(sums.as_slice().iter().sum::<f64>() / (p as f64 * weights.total()))
}

/// Entries of a singular vector below this share of its largest are zeros: those of an empty feature or sample are
/// rounding, of either sign, and would be left or filled by chance.
const ZERO: f64 = 1e-6;

/// The least entries of the left and of the right singular vectors that are not zeros.
fn least_entries<T: Scalar>(svd: &Svd<T>, parts: Parts<'_>) -> Result<[Vec<f64>; 2]> {
    let largest = |w: &[T]| w.iter().fold(0.0, |most: f64, w| most.max(w.to_f64().abs()));
    let of_u = svd.u.columns().map(|u| ZERO * largest(u)).collect();
    let mut of_v: Vec<f64> = svd.v.columns().map(|v| ZERO * largest(v)).collect();
    parts.max(&mut of_v)?;
    Ok([of_u, of_v])
}

/// What is kept of a triplet.
struct Half {
    /// 1 for the positive parts of its vectors, -1 for the negative ones.
    sign: f64,
    /// By what its vectors are scaled.
    of_u: f64,
    of_v: f64,
}

/// The larger half of each triplet.
fn larger_halves<T: Scalar>(svd: &Svd<T>, parts: Parts<'_>) -> Result<Vec<Half>> {
    let squares = |w: &[T]| {
        [1.0, -1.0].map(|sign| w.iter().map(|w| (sign * w.to_f64()).max(0.0).powi(2)).sum::<f64>())
    };
    let mut of_v: Vec<f64> = svd.v.columns().flat_map(squares).collect();
    parts.sum(&mut of_v)?;
    let triplets = svd.s.iter().zip(svd.u.columns()).zip(of_v.chunks_exact(2));
    let half = |((s, u), v): ((&f64, &[T]), &[f64])| {
        let of_u = squares(u);
        let [plus, minus] = [0, 1].map(|side: usize| (of_u[side].sqrt(), v[side].sqrt()));
        let positive = plus.0 * plus.1 >= minus.0 * minus.1;
        let (sign, (u, v)) = if positive { (1.0, plus) } else { (-1.0, minus) };
        let root = (s * u * v).sqrt();
        let over = |length: f64| if length > 0.0 { root / length } else { 0.0 };
        Half { sign, of_u: over(u), of_v: over(v) }
    };
    Ok(triplets.map(half).collect())
}

/// Numbers between 0 and 1 for every entry of `Z` and of the samples' part of `H`.
fn uniform_pair<T: Scalar>(
    p: usize,
    samples: Range<usize>,
    k: usize,
    seed: u64,
) -> (Matrix<T>, Matrix<T>) {
    let columns = |range| uniform_columns::<T>(k, range, seed, Purpose::Start);
    (columns(0..p).t().to_matrix(), columns(p + samples.start..p + samples.end))
}
