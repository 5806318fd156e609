//! Every sample connected to its nearest neighbours (as in GNMF; Cai, He, Han & Huang 2011).
//!
//! ```text
//! w_jl > 0  where l is among the q nearest of j, or j among the q nearest of l; mutual: and
//! w_jl = 1,  exp(-|x_j - x_l|^2 / (2 sigma^2)),  x_j^T x_l,  or their cosine        d_j = sum_l |w_jl|
//! ```
//!
//! The neighbours of some ten thousand samples are found by comparing all of them (`exact.rs`), those
//! of more by a search that misses a few (`approximate/`). `W` is kept sparse, at most `2 n q`
//! numbers; a product costs `k` operations for each.
//!
//! Normalised, an edge weighs `w_jl / max(d_j, d_l)`: no sample is drawn with more than the weight 1, however many
//! others are near to it, `W` stays symmetric, and `L 1 = 0` still holds (Metropolis weights). Then `lambda` means the
//! same for any number of neighbours and samples.
//!
//! Absolute values in `d` keep `L` positive semi-definite where dot products are negative; `dot.rs`
//! says why. `W` itself has a zero diagonal and so is not positive semi-definite.

mod approximate;
mod exact;
mod others;

pub(crate) use others::nearest_to;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Graph;
use super::rbf::{check_width, heat, median_or_one};
use super::tiles::Columns;
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, affordable_copy, dot};

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
    /// By the cosine of the angle between them, 0 where it is negative.
    Cosine,
}

/// How the nearest samples are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourSearch {
    /// Exactly up to [`MOST_SAMPLES_COMPARED`](Self::MOST_SAMPLES_COMPARED) samples, approximately
    /// beyond.
    #[default]
    Auto,
    /// All samples are compared with all: `2 p n^2` operations.
    Exact,
    /// Cell by cell, which misses a few of them: at most some thousand comparisons for each sample.
    Approximate,
}

impl NeighbourSearch {
    /// The most samples that [`Auto`](Self::Auto) compares with each other.
    pub const MOST_SAMPLES_COMPARED: usize = 20_000;

    fn is_exact_for(self, samples: usize) -> bool {
        match self {
            Self::Auto => samples <= Self::MOST_SAMPLES_COMPARED,
            Self::Exact => true,
            Self::Approximate => false,
        }
    }
}

/// The graph that connects every sample to its nearest ones.
#[derive(Debug, Clone)]
pub struct Neighbours<T> {
    /// The edges of sample `j` are `starts[j]..starts[j + 1]`.
    starts: Vec<usize>,
    /// The other sample of each edge.
    others: Vec<usize>,
    weights: Vec<T>,
    degrees: Vec<T>,
    share_found: f64,
}

/// What is searched, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// How many nearest samples each one is connected to.
    pub neighbours: usize,
    /// How much they count.
    pub weights: NeighbourWeights,
    /// How they are found.
    pub method: NeighbourSearch,
    /// The seed of an approximate search.
    pub seed: u64,
    /// Whether weights are normalised, so that no sample has a degree above one.
    pub normalised: bool,
    /// Whether only samples are connected that are among the nearest of each other. Samples far from all others are
    /// then left alone, and no sample is drawn by very many.
    pub mutual: bool,
}

impl Search {
    /// The graph of these samples, which are spread over these parts; all of them call it together. It does not hold on
    /// to `x`.
    ///
    /// # Errors
    /// If there are not more samples than `neighbours`, or a width is not above zero.
    pub fn graph<'a, T: Scalar>(
        self,
        x: &dyn DataMatrix<T>,
        parts: Parts<'a>,
    ) -> Result<Box<dyn Graph<T> + 'a>> {
        super::gathered::neighbours(x, parts, self)
    }
}

impl<T: Scalar> Neighbours<T> {
    /// The graph of these samples, all in one place, found by a search that suits their number.
    ///
    /// # Errors
    /// If there are not more samples than `neighbours`, or a width is not above zero.
    pub fn new(
        x: &dyn DataMatrix<T>,
        neighbours: usize,
        weights: NeighbourWeights,
    ) -> Result<Self> {
        let search = Search {
            neighbours,
            weights,
            method: NeighbourSearch::Auto,
            seed: 0,
            normalised: false,
            mutual: false,
        };
        Self::found_by(search, x)
    }

