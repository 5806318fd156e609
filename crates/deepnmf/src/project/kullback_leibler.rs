//! Features of new samples in models that keep the Kullback-Leibler divergence small: `h = argmin D(x | Phi h)` over
//! `h >= 0`, by the coordinate descent of the fit (`update/kl.rs`), until it has come to rest. The problem is convex, so
//! that is the minimum. A penalty of the features is a part of it, as in the fit.

use std::ops::ControlFlow;

use super::Projection;
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, Sparse, check_non_negative};
use crate::update::{Effort, KlEntries, KlProblem, Penalty, Sums, sums_of_rows};

pub(super) fn features<T: Scalar>(
    x: &dyn DataMatrix<T>,
    phi: &Matrix<T>,
    penalty: Penalty,
    method: Projection,
) -> Result<Matrix<T>> {
    if method == Projection::Basis {
        let accepted = "this model keeps the Kullback-Leibler divergence small, for which a pseudo-inverse says \
                        nothing: use nonnegative";
        return Err(Error::parameter("the method", "basis", accepted));
    }
    check_non_negative(x)?;
    let factor = phi.t().to_matrix();
    let minimum = |entries: &Sparse<'_, T>, sums: &Sums| {
        let mut h = begin(entries, sums, phi.cols());
        let problem = KlProblem { penalty, ..KlProblem::new(entries, &factor, sums) };
        problem.descend(&mut h, Effort::Minimum);
        h
    };
    if x.is_incomplete() {
        let entries = KlEntries::of(x)?;
        return Ok(minimum(&entries.by_sample, &entries.sums_for_samples(&factor)?));
    }
    let sums = Sums::Same(sums_of_rows(&factor, Parts::whole(factor.cols()))?);
    let mut h = Matrix::zeros(phi.cols(), x.shape().1);
    let mut keep = |start: usize, entries: &Sparse<'_, T>| {
        let found = minimum(entries, &sums);
        let to = &mut h.as_mut_slice()[start * phi.cols()..][..found.as_slice().len()];
        to.copy_from_slice(found.as_slice());
    };
    let is_sparse = x.sparse_blocks(&mut |start, entries| {
        keep(start, entries);
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |start, block| {
            keep(start, &Sparse::from_dense(&block.to_matrix()));
            ControlFlow::Continue(())
        })?;
    }
    Ok(h)
}

/// Every component adds the same to the sum of a sample.
fn begin<T: Scalar>(entries: &Sparse<'_, T>, sums: &Sums, k: usize) -> Matrix<T> {
    let n = entries.shape().1;
    let mut of_samples = vec![0.0; n];
    entries.for_each(|_, sample, x| of_samples[sample] += x.to_f64());
    Matrix::from_fn(k, n, |r, j| {
        let share = of_samples[j] / (k as f64 * sums.of(j)[r]);
        T::from_f64(if share.is_finite() { share } else { 0.0 })
    })
}
