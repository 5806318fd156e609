//! The reconstruction error with twice the digits of `f64`, for factorizations that are nearly exact.
//!
//! A product of two numbers is a rounded one and an error that is a number too, and so is a sum (Dekker 1971). Sums
//! that carry their errors along are as good as sums in twice the precision (Ogita, Rump & Oishi 2005), so what is left
//! of `|X|^2` after the differences has half of its digits at least.

use rayon::prelude::*;

use super::Sparse;
use crate::matrix::{Matrix, Scalar};

/// Lists, and columns of a factor, that one task sums up: fixed numbers, so that threads change no result.
const LISTS: usize = 256;
const COLUMNS: usize = 4096;

/// A number in two: `high`, and what it is off by.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    high: f64,
    low: f64,
}

impl Pair {
    #[inline(always)]
    fn add(&mut self, v: f64) {
        let sum = self.high + v;
        let of_v = sum - self.high;
        self.low += (self.high - (sum - of_v)) + (v - of_v);
        self.high = sum;
    }

    #[inline(always)]
    fn add_pair(&mut self, other: Pair) {
        self.add(other.high);
        self.low += other.low;
    }

    /// Adds `a b`.
    #[inline(always)]
    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
        let error =
            a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
        self.add(product);
        self.low += error;
    }

    /// Adds `a b` for pairs.
    #[inline(always)]
    fn add_product_of_pairs(&mut self, a: Pair, b: Pair) {
        self.add_product(a.high, b.high);
        self.low += a.high * b.low + a.low * b.high;
    }
}

/// Two numbers of half the digits whose sum is `v`, so that products of them are exact.
#[inline(always)]
fn halves(v: f64) -> (f64, f64) {
    const SPLIT: f64 = ((1u64 << 27) + 1) as f64;
    let scaled = SPLIT * v;
    let high = scaled - (scaled - v);
    (high, v - high)
}

/// `|X - Phi H|^2`, where `phi` is `k x p`.
pub(super) fn exact_residual<T: Scalar>(x: &Sparse<'_, T>, phi: &Matrix<T>, h: &Matrix<T>) -> f64 {
    let of_lists = |lists: std::ops::Range<usize>| {
        let mut sum = Pair::default();
        for list in lists {
            for at in x.range(list) {
                let (feature, sample) = x.position(list, x.places.get(at));
                let v = x.values[at].to_f64();
                let mut model = Pair::default();
                for (a, b) in phi.col(feature).iter().zip(h.col(sample)) {
                    model.add_product(a.to_f64(), b.to_f64());
                }
                // x^2 - 2 x m
                sum.add_product(v, v);
                sum.add_product_of_pairs(Pair { high: -2.0 * v, low: 0.0 }, model);
            }
        }
        sum
    };
    let sums: Vec<Pair> = x.list_blocks(LISTS).map(of_lists).collect();
    let mut total = Pair::default();
    for sum in sums {
        total.add_pair(sum);
    }
    for (a, b) in exact_gram(phi).into_iter().zip(exact_gram(h)) {
        total.add_product_of_pairs(a, b);
    }
    total.high + total.low
}

/// `A A^T`, column after column.
fn exact_gram<T: Scalar>(a: &Matrix<T>) -> Vec<Pair> {
    let k = a.rows();
    let of_columns = |columns: &[T]| {
        let mut gram = vec![Pair::default(); k * k];
        for column in columns.chunks_exact(k.max(1)) {
            for (j, gram) in gram.chunks_exact_mut(k.max(1)).enumerate() {
                let factor = column[j].to_f64();
                let pairs = gram.iter_mut().zip(column);
                pairs.for_each(|(gram, v)| gram.add_product(factor, v.to_f64()));
            }
        }
        gram
    };
    let blocks = a.as_slice().par_chunks((k * COLUMNS).max(1));
    let grams: Vec<Vec<Pair>> = blocks.map(of_columns).collect();
    let mut total = vec![Pair::default(); k * k];
    for gram in grams {
        total.iter_mut().zip(gram).for_each(|(total, gram)| total.add_pair(gram));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_what_a_sum_of_numbers_loses() {
        let (mut pair, tiny) = (Pair::default(), 1e-20);
        for v in [1.0, tiny, -1.0] {
            pair.add(v);
        }
        assert_eq!((pair.high + pair.low).to_bits(), tiny.to_bits());
        let third = 1.0 / 3.0f64;
        let mut square = Pair::default();
        square.add_product(third, third);
        // What fused arithmetic says of the error.
        assert_eq!(square.low.to_bits(), third.mul_add(third, -(third * third)).to_bits());
    }
}
