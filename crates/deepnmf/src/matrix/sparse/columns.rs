//! Sparse data sample by sample, for who compares samples with each other.

use super::products::add_sample_products;
use super::{Sparse, Stored, Whole};
use crate::matrix::Scalar;

impl<T: Scalar> Sparse<'_, T> {
    /// The features and values of a sample, in the order of the features. The data must stand by sample.
    pub(crate) fn sample(&self, j: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        debug_assert_eq!(self.stored, Stored::BySample);
        self.range(j).map(|at| (self.places.get(at), self.values[at]))
    }

    /// The features that two samples have, and both values.
    pub(crate) fn pairs(&self, j: usize, l: usize) -> Pairs<'_, T> {
        debug_assert_eq!(self.stored, Stored::BySample);
        let (a, b) = (self.range(j), self.range(l));
        Pairs { places: &self.places, values: &self.values, a, b }
    }

    /// The dot product of two samples, in `f64`.
    pub(crate) fn sample_dot(&self, j: usize, l: usize) -> f64 {
        self.pairs(j, l).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
    }

    /// `out += sum_i x_ij a_i`, where `factor` has the numbers `a_i` of each feature together.
    pub(crate) fn add_products_of(&self, j: usize, factor: &[f64], out: &mut [f64]) {
        debug_assert_eq!(self.stored, Stored::BySample);
        let range = self.range(j);
        let values = &self.values[range.clone()];
        match &self.places {
            Whole::Narrow(places) => add_sample_products(values, &places[range], factor, out),
            Whole::Wide(places) => add_sample_products(values, &places[range], factor, out),
        }
    }
}

/// Values of two samples, for every feature of which one of them has an entry.
pub(crate) struct Pairs<'a, T> {
    places: &'a Whole<'a>,
    values: &'a [T],
    a: std::ops::Range<usize>,
    b: std::ops::Range<usize>,
}

impl<T: Scalar> Iterator for Pairs<'_, T> {
    type Item = (T, T);

    fn next(&mut self) -> Option<(T, T)> {
        let place = |range: &std::ops::Range<usize>| {
            if range.is_empty() { usize::MAX } else { self.places.get(range.start) }
        };
        if self.a.is_empty() && self.b.is_empty() {
            return None;
        }
        let (of_a, of_b) = (place(&self.a), place(&self.b));
        let value = |range: &mut std::ops::Range<usize>, here: bool| {
            if here { range.next().map_or(T::ZERO, |at| self.values[at]) } else { T::ZERO }
        };
        Some((value(&mut self.a, of_a <= of_b), value(&mut self.b, of_b <= of_a)))
    }
}
