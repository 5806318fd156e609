//! The two products with sparse data, whichever way they are stored.
//!
//! A factor stands with the `k` numbers of one sample or feature together, so that both are sums of such columns:
//!
//! ```text
//! gather     out_l = sum of x a_i over the entries (i, x) of list l      Z^T X by sample, X H^T by feature
//! scatter    out_i += x b_l   for every entry (i, x) of every list l     X H^T by sample, Z^T X by feature
//! ```
//!
//! Work is split by columns of the result, or into blocks of lists whose sums are added up in their order. Where a
//! split depends on the number of threads it changes no sum, and where it changes one it depends on the data alone: so
//! the same data have the same bits at any number of threads. No sum of type `f32` is longer than some ten thousand
//! terms: partial sums are added up in turn.

use std::mem::size_of;
use std::ops::Range;

use rayon::prelude::*;

use super::Sparse;
use super::index::{Index, Whole};
use crate::matrix::Scalar;

/// Entries of a list that are summed up before the sum is added to others.
const RUN: usize = 512;

/// Lists whose entries are summed up at one place before the sum is added to others.
const LISTS: usize = 4096;

/// Bytes of a factor, or of a result, that stay in the cache of one core while entries come and go.
const CACHE: usize = 1 << 19;

/// Bytes of a factor that stay in the cache that cores share.
const SHARED_CACHE: usize = 1 << 23;

/// Blocks of lists that are worked on at a time, each with a result of its own.
const BLOCKS: usize = 16;

/// Lists of a block at most: so many terms a sum may have.
const MOST_LISTS: usize = 1 << 14;

/// Entries of a block for every number that its own result has in a row: adding it up must not weigh much.
const ENTRIES_PER_PLACE: usize = 64;

/// Numbers that the results of all blocks together may have, however few the entries are.
const ALWAYS_AFFORDABLE: usize = 1 << 22;

/// The lists, with numbers as they are stored.
struct Lists<'a, V, I> {
    values: &'a [V],
    places: &'a [I],
    starts: &'a Whole<'a>,
    count: usize,
    /// Places are below this.
    limit: usize,
}

impl<V, I: Index> Lists<'_, V, I> {
    #[inline(always)]
    fn range(&self, list: usize) -> Range<usize> {
        self.starts.get(list)..self.starts.get(list + 1)
    }

    /// Where the places of a list reach `place`.
    fn reach(&self, list: Range<usize>, place: usize) -> usize {
        list.start + self.places[list].partition_point(|p| p.place() < place)
    }
}

/// Which of the two forms a product has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A column of the result for each list.
    Gather,
    /// A column of the result for each place.
    Scatter,
}

/// Products with sparse data of one number type, compiled once (as `kernels.rs` says).
pub trait SparseKernels: Sized {
    /// Set `out` to the sums of the `k` numbers that `factor` has for each place (gather) or list (scatter).
    fn sparse_product(
        x: &Sparse<'_, Self>,
        to: Direction,
        factor: &[Self],
        k: usize,
        out: &mut [Self],
    ) where
        Self: Scalar;

    /// The same in `f64`.
    fn wide_sparse_product(
        x: &Sparse<'_, Self>,
        to: Direction,
        factor: &[f64],
        k: usize,
        out: &mut [f64],
    ) where
        Self: Scalar;
}

macro_rules! sparse_kernels {
    ($type:ty) => {
        impl SparseKernels for $type {
            fn sparse_product(
                x: &Sparse<'_, Self>,
                to: Direction,
                factor: &[Self],
                k: usize,
                out: &mut [Self],
            ) {
                multiply(x, to, factor, k, out);
            }

            fn wide_sparse_product(
                x: &Sparse<'_, Self>,
                to: Direction,
                factor: &[f64],
                k: usize,
                out: &mut [f64],
            ) {
                multiply(x, to, factor, k, out);
            }
        }
    };
}

sparse_kernels!(f32);
sparse_kernels!(f64);

fn multiply<V: Scalar, A: Scalar>(
    x: &Sparse<'_, V>,
    to: Direction,
    factor: &[A],
    k: usize,
    out: &mut [A],
) {
    let (count, limit, starts) = (x.lists(), x.limit(), &x.starts);
    let values: &[V] = &x.values;
    match &x.places {
        Whole::Narrow(places) => {
            multiply_lists(&Lists { values, places, starts, count, limit }, to, factor, k, out);
        }
        Whole::Wide(places) => {
            multiply_lists(&Lists { values, places, starts, count, limit }, to, factor, k, out);
        }
    }
}

