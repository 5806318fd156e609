//! Starts from a truncated singular value decomposition (Gillis & Kumar, arXiv 1410.7220).
//!
//! Let `X ~ U B` with the rows of `B` the scaled right singular vectors. `Z` may have any sign, so
//! `H` only needs to be non-negative and to span the same rows as `B`.
//!
//! * If some `y` makes `w = y^T B` positive, turn the basis such that the first row is `w` and add
//!   as much of it to every other row as that row needs: `h_i = b_i + a_i w >= 0`. The rows still
//!   span the same space, so `|X - Z H|` is the error of the rank-`k` decomposition, and nothing
//!   of rank `k` is better. Non-negative data always have such a vector, the leading one; the
//!   flattest one is best (`positive.rs`).
//! * Otherwise one component pays for the shift: with `s_j = max(0, max_i -b_ij)`,
//!   `h_i = b_i + s` for `i < k` and `h_k = s` reach the error of rank `k - 1`.

use super::positive::{Direction, positive_direction};
use super::random::uniform_features;
use super::{ScaleIn, Started};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, SvdMethod, product, truncated_svd};

/// The rank-`k` optimum where a positive vector exists, else [`rank_minus_one`].
pub(super) fn optimal<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    scale: ScaleIn,
    seed: u64,
) -> Result<Started<T>> {
    let factor = RightFactor::of(x, k, scale, seed)?;
    let Some(direction) = positive_direction(&factor.b) else {
        let mut started = factor.rank_minus_one(k, seed);
        // With components to spare, the one that pays for the shift costs nothing.
        started.found_positive_vector = factor.b.rows() < k;
        return Ok(started);
    };
    let h = shift_along_first_row(first_row_along(factor.b, &direction));
    Ok(Started {
        h: pad(h, k, seed),
        singular_values: Some(factor.singular_values),
        found_positive_vector: true,
    })
}

/// The decomposition of rank `k - 1` with a component that shifts it.
pub(super) fn rank_minus_one<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    scale: ScaleIn,
    seed: u64,
) -> Result<Started<T>> {
    Ok(RightFactor::of(x, k, scale, seed)?.rank_minus_one(k, seed))
}

/// The right factor `B` of a truncated decomposition; its rank may be below what was asked.
struct RightFactor<T> {
    b: Matrix<T>,
    singular_values: Vec<f64>,
}

impl<T: Scalar> RightFactor<T> {
    fn of(x: &dyn DataMatrix<T>, k: usize, scale: ScaleIn, seed: u64) -> Result<Self> {
        let (p, n) = x.shape();
        let svd = truncated_svd(x, k.min(p).min(n), SvdMethod::Auto, seed)?;
        let rounding = svd.s[0] * T::EPSILON.to_f64() * p.max(n) as f64;
        let rank = svd.s.iter().take_while(|s| **s > rounding).count();
        let scales: Vec<f64> = svd.s[..rank].iter().map(|s| s.powf(scale.exponent())).collect();
        let b = Matrix::from_fn(rank, n, |i, j| T::from_f64(svd.v[(j, i)].to_f64() * scales[i]));
        Ok(Self { b, singular_values: svd.s })
    }

    fn rank_minus_one(&self, k: usize, seed: u64) -> Started<T> {
        let kept = self.b.rows().min(k - 1);
        let mut h = Matrix::zeros(kept + 1, self.b.cols());
        for (j, b) in self.b.columns().enumerate() {
            let shift = b[..kept].iter().fold(T::ZERO, |s, b| s.larger(-*b));
            let column = h.col_mut(j);
            column[..kept].iter_mut().zip(b).for_each(|(h, b)| *h = *b + shift);
            column[kept] = shift;
        }
        if kept == 0 {
            h.as_mut_slice().fill(T::ONE); // one component, or data that are zero
        }
        Started {
            h: pad(h, k, seed),
            singular_values: Some(self.singular_values.clone()),
            found_positive_vector: true,
        }
    }
}

/// Turns the basis of the rows by a reflection such that the first one points along `direction`.
fn first_row_along<T: Scalar>(mut b: Matrix<T>, direction: &Direction) -> Matrix<T> {
    match direction {
        Direction::Leading { flipped: false } => b,
        Direction::Leading { flipped: true } => {
            for j in 0..b.cols() {
                let first = &mut b.col_mut(j)[0];
                *first = -*first;
            }
            b
        }
        Direction::Along(y) => {
            // I - 2 v v^T / |v|^2 with v = y - e_1 takes y to e_1.
            let mut v = y.clone();
            v[0] -= 1.0;
            let norm_sq: f64 = v.iter().map(|v| v * v).sum();
            let factor = if norm_sq > 0.0 { 2.0 / norm_sq } else { 0.0 };
            let reflection = Matrix::from_fn(v.len(), v.len(), |i, j| {
                let identity = if i == j { 1.0 } else { 0.0 };
                T::from_f64(identity - factor * v[i] * v[j])
            });
            product(reflection.view(), b.view())
        }
    }
}

/// Adds to each row as much of the positive first row as it takes to be non-negative. Rows whose
/// negative needs less are negated first: smaller shifts keep the rows apart.
fn shift_along_first_row<T: Scalar>(mut b: Matrix<T>) -> Matrix<T> {
    let k = b.rows();
    let mut needed = vec![(0.0f64, 0.0f64); k]; // as it is, and negated
    for column in b.columns().filter(|c| c[0] > T::ZERO) {
        let first = column[0].to_f64();
        for ((as_is, negated), v) in needed.iter_mut().zip(column) {
            let ratio = v.to_f64() / first;
            *as_is = as_is.max(-ratio);
            *negated = negated.max(ratio);
        }
    }
    let moves: Vec<(T, T)> = needed
        .iter()
        .map(|&(as_is, negated)| {
            if as_is <= negated {
                (T::ONE, T::from_f64(as_is))
            } else {
                (-T::ONE, T::from_f64(negated))
            }
        })
        .collect();
    for column in b.as_mut_slice().chunks_exact_mut(k) {
        let first = column[0].larger(T::ZERO);
        column[0] = first;
        for (v, (sign, shift)) in column.iter_mut().zip(&moves).skip(1) {
            *v = (*sign * *v + *shift * first).larger(T::ZERO);
        }
    }
    b
}

/// Appends random rows, as large as the others on average, where the data have no more rank.
fn pad<T: Scalar>(h: Matrix<T>, k: usize, seed: u64) -> Matrix<T> {
    let (found, n) = h.shape();
    if found >= k {
        return h;
    }
    let mean = h.as_slice().iter().map(|v| v.to_f64()).sum::<f64>() / (found * n) as f64;
    let size = T::from_f64(if mean > 0.0 { 2.0 * mean } else { 1.0 });
    let random = uniform_features::<T>(k - found, n, seed);
    Matrix::from_fn(k, n, |i, j| if i < found { h[(i, j)] } else { size * random[(i - found, j)] })
}
