//! Most of the nearest samples among many: cell by cell (`cells.rs`), the nearest cells first.
//!
//! ```text
//! round r    every sample is compared with those of its r-th nearest cell and keeps the nearest
//! ```
//!
//! A round is matrix products about the centre of the cell, so that near samples keep their digits: with
//! `m` samples in a cell `2 p n m` operations, where comparing all takes `2 p n^2`. What is kept is measured by the
//! definition of a distance, as in the exact search. The same seed finds the same ones at any number of threads.
//!
//! How many cells it takes depends on the data. In many dimensions without any structure no cell is better than
//! others. So some samples are compared with all, and rounds go on until nearly all of their neighbours have been
//! found, or until there were so many rounds that more would make time grow faster than the number of samples does.
//! What was missed then is known ([`Found::share`]).

mod cells;

use std::ops::Range;

use rayon::prelude::*;

use self::cells::{Cells, GoOn, relative};
use super::others::SPARE;
use super::{Edge, Found, exact, shortest};
use crate::error::{Error, Result};
use crate::graph::tiles::Columns;
use crate::matrix::{MatrixView, Scalar, Sparse, mul_block};

/// The share of neighbours that must have been found: three deviations of the estimate above the 98% that
/// are promised where there is any structure.
const ENOUGH: f64 = 0.99;

/// Rounds at most.
const MOST_ROUNDS: usize = 32;

/// Samples whose neighbours are found by comparing with all: so many, in so many places.
const PROBES: usize = 50;
const PLACES: usize = 8;

/// The edges from every sample to `count` others, which are nearly always its nearest, unless `go_on` says
/// that nobody wants them.
pub(super) fn nearest<T: Scalar>(
    columns: &Columns<'_, T>,
    count: usize,
    seed: u64,
    go_on: GoOn<'_>,
) -> Result<Found> {
    let n = columns.count();
    if u32::try_from(n).is_err() {
        let accepted = format!("at most {} are searched", u32::MAX);
        return Err(Error::parameter("the number of samples", n, accepted));
    }
    let cells = Cells::new(columns, MOST_ROUNDS, seed, go_on)?;
    let probes = Probes::new(columns, count, go_on)?;
    let kept = (count + SPARE).min(n - 1);
    let mut lists = Lists { kept, near: vec![Near::NOTHING; n * kept] };
    let mut share = 0.0;
    for round in 0..MOST_ROUNDS {
        if !lists.look_through(columns, &cells, round, go_on)? {
            break;
        }
        share = probes.share_found(columns, &lists);
        if share >= ENOUGH {
            break;
        }
    }
    let of_one = |sample: usize| {
        let mut others: Vec<usize> = lists.found(sample).collect();
        others.sort_unstable();
        shortest(columns, sample, others.into_iter(), count)
    };
    Ok(Found { edges: (0..n).into_par_iter().flat_map_iter(of_one).collect(), share })
}

/// A sample near another. A place that nothing has filled is infinitely far.
#[derive(Debug, Clone, Copy)]
struct Near {
    distance: f64,
    other: u32,
}

impl Near {
    const NOTHING: Self = Self { distance: f64::INFINITY, other: u32::MAX };
}

/// The nearest samples of each one that have been found so far.
struct Lists {
    /// Places of each list.
    kept: usize,
    /// One list after another, the nearest first.
    near: Vec<Near>,
}

impl Lists {
    fn of(&self, sample: usize) -> &[Near] {
        &self.near[sample * self.kept..(sample + 1) * self.kept]
    }

    fn found(&self, sample: usize) -> impl Iterator<Item = usize> {
        let list = self.of(sample).iter().filter(|near| near.other != u32::MAX);
        list.map(|near| near.other as usize)
    }

    /// One round; false if no sample had a cell left.
    fn look_through<T: Scalar>(
        &mut self,
        columns: &Columns<'_, T>,
        cells: &Cells,
        round: usize,
        go_on: GoOn<'_>,
    ) -> Result<bool> {
        let width = columns.strip_width();
        let mut of_pieces = vec![vec![]; cells.pieces()];
        for sample in 0..columns.count() {
            if let Some(piece) = cells.piece_of(sample, round) {
                of_pieces[piece].push(sample);
            }
        }
        let tasks: Vec<(usize, &[usize])> = of_pieces
            .iter()
            .enumerate()
            .flat_map(|(piece, samples)| samples.chunks(width).map(move |some| (piece, some)))
            .collect();
        let compare = |dense: &mut Vec<f64>, (piece, samples): &(usize, &[usize])| {
            go_on()?;
            let members = cells.members(*piece);
            let Measured { products, of_members, of_samples } = match columns.as_sparse() {
                Some(x) => Measured::of_sparse(x, members, samples, dense),
                None => Measured::about(columns, members, samples, cells.centre(*piece)),
            };
            Ok(self.compared(members, samples, &products, &of_members, &of_samples))
        };
        let changed: Vec<Vec<Near>> =
            tasks.par_iter().map_init(Vec::new, compare).collect::<Result<_>>()?;
        for ((_, samples), lists) in tasks.iter().zip(changed) {
            for (sample, list) in samples.iter().zip(lists.chunks_exact(self.kept)) {
                self.near[sample * self.kept..][..self.kept].copy_from_slice(list);
            }
        }
        Ok(!tasks.is_empty())
    }

