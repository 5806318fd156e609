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
//!
//! Sparse columns are compared as they are, about the origin: their mean has no zeros. A tile of them is made dense, the
//! others are gone through entry by entry.

use std::ops::Range;

use rayon::prelude::*;

use crate::matrix::{Matrix, MatrixView, Scalar, Sparse, dot, mul_block};

/// Columns of a tile: it and its two sides stay in the cache of one core for usual data.
pub(super) const TILE: usize = 256;

/// Numbers that a dense tile of sparse columns has at most, 32 megabytes.
const SPARSE_TILE: usize = 1 << 22;

/// The columns `0 .. n` cut into tiles.
pub(super) fn tiles(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n.div_ceil(TILE)).map(move |t| tile(t, TILE, n))
}

fn tile(t: usize, width: usize, n: usize) -> Range<usize> {
    t * width..((t + 1) * width).min(n)
}

/// `out = a b`, tiles of columns in parallel.
pub(super) fn mul_tiles<T: Scalar>(out: &mut [T], a: MatrixView<'_, T>, b: MatrixView<'_, T>) {
    let size = (a.rows() * TILE).max(1);
    out.par_chunks_mut(size).enumerate().for_each(|(t, out)| {
        let cols = tile(t, TILE, b.cols());
        mul_block(out, a, b.columns(cols.start, cols.len()));
    });
}

/// Columns whose pairs are asked for.
#[derive(Debug, Clone)]
pub(super) struct Columns<'a, T: Scalar> {
    source: Source<'a, T>,
    rows: usize,
    /// Taken off every column before products are formed.
    centre: Vec<f64>,
    /// Squared lengths of the centred columns.
    lengths: Vec<f64>,
}

/// How columns stand in memory.
#[derive(Debug, Clone)]
enum Source<'a, T: Scalar> {
    /// One column after another.
    Dense(&'a [T]),
    /// By sample.
    Sparse(Sparse<'a, T>),
}

impl<'a, T: Scalar> Columns<'a, T> {
    /// Sparse columns, for products and distances.
    pub(super) fn sparse(x: Sparse<'a, T>) -> Self {
        let (rows, count) = x.shape();
        let lengths = (0..count).into_par_iter().map(|j| x.sample_dot(j, j)).collect();
        Self { source: Source::Sparse(x), rows, centre: vec![0.0; rows], lengths }
    }

    /// The sparse columns, if these are.
    pub(super) fn as_sparse(&self) -> Option<&Sparse<'a, T>> {
        match &self.source {
            Source::Dense(_) => None,
            Source::Sparse(x) => Some(x),
        }
    }

    /// The columns of a strip.
    pub(super) fn strip_width(&self) -> usize {
        match &self.source {
            Source::Dense(_) => TILE,
            Source::Sparse(_) => (SPARSE_TILE / self.rows.max(1)).clamp(8, TILE),
        }
    }

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
        Self { source: Source::Dense(values), rows, centre, lengths }
    }

    /// Adds column `j` about the centre to `out`.
    pub(super) fn add_column(&self, j: usize, out: &mut [f64]) {
        match &self.source {
            Source::Dense(values) => {
                let column = values[j * self.rows..(j + 1) * self.rows].iter().zip(&self.centre);
                out.iter_mut().zip(column).for_each(|(o, (v, c))| *o += v.to_f64() - c);
            }
            Source::Sparse(x) => x.sample(j).for_each(|(i, v)| out[i] += v.to_f64()),
        }
    }

    /// `x_j^T x_l` of the columns as they were given.
    pub(super) fn dot(&self, j: usize, l: usize) -> f64 {
        match &self.source {
            Source::Dense(values) => dot(self.dense(values, j), self.dense(values, l)),
            Source::Sparse(x) => x.sample_dot(j, l),
        }
    }

    fn dense(&self, values: &'a [T], j: usize) -> &'a [T] {
        &values[j * self.rows..(j + 1) * self.rows]
    }

    /// How many numbers a column has.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub(super) fn count(&self) -> usize {
        self.lengths.len()
    }

    /// The squared length of column `j` from the centre.
    pub(super) fn length(&self, j: usize) -> f64 {
        self.lengths[j]
    }

    /// `|x_j - x_l|^2` by its definition: no digits cancel, and `(j, l)` has the bits of `(l, j)`.
    pub(super) fn squared_distance(&self, j: usize, l: usize) -> f64 {
        match &self.source {
            Source::Dense(values) => {
                let (a, b) = (self.dense(values, j), self.dense(values, l));
                squares(a.iter().zip(b).map(|(a, b)| a.to_f64() - b.to_f64()))
            }
            Source::Sparse(x) => squares(x.pairs(j, l).map(|(a, b)| a.to_f64() - b.to_f64())),
        }
    }

    /// All columns against some of them, for each tile of the latter.
    pub(super) fn strips(&self) -> impl IndexedParallelIterator<Item = Strip<'_, T>> {
        let strips = self.count().div_ceil(self.strip_width());
        (0..strips).into_par_iter().map(move |t| self.strip_at(t))
    }

    /// All columns against those of strip `t`.
    pub(super) fn strip_at(&self, t: usize) -> Strip<'_, T> {
        self.strip(tile(t, self.strip_width(), self.count()))
    }

    /// All columns against some that stand together.
    pub(super) fn strip(&self, cols: Range<usize>) -> Strip<'_, T> {
        let mut right = Vec::new();
        match &self.source {
            Source::Dense(_) => self.widen(cols.clone(), &mut right),
            Source::Sparse(x) => turned(x, cols.clone(), &mut right),
        }
        Strip { columns: self, cols, right, left: Vec::new(), tile: Vec::new() }
    }

    /// The `n x n` matrix of all pairs, where `fill` says what one tile holds.
    pub(super) fn all_pairs(
        &self,
        fill: impl Fn(&mut Strip<'_, T>, Range<usize>) + Sync,
    ) -> Matrix<T> {
        let n = self.count();
        let mut pairs = Matrix::zeros(n, n);
        let width = self.strip_width();
        let chunks = pairs.as_mut_slice().par_chunks_mut((n * width).max(1));
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
        out.resize(cols.len() * self.rows, 0.0);
        for (j, out) in cols.zip(out.chunks_exact_mut(self.rows.max(1))) {
            self.add_column(j, out);
        }
    }
}

/// All columns against the columns of one tile.
pub(super) struct Strip<'a, T: Scalar> {
    columns: &'a Columns<'a, T>,
    cols: Range<usize>,
    /// Its columns one after another; of sparse ones the numbers of one row together.
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
        self.tile.clear();
        self.tile.resize(count * self.cols.len(), 0.0);
        if let Some(x) = self.columns.as_sparse() {
            self.left.resize(self.cols.len(), 0.0);
            for (r, row) in rows.enumerate() {
                self.left.fill(0.0);
                x.add_products_of(row, &self.right, &mut self.left);
                let tile = self.tile[r..].iter_mut().step_by(count);
                tile.zip(&self.left).for_each(|(tile, product)| *tile = *product);
            }
            return;
        }
        self.columns.widen(rows, &mut self.left);
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

/// Some sparse columns, the numbers of one row together.
fn turned<T: Scalar>(x: &Sparse<'_, T>, cols: Range<usize>, out: &mut Vec<f64>) {
    let width = cols.len();
    out.clear();
    out.resize(x.shape().0 * width, 0.0);
    for (c, j) in cols.enumerate() {
        x.sample(j).for_each(|(i, v)| out[i * width + c] = v.to_f64());
    }
}

fn squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum()
}
