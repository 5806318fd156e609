//! Products and distances of all pairs of columns, tile by tile, so that the whole `n x n` array
//! is never in memory.
//!
//! Both come from matrix products in `f64`, whatever the data are made of:
//!
//! ```text
//! |a - b|^2 = |a - m|^2 + |b - m|^2 - 2 (a - m)^T (b - m)        m: the mean column
//! ```
//!
//! The mean changes no distance, but without it data far from the origin would lose the digits in
//! which near columns differ. Tiles are computed by one thread each and do not depend on how many
//! there are.

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{Matrix, MatrixView, Scalar, mul_block};

/// Columns of a tile: it and its two sides stay in the cache of one core for usual data.
pub(super) const TILE: usize = 256;

/// The columns `0 .. n` cut into tiles.
pub(super) fn tiles(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n.div_ceil(TILE)).map(move |t| tile(t, n))
}

fn tile(t: usize, n: usize) -> Range<usize> {
    t * TILE..((t + 1) * TILE).min(n)
}

/// `out = a b`, tiles of columns in parallel.
pub(super) fn mul_tiles<T: Scalar>(out: &mut [T], a: MatrixView<'_, T>, b: MatrixView<'_, T>) {
    let size = (a.rows() * TILE).max(1);
    out.par_chunks_mut(size).enumerate().for_each(|(t, out)| {
        let cols = tile(t, b.cols());
        mul_block(out, a, b.columns(cols.start, cols.len()));
    });
}

/// Columns whose pairs are asked for.
#[derive(Debug, Clone)]
pub(super) struct Columns<'a, T> {
    /// One column after another.
    values: &'a [T],
    rows: usize,
    /// Taken off every column before products are formed.
    centre: Vec<f64>,
    /// Squared lengths of the centred columns.
    lengths: Vec<f64>,
}

impl<'a, T: Scalar> Columns<'a, T> {
    /// For dot products: columns as they are.
    pub(super) fn as_they_are(x: &'a Matrix<T>) -> Self {
        let (rows, count) = x.shape();
        Self::new(x.as_slice(), (rows, count), vec![0.0; rows])
    }

    /// For distances: columns about their mean.
    pub(super) fn about_the_mean(x: &'a Matrix<T>) -> Self {
        Self::in_memory(x.as_slice(), x.shape())
    }

    /// For distances: columns that stand one after another, about their mean.
    pub(super) fn in_memory(values: &'a [T], (rows, count): (usize, usize)) -> Self {
        let mut sums = vec![0.0; rows];
        for column in values.chunks_exact(rows.max(1)) {
            sums.iter_mut().zip(column).for_each(|(s, v)| *s += v.to_f64());
        }
        let centre = sums.into_iter().map(|sum: f64| sum / count.max(1) as f64).collect();
        Self::new(values, (rows, count), centre)
    }

    fn new(values: &'a [T], (rows, count): (usize, usize), centre: Vec<f64>) -> Self {
        let column = |j: usize| values[j * rows..(j + 1) * rows].iter();
        let length = |j| squares(column(j).zip(&centre).map(|(v, c)| v.to_f64() - c));
        let lengths = (0..count).into_par_iter().map(length).collect();
        Self { values, rows, centre, lengths }
    }

    /// Column `j` as it was given.
    pub(super) fn col(&self, j: usize) -> &[T] {
        &self.values[j * self.rows..(j + 1) * self.rows]
    }

