//! Fixed blocks of columns, worked through on all threads.

use rayon::prelude::*;

use super::Products;
use crate::matrix::{Matrix, Scalar};

/// What the columns of a block are to be, beside `G`.
#[derive(Clone, Copy)]
pub(super) struct Target<'a, T> {
    /// Columns of `B`.
    pub(super) b: &'a [T],
    /// What a graph adds.
    pub(super) graph: Option<GraphColumns<'a, T>>,
}

/// What a graph says of the columns of a block.
#[derive(Clone, Copy)]
pub(super) struct GraphColumns<'a, T> {
    /// Columns of `H W`.
    pub(super) hw: &'a [T],
    /// As many degrees.
    pub(super) degrees: &'a [T],
}

/// Runs `work` on `columns` columns of `h` at a time. The blocks do not depend on the number of
/// threads, and so neither do the results. Nor may they depend on which columns share a block: a rule
/// decides for each column by itself when to stop, so that samples have the same features in any order
/// and in any part of the data.
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
            let graph = products.graph.map(|graph| {
                let start = block * columns;
                let count = columns.min(graph.degrees.len() - start);
                let hw = &graph.hw.as_slice()[block * size..][..h.len()];
                GraphColumns { hw, degrees: &graph.degrees[start..][..count] }
            });
            work(scratch, h, Target { b, graph });
        });
}

/// Runs a loop over slices with the widest vector instructions of this machine. The loop must
/// inline into the closure; results do not depend on the width.
#[inline(always)]
pub(super) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
