//! Every sample tied to its nearest neighbours (as in GNMF; Cai, He, Han & Huang 2011).
//!
//! ```text
//! w_jl > 0  where l is among the q nearest of j, or j among the q nearest of l
//! w_jl = 1,  exp(-|x_j - x_l|^2 / (2 sigma^2)),  or  x_j^T x_l        d_j = sum_l |w_jl|
//! ```
//!
//! Neighbours are exact: distances of all pairs, from matrix products, leave few candidates whose
//! rounding errors would allow them a place, and these are measured by the definition. Of samples
//! at the same distance the first ones count. `W` is kept sparse, at most `2 n q` numbers; a
//! product costs `k` operations for each.
//!
//! Absolute values in `d` keep `L` positive semi-definite where dot products are negative; `dot.rs`
//! says why. `W` itself has a zero diagonal and so is not positive semi-definite.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Graph;
use super::rbf::{check_width, heat, median_or_one};
use super::tiles::{Columns, Strip, tiles};
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Scalar, dot};

/// Columns that a thread changes at least: fewer are not worth the hand-over.
const FEWEST_COLUMNS: usize = 64;

/// How much neighbours count.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "weights", rename_all = "kebab-case")]
pub enum NeighbourWeights {
    /// All with weight 1.
    #[default]
    Binary,
    /// By how near they are, `exp(-|x_j - x_l|^2 / (2 sigma^2))`.
    Heat {
        /// The width; the median distance between neighbours if not given.
        sigma: Option<f64>,
    },
    /// By their dot product `x_j^T x_l`.
    Dot,
}

/// The graph that ties every sample to its nearest ones.
#[derive(Debug, Clone)]
pub struct Neighbours<T> {
    /// The edges of sample `j` are `starts[j]..starts[j + 1]`.
    starts: Vec<usize>,
    /// The other sample of each edge.
    others: Vec<usize>,
    weights: Vec<T>,
    degrees: Vec<T>,
}

impl<T: Scalar> Neighbours<T> {
    /// The graph of these samples.
    ///
    /// # Errors
    /// If there are not more samples than `neighbours`, or a width is not above zero.
    pub fn new(
        x: &dyn DataMatrix<T>,
        neighbours: usize,
        weights: NeighbourWeights,
    ) -> Result<Self> {
        let n = x.shape().1;
        check_neighbours(neighbours, n)?;
        if let NeighbourWeights::Heat { sigma } = weights {
            check_width(sigma)?;
        }
        let columns = Columns::about_the_mean(x.to_dense());
        let edges = edges(&columns, neighbours);
        let weights: Vec<T> = weights.of(&edges, columns.matrix());
        let starts: Vec<usize> =
            (0..=n).map(|j| edges.partition_point(|edge| edge.from < j)).collect();
        let degree = |w: &[usize]| weights[w[0]..w[1]].iter().map(|w| w.to_f64().abs()).sum();
        let degrees = starts.windows(2).map(|w| T::from_f64(degree(w))).collect();
        Ok(Self { starts, others: edges.iter().map(|e| e.to).collect(), weights, degrees })
    }

    /// The samples tied to sample `j` and their weights, in the order of the samples.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn of(&self, j: usize) -> impl ExactSizeIterator<Item = (usize, T)> {
        let edges = self.starts[j]..self.starts[j + 1];
        self.others[edges.clone()].iter().copied().zip(self.weights[edges].iter().copied())
    }
}

impl<T: Scalar> Graph<T> for Neighbours<T> {
    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) {
        let (k, factor) = (out.rows().max(1), T::from_f64(factor));
        let columns = out.as_mut_slice().par_chunks_mut(k).with_min_len(FEWEST_COLUMNS);
        columns.enumerate().for_each(|(j, out)| {
            for (other, weight) in self.of(j) {
                let weight = factor * weight;
                out.iter_mut().zip(h.col(other)).for_each(|(o, h)| *o += weight * *h);
            }
        });
    }

    fn is_positive(&self) -> bool {
        false
    }
}

impl NeighbourWeights {
    fn of<T: Scalar>(self, edges: &[Edge], x: &Matrix<T>) -> Vec<T> {
        let weigh = |weight: &(dyn Fn(&Edge) -> f64 + Sync)| {
            edges.par_iter().map(|edge| T::from_f64(weight(edge))).collect()
        };
        match self {
            Self::Binary => weigh(&|_| 1.0),
            Self::Dot => weigh(&|edge| dot(x.col(edge.from), x.col(edge.to))),
            Self::Heat { sigma } => {
                let once = edges.iter().filter(|edge| edge.from < edge.to);
                let lengths = || once.map(|edge| edge.squared_length.sqrt()).collect();
                let sigma = sigma.unwrap_or_else(|| median_or_one(lengths()));
                weigh(&|edge| heat::<T>(edge.squared_length, sigma))
            }
        }
    }
}