    /// How many numbers a column has.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub(super) fn count(&self) -> usize {
        self.lengths.len()
    }

    /// What is taken off every column.
    pub(super) fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// The squared length of column `j` from the centre.
    pub(super) fn length(&self, j: usize) -> f64 {
        self.lengths[j]
    }

    /// `|x_j - x_l|^2` by its definition: no digits cancel, and `(j, l)` has the bits of `(l, j)`.
    pub(super) fn squared_distance(&self, j: usize, l: usize) -> f64 {
        let (a, b) = (self.col(j), self.col(l));
        squares(a.iter().zip(b).map(|(a, b)| a.to_f64() - b.to_f64()))
    }

    /// All columns against some of them, for each tile of the latter.
    pub(super) fn strips(&self) -> impl IndexedParallelIterator<Item = Strip<'_, T>> {
        let n = self.count();
        (0..n.div_ceil(TILE)).into_par_iter().map(move |t| self.strip(tile(t, n)))
    }

    /// All columns against those of tile `t`.
    pub(super) fn strip_at(&self, t: usize) -> Strip<'_, T> {
        self.strip(tile(t, self.count()))
    }

    /// All columns against some that stand together.
    pub(super) fn strip(&self, cols: Range<usize>) -> Strip<'_, T> {
        let mut right = Vec::new();
        self.widen(cols.clone(), &mut right);
        Strip { columns: self, cols, right, left: Vec::new(), tile: Vec::new() }
    }

    /// The `n x n` matrix of all pairs, where `fill` says what one tile holds.
    pub(super) fn all_pairs(
        &self,
        fill: impl Fn(&mut Strip<'_, T>, Range<usize>) + Sync,
    ) -> Matrix<T> {
        let n = self.count();
        let mut pairs = Matrix::zeros(n, n);
        let chunks = pairs.as_mut_slice().par_chunks_mut((n * TILE).max(1));
        chunks.zip(self.strips()).for_each(|(out, mut strip)| {
            for rows in tiles(n) {
                fill(&mut strip, rows.clone());
                let values = strip.tile.chunks_exact(rows.len());
                for (out, values) in out.chunks_exact_mut(n).zip(values) {
                    let out = &mut out[rows.clone()];
                    out.iter_mut().zip(values).for_each(|(o, v)| *o = T::from_f64(*v));
                }
            }
        });
        pairs
    }

    /// The sum of absolute values of each column of [`all_pairs`](Self::all_pairs), without it.
    pub(super) fn absolute_sums(
        &self,
        fill: impl Fn(&mut Strip<'_, T>, Range<usize>) + Sync,
    ) -> Vec<f64> {
        let sums_of = |mut strip: Strip<'_, T>| {
            let mut sums = vec![0.0; strip.cols.len()];
            for rows in tiles(self.count()) {
                fill(&mut strip, rows.clone());
                for (sum, values) in sums.iter_mut().zip(strip.tile.chunks_exact(rows.len())) {
                    *sum += values.iter().map(|v| v.abs()).sum::<f64>();
                }
            }
            sums
        };
        self.strips().flat_map_iter(sums_of).collect()
    }

    /// Some centred columns in `f64`.
    fn widen(&self, cols: Range<usize>, out: &mut Vec<f64>) {
        out.clear();
        for j in cols {
            out.extend(self.col(j).iter().zip(&self.centre).map(|(v, c)| v.to_f64() - c));
        }
    }
}

/// All columns against the columns of one tile.
pub(super) struct Strip<'a, T> {
    columns: &'a Columns<'a, T>,
    cols: Range<usize>,
    right: Vec<f64>,
    left: Vec<f64>,
    tile: Vec<f64>,
}

impl<T: Scalar> Strip<'_, T> {
    /// The columns of this strip.
    pub(super) fn cols(&self) -> Range<usize> {
        self.cols.clone()
    }

    /// The tile filled last, `rows x cols`, column after column.
    pub(super) fn tile(&mut self) -> &mut [f64] {
        &mut self.tile
    }

    /// Fills the tile with `(x_i - m)^T (x_j - m)`.
    pub(super) fn products(&mut self, rows: Range<usize>) {
        let (p, count) = (self.columns.rows(), rows.len());
        self.columns.widen(rows, &mut self.left);
        self.tile.clear();
        self.tile.resize(count * self.cols.len(), 0.0);
        let left = MatrixView::contiguous(&self.left, p, count);
        let right = MatrixView::contiguous(&self.right, p, self.cols.len());
        mul_block(&mut self.tile, left.t(), right);
    }

    /// Fills the tile with `|x_i - x_j|^2`: never negative, exactly zero for a column and itself.
    pub(super) fn squared_distances(&mut self, rows: Range<usize>) {
        self.products(rows.clone());
        let lengths = &self.columns.lengths;
        let columns = self.tile.chunks_exact_mut(rows.len());
        for (j, column) in self.cols.clone().zip(columns) {
            for (value, length) in column.iter_mut().zip(&lengths[rows.clone()]) {
                *value = (length + lengths[j] - 2.0 * *value).max(0.0);
            }
            if rows.contains(&j) {
                column[j - rows.start] = 0.0;
            }
        }
    }
}

fn squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum()
}
