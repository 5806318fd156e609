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
//!   `h_i = b_i + s` for `i < k` and `h_k = s` reach the error of rank `k - 1`. So does any other `s` that is large
//!   enough; the optimal start takes a constant for each row, which changes no distance.
//!
//! With a scale-free graph penalty all of this holds for the decomposition in `smooth.rs`.

use rayon::prelude::*;

use super::positive::{Direction, positive_direction};
use super::smooth::{Smoothed, smooth_rows};
use super::{Begin, ScaleIn, Started, weighted};
use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{
    DataMatrix, Matrix, Parts, Scalar, SvdMethod, total_weight, truncated_svd, weight_of,
    weighted_row_sums,
};
use crate::rng::{Purpose, uniform_columns};

/// The rank-`k` optimum where a positive vector exists, else [`rank_minus_one`].
pub(super) fn optimal<T: Scalar>(
    x: &dyn DataMatrix<T>,
    begin: Begin,
    graph: Option<&dyn Graph<T>>,
) -> Result<Started<T>> {
    let factor = RightFactor::of(x, begin, graph)?;
    let gram = factor.gram.as_ref();
    let Some(direction) = positive_direction(&factor.b, gram, x.parts(), x.weights())? else {
        let mut started = factor.shifted_alike(x, begin)?;
        // With components to spare, the one that pays for the shift costs nothing.
        started.found_positive_vector = factor.b.rows() < begin.components;
        return Ok(started);
    };
    let h = shift_along_first_row(first_row_along(factor.b, &direction), x.parts())?;
    started(x, h, begin, factor.singular_values)
}

/// The decomposition of rank `k - 1` with a component that shifts it.
pub(super) fn rank_minus_one<T: Scalar>(
    x: &dyn DataMatrix<T>,
    begin: Begin,
    graph: Option<&dyn Graph<T>>,
) -> Result<Started<T>> {
    RightFactor::of(x, begin, graph)?.rank_minus_one(x, begin)
}

/// Features with rows for all components, times the factors of samples with weights.
fn started<T: Scalar>(
    x: &dyn DataMatrix<T>,
    h: Matrix<T>,
    begin: Begin,
    singular_values: Option<Vec<f64>>,
) -> Result<Started<T>> {
    let h = weighted(x, pad(h, begin, x)?);
    Ok(Started { h, singular_values, found_positive_vector: true, cut_short: false })
}

/// The right factor `B` of a truncated decomposition; its rank may be below what was asked.
struct RightFactor<'a, T> {
    b: Matrix<T>,
    /// The inner products of its rows in the metric of a graph, where there is one; without they are orthogonal.
    gram: Option<Matrix<f64>>,
    /// Those of the data, if it is theirs.
    singular_values: Option<Vec<f64>>,
    parts: Parts<'a>,
}

impl<'a, T: Scalar> RightFactor<'a, T> {
    fn of(x: &'a dyn DataMatrix<T>, begin: Begin, graph: Option<&dyn Graph<T>>) -> Result<Self> {
        let (p, parts) = (x.shape().0, x.parts());
        let k = begin.components.min(p).min(parts.total());
        if let Some(graph) = graph {
            let Smoothed { rows, gram } = smooth_rows(x, graph, k, begin)?;
            return Ok(Self { b: rows, gram: Some(gram), singular_values: None, parts });
        }
        let svd = truncated_svd(x, k, SvdMethod::Auto, begin.seed)?;
        let rank = svd.rank();
        let shares = begin.shares(&svd.s[..rank]);
        let mut b = Matrix::from_fn(rank, parts.samples(), |i, j| {
            T::from_f64(svd.v[(j, i)].to_f64() * shares[i])
        });
        if let Some(weights) = x.weights() {
            weights.take_off(&mut b);
        }
        Ok(Self { b, gram: None, singular_values: Some(svd.s), parts })
    }

