//! The best cluster of every part for a sample, all parts at once.
//!
//! ```text
//! |y - c_1 - c_2 - ..|^2 = |y|^2 - 2 sum_i <c_i, y> + sum_ij <c_i, c_j>
//! ```
//!
//! So inner products suffice: of all centres with the sample, and of the centres with each other. The metric is in
//! them. Where there are not too many combinations the least of all is chosen, of equal ones the first, and what a
//! sample belonged to before has no effect. Else parts choose one after the other.

use std::ops::Range;

use rayon::prelude::*;

use super::memberships::rows_of;
use crate::matrix::{Matrix, MatrixView, first_least, mul_block};

/// More combinations are not compared for each sample.
const MOST_COMBINATIONS: usize = 4096;

/// Samples that one task works on.
const BLOCK: usize = 256;

/// Rounds of parts that choose one after the other.
const ROUNDS: usize = 10;

/// The centres of all parts, as samples see them.
pub(crate) struct Choice<'a> {
    /// The rows of each part among the clusters of all.
    rows: Vec<Range<usize>>,
    /// The parts whose clusters are known.
    known: Vec<usize>,
    /// The others.
    free: Vec<usize>,
    /// `<c_a, c_b>`, `K x K`.
    inner: &'a Matrix<f64>,
    /// All sums of centres, if they are not too many.
    sums: Option<Sums>,
}

/// The sums of one centre of each part.
struct Sums {
    /// The parts in the order in which sums are counted: the largest last, whose clusters are counted first.
    order: Vec<usize>,
    /// The squared length of each sum.
    lengths: Vec<f64>,
}

impl<'a> Choice<'a> {
    /// Among clusters, so many of each part, whose centres have these inner products. Those of some parts are known.
    pub(crate) fn new(sizes: &[usize], held: &[bool], inner: &'a Matrix<f64>) -> Self {
        let rows: Vec<_> = rows_of(sizes).collect();
        let (known, free): (Vec<_>, Vec<_>) = (0..sizes.len()).partition(|part| held[*part]);
        let combinations = free.iter().try_fold(1usize, |all, part| all.checked_mul(sizes[*part]));
        let few = combinations.is_some_and(|all| all <= MOST_COMBINATIONS);
        let sums = few.then(|| Sums::of(&rows, &free, inner));
        Self { rows, known, free, inner, sums }
    }

    /// Chooses for every sample. Its inner products with the centres are `centres^T y`; `labels` holds what each of
    /// them belongs to, one sample after the other, and what it belongs to now.
    pub(crate) fn choose(
        &self,
        centres: &Matrix<f64>,
        y: MatrixView<'_, f64>,
        labels: &mut [usize],
    ) {
        let (k, width) = (centres.cols(), self.rows.len());
        let blocks = labels.par_chunks_mut(BLOCK * width).enumerate();
        blocks.for_each(|(block, labels)| {
            let count = labels.len() / width;
            let mut along = vec![0.0; k * count];
            mul_block(&mut along, centres.t(), y.columns(block * BLOCK, count));
            let mut room = Room::default();
            for (along, labels) in along.chunks_exact_mut(k).zip(labels.chunks_exact_mut(width)) {
                match &self.sums {
                    Some(sums) => {
                        // What is known is taken off the sample.
                        for part in &self.known {
                            let centre = self.inner.col(self.rows[*part].start + labels[*part]);
                            along.iter_mut().zip(centre).for_each(|(along, c)| *along -= c);
                        }
                        sums.choose(&self.rows, along, &mut room, labels);
                    }
                    None => self.one_after_the_other(along, labels),
                }
            }
        });
    }

    fn one_after_the_other(&self, along: &[f64], labels: &mut [usize]) {
        let rows = &self.rows;
        for _ in 0..ROUNDS {
            let before = labels.to_vec();
            for &part in &self.free {
                let others = (0..rows.len()).filter(|other| *other != part);
                let others: Vec<usize> = others.map(|i| rows[i].start + labels[i]).collect();
                let distance = |a: usize| {
                    let with_others: f64 = others.iter().map(|b| self.inner[(a, *b)]).sum();
                    self.inner[(a, a)] + 2.0 * with_others - 2.0 * along[a]
                };
                let distances: Vec<f64> = rows[part].clone().map(distance).collect();
                labels[part] = first_least(&distances);
            }
            if before == *labels {
                break;
            }
        }
    }
}

impl Sums {
    fn of(rows: &[Range<usize>], free: &[usize], inner: &Matrix<f64>) -> Self {
        let mut order = free.to_vec();
        order.sort_by_key(|part| rows[*part].len()); // stable
        let mut sums: Vec<(Vec<usize>, f64)> = vec![(vec![], 0.0)];
        for part in &order {
            let mut longer = Vec::with_capacity(sums.len() * rows[*part].len());
            for (chosen, length) in &sums {
                for a in rows[*part].clone() {
                    let cross: f64 = chosen.iter().map(|b| inner[(a, *b)]).sum();
                    let chosen = chosen.iter().copied().chain([a]).collect();
                    longer.push((chosen, length + inner[(a, a)] + 2.0 * cross));
                }
            }
            sums = longer;
        }
        Self { order, lengths: sums.into_iter().map(|(_, length)| length).collect() }
    }

    /// The sum nearest to a sample whose inner products with all centres are `along`.
    fn choose(&self, rows: &[Range<usize>], along: &[f64], room: &mut Room, labels: &mut [usize]) {
        let Some((largest, others)) = self.order.split_last() else { return };
        let (own, Room { least, rests }) = (&along[rows[*largest].clone()], room);
        least.clear();
        least.resize(own.len(), f64::INFINITY);
        rests.clear();
        for (run, lengths) in self.lengths.chunks_exact(own.len()).enumerate() {
            let (mut place, mut rest) = (run, 0.0);
            for part in others.iter().rev() {
                let size = rows[*part].len();
                rest += 2.0 * along[rows[*part].start + place % size];
                place /= size;
            }
            rests.push(rest);
            for (least, length) in least.iter_mut().zip(lengths) {
                let distance = length - rest;
                *least = if distance < *least { distance } else { *least };
            }
        }
        let known = |(least, along): (&f64, &f64)| least - 2.0 * along;
        let distances: Vec<f64> = least.iter().zip(own).map(known).collect();
        let a = first_least(&distances);
        let here = |(lengths, rest): (&[f64], &f64)| lengths[a] - rest <= least[a];
        let runs = self.lengths.chunks_exact(own.len());
        let mut run = runs.zip(&*rests).position(here).unwrap_or(0);
        labels[*largest] = a;
        for part in others.iter().rev() {
            let size = rows[*part].len();
            (labels[*part], run) = (run % size, run / size);
        }
    }
}

/// Room to compare sums in: for each cluster of the largest part the least over the clusters of the others, and what those
/// take off a length.
#[derive(Default)]
struct Room {
    least: Vec<f64>,
    rests: Vec<f64>,
}
