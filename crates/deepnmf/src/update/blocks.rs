//! Fixed blocks of columns, worked through on all threads.

use rayon::prelude::*;

use super::Products;
use crate::matrix::{Matrix, Scalar};

/// What the columns of a block are to be, beside `G`.
#[derive(Clone, Copy)]
pub(super) struct Target<'a, T> {
    /// Columns of `B`.
    pub(super) b: &'a [T],
    /// Columns of `H W` and as many degrees, where samples are tied.
    pub(super) ties: Option<(&'a [T], &'a [T])>,
}

/// Runs `work` on `columns` columns of `h` at a time. The blocks do not depend on the number of
/// threads, and so neither do the results.
pub(super) fn for_each_block<T: Scalar, S>(
    h: &mut Matrix<T>,
    products: Products<'_, T>,
    columns: usize,
    scratch: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &mut [T], Target<'_, T>) + Sync + Send,
) {
    debug_assert_eq!(h.shape(), products.phi_t_x.shape());
    let size = (columns * h.rows()).max(1);
    h.as_mut_slice()
        .par_chunks_mut(size)
        .zip(products.phi_t_x.as_slice().par_chunks(size))
        .enumerate()
        .for_each_init(scratch, |scratch, (block, (h, b))| {
            let ties = products.ties.map(|ties| {
                let start = block * columns;
                let count = columns.min(ties.degrees.len() - start);
                let products = &ties.hw.as_slice()[block * size..][..h.len()];
                (products, &ties.degrees[start..][..count])
            });
            work(scratch, h, Target { b, ties });
        });
}

/// Runs a loop over slices with the widest vector instructions of this machine. The loop must
/// inline into the closure; results do not depend on the width.
#[inline(always)]
pub(super) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
