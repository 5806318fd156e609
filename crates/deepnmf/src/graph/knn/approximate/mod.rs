//! Most of the nearest samples among many, by NN-Descent (`descent.rs`), which checks itself.
//!
//! The search runs in `f32` on centred samples and finds more than are wanted; those are measured by
//! the definition of a distance, as in the exact search, and the nearest kept. The same seed finds the
//! same ones at any number of threads.
//!
//! How much a search misses depends on the data: in many dimensions without any structure the
//! neighbours of a neighbour are no better than others. So some samples are compared with all. Where
//! too many of their neighbours are missing, the search goes on with longer lists, and where that does
//! not help either, all samples are compared if that is bearable.

mod descent;

use rayon::prelude::*;

use self::descent::Descent;
use super::{Edge, exact, shortest};
use crate::error::{Error, Result};
use crate::graph::tiles::Columns;
use crate::matrix::Scalar;

/// Neighbours that the search keeps for each sample at least: with fewer it is caught in small circles.
const FEWEST_KEPT: usize = 15;

/// How often the lists are doubled at most: beyond that, comparing all is about as fast.
const DOUBLINGS: u32 = 1;

/// The share of neighbours that must have been found: three deviations of the estimate above the 98% that
/// are promised.
const ENOUGH: f64 = 0.99;

/// The most samples that are compared with each other if the search fails: minutes, not hours.
const MOST_COMPARED: usize = 100_000;

/// The edges from every sample to `count` others, which are nearly always its nearest, unless `go_on` says
/// that nobody wants them.
pub(super) fn nearest<T: Scalar>(
    columns: &Columns<T>,
    count: usize,
    seed: u64,
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Vec<Edge>> {
    let (p, n) = columns.matrix().shape();
    let small = u32::try_from(n).map_err(|_| {
        Error::parameter("the number of samples", n, format!("at most {} are searched", u32::MAX))
    })?;
    let samples = scaled(columns.narrowed());
    let kept = (2 * count).max(FEWEST_KEPT).min(n - 1);
    let mut search = Descent::new(&samples, (p, small), kept, seed);
    for doublings in 0..=DOUBLINGS {
        search.descend(go_on)?;
        if search.share_found(count) >= ENOUGH {
            break;
        }
        if doublings < DOUBLINGS {
            search.lengthen((2 * search.kept()).min(n - 1));
        } else if n <= MOST_COMPARED {
            return exact::nearest(columns, count, go_on);
        }
    }
    let of_one = |sample: usize| {
        let mut others: Vec<usize> = search.found(sample).collect();
        others.sort_unstable();
        shortest(columns, sample, others.into_iter(), count)
    };
    Ok((0..n).into_par_iter().flat_map_iter(of_one).collect())
}

/// The same samples with 1 as their largest number, whose squares `f32` can hold.
fn scaled(mut samples: Vec<f32>) -> Vec<f32> {
    let largest = samples.par_iter().map(|v| v.abs()).reduce(|| 0.0, f32::max);
    if largest > 0.0 {
        samples.par_iter_mut().for_each(|v| *v /= largest);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::testing::normal;

    /// How many of all samples' 5 nearest, by comparing all in the plainest way, are found.
    fn recall(x: &Matrix<f64>) -> f64 {
        let n = x.cols();
        let found = nearest(&Columns::about_the_mean(x.clone()), 5, 7, &|| Ok(())).unwrap();
        assert_eq!(found.len(), 5 * n);
        let squared = |j: usize, l: usize| -> f64 {
            x.col(j).iter().zip(x.col(l)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let hits = |(j, found): (usize, &[Edge])| {
            assert!(found.iter().all(|edge| edge.from == j && edge.to != j));
            let others = (0..n).filter(|l| *l != j);
            let mut others: Vec<_> = others.map(|l| (squared(j, l), l)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            others[..5].iter().filter(|(_, l)| found.iter().any(|edge| edge.to == *l)).count()
        };
        let hits: usize = found.par_chunks(5).enumerate().map(hits).sum();
        hits as f64 / (5 * n) as f64
    }

    /// Samples about 20 centres, whose distances from each other `spread` is a part of.
    fn clusters(p: usize, n: usize, spread: f64) -> Matrix<f64> {
        let (centres, rough) = (normal::<f64>(p, 20, 1), normal::<f64>(p, n, 2));
        Matrix::from_fn(p, n, |i, j| centres[(i, j % 20)] + spread * rough[(i, j)])
    }

    #[test]
    fn nearly_all_neighbours_in_clusters_and_in_a_cloud_are_found() {
        for p in [1, 10, 40] {
            for spread in [0.1, 1e3] {
                let recall = recall(&clusters(p, 3000, spread));
                assert!(recall >= 0.98, "{recall} of {p} features, spread {spread}");
            }
        }
    }

    /// No list is long enough there: the search must see that, and compare all.
    #[test]
    fn where_the_search_fails_all_samples_are_compared() {
        let x = clusters(300, 4000, 1e3);
        let columns = Columns::about_the_mean(x.clone());
        let samples = scaled(columns.narrowed());
        let mut search = Descent::new(&samples, (300, 4000), FEWEST_KEPT, 7);
        search.descend(&|| Ok(())).unwrap();
        assert!(search.share_found(5) < 0.9, "{}", search.share_found(5));
        assert!(recall(&x) >= 0.98);
    }

    /// `f32` holds no square of these numbers, and none of their inverses.
    #[test]
    fn the_unit_of_the_data_does_not_matter() {
        let x = clusters(10, 2000, 0.1);
        for unit in [1e-30, 1e30] {
            let scaled = Matrix::from_fn(10, 2000, |i, j| unit * x[(i, j)]);
            assert!(recall(&scaled) >= 0.98, "{unit}");
        }
    }
}