    /// The lists of some samples after they have been compared with those of a piece.
    fn compared(
        &self,
        members: &[u32],
        samples: &[usize],
        products: &[f64],
        of_members: &[f64],
        of_samples: &[f64],
    ) -> Vec<Near> {
        let mut lists = Vec::with_capacity(samples.len() * self.kept);
        let rows = products.chunks_exact(members.len().max(1)).zip(of_samples);
        for (sample, (products, square)) in samples.iter().zip(rows) {
            let start = lists.len();
            lists.extend_from_slice(self.of(*sample));
            let list = &mut lists[start..];
            let distances = products.iter().zip(of_members).map(|(xy, xx)| xx + square - 2.0 * xy);
            for (distance, other) in distances.zip(members) {
                if distance < list[list.len() - 1].distance && *other as usize != *sample {
                    take(list, Near { distance, other: *other });
                }
            }
        }
        lists
    }
}

/// Products of all members of a piece with some samples, and the squared lengths of both.
struct Measured {
    /// Those of one sample after those of another.
    products: Vec<f64>,
    of_members: Vec<f64>,
    of_samples: Vec<f64>,
}

impl Measured {
    /// About a centre, so that near samples keep their digits.
    fn about<T: Scalar>(
        columns: &Columns<'_, T>,
        members: &[u32],
        samples: &[usize],
        centre: &[f64],
    ) -> Self {
        let p = columns.rows();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        relative(columns, members.iter().map(|j| *j as usize), centre, &mut left);
        relative(columns, samples.iter().copied(), centre, &mut right);
        let mut products = vec![0.0; members.len() * samples.len()];
        mul_block(
            &mut products,
            MatrixView::contiguous(&left, p, members.len()).t(),
            MatrixView::contiguous(&right, p, samples.len()),
        );
        let squares = |values: &[f64]| -> Vec<f64> {
            values.chunks_exact(p).map(|v| v.iter().map(|v| v * v).sum()).collect()
        };
        Self { products, of_members: squares(&left), of_samples: squares(&right) }
    }

    /// Sparse samples as they are: the samples are made dense in memory that the next task uses again, and the entries
    /// of the members meet them there.
    fn of_sparse<T: Scalar>(
        x: &Sparse<'_, T>,
        members: &[u32],
        samples: &[usize],
        dense: &mut Vec<f64>,
    ) -> Self {
        let width = samples.len();
        if dense.len() < x.shape().0 * width {
            dense.resize(x.shape().0 * width, 0.0);
        }
        for (c, j) in samples.iter().enumerate() {
            x.sample(*j).for_each(|(i, v)| dense[i * width + c] = v.to_f64());
        }
        let mut products = vec![0.0; members.len() * width];
        let mut of_member = vec![0.0; width];
        for (m, member) in members.iter().enumerate() {
            of_member.fill(0.0);
            x.add_products_of(*member as usize, dense, &mut of_member);
            for (c, product) in of_member.iter().enumerate() {
                products[c * members.len() + m] = *product;
            }
        }
        for (c, j) in samples.iter().enumerate() {
            x.sample(*j).for_each(|(i, _)| dense[i * width + c] = 0.0);
        }
        let length = |j: usize| x.sample_dot(j, j);
        Self {
            products,
            of_members: members.iter().map(|j| length(*j as usize)).collect(),
            of_samples: samples.iter().map(|j| length(*j)).collect(),
        }
    }
}

/// Puts a sample into its place of a list, behind those as near as it is.
fn take(list: &mut [Near], near: Near) {
    let place = list.partition_point(|known| known.distance <= near.distance);
    list[place..].rotate_right(1);
    list[place] = near;
}

/// Samples whose nearest ones are known.
struct Probes {
    /// Theirs, `count` for each.
    edges: Vec<Edge>,
    count: usize,
}

