//! Fixed blocks of columns, worked through on all threads.

use rayon::prelude::*;

use crate::matrix::{Matrix, Scalar};

/// Runs `work` on `columns` columns of `h` at a time, beside the same columns of `b`. The blocks
/// do not depend on the number of threads, and so neither do the results.
pub(super) fn for_each_block<T: Scalar, S>(
    h: &mut Matrix<T>,
    b: &Matrix<T>,
    columns: usize,
    scratch: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &mut [T], &[T]) + Sync + Send,
) {
    debug_assert_eq!(h.shape(), b.shape());
    let size = (columns * h.rows()).max(1);
    h.as_mut_slice()
        .par_chunks_mut(size)
        .zip(b.as_slice().par_chunks(size))
        .for_each_init(scratch, |scratch, (h, b)| work(scratch, h, b));
}

/// Runs a loop over slices with the widest vector instructions of this machine. The loop must
/// inline into the closure; results do not depend on the width.
#[inline(always)]
pub(super) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
