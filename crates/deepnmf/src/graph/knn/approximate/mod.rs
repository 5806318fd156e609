//! Most of the nearest samples among many, by NN-Descent (Dong, Charikar & Li 2011): the neighbours of
//! a neighbour are likely neighbours.
//!
//! The search runs in `f32` on centred samples and finds more than are wanted; those are measured by
//! the definition of a distance, as in the exact search, and the nearest kept. The same seed finds the
//! same ones at any number of threads.

use ann_search_rs::prelude::{NNDescentKnnParams, Verbosity};
use rayon::prelude::*;

use super::{Edge, shortest};
use crate::error::{Error, Result};
use crate::graph::tiles::Columns;
use crate::matrix::Scalar;

/// Neighbours that the search keeps for each sample at least: with fewer it is caught in small circles.
const FEWEST_KEPT: usize = 15;

/// The edges from every sample to `count` others, which are nearly always its nearest.
pub(super) fn nearest<T: Scalar>(
    columns: &Columns<T>,
    count: usize,
    seed: u64,
) -> Result<Vec<Edge>> {
    let (p, n) = columns.matrix().shape();
    let kept = (2 * count).max(FEWEST_KEPT).min(n - 1);
    let params = NNDescentKnnParams { k: kept, return_dist: false, ..Default::default() };
    let samples = columns.narrowed();
    let graph = ann_search_rs::build_knn_graph_nndescent(
        (samples.as_slice(), n, p),
        "euclidean",
        Some(params),
        usize::try_from(seed % u64::from(u32::MAX)).unwrap_or_default(),
        Verbosity::Quiet,
    )
    .map_err(|error| Error::parameter("the number of samples", n, error.to_string()))?;
    drop(samples);
    let of_one = |sample: usize| {
        let row = graph.indices[sample * graph.k..(sample + 1) * graph.k].iter();
        // Places that the search could not fill hold a number that no sample has.
        let is_other = |other: &usize| *other != sample && *other < n;
        let mut others: Vec<usize> = row.map(|other| *other as usize).filter(is_other).collect();
        others.sort_unstable();
        others.dedup();
        shortest(columns, sample, others.into_iter(), count)
    };
    Ok((0..n).into_par_iter().flat_map_iter(of_one).collect())
}