    /// The graph of these samples, all in one place, found by a given search.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn found_by(search: Search, x: &dyn DataMatrix<T>) -> Result<Self> {
        let Search { neighbours, weights, method, seed, normalised, mutual } = search;
        let n = x.shape().1;
        check_neighbours(neighbours, n)?;
        if let NeighbourWeights::Heat { sigma } = weights {
            check_width(sigma)?;
        }
        let copy;
        let columns = match (x.in_memory(), x.sparse()) {
            (Some(values), _) => Columns::in_memory(values, x.shape()),
            (None, Some(x)) => Columns::sparse(x),
            (None, None) => {
                copy = affordable_copy(x)?;
                Columns::about_the_mean(&copy)
            }
        };
        let found = if method.is_exact_for(n) {
            Found { edges: exact::nearest(&columns, neighbours, &|| x.go_on())?, share: 1.0 }
        } else {
            approximate::nearest(&columns, neighbours, seed, &|| x.go_on())?
        };
        let edges = both_ways(found.edges, mutual);
        let mut weights: Vec<T> = weights.of(&edges, &columns);
        let starts: Vec<usize> =
            (0..=n).map(|j| edges.partition_point(|edge| edge.from < j)).collect();
        if normalised {
            let degrees = degrees_of(&starts, &weights);
            for (weight, edge) in weights.iter_mut().zip(&edges) {
                let larger = degrees[edge.from].max(degrees[edge.to]);
                *weight = T::from_f64(if larger > 0.0 { weight.to_f64() / larger } else { 0.0 });
            }
        }
        let degrees = degrees_of(&starts, &weights).into_iter().map(T::from_f64).collect();
        let others = edges.iter().map(|e| e.to).collect();
        Ok(Self { starts, others, weights, degrees, share_found: found.share })
    }

    /// The samples connected to sample `j` and their weights, in the order of the samples.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn of(&self, j: usize) -> impl ExactSizeIterator<Item = (usize, T)> {
        let edges = self.starts[j]..self.starts[j + 1];
        self.others[edges.clone()].iter().copied().zip(self.weights[edges].iter().copied())
    }
}

impl<T: Scalar> Graph<T> for Neighbours<T> {
    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.degrees.len())
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        let (k, factor) = (out.rows().max(1), T::from_f64(factor));
        let columns = out.as_mut_slice().par_chunks_mut(k).with_min_len(FEWEST_COLUMNS);
        columns.enumerate().for_each(|(j, out)| {
            for (other, weight) in self.of(j) {
                let weight = factor * weight;
                out.iter_mut().zip(h.col(other)).for_each(|(o, h)| *o += weight * *h);
            }
        });
        Ok(())
    }

    fn is_positive(&self) -> bool {
        false
    }

    fn share_found(&self) -> f64 {
        self.share_found
    }
}

impl NeighbourWeights {
    /// The same for samples times `factor`: a given width is measured in their unit.
    pub(crate) fn in_unit(self, factor: f64) -> Self {
        match self {
            Self::Heat { sigma } => Self::Heat { sigma: sigma.map(|sigma| sigma * factor) },
            other => other,
        }
    }

    fn of<T: Scalar>(self, edges: &[Edge], x: &Columns<'_, T>) -> Vec<T> {
        let weigh = |weight: &(dyn Fn(&Edge) -> f64 + Sync)| {
            edges.par_iter().map(|edge| T::from_f64(weight(edge))).collect()
        };
        match self {
            Self::Binary => weigh(&|_| 1.0),
            Self::Dot => weigh(&|edge| x.dot(edge.from, edge.to)),
            Self::Cosine => weigh(&|edge| {
                let [from, to] = [edge.from, edge.to].map(|j| x.dot(j, j));
                cosine_of(x.dot(edge.from, edge.to), from, to)
            }),
            Self::Heat { sigma } => {
                let once = edges.iter().filter(|edge| edge.from < edge.to);
                let lengths = || once.map(|edge| edge.squared_length.sqrt()).collect();
                let sigma = sigma.unwrap_or_else(|| median_or_one(lengths()));
                weigh(&|edge| heat::<T>(edge.squared_length, sigma))
            }
        }
    }
}