fn multiply_lists<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    to: Direction,
    factor: &[A],
    k: usize,
    out: &mut [A],
) {
    if out.is_empty() {
        return;
    }
    match to {
        Direction::Gather => gather(x, factor, k, out),
        Direction::Scatter => match blocks_at_once(x, k) {
            Some(blocks) => scatter_by_blocks(x, factor, k, out, blocks),
            None => scatter_by_ranges(x, factor, k, out),
        },
    }
}

fn gather<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    factor: &[A],
    k: usize,
    out: &mut [A],
) {
    // A factor that all cores share in their cache is taken as a whole: pieces of it would only pay where it is not.
    let whole = x.limit.saturating_mul(k).saturating_mul(size_of::<A>()) <= SHARED_CACHE;
    let width = if whole { x.limit } else { places_in_cache::<A>(k) };
    // Many lists share what is in the cache, but every thread needs some.
    let shared = if whole { 256 } else { LISTS };
    let fair = x.count.div_ceil(8 * rayon::current_num_threads());
    let lists = shared.min(fair).max(1);
    out.par_chunks_mut(lists * k).enumerate().for_each(|(block, out)| {
        vectorised(|| gather_block(x, factor, k, out, block * lists, width));
    });
}

/// The columns of some lists, for one range of places after the other.
#[inline(always)]
fn gather_block<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    factor: &[A],
    k: usize,
    out: &mut [A],
    first: usize,
    width: usize,
) {
    out.fill(A::ZERO);
    let mut partial = vec![A::ZERO; k];
    let mut from: Vec<usize> = (first..first + out.len() / k).map(|l| x.range(l).start).collect();
    for end in (width..).step_by(width).map(|end| end.min(x.limit)) {
        for (l, (out, from)) in out.chunks_exact_mut(k).zip(&mut from).enumerate() {
            let list = x.range(first + l);
            let to = if end == x.limit { list.end } else { x.reach(*from..list.end, end) };
            if list.len() <= RUN {
                add_entries(out, x, *from..to, factor);
            } else {
                for start in (*from..to).step_by(RUN) {
                    partial.fill(A::ZERO);
                    add_entries(&mut partial, x, start..(start + RUN).min(to), factor);
                    add(out, &partial);
                }
            }
            *from = to;
        }
        if end == x.limit {
            break;
        }
    }
}

/// `out += x a_i` for some entries of a list, four at a time so that `out` is touched less often.
#[inline(always)]
fn add_entries<V: Scalar, A: Scalar, I: Index>(
    out: &mut [A],
    x: &Lists<'_, V, I>,
    entries: Range<usize>,
    factor: &[A],
) {
    let k = out.len();
    let column = |i: &I| &factor[i.place() * k..][..k];
    let (values, values_left) = x.values[entries.clone()].as_chunks::<4>();
    let (places, places_left) = x.places[entries].as_chunks::<4>();
    for (v, [i0, i1, i2, i3]) in values.iter().zip(places) {
        let [v0, v1, v2, v3] = v.map(converted::<V, A>);
        let columns = column(i0).iter().zip(column(i1)).zip(column(i2)).zip(column(i3));
        for (o, (((a0, a1), a2), a3)) in out.iter_mut().zip(columns) {
            *o = *o + v0 * *a0 + v1 * *a1 + v2 * *a2 + v3 * *a3;
        }
    }
    for (v, i) in values_left.iter().zip(places_left) {
        add_times(out, converted(*v), column(i));
    }
}

/// Lists of blocks that have results of their own, a few at a time; their sums are added up in order.
fn scatter_by_blocks<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    factor: &[A],
    k: usize,
    out: &mut [A],
    at_once: usize,
) {
    let bounds = block_bounds(x);
    let mut results = vec![vec![A::ZERO; out.len()]; at_once];
    out.fill(A::ZERO);
    for round in bounds.windows(2).collect::<Vec<_>>().chunks(at_once) {
        results.par_iter_mut().zip(round).for_each(|(result, bounds)| {
            result.fill(A::ZERO);
            vectorised(|| {
                for list in bounds[0]..bounds[1] {
                    let b = &factor[list * k..][..k];
                    let range = x.range(list);
                    for (v, i) in x.values[range.clone()].iter().zip(&x.places[range]) {
                        add_times(&mut result[i.place() * k..][..k], converted(*v), b);
                    }
                }
            });
        });
        let done = &results[..round.len()];
        out.par_chunks_mut(LISTS).enumerate().for_each(|(chunk, out)| {
            let here = chunk * LISTS..chunk * LISTS + out.len();
            vectorised(|| done.iter().for_each(|result| add(out, &result[here.clone()])));
        });
    }
}

/// How many blocks have results of their own at a time, if that is worth their memory.
fn blocks_at_once<V, I: Index>(x: &Lists<'_, V, I>, k: usize) -> Option<usize> {
    let of_one = x.limit.saturating_mul(k).max(1);
    let affordable = x.values.len().max(ALWAYS_AFFORDABLE) / of_one;
    let blocks = x.values.len() / entries_of_block(x);
    let at_once = BLOCKS.min(affordable).min(blocks);
    (at_once >= 4).then_some(at_once)
}

