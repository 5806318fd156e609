//! The best cluster of every part for a sample, all parts at once.
//!
//! ```text
//! |y - c_1 - c_2 - ..|^2 = |y|^2 - 2 sum_i <c_i, y> + sum_ij <c_i, c_j>
//! ```
//!
//! So inner products suffice: of all centres with the sample, and of the centres with each other. The metric is in
//! them. Where there are not too many combinations the least of all is chosen, of equal ones the first, and what a
//! sample belonged to before has no effect. Else parts choose one after the other.

use rayon::prelude::*;

use super::memberships::rows_of;
use crate::matrix::{Matrix, MatrixView, mul_block};

/// More combinations are not compared for each sample.
const MOST_COMBINATIONS: usize = 4096;

/// Samples that one task works on.
const BLOCK: usize = 256;

/// Rounds of parts that choose one after the other.
const ROUNDS: usize = 10;

/// The centres of all parts, as samples see them.
pub(crate) struct Choice<'a> {
    sizes: &'a [usize],
    /// `<c_a, c_b>`, `K x K`.
    inner: &'a Matrix<f64>,
    /// The squared length of every sum of centres, if they are not too many; the last part is the fastest.
    lengths: Option<Vec<f64>>,
}

impl<'a> Choice<'a> {
    /// Among clusters, so many of each part, whose centres have these inner products.
    pub(crate) fn new(sizes: &'a [usize], inner: &'a Matrix<f64>) -> Self {
        let combinations = sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
        let few = combinations.is_some_and(|all| all <= MOST_COMBINATIONS);
        let lengths = few.then(|| lengths_of_sums(sizes, inner));
        Self { sizes, inner, lengths }
    }

    /// Chooses for every sample. Its inner products with the centres are `centres^T y`; `labels` holds what each of
    /// them belongs to, one sample after the other, and what it belongs to now.
    pub(crate) fn choose(
        &self,
        centres: &Matrix<f64>,
        y: MatrixView<'_, f64>,
        labels: &mut [usize],
    ) {
        let (k, width) = (centres.cols(), self.sizes.len());
        let blocks = labels.par_chunks_mut(BLOCK * width).enumerate();
        blocks.for_each(|(block, labels)| {
            let count = labels.len() / width;
            let mut along = vec![0.0; k * count];
            mul_block(&mut along, centres.t(), y.columns(block * BLOCK, count));
            let mut sums = Vec::new();
            for (along, labels) in along.chunks_exact(k).zip(labels.chunks_exact_mut(width)) {
                match &self.lengths {
                    Some(lengths) => self.best_of_all(along, lengths, &mut sums, labels),
                    None => self.one_after_the_other(along, labels),
                }
            }
        });
    }

    fn best_of_all(
        &self,
        along: &[f64],
        lengths: &[f64],
        sums: &mut Vec<f64>,
        labels: &mut [usize],
    ) {
        sums.clear();
        sums.push(0.0);
        let mut longer = Vec::with_capacity(lengths.len());
        for rows in rows_of(self.sizes) {
            longer.clear();
            for sum in sums.iter() {
                longer.extend(along[rows.clone()].iter().map(|along| sum + along));
            }
            std::mem::swap(sums, &mut longer);
        }
        let distances = lengths.iter().zip(sums.iter()).map(|(length, sum)| length - 2.0 * sum);
        let mut best = first_least(distances);
        for (label, size) in labels.iter_mut().zip(self.sizes).rev() {
            (*label, best) = (best % size, best / size);
        }
    }

    fn one_after_the_other(&self, along: &[f64], labels: &mut [usize]) {
        let rows: Vec<_> = rows_of(self.sizes).collect();
        for _ in 0..ROUNDS {
            let before = labels.to_vec();
            for part in 0..rows.len() {
                let others = (0..rows.len()).filter(|other| *other != part);
                let others: Vec<usize> = others.map(|i| rows[i].start + labels[i]).collect();
                let distance = |a: usize| {
                    let with_others: f64 = others.iter().map(|b| self.inner[(a, *b)]).sum();
                    self.inner[(a, a)] + 2.0 * with_others - 2.0 * along[a]
                };
                labels[part] = first_least(rows[part].clone().map(distance));
            }
            if before == *labels {
                break;
            }
        }
    }
}

/// `|c_1 + c_2 + ..|^2` of all combinations.
fn lengths_of_sums(sizes: &[usize], inner: &Matrix<f64>) -> Vec<f64> {
    let mut sums = vec![(vec![], 0.0)];
    for rows in rows_of(sizes) {
        let mut longer = Vec::with_capacity(sums.len() * rows.len());
        for (chosen, length) in &sums {
            for a in rows.clone() {
                let cross: f64 = chosen.iter().map(|b: &usize| inner[(a, *b)]).sum();
                let chosen = chosen.iter().copied().chain([a]).collect();
                longer.push((chosen, length + inner[(a, a)] + 2.0 * cross));
            }
        }
        sums = longer;
    }
    sums.into_iter().map(|(_, length): (Vec<usize>, f64)| length).collect()
}

/// The place of the least number, of equal ones the first.
fn first_least(numbers: impl Iterator<Item = f64>) -> usize {
    let least = |best: (usize, f64), (i, v): (usize, f64)| if v < best.1 { (i, v) } else { best };
    numbers.enumerate().fold((0, f64::INFINITY), least).0
}
