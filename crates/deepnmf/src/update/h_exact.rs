//! The features exactly: non-negative least squares by active sets (Lawson & Hanson 1974).
//!
//! For each column, `min 1/2 h^T G h - b^T h` over `h >= 0`. A set of free entries grows by the
//! entry with the steepest descent and shrinks where the unconstrained minimiser over the free
//! entries would turn negative, until
//!
//! ```text
//! b - G h <= 0,    h >= 0,    h * (b - G h) = 0.
//! ```
//!
//! An entry whose basis vector depends on the free ones cannot lower the objective and is never
//! freed, so a singular `G` does no harm. Everything is carried out in `f64`.

use rayon::prelude::*;

use crate::matrix::{Matrix, Scalar};

/// A pivot below this share of the diagonal means a dependent basis vector.
const DEPENDENT: f64 = 1e-12;

/// Slopes below this share of the largest entry of `b` count as zero.
const FLAT: f64 = 1e-11;

/// The exact minimiser for every column of `b`, started from the free entries of `warm`.
///
/// `gram` is `G` and `b` is `Phi^T X`, both in `f64`.
pub fn h_exact<T: Scalar>(gram: &Matrix<f64>, b: &Matrix<f64>, warm: &Matrix<T>) -> Matrix<f64> {
    let k = gram.rows();
    let mut h = warm.cast::<f64>();
    h.as_mut_slice()
        .par_chunks_mut(k.max(1))
        .zip(b.as_slice().par_chunks(k.max(1)))
        .for_each_init(|| ActiveSet::new(gram), |set, (h, b)| set.solve(b, h));
    h
}

/// One column's problem: the free entries and the Cholesky factor of their part of `G`.
struct ActiveSet<'a> {
    gram: &'a Matrix<f64>,
    free: Vec<usize>,
    is_free: Vec<bool>,
    /// Row `r` holds the first `r + 1` entries of the factor's row.
    factor: Vec<Vec<f64>>,
    candidate: Vec<f64>,
    slope: Vec<f64>,
    refused: Vec<bool>,
}

impl<'a> ActiveSet<'a> {
    fn new(gram: &'a Matrix<f64>) -> Self {
        let k = gram.rows();
        Self {
            gram,
            free: Vec::with_capacity(k),
            is_free: vec![false; k],
            factor: Vec::with_capacity(k),
            candidate: Vec::with_capacity(k),
            slope: vec![0.0; k],
            refused: vec![false; k],
        }
    }

    /// Replaces the start `h` by the minimiser.
    fn solve(&mut self, b: &[f64], h: &mut [f64]) {
        self.start_from(h);
        self.descend(b, h, None);
        let flat = FLAT * b.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        // Each round lowers the objective, so no set returns; the limit is for rounding.
        for _ in 0..10 * h.len() + 10 {
            self.measure_slope(b, h);
            let Some(entry) = self.steepest(flat) else { break };
            if self.release(entry) && self.descend(b, h, Some(entry)) {
                self.refused.fill(false); // another set of free entries, another chance
            } else {
                self.refused[entry] = true;
            }
        }
    }

    /// Frees the positive entries of the start as far as they are independent.
    fn start_from(&mut self, h: &mut [f64]) {
        self.free.clear();
        self.factor.clear();
        self.is_free.fill(false);
        self.refused.fill(false);
        for (entry, value) in h.iter_mut().enumerate() {
            if *value <= 0.0 || !self.release(entry) {
                *value = 0.0;
            }
        }
    }

    /// Adds `entry` to the free ones, unless its basis vector depends on theirs.
    fn release(&mut self, entry: usize) -> bool {
        let column = self.gram.col(entry);
        let mut row = Vec::with_capacity(self.free.len() + 1);
        for (r, &other) in self.free.iter().enumerate() {
            let done: f64 = self.factor[r][..r].iter().zip(&row).map(|(a, b)| a * b).sum();
            row.push((column[other] - done) / self.factor[r][r]);
        }
        let pivot = column[entry] - row.iter().map(|v| v * v).sum::<f64>();
        if pivot.is_nan() || pivot <= DEPENDENT * column[entry] {
            return false;
        }
        row.push(pivot.sqrt());
        self.factor.push(row);
        self.free.push(entry);
        self.is_free[entry] = true;
        true
    }

    /// Takes the entries that are `zero` from the free ones.
    fn hold(&mut self, zero: impl Fn(usize) -> bool) {
        let Some(first) = self.free.iter().position(|&entry| zero(entry)) else { return };
        let later = self.free.split_off(first);
        self.factor.truncate(first);
        for entry in later {
            self.is_free[entry] = false;
            if !zero(entry) {
                self.release(entry);
            }
        }
    }

    /// Walks to the minimiser over the free entries, holding those that would turn negative.
    /// Returns false, with nothing moved, if `newest` would be the first of them.
    fn descend(&mut self, b: &[f64], h: &mut [f64], newest: Option<usize>) -> bool {
        let mut newest = newest;
        while !self.free.is_empty() {
            self.minimise_over_free(b);
            if let Some(entry) = newest.take() {
                // Rounding alone can do this: freeing the entry would not lower the objective.
                let last = self.candidate.last().copied().unwrap_or(0.0);
                if last <= 0.0 {
                    self.hold(|e| e == entry);
                    return false;
                }
            }
            // How far to go until the first entry is zero.
            let falling = self.free.iter().zip(&self.candidate).filter(|(_, c)| **c <= 0.0);
            let share = falling.map(|(&e, c)| h[e] / (h[e] - c)).fold(f64::INFINITY, f64::min);
            if share.is_infinite() {
                for (&entry, c) in self.free.iter().zip(&self.candidate) {
                    h[entry] = *c;
                }
                return true;
            }
            let share = share.clamp(0.0, 1.0);
            for (&entry, c) in self.free.iter().zip(&self.candidate) {
                let moved = h[entry] + share * (c - h[entry]);
                let at_bound = *c <= 0.0 && h[entry] <= share * (h[entry] - c) * (1.0 + 1e-14);
                h[entry] = if at_bound { 0.0 } else { moved.max(0.0) };
            }
            self.hold(|e| h[e] <= 0.0);
        }
        true
    }

    /// Solves the free part of `G c = b` by its Cholesky factor.
    fn minimise_over_free(&mut self, b: &[f64]) {
        let c = &mut self.candidate;
        c.clear();
        for (row, &entry) in self.factor.iter().zip(&self.free) {
            let r = c.len();
            let done: f64 = row[..r].iter().zip(c.iter()).map(|(a, b)| a * b).sum();
            c.push((b[entry] - done) / row[r]);
        }
        for r in (0..c.len()).rev() {
            c[r] /= self.factor[r][r];
            let value = c[r];
            for (earlier, a) in c[..r].iter_mut().zip(&self.factor[r]) {
                *earlier -= a * value;
            }
        }
    }

    /// `b - G h`, through the free entries alone.
    fn measure_slope(&mut self, b: &[f64], h: &[f64]) {
        self.slope.copy_from_slice(b);
        for &entry in &self.free {
            for (slope, g) in self.slope.iter_mut().zip(self.gram.col(entry)) {
                *slope -= g * h[entry];
            }
        }
    }

    fn steepest(&self, flat: f64) -> Option<usize> {
        (0..self.slope.len())
            .filter(|&e| !self.is_free[e] && !self.refused[e] && self.slope[e] > flat)
            .max_by(|&a, &b| self.slope[a].total_cmp(&self.slope[b]))
    }
}