impl Probes {
    fn new<T: Scalar>(columns: &Columns<'_, T>, count: usize, go_on: GoOn<'_>) -> Result<Self> {
        let n = columns.count();
        let places = PLACES.min(n.div_ceil(PROBES));
        let range = |place: usize| {
            let start = place * n / places;
            start..(start + PROBES).min((place + 1) * n / places)
        };
        let of_range = |range: Range<usize>| {
            go_on()?;
            Ok(exact::nearest_in(columns, columns.strip(range), count))
        };
        let ranges: Vec<_> = (0..places).map(range).collect();
        let edges: Vec<Vec<Edge>> = ranges.into_par_iter().map(of_range).collect::<Result<_>>()?;
        Ok(Self { edges: edges.into_iter().flatten().collect(), count })
    }

    /// The share of their nearest ones that lists hold, or others as near.
    fn share_found<T: Scalar>(&self, columns: &Columns<'_, T>, lists: &Lists) -> f64 {
        let found = |edges: &[Edge]| {
            let (sample, last) = (edges[0].from, edges[edges.len() - 1].squared_length);
            let near = lists.found(sample).filter(|j| columns.squared_distance(sample, *j) <= last);
            near.count().min(self.count)
        };
        let found: usize = self.edges.par_chunks(self.count).map(found).sum();
        found as f64 / self.edges.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::testing::normal;

    fn search(x: &Matrix<f64>) -> Found {
        nearest(&Columns::about_the_mean(x), 5, 7, &|| Ok(())).unwrap()
    }

    /// How many of every tenth sample's 5 nearest, by comparing all in the plainest way, are found.
    fn recall(x: &Matrix<f64>, found: &[Edge]) -> f64 {
        let n = x.cols();
        assert_eq!(found.len(), 5 * n);
        let squared = |j: usize, l: usize| -> f64 {
            x.col(j).iter().zip(x.col(l)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let hits = |(j, found): (usize, &[Edge])| {
            assert!(found.iter().all(|edge| edge.from == j && edge.to != j));
            let mut others: Vec<f64> = (0..n).filter(|l| *l != j).map(|l| squared(j, l)).collect();
            others.sort_by(f64::total_cmp);
            found.iter().filter(|edge| squared(j, edge.to) <= others[4]).count()
        };
        let tenth = found.par_chunks(5).enumerate().step_by(10);
        let asked = tenth.len();
        tenth.map(hits).sum::<usize>() as f64 / (5 * asked) as f64
    }

    /// Samples about 20 centres, whose distances from each other `spread` is a part of.
    fn clusters(p: usize, n: usize, spread: f64) -> Matrix<f64> {
        let (centres, rough) = (normal::<f64>(p, 20, 1), normal::<f64>(p, n, 2));
        Matrix::from_fn(p, n, |i, j| centres[(i, j % 20)] + spread * rough[(i, j)])
    }

    #[test]
    fn nearly_all_neighbours_in_clusters_and_in_a_cloud_are_found() {
        for p in [1, 10, 40] {
            for spread in [1e-6, 0.1, 1e3] {
                let x = clusters(p, 10_000, spread);
                let recall = recall(&x, &search(&x).edges);
                assert!(recall >= 0.98, "{recall} of {p} features, spread {spread}");
            }
        }
    }

    /// In a cloud of many dimensions any cell may hold a neighbour: what was missed must be known.
    #[test]
    fn what_a_search_misses_is_known() {
        let x = clusters(100, 20_000, 1e3);
        let found = search(&x);
        let recall = recall(&x, &found.edges);
        assert!(found.share < ENOUGH, "{}", found.share);
        assert!((recall - found.share).abs() < 0.05, "{recall}, said {}", found.share);
    }

    /// All in one cell, which is cut into pieces.
    #[test]
    fn copies_are_neighbours_of_each_other() {
        let x = Matrix::from_fn(3, 6000, |i, j| if j < 5000 { 1.0 } else { ((i + 1) * j) as f64 });
        let found = search(&x);
        let of_copies = &found.edges[..5 * 5000];
        assert!(of_copies.iter().all(|edge| edge.squared_length == 0.0));
        assert!(recall(&x, &found.edges) >= 0.98);
    }

    #[test]
    fn the_unit_and_the_origin_of_the_data_do_not_matter() {
        let x = clusters(10, 2000, 0.1);
        for (unit, origin) in [(1e-30, 0.0), (1e30, 0.0), (1.0, 1e7)] {
            let moved = Matrix::from_fn(10, 2000, |i, j| origin + unit * x[(i, j)]);
            let recall = recall(&moved, &search(&moved).edges);
            assert!(recall >= 0.98, "{recall}: {unit}, {origin}");
        }
    }
}
