//! Other clusters for one part: proposals from what the other parts leave over.
//!
//! ```text
//! R = Y - sum of the other parts = U S V^T
//! f_j = S^2 / (S^2 + t^2) V_j,  at unit length          t: the 2k-th singular value
//! G = F (I + lambda L)^-1,      at unit length          L: of the 5 nearest samples in F
//! ```
//!
//! k-means divides `G` into more clusters than wanted, the descent of `J` moves samples, and the clusters that are
//! least worth keeping apart are merged (`merge.rs`). A proposal has few digits to lose, so it is computed in `f32`. From the same
//! samples, memberships and number comes the same proposal.

use super::coordinates::Coordinates;
use super::descent::{Found, State, descend, merge_down};
use super::memberships::Memberships;
use crate::error::Result;
use crate::graph::{
    NeighbourSearch, NeighbourWeights, Neighbours, Search, Weighted, WeightedSum, smooth,
};
use crate::init::{Clusters, clusters};
use crate::matrix::{Matrix, Parts, Scalar, dot, gram_of_rows, product, symmetric_eigen};
use crate::rng::{Purpose, numbered_stream};

/// Neighbours of each sample.
const NEIGHBOURS: usize = 5;
/// The weight of their graph.
const LAMBDA: f64 = 30.0;
/// Starts of k-means.
const STARTS: usize = 3;
/// Clusters have so many samples at least, on average, where there are more clusters than wanted.
const FEWEST: usize = 4;
/// Clusters more than wanted, at most: each takes a round of descent to merge.
const MOST_SPARE: usize = 400;
/// Rounds of descent before clusters are merged.
const FIRST_ROUNDS: usize = 5;
/// Singular values below this share of the largest are rounding.
const ROUNDING: f64 = 1e-7;

/// Which proposal is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The part, counted from 0.
    pub(super) part: usize,
    /// Its clusters.
    pub(super) size: usize,
    /// How many times as many are found first.
    pub(super) more: usize,
    /// The number of the proposal, by which its random numbers differ from others.
    pub(super) number: u64,
    pub(super) seed: u64,
}

/// `G`, in which clusters of a part of so many are proposed. Proposals that differ by their number alone share it.
pub(super) fn features_for(
    samples: &Coordinates,
    from: &Memberships,
    (part, size): (usize, usize),
    seed: u64,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Matrix<f32>> {
    go_on()?;
    // What the other parts explain alone: centres of all parts together would leave to this one what it explains now.
    let others = from.with_part(part, 1, &vec![0; samples.samples()]);
    let left = left_over(samples, &others, &State::of(samples, &others)?);
    smooth_features(&left, size, seed, go_on)
}

/// Proposes clusters for one part, and lowers `J` from there.
pub(super) fn propose(
    samples: &Coordinates,
    from: &Memberships,
    features: &Matrix<f32>,
    Wanted { part, size, more, number, seed }: Wanted,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Found> {
    let most = size.saturating_add(MOST_SPARE).min(samples.samples() / FEWEST);
    let many = size.saturating_mul(more).min(most).max(size);
    let mut rng = numbered_stream(seed, Purpose::Proposals, number);
    let mut best: Option<Clusters> = None;
    for _ in 0..STARTS {
        go_on()?;
        let found = clusters(features, many, &mut rng)?;
        if best.as_ref().is_none_or(|best| found.scatter < best.scatter) {
            best = Some(found);
        }
    }
    let labels = best.map(|best| best.labels).unwrap_or_default();
    go_on()?;
    let proposed = descend(samples, from.with_part(part, many, &labels), FIRST_ROUNDS)?;
    merge_down(samples, proposed.memberships, part, size)
}

/// `Y` less the centres of all parts.
pub(super) fn left_over(
    samples: &Coordinates,
    memberships: &Memberships,
    state: &State,
) -> Matrix<f64> {
    let starts = memberships.starts();
    let mut left = samples.y.clone();
    let columns = left.as_mut_slice().chunks_exact_mut(samples.dimension());
    for (y, labels) in columns.zip(memberships.of_samples()) {
        for (label, start) in labels.iter().zip(&starts) {
            let centre = state.centres.col(start + label);
            y.iter_mut().zip(centre).for_each(|(y, c)| *y -= c);
        }
    }
    left
}

/// `G`: softly whitened, at unit length, and drawn to neighbours.
fn smooth_features(
    left: &Matrix<f64>,
    size: usize,
    seed: u64,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Matrix<f32>> {
    let n = left.cols();
    let mut features = softly_whitened(left, size)?.cast::<f32>();
    to_unit_length(&mut features);
    if n < 2 {
        return Ok(features);
    }
    go_on()?;
    let search = Search {
        neighbours: NEIGHBOURS.min(n - 1),
        weights: NeighbourWeights::Binary,
        method: NeighbourSearch::Auto,
        seed,
        normalised: true,
        mutual: false,
    };
    let graph = Box::new(Neighbours::found_by(search, &features)?);
    let graph = WeightedSum::new(vec![Weighted { weight: LAMBDA, graph }], Parts::whole(n))?;
    go_on()?;
    smooth(&graph, &mut features)?;
    to_unit_length(&mut features);
    Ok(features)
}

/// `S^2 / (S^2 + t^2) V^T`.
fn softly_whitened(left: &Matrix<f64>, size: usize) -> Result<Matrix<f64>> {
    let mut scatter = Matrix::zeros(left.rows(), left.rows());
    gram_of_rows(&mut scatter, left, Parts::whole(left.cols()))?;
    let (squares, vectors) = symmetric_eigen(&scatter)?;
    let s: Vec<f64> = squares.iter().map(|square| square.max(0.0).sqrt()).collect();
    let rank = s.iter().take_while(|value| **value > ROUNDING * s[0]).count();
    if rank == 0 {
        return Ok(Matrix::zeros(1, left.cols()));
    }
    let t = s[(2 * size).min(rank) - 1];
    let map =
        Matrix::from_fn(left.rows(), rank, |i, r| vectors[(i, r)] * s[r] / (s[r] * s[r] + t * t));
    Ok(product(map.t(), left.view()))
}

fn to_unit_length(features: &mut Matrix<f32>) {
    let rows = features.rows();
    for column in features.as_mut_slice().chunks_exact_mut(rows) {
        let length = dot(column, column).sqrt();
        let scale = if length.is_normal() { 1.0 / length } else { 0.0 };
        for v in column {
            *v = f32::from_f64(f64::from(*v) * scale);
        }
    }
}
