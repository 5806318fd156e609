//! Samples grouped by class.
//!
//! A graph that connects only samples of one class is, in the order "class after class", a block
//! diagonal `W` with one `n_c x n_c` block `W_c` per class. So
//!
//! ```text
//! (H W)_c = H_c W_c        H_c: the k x n_c columns of H whose samples are in class c
//! ```
//!
//! and the columns of unlabelled samples are zero.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::Labels;
use super::samples::Samples;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, MatrixView, Parts, Scalar, check_copy};

/// Columns that a thread copies at least: fewer are not worth the hand-over.
const FEWEST_COLUMNS: usize = 64;

/// Which samples are in which class. Classes are counted from 0 in the order of their codes,
/// which themselves may be any numbers.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// The labelled samples, class after class, ascending in each.
    order: Vec<usize>,
    /// Class `c` is `order[bounds[c]..bounds[c + 1]]`.
    bounds: Vec<usize>,
    /// Where each sample stands in `order`.
    positions: Vec<Option<usize>>,
    /// The samples of each class on all parts.
    sizes: Vec<f64>,
}

impl Groups {
    /// The classes of the samples of this part; all parts call it together and count classes alike.
    pub(super) fn new(labels: &Labels, parts: Parts<'_>) -> Result<Self> {
        let classes = classes_of_all_parts(labels, parts)?;
        let mut order: Vec<usize> = (0..labels.len()).filter(|j| labels[*j].is_some()).collect();
        order.sort_by_key(|j| labels[*j]); // stable: ascending in each class
        let end = |class: &u32| order.partition_point(|j| labels[*j] <= Some(*class));
        let bounds: Vec<usize> = std::iter::once(0).chain(classes.iter().map(end)).collect();
        let mut sizes: Vec<f64> = bounds.windows(2).map(|b| (b[1] - b[0]) as f64).collect();
        parts.sum(&mut sizes)?;
        let mut positions = vec![None; labels.len()];
        for (position, sample) in order.iter().enumerate() {
            positions[*sample] = Some(position);
        }
        Ok(Self { order, bounds, positions, sizes })
    }

    /// The number of samples of a class on all parts.
    pub(super) fn size(&self, c: usize) -> f64 {
        self.sizes[c]
    }

    /// All samples, labelled or not.
    pub(super) fn samples(&self) -> usize {
        self.positions.len()
    }

    /// Samples that have a label.
    pub(super) fn labelled(&self) -> usize {
        self.order.len()
    }

    /// How many classes there are.
    pub(super) fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The samples of class `c` on this part, ascending.
    pub(super) fn members(&self, c: usize) -> &[usize] {
        &self.order[self.range(c)]
    }

    /// The class of a sample.
    pub(super) fn class_of(&self, sample: usize) -> Option<usize> {
        self.positions[sample].map(|position| self.class_at(position))
    }

    /// One number for each sample, from one for each labelled sample, class after class; the
    /// unlabelled get zero.
    pub(super) fn spread<T: Scalar>(&self, grouped: impl Iterator<Item = f64>) -> Vec<T> {
        let mut spread = vec![T::ZERO; self.samples()];
        for (sample, value) in self.order.iter().zip(grouped) {
            spread[*sample] = T::from_f64(value);
        }
        spread
    }

    /// The samples of each class as a matrix of their own, `p x n_c`.
    pub(super) fn split_data<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<Vec<Samples<T>>> {
        let (p, n) = x.shape();
        debug_assert_eq!(n, self.samples(), "one label (or none) for each sample");
        if let Some(x) = x.sparse() {
            let class = |c| Samples::Sparse(x.select(self.members(c)));
            return Ok((0..self.count()).map(class).collect());
        }
        check_copy(x)?;
        let mut classes: Vec<_> =
            (0..self.count()).map(|c| Matrix::zeros(p, self.range(c).len())).collect();
        x.blocks(&mut |start, block| {
            for j in 0..block.cols() {
                if let Some(Some(position)) = self.positions.get(start + j) {
                    let c = self.class_at(*position);
                    let column = classes[c].col_mut(position - self.bounds[c]);
                    block.columns(j, 1).copy_into(column);
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(classes.into_iter().map(Samples::Dense).collect())
    }

    /// `out += factor H W`, where `times_block(c, H_c, out_c)` sets `out_c` to `H_c W_c`.
    pub(super) fn add_by_class<T: Scalar>(
        &self,
        factor: f64,
        h: &Matrix<T>,
        out: &mut Matrix<T>,
        times_block: impl Fn(usize, MatrixView<'_, T>, &mut [T]) + Sync,
    ) {
        let h = self.gather(h);
        let mut products = Matrix::zeros(h.rows(), h.cols());
        let blocks = self.split_columns(&mut products);
        blocks.into_par_iter().enumerate().for_each(|(c, out)| {
            times_block(c, h.view_columns(self.range(c)), out);
        });
        self.scatter_add(factor, &products, out);
    }

    /// The columns of all labelled samples, class after class.
    fn gather<T: Scalar>(&self, h: &Matrix<T>) -> Matrix<T> {
        let mut grouped = Matrix::zeros(h.rows(), self.labelled());
        grouped
            .as_mut_slice()
            .par_chunks_mut(h.rows().max(1))
            .with_min_len(FEWEST_COLUMNS)
            .zip(&self.order)
            .for_each(|(column, sample)| column.copy_from_slice(h.col(*sample)));
        grouped
    }

    /// Adds `factor` times columns in grouped order to those of their samples.
    fn scatter_add<T: Scalar>(&self, factor: f64, grouped: &Matrix<T>, out: &mut Matrix<T>) {
        let (rows, factor) = (out.rows().max(1), T::from_f64(factor));
        out.as_mut_slice()
            .par_chunks_mut(rows)
            .with_min_len(FEWEST_COLUMNS)
            .zip(&self.positions)
            .for_each(|(out, position)| {
                let Some(position) = position else { return };
                out.iter_mut().zip(grouped.col(*position)).for_each(|(o, g)| *o += factor * *g);
            });
    }

    /// Columns in grouped order, cut into classes.
    fn split_columns<'a, T: Scalar>(&self, grouped: &'a mut Matrix<T>) -> Vec<&'a mut [T]> {
        let k = grouped.rows();
        let mut rest = grouped.as_mut_slice();
        let mut classes = Vec::with_capacity(self.count());
        for c in 0..self.count() {
            let (class, others) = rest.split_at_mut(k * self.range(c).len());
            classes.push(class);
            rest = others;
        }
        classes
    }

    fn range(&self, c: usize) -> Range<usize> {
        self.bounds[c]..self.bounds[c + 1]
    }

    fn class_at(&self, position: usize) -> usize {
        self.bounds[1..].partition_point(|end| *end <= position)
    }
}

/// The classes that samples of any part have, ascending.
pub(crate) fn classes_of_all_parts(labels: &Labels, parts: Parts<'_>) -> Result<Vec<u32>> {
    let distinct = |labels: &mut dyn Iterator<Item = u32>| {
        let classes: std::collections::BTreeSet<u32> = labels.collect();
        classes.into_iter().collect::<Vec<u32>>()
    };
    let own = distinct(&mut labels.iter().copied().flatten());
    let own: Vec<f64> = own.into_iter().map(f64::from).collect();
    let all = parts.gather_lists(&own)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // classes, exactly
    Ok(distinct(&mut all.into_iter().map(|class| class as u32)))
}