fn entries_of_block<V, I: Index>(x: &Lists<'_, V, I>) -> usize {
    x.limit.saturating_mul(ENTRIES_PER_PLACE).max(1 << 14)
}

/// The first lists of blocks of about as many entries each, and the end of the last one.
fn block_bounds<V, I: Index>(x: &Lists<'_, V, I>) -> Vec<usize> {
    let size = entries_of_block(x);
    let mut bounds = vec![0];
    for list in 0..x.count {
        let first = bounds[bounds.len() - 1];
        let entries = x.range(list).end - x.range(first).start;
        if entries >= size || list + 1 - first == MOST_LISTS {
            bounds.push(list + 1);
        }
    }
    if bounds[bounds.len() - 1] < x.count {
        bounds.push(x.count);
    }
    bounds
}

/// Every thread has some of the places and looks for them in all lists.
fn scatter_by_ranges<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    factor: &[A],
    k: usize,
    out: &mut [A],
) {
    let threads = rayon::current_num_threads();
    let fair = x.limit.div_ceil(4 * threads).max(16);
    let width = places_in_cache::<A>(k).min(fair);
    // A task has several ranges, one after the other, so that it searches the lists only once.
    let ranges = x.limit.div_ceil(width).div_ceil(4 * threads);
    out.par_chunks_mut(width * ranges * k).enumerate().for_each(|(task, out)| {
        vectorised(|| scatter_task(x, factor, k, out, task * width * ranges, width));
    });
}

#[inline(always)]
fn scatter_task<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    factor: &[A],
    k: usize,
    out: &mut [A],
    first: usize,
    width: usize,
) {
    out.fill(A::ZERO);
    let mut from: Vec<usize> = (0..x.count).map(|l| x.reach(x.range(l), first)).collect();
    let mut partial = vec![A::ZERO; if x.count > LISTS { width * k } else { 0 }];
    for (range, out) in out.chunks_mut(width * k).enumerate() {
        let start = first + range * width;
        for lists in (0..x.count).step_by(LISTS).map(|l| l..(l + LISTS).min(x.count)) {
            if x.count <= LISTS {
                scatter_lists(x, factor, k, out, lists, start, &mut from);
                continue;
            }
            let partial = &mut partial[..out.len()];
            partial.fill(A::ZERO);
            scatter_lists(x, factor, k, partial, lists, start, &mut from);
            add(out, partial);
        }
    }
}

/// Adds the entries of some lists whose places are from `start` on and have a column in `out`.
#[inline(always)]
fn scatter_lists<V: Scalar, A: Scalar, I: Index>(
    x: &Lists<'_, V, I>,
    factor: &[A],
    k: usize,
    out: &mut [A],
    lists: Range<usize>,
    start: usize,
    from: &mut [usize],
) {
    let end = start + out.len() / k;
    for list in lists {
        let b = &factor[list * k..][..k];
        let (mut at, last) = (from[list], x.range(list).end);
        while at < last && x.places[at].place() < end {
            let place = x.places[at].place() - start;
            add_times(&mut out[place * k..][..k], converted(x.values[at]), b);
            at += 1;
        }
        from[list] = at;
    }
}

/// `out += sum_i x_i a_i` for the entries of one list, on the calling thread alone.
pub(super) fn add_sample_products<V: Scalar, I: Index>(
    values: &[V],
    places: &[I],
    factor: &[f64],
    out: &mut [f64],
) {
    let starts = Whole::from(&[][..] as &[u32]);
    let list = Lists { values, places, starts: &starts, count: 1, limit: 0 };
    vectorised(|| add_entries(out, &list, 0..values.len(), factor));
}

/// How many columns of `k` numbers stay in the cache.
fn places_in_cache<A>(k: usize) -> usize {
    (CACHE / (k * size_of::<A>()).max(1)).max(64)
}

#[inline(always)]
fn add_times<A: Scalar>(out: &mut [A], v: A, a: &[A]) {
    out.iter_mut().zip(a).for_each(|(o, a)| *o += v * *a);
}

#[inline(always)]
fn add<A: Scalar>(out: &mut [A], more: &[A]) {
    out.iter_mut().zip(more).for_each(|(o, more)| *o += *more);
}

/// The same number in another type; between equal types nothing happens.
#[inline(always)]
fn converted<V: Scalar, A: Scalar>(v: V) -> A {
    A::from_f64(v.to_f64())
}

/// Compiles `f` for the widest vectors this machine has. Multiplications and additions stay apart, so the result is
/// the same on all.
fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
