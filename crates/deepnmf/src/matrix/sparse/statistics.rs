//! Numbers that sparse data answer from the entries they hold.
//!
//! The reconstruction error is formed without the reconstruction:
//!
//! ```text
//! |X - Phi H|^2 = |X|^2 - 2 sum_ij x_ij phi_i^T h_j + <Phi^T Phi, H H^T>        over the entries that are held
//! ```
//!
//! in `f64`. Where little remains of `|X|^2`, the same sums are carried out with twice as many digits (`exact.rs`).

use std::ops::Range;

use rayon::prelude::*;

use super::exact::exact_residual;
use super::{Sparse, Stored};
use crate::error::Result;
use crate::matrix::{
    Matrix, Parts, Scalar, dot, gram_of_columns, gram_of_rows, power_of_two, sum_of_pairs,
};

/// Values, or lists, that one task sums up: a fixed number, so that threads change no result.
const BLOCK: usize = 4096;

/// A residual below this share of `|X|^2` has lost too many digits to differences of `f64`: half of them.
const TOO_CLOSE: f64 = 1e8 * f64::EPSILON;

impl<T: Scalar> Sparse<'_, T> {
    /// The sum of `of` over blocks of values, added up in their order.
    fn sum_of_blocks(&self, of: impl Fn(&[T]) -> f64 + Sync + Send) -> f64 {
        let sums: Vec<f64> = self.values.par_chunks(BLOCK).map(of).collect();
        sums.iter().sum()
    }

    pub(in crate::matrix) fn squared_norm(&self) -> f64 {
        self.sum_of_blocks(|values| dot(values, values))
    }

    pub(in crate::matrix) fn sum(&self) -> f64 {
        self.sum_of_blocks(|values| sum_of_pairs(values, values, |v, _| v))
    }

    pub(crate) fn largest_magnitude(&self) -> f64 {
        let largest = |most: f64, v: &T| most.max(v.to_f64().abs());
        let of_block = |values: &[T]| values.iter().fold(0.0, largest);
        self.values.par_chunks(BLOCK).map(of_block).reduce(|| 0.0, f64::max)
    }

    /// Every value times a power of two, in two steps: its halves are numbers even where it is none.
    pub(crate) fn times_power(mut self, exponent: i32) -> Self {
        if exponent != 0 {
            let halves =
                [exponent / 2, exponent - exponent / 2].map(|e| T::from_f64(power_of_two(e)));
            let scaled = |v: &T| *v * halves[0] * halves[1];
            self.values =
                self.values.par_iter().with_min_len(BLOCK).map(scaled).collect::<Vec<T>>().into();
        }
        self
    }

    /// The values of each sample times a number of its own.
    pub(in crate::matrix) fn times_of_samples(mut self, factors: &[f64]) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for list in 0..self.lists() {
            for at in self.range(list) {
                let (_, sample) = self.position(list, self.places.get(at));
                values.push(T::from_f64(self.values[at].to_f64() * factors[sample]));
            }
        }
        self.values = values.into();
        self
    }

    /// The squared length of each sample.
    pub(in crate::matrix) fn squared_lengths(&self) -> Vec<f64> {
        if self.stored == Stored::BySample {
            let length = |j| {
                let values = &self.values[self.range(j)];
                dot(values, values)
            };
            return (0..self.shape.1).into_par_iter().with_min_len(64).map(length).collect();
        }
        let mut lengths = vec![0.0; self.shape.1];
        self.for_each(|_, sample, v| lengths[sample] += v.to_f64() * v.to_f64());
        lengths
    }

    /// `|X - Phi H|^2`.
    pub(in crate::matrix) fn residual(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        let (norm_sq, k) = (self.squared_norm(), phi.cols());
        let turned = phi.t().to_matrix();
        let (mut of_phi, mut of_h) = (Matrix::zeros(k, k), Matrix::zeros(k, k));
        gram_of_columns(&mut of_phi, &phi.cast::<f64>());
        gram_of_rows(&mut of_h, h, Parts::whole(h.cols()))?;
        let model = of_phi.inner(&of_h);
        let residual = norm_sq - 2.0 * self.inner_product(&turned, h) + model;
        if residual > TOO_CLOSE * norm_sq.max(model) || !residual.is_finite() {
            return Ok(residual);
        }
        Ok(exact_residual(self, &turned, h).max(0.0))
    }

    /// `sum_ij x_ij phi_i^T h_j`, where `phi` is `k x p`.
    fn inner_product(&self, phi: &Matrix<T>, h: &Matrix<T>) -> f64 {
        let of_block = |lists: Range<usize>| {
            let mut sum = 0.0;
            for list in lists {
                for at in self.range(list) {
                    let (feature, sample) = self.position(list, self.places.get(at));
                    sum += self.values[at].to_f64() * dot(phi.col(feature), h.col(sample));
                }
            }
            sum
        };
        let sums: Vec<f64> = self.list_blocks(64).map(of_block).collect();
        sums.iter().sum()
    }

    /// Blocks of lists, of a fixed number.
    pub(super) fn list_blocks(
        &self,
        lists: usize,
    ) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let count = self.lists();
        let range = move |block: usize| block * lists..((block + 1) * lists).min(count);
        (0..count.div_ceil(lists)).into_par_iter().map(range)
    }
}
