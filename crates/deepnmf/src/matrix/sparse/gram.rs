//! Gram matrices of sparse data, from pairs of entries.

use rayon::prelude::*;

use super::{Sparse, Stored};
use crate::matrix::{Matrix, Scalar};

/// Tasks for each thread: rows differ in how many entries they have.
const TASKS: usize = 8;

impl<T: Scalar> Sparse<'_, T> {
    /// `X X^T` in `f64`, from the pairs of entries of each sample: as many operations as there are such pairs. Every
    /// task has some columns of the result and goes through all samples in their order.
    pub(crate) fn gram_of_rows(&self) -> Matrix<f64> {
        let x = self.by_sample();
        debug_assert_eq!(x.stored, Stored::BySample);
        let p = x.shape.0;
        let mut gram = Matrix::zeros(p, p);
        let columns = p.div_ceil(TASKS * rayon::current_num_threads()).max(1);
        gram.as_mut_slice().par_chunks_mut((columns * p).max(1)).enumerate().for_each(
            |(task, gram)| {
                let first = task * columns;
                let last = first + gram.len() / p;
                for sample in 0..x.shape.1 {
                    x.add_pairs(sample, first..last, gram);
                }
            },
        );
        gram
    }

    /// Adds the products of the entries of a sample to those columns of a Gram matrix that are asked for.
    fn add_pairs(&self, sample: usize, columns: std::ops::Range<usize>, gram: &mut [f64]) {
        let (p, range) = (self.shape.0, self.range(sample));
        for at in range.clone() {
            let column = self.places.get(at);
            if column >= columns.end {
                break;
            }
            if column >= columns.start {
                let gram = &mut gram[(column - columns.start) * p..][..p];
                let factor = self.values[at].to_f64();
                for other in range.clone() {
                    gram[self.places.get(other)] += factor * self.values[other].to_f64();
                }
            }
        }
    }
}