    /// One component that is constant pays for the shift: each row is shifted by the same for all samples, which
    /// therefore stay as far apart as they were.
    fn shifted_alike(&self, x: &dyn DataMatrix<T>, begin: Begin) -> Result<Started<T>> {
        let kept = self.b.rows().min(begin.components - 1);
        let mut least = vec![0.0; kept];
        let mut sum = 0.0;
        for (j, b) in self.b.columns().enumerate() {
            let entries = least.iter_mut().zip(b);
            entries.for_each(|(least, b): (&mut f64, _)| *least = least.min(b.to_f64()));
            let own = b[..kept].iter().map(|b| b.to_f64().abs()).sum::<f64>();
            sum += own * weight_of(x.weights(), j);
        }
        self.parts.min(&mut least)?;
        // As large as the others on average.
        let mean = self.parts.sum_of(sum)? / (kept.max(1) as f64 * total_weight(x));
        let constant = T::from_f64(if mean > 0.0 { mean } else { 1.0 });
        let mut h = Matrix::zeros(kept + 1, self.b.cols());
        for (j, b) in self.b.columns().enumerate() {
            let column = h.col_mut(j);
            for ((h, b), least) in column.iter_mut().zip(b).zip(&least) {
                *h = (*b - T::from_f64(*least)).larger(T::ZERO);
            }
            column[kept] = constant;
        }
        started(x, h, begin, self.singular_values.clone())
    }

    fn rank_minus_one(&self, x: &dyn DataMatrix<T>, begin: Begin) -> Result<Started<T>> {
        let kept = self.b.rows().min(begin.components - 1);
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
        started(x, h, begin, self.singular_values.clone())
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
            b.as_mut_slice().par_chunks_mut(v.len()).for_each(|column| {
                let along: f64 = column.iter().zip(&v).map(|(b, v)| b.to_f64() * v).sum();
                for (b, v) in column.iter_mut().zip(&v) {
                    *b = T::from_f64(b.to_f64() - factor * along * v);
                }
            });
            b
        }
    }
}

/// Adds to each row as much of the positive first row as it takes to be non-negative. Rows whose
/// negative needs less are negated first: smaller shifts keep the rows apart.
fn shift_along_first_row<T: Scalar>(mut b: Matrix<T>, parts: Parts<'_>) -> Result<Matrix<T>> {
    let k = b.rows();
    // How much each row needs as it is, and behind that negated.
    let mut needed = vec![0.0f64; 2 * k];
    for column in b.columns().filter(|c| c[0] > T::ZERO) {
        let first = column[0].to_f64();
        let (as_it_is, negated) = needed.split_at_mut(k);
        for ((as_it_is, negated), v) in as_it_is.iter_mut().zip(negated).zip(column) {
            let ratio = v.to_f64() / first;
            *as_it_is = as_it_is.max(-ratio);
            *negated = negated.max(ratio);
        }
    }
    parts.max(&mut needed)?;
    let (as_it_is, negated) = needed.split_at(k);
    let moves: Vec<Move<T>> = as_it_is
        .iter()
        .zip(negated)
        .map(|(as_it_is, negated)| {
            if as_it_is <= negated {
                Move { sign: T::ONE, shift: T::from_f64(*as_it_is) }
            } else {
                Move { sign: -T::ONE, shift: T::from_f64(*negated) }
            }
        })
        .collect();
    for column in b.as_mut_slice().chunks_exact_mut(k) {
        let first = column[0].larger(T::ZERO);
        column[0] = first;
        for (v, Move { sign, shift }) in column.iter_mut().zip(&moves).skip(1) {
            *v = (*sign * *v + *shift * first).larger(T::ZERO);
        }
    }
    Ok(b)
}

/// How a row becomes non-negative: it or its negative, plus so much of the first row.
struct Move<T> {
    sign: T,
    shift: T,
}

/// Appends random rows, as large as the others on average, where the data have no more rank; zeros where weak
/// components fade out.
fn pad<T: Scalar>(h: Matrix<T>, begin: Begin, x: &dyn DataMatrix<T>) -> Result<Matrix<T>> {
    let ((found, n), parts) = (h.shape(), x.parts());
    let k = begin.components;
    if found >= k {
        return Ok(h);
    }
    let own: f64 = match x.weights() {
        None => h.as_slice().iter().map(|v| v.to_f64()).sum(),
        Some(weights) => weighted_row_sums(&h, Some(weights)).iter().sum(),
    };
    let mean = parts.sum_of(own)? / (found as f64 * total_weight(x));
    let size = match begin.scale {
        ScaleIn::Soft => 0.0,
        _ if mean > 0.0 => 2.0 * mean,
        _ => 1.0,
    };
    let size = T::from_f64(size);
    let random = uniform_columns::<T>(k - found, parts.range(), begin.seed, Purpose::Start);
    Ok(Matrix::from_fn(
        k,
        n,
        |i, j| {
            if i < found { h[(i, j)] } else { size * random[(i - found, j)] }
        },
    ))
}
