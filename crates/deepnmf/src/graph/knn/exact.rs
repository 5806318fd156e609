//! All samples compared with all.
//!
//! Distances of all pairs, from matrix products, leave few candidates whose rounding errors would allow
//! them a place, and these are measured by the definition. Of samples at the same distance the first
//! ones count.

use rayon::prelude::*;

use super::{Edge, shortest};
use crate::error::Result;
use crate::graph::tiles::{Columns, Strip, tiles};
use crate::matrix::Scalar;

/// The edges from every sample to its `count` nearest ones, unless `go_on` says that nobody wants them.
pub(super) fn nearest<T: Scalar>(
    columns: &Columns<'_, T>,
    count: usize,
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Vec<Edge>> {
    let of_strip = |strip| go_on().map(|()| nearest_in(columns, strip, count));
    let found: Vec<_> = columns.strips().map(of_strip).collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// The same for the columns of one strip.
pub(super) fn nearest_in<T: Scalar>(
    columns: &Columns<'_, T>,
    mut strip: Strip<'_, T>,
    count: usize,
) -> Vec<Edge> {
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
    fn offer<T: Scalar>(&mut self, columns: &Columns<'_, T>, other: usize, distance: f64) {
        // Rounding errors of both ways to compute a distance, generously: each is a sum of p
        // products, none of them larger than these two lengths.
        let terms = (columns.rows() + 4) as f64;
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
    fn nearest<T: Scalar>(mut self, columns: &Columns<'_, T>, count: usize) -> Vec<Edge> {
        self.found.sort_unstable_by_key(|candidate| candidate.other);
        let others = self.found.iter().map(|candidate| candidate.other);
        shortest(columns, self.sample, others, count)
    }
}
