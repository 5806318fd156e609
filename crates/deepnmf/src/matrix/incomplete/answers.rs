//! What incomplete data answer to algorithms.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use super::store::Store;
use super::{Filled, Incomplete};
use crate::error::Result;
use crate::matrix::data::{
    Entry, Visit, first_of_all_parts, gram_of_blocks, sample_norms_sq_of_blocks,
};
use crate::matrix::{
    DataMatrix, Fingerprint, Matrix, Parts, Scalar, Sparse, data, fingerprint, power_of_two,
};

/// Columns handed out at a time.
const BLOCK_COLUMNS: usize = 256;

impl<T: Scalar> DataMatrix<T> for Filled<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape
    }

    fn parts(&self) -> Parts<'_> {
        self.0.parts
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.0.tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.0.mul_tr(h, out)
    }

    fn sparse(&self) -> Option<Sparse<'_, T>> {
        self.0.sparse()
    }

    fn entries_held(&self) -> Option<usize> {
        self.0.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.0.blocks(visit)
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        self.0.sample_norms_sq()
    }

    fn may_densify(&self) -> bool {
        self.0.may_densify()
    }
}

impl<T: Scalar> DataMatrix<T> for Incomplete<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.tr_mul(z, out),
            Store::Listed { x, .. } => x.tr_mul(z, out),
            Store::Held(rest) => {
                rest.s.tr_mul(z, out)?;
                rest.add_tr_mul(z, out);
                Ok(())
            }
        }
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.mul_tr(h, out)?,
            Store::Listed { x, .. } => x.mul_tr(h, out)?,
            Store::Held(rest) => {
                rest.s.mul_tr(h, out)?;
                rest.add_mul_tr(h, out);
            }
        }
        self.parts.sum_matrix(out)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.wide_tr_mul(z, out),
            Store::Listed { x, .. } => x.wide_tr_mul(z, out),
            Store::Held(rest) => {
                rest.s.wide_tr_mul(z, out)?;
                rest.add_tr_mul(z, out);
                Ok(())
            }
        }
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.wide_mul_tr(h, out)?,
            Store::Listed { x, .. } => x.wide_mul_tr(h, out)?,
            Store::Held(rest) => {
                rest.s.wide_mul_tr(h, out)?;
                rest.add_mul_tr(h, out);
            }
        }
        self.parts.sum_matrix(out)
    }

    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        let mut gram = match &*self.read() {
            Store::Dense { .. } | Store::Weighed { .. } => return gram_of_blocks(self),
            Store::Listed { x, .. } => x.gram_of_rows(),
            Store::Held(rest) => rest.gram_of_features()?,
        };
        self.parts.sum(gram.as_mut_slice())?;
        Ok(gram)
    }

    /// A copy: what is filled in changes.
    fn sparse(&self) -> Option<Sparse<'_, T>> {
        match &*self.read() {
            Store::Listed { x, .. } => Some(x.clone()),
            _ => None,
        }
    }

    fn entries_held(&self) -> Option<usize> {
        match &*self.read() {
            Store::Dense { .. } | Store::Weighed { .. } => None,
            Store::Listed { x, .. } => Some(x.entries()),
            Store::Held(rest) => Some(rest.held.len()),
        }
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.blocks(visit),
            Store::Listed { x, .. } => x.blocks(visit),
            Store::Held(rest) => {
                let n = self.shape.1;
                for start in (0..n).step_by(BLOCK_COLUMNS) {
                    let block = rest.block(start, BLOCK_COLUMNS.min(n - start));
                    if visit(start, block.view()) == ControlFlow::Break(()) {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    fn norm_sq(&self) -> Result<f64> {
        let own = match (&*self.read(), self.missing) {
            // Complete data have the bits they always had.
            (Store::Dense { x, .. }, 0) => DataMatrix::norm_sq(x)?,
            (store, _) => store.norm_sq(),
        };
        self.parts.sum_of(own)
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        match &*self.read() {
            Store::Held(rest) => Ok(rest.sample_norms_sq()),
            Store::Listed { x, .. } => x.sample_norms_sq(),
            Store::Dense { x, .. } | Store::Weighed { x, .. } => sample_norms_sq_of_blocks(x),
        }
    }

    fn entry_sum(&self) -> Result<f64> {
        let own = match &*self.read() {
            Store::Held(rest) => rest.entry_sum(),
            Store::Listed { x, .. } => x.entry_sum()?,
            Store::Dense { x, .. } | Store::Weighed { x, .. } => x.entry_sum()?,
        };
        self.parts.sum_of(own)
    }

    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        // The value is told in the unit of the caller.
        let unit = power_of_two(-self.exponent);
        let found = self.read().find(wanted).map(|e| Entry { value: e.value * unit, ..e });
        first_of_all_parts(found, self.parts)
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        let own = self.read().residual_norm_sq(phi, h)?;
        self.parts.sum_of(own)
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        fingerprint::of_all_parts(self.own_fingerprint(self.parts.range().start), self.parts)
    }

    fn may_densify(&self) -> bool {
        let all = self.shape.0.saturating_mul(self.parts.total());
        let held = self.entries_held().unwrap_or(usize::MAX);
        all <= data::COPIED.max(if self.parts.is_whole() { held } else { 0 })
    }

    fn missing(&self) -> usize {
        self.missing
    }

    fn is_incomplete(&self) -> bool {
        self.partial
    }

    fn incomplete(&self) -> Option<&Incomplete<'_, T>> {
        Some(self)
    }

    fn fill_in(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<Option<f64>> {
        if !self.partial {
            return Ok(None);
        }
        if !self.fits {
            return Err(Self::no_fit());
        }
        let own = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.fill(phi, h)?
        };
        self.parts.sum_of(own).map(Some)
    }

    fn own_dense(&self) -> Result<Matrix<T>> {
        match &*self.read() {
            Store::Dense { x, .. } | Store::Weighed { x, .. } => Ok(x.clone()),
            Store::Listed { x, .. } => x.own_dense(),
            Store::Held(rest) => Ok(rest.block(0, self.shape.1)),
        }
    }
}