/// The cosine of the angle between two samples, 0 where it is negative or a sample is zero.
pub(crate) fn cosine<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    cosine_of(dot(a, b), dot(a, a), dot(b, b))
}

/// The same from the products of both, and of each with itself.
fn cosine_of(both: f64, a: f64, b: f64) -> f64 {
    let lengths = (a * b).sqrt();
    if lengths > 0.0 { (both / lengths).clamp(0.0, 1.0) } else { 0.0 }
}

/// The sums of absolute weights of each sample.
fn degrees_of<T: Scalar>(starts: &[usize], weights: &[T]) -> Vec<f64> {
    let degree = |w: &[usize]| weights[w[0]..w[1]].iter().map(|w| w.to_f64().abs()).sum();
    starts.windows(2).map(degree).collect()
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

/// Another sample and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The other sample.
    pub sample: usize,
    /// Its distance.
    pub distance: f64,
}

/// For every sample (column) the `count` nearest others, exactly, the nearest first; of equally near ones
/// the first. There are fewer where there are not so many.
pub fn nearest_neighbours<T: Scalar>(x: &Matrix<T>, count: usize) -> Vec<Vec<Neighbour>> {
    let n = x.cols();
    let mut found = vec![vec![]; n];
    let count = count.min(n.saturating_sub(1));
    if count > 0 {
        let columns = Columns::about_the_mean(x);
        for edge in exact::nearest(&columns, count, &|| Ok(())).unwrap_or_default() {
            let distance = edge.squared_length.sqrt();
            found[edge.from].push(Neighbour { sample: edge.to, distance });
        }
    }
    found
}

/// What a search has found.
struct Found {
    edges: Vec<Edge>,
    /// Which share of the nearest samples are among them, by an estimate.
    share: f64,
}

/// One direction of an edge.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    squared_length: f64,
}

/// All edges in both directions, each once, in the order of their ends; mutual ones are those that were found from
/// both ends.
fn both_ways(found: Vec<Edge>, mutual: bool) -> Vec<Edge> {
    let both = |e: Edge| [e, Edge { from: e.to, to: e.from, ..e }];
    let mut edges: Vec<Edge> = found.into_iter().flat_map(both).collect();
    // Two of the same ends have the same length to the bit: which one stays does not matter.
    edges.par_sort_unstable_by_key(|edge| (edge.from, edge.to));
    let same_ends = edges.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to));
    same_ends.filter(|found| !mutual || found.len() == 2).map(|found| found[0]).collect()
}

/// The `count` shortest edges from `sample` to others, which are given in their order; of equally long
/// ones the first.
fn shortest<T: Scalar>(
    columns: &Columns<'_, T>,
    sample: usize,
    others: impl Iterator<Item = usize>,
    count: usize,
) -> Vec<Edge> {
    let (mut edges, mut copies) = (Vec::new(), 0);
    for to in others {
        let squared_length = columns.squared_distance(sample, to);
        edges.push(Edge { from: sample, to, squared_length });
        copies += usize::from(squared_length == 0.0);
        if copies == count {
            break; // nothing is nearer, and what follows is not first
        }
    }
    edges.sort_by(|a, b| a.squared_length.total_cmp(&b.squared_length)); // stable
    edges.truncate(count);
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_come_in_the_order_of_their_distance() {
        let h = Matrix::from_vec(1, 4, vec![0.0, 3.0, 1.0, 7.0]).unwrap();
        let near = nearest_neighbours(&h, 2);
        let samples = |i: usize| near[i].iter().map(|n| n.sample).collect::<Vec<_>>();
        assert_eq!([samples(0), samples(3)], [[2, 1], [1, 2]]);
        assert!((near[3][0].distance - 4.0f64).abs() < 1e-12);
    }

    #[test]
    fn a_single_sample_has_no_neighbour() {
        let h = Matrix::from_vec(2, 1, vec![1.0, 2.0]).unwrap();
        assert_eq!(nearest_neighbours(&h, 5), [vec![]]);
    }
}
