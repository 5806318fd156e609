//! Sparse data at the boundary.

use rayon::prelude::*;

use super::products::Direction;
use super::{DataMatrix, Matrix, MatrixView, Scalar, Sparse, Stored};
use crate::error::Result;
use crate::matrix::data::{Entry, Visit, find_entry_in_blocks, first_of_all_parts};
use crate::matrix::{Fingerprint, fingerprint};

/// Numbers of a dense block.
const BLOCK: usize = 1 << 20;

/// Up to this many numbers a dense copy is affordable.
const COPIED: usize = 1 << 24;

impl<T: Scalar> Sparse<'_, T> {
    /// What a column of the result of `Z^T X` belongs to, a sample, or `X H^T`, a feature.
    fn direction(&self, columns: Stored) -> Direction {
        if self.stored == columns { Direction::Gather } else { Direction::Scatter }
    }

    /// `out = Z^T X`.
    pub(crate) fn times_basis(&self, z: &Matrix<T>, out: &mut Matrix<T>) {
        let turned = z.t().to_matrix();
        let to = self.direction(Stored::BySample);
        T::sparse_product(self, to, turned.as_slice(), z.cols(), out.as_mut_slice());
    }

    /// `out = X H^T`.
    pub(crate) fn times_features(&self, h: &Matrix<T>, out: &mut Matrix<T>) {
        let mut turned = Matrix::zeros(h.rows(), self.shape.0);
        let to = self.direction(Stored::ByFeature);
        T::sparse_product(self, to, h.as_slice(), h.rows(), turned.as_mut_slice());
        turned.t().copy_into(out.as_mut_slice());
    }

    /// Shows dense blocks of samples; cursors into lists of features move on with them.
    fn visit_blocks(&self, visit: &mut Visit<'_, T>) {
        let (p, n) = self.shape;
        let columns = (BLOCK / p.max(1)).clamp(1, 256);
        let mut from: Vec<usize> = match self.stored {
            Stored::BySample => vec![],
            Stored::ByFeature => (0..p).map(|i| self.range(i).start).collect(),
        };
        let mut block = vec![T::ZERO; p * columns.min(n)];
        for start in (0..n).step_by(columns) {
            let count = columns.min(n - start);
            let block = &mut block[..p * count];
            block.fill(T::ZERO);
            match self.stored {
                Stored::BySample => self.fill_samples(start, block),
                Stored::ByFeature => self.fill_features(start, count, &mut from, block),
            }
            if visit(start, MatrixView::contiguous(block, p, count)).is_break() {
                return;
            }
        }
    }

    fn fill_samples(&self, start: usize, block: &mut [T]) {
        for (j, column) in block.chunks_exact_mut(self.shape.0.max(1)).enumerate() {
            self.range(start + j).for_each(|at| column[self.places.get(at)] = self.values[at]);
        }
    }

    fn fill_features(&self, start: usize, count: usize, from: &mut [usize], block: &mut [T]) {
        let p = self.shape.0;
        for (i, from) in from.iter_mut().enumerate() {
            let end = self.range(i).end;
            while *from < end && self.places.get(*from) < start + count {
                block[(self.places.get(*from) - start) * p + i] = self.values[*from];
                *from += 1;
            }
        }
    }

    /// The first entry, in the order of the samples, of those that are held.
    pub(in crate::matrix) fn find_held(&self, wanted: &dyn Fn(T) -> bool) -> Option<Entry> {
        let found = |list: usize, at: usize| {
            let (feature, sample) = self.position(list, self.places.get(at));
            Entry { sample, feature, value: self.values[at].to_f64() }
        };
        let mut first: Option<Entry> = None;
        for list in 0..self.lists() {
            let Some(at) = self.range(list).find(|at| wanted(self.values[*at])) else { continue };
            let entry = found(list, at);
            if self.stored == Stored::BySample {
                return Some(entry);
            }
            if first.is_none_or(|first| entry.sample < first.sample) {
                first = Some(entry);
            }
        }
        first
    }
}

impl<T: Scalar> DataMatrix<T> for Sparse<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.times_basis(z, out);
        Ok(())
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.times_features(h, out);
        Ok(())
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        let turned = z.t().to_matrix();
        let to = self.direction(Stored::BySample);
        T::wide_sparse_product(self, to, turned.as_slice(), z.cols(), out.as_mut_slice());
        Ok(())
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        let mut turned = Matrix::zeros(h.rows(), self.shape.0);
        let to = self.direction(Stored::ByFeature);
        T::wide_sparse_product(self, to, h.as_slice(), h.rows(), turned.as_mut_slice());
        turned.t().copy_into(out.as_mut_slice());
        Ok(())
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.visit_blocks(visit);
        Ok(())
    }

    fn norm_sq(&self) -> Result<f64> {
        Ok(self.squared_norm())
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        Ok(self.squared_lengths())
    }

    fn entry_sum(&self) -> Result<f64> {
        Ok(self.sum())
    }

    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        if !wanted(T::ZERO) {
            return first_of_all_parts(self.find_held(wanted), self.parts());
        }
        find_entry_in_blocks(self, wanted)
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        self.residual(phi, h)
    }

    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        Ok(self.gram_of_rows())
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        let of_list = |list: usize| {
            let entries = self.range(list).map(|at| {
                let (feature, sample) = self.position(list, self.places.get(at));
                fingerprint::of_entry(feature, sample, self.values[at].to_f64())
            });
            entries.fold(0, u64::wrapping_add)
        };
        let lists = (0..self.lists()).into_par_iter().with_min_len(256);
        fingerprint::of_all_parts(lists.map(of_list).reduce(|| 0, u64::wrapping_add), self.parts())
    }

    /// As many numbers as the entries that are held are always affordable.
    fn may_densify(&self) -> bool {
        let (p, n) = self.shape;
        p.saturating_mul(n) <= COPIED.max(self.entries())
    }

    fn sparse(&self) -> Option<Sparse<'_, T>> {
        Some(self.by_sample())
    }

    fn entries_held(&self) -> Option<usize> {
        Some(self.entries())
    }
}