fn check_neighbours(neighbours: usize, samples: usize) -> Result<()> {
    if (1..samples).contains(&neighbours) {
        return Ok(());
    }
    let accepted = match samples {
        0 | 1 => "neighbours need at least 2 samples".into(),
        n => format!("with {n} samples it must be from 1 to {}", n - 1),
    };
    Err(Error::parameter("the number of neighbours of the graph", neighbours, accepted))
}

/// One direction of an edge.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    squared_length: f64,
}

/// All edges in both directions, each once, in the order of their ends.
fn edges<T: Scalar>(columns: &Columns<T>, neighbours: usize) -> Vec<Edge> {
    let found = columns.strips().flat_map_iter(|strip| nearest(columns, strip, neighbours));
    let both = |e: Edge| [e, Edge { from: e.to, to: e.from, ..e }];
    let mut edges: Vec<Edge> = found.flat_map_iter(both).collect();
    // Two of the same ends have the same length to the bit: which one stays does not matter.
    edges.par_sort_unstable_by_key(|edge| (edge.from, edge.to));
    edges.dedup_by_key(|edge| (edge.from, edge.to));
    edges
}

/// The nearest neighbours of the columns of one strip.
fn nearest<T: Scalar>(columns: &Columns<T>, mut strip: Strip<'_, T>, count: usize) -> Vec<Edge> {
    let mut candidates: Vec<_> = strip
        .cols()
        .map(|sample| Candidates { sample, limit: f64::INFINITY, found: vec![] })
        .collect();
    for rows in tiles(columns.count()) {
        strip.squared_distances(rows.clone());
        for (candidates, distances) in
            candidates.iter_mut().zip(strip.tile().chunks_exact(rows.len()))
        {
            for (other, distance) in rows.clone().zip(distances) {
                candidates.offer(columns, other, *distance);
            }
            candidates.prune(count);
        }
    }
    candidates.into_iter().flat_map(|candidates| candidates.nearest(columns, count)).collect()
}

/// Samples that may be among the nearest ones of `sample`.
struct Candidates {
    sample: usize,
    /// A squared distance that enough candidates certainly keep.
    limit: f64,
    found: Vec<Candidate>,
}

/// A sample and the range in which its squared distance lies.
struct Candidate {
    other: usize,
    least: f64,
    most: f64,
}

impl Candidates {
    fn offer<T: Scalar>(&mut self, columns: &Columns<T>, other: usize, distance: f64) {
        // Rounding errors of both ways to compute a distance, generously: each is a sum of p
        // products, none of them larger than these two lengths.
        let terms = (columns.matrix().rows() + 4) as f64;
        let lengths = columns.length(self.sample) + columns.length(other);
        let error = 4.0 * terms * f64::EPSILON * lengths;
        let (least, most) = (distance - error, distance + error);
        if other != self.sample && least <= self.limit {
            self.found.push(Candidate { other, least, most });
        }
    }

    /// Drops those that `count` others are certainly nearer than.
    fn prune(&mut self, count: usize) {
        if self.found.len() > count {
            let by_most = |a: &Candidate, b: &Candidate| a.most.total_cmp(&b.most);
            let (_, last, _) = self.found.select_nth_unstable_by(count - 1, by_most);
            self.limit = last.most;
            self.found.retain(|candidate| candidate.least <= self.limit);
        }
    }

    /// The `count` nearest by the definition of a distance; of equally near ones the first.
    fn nearest<T: Scalar>(mut self, columns: &Columns<T>, count: usize) -> Vec<Edge> {
        self.found.sort_unstable_by_key(|candidate| candidate.other);
        let mut edges = Vec::with_capacity(self.found.len());
        let mut copies = 0;
        for Candidate { other: to, .. } in self.found {
            let squared_length = columns.squared_distance(self.sample, to);
            edges.push(Edge { from: self.sample, to, squared_length });
            copies += usize::from(squared_length == 0.0);
            if copies == count {
                break; // nothing is nearer, and what follows is not first
            }
        }
        edges.sort_by(|a, b| a.squared_length.total_cmp(&b.squared_length)); // stable
        edges.truncate(count);
        edges
    }
}
