//! Other clusters for one part: proposals from the clusters that it has.
//!
//! Clusters are cut in two, and then those that are least worth keeping apart are merged until there are as many as
//! before. So a cluster of two halves that belong to others falls apart, and the halves find what they belong to.
//!
//! A cluster is cut in what all parts leave over of its samples, in the metric of what is left: along the direction
//! in which they differ most, then by 2-means. No random number decides where, only the clusters that are cut are drawn.

use rand_chacha::ChaCha8Rng;

use super::coordinates::Coordinates;
use super::descent::{Found, descend, merge_down};
use super::propose::left_over;
use crate::error::Result;
use crate::matrix::{Matrix, product};
use crate::rng::shuffle;

/// Rounds of descent before clusters are merged.
const FIRST_ROUNDS: usize = 2;
/// Steps towards the direction in which samples differ most: it is where 2-means begins, not a result.
const POWER_STEPS: usize = 3;
/// Rounds of 2-means.
const ROUNDS: usize = 10;

/// So many clusters, drawn at random.
pub(super) fn drawn(clusters: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..clusters).collect();
    shuffle(&mut order, rng);
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Proposes clusters for one part: some of those it has are cut, and others merged.
pub(super) fn cut_and_merge(
    samples: &Coordinates,
    Found { memberships, state }: &Found,
    part: usize,
    cut: &[usize],
) -> Result<Found> {
    let left = left_over(samples, memberships, state);
    let left = product(state.w.view(), left.view());
    let (size, mut labels) = (memberships.sizes[part], memberships.of_part(part));
    let mut many = size;
    for cluster in cut {
        let members: Vec<usize> = (0..labels.len()).filter(|j| labels[*j] == *cluster).collect();
        let own = Matrix::from_fn(left.rows(), members.len(), |i, j| left[(i, members[j])]);
        let Some(halves) = halves(own) else { continue };
        let moved = members.iter().zip(halves).filter(|(_, second)| *second);
        moved.for_each(|(j, _)| labels[*j] = many);
        many += 1;
    }
    let from = memberships.with_part(part, many, &labels);
    let cut = descend(samples, from, FIRST_ROUNDS)?;
    merge_down(samples, cut.memberships, part, size)
}

/// Which columns are in the second of two clusters; nothing if they are all alike.
pub(super) fn halves(mut columns: Matrix<f64>) -> Option<Vec<bool>> {
    let (d, n) = columns.shape();
    let mean: Vec<f64> = columns.row_sums().iter().map(|sum| sum / n as f64).collect();
    for j in 0..n {
        columns.col_mut(j).iter_mut().zip(&mean).for_each(|(v, mean)| *v -= mean);
    }
    let length = |j: &usize| columns.col(*j).iter().map(|v| v * v).sum::<f64>();
    let farthest = (0..n).max_by(|a, b| length(a).total_cmp(&length(b)))?;
    let mut direction = columns.col(farthest).to_vec();
    for _ in 0..POWER_STEPS {
        let along = along(&columns, &direction);
        direction = weighed_sum(&columns, along.iter().copied());
        let size = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
        if !size.is_normal() {
            return None;
        }
        for v in &mut direction {
            *v /= size;
        }
    }
    let mut second: Vec<bool> = along(&columns, &direction).iter().map(|v| *v > 0.0).collect();
    for _ in 0..ROUNDS {
        let count = second.iter().filter(|second| **second).count();
        if count == 0 || count == n {
            return None;
        }
        // The mean of all is zero, so that of one half says where the other is.
        let sum = weighed_sum(&columns, second.iter().map(|second| f64::from(u8::from(*second))));
        let apart = |v: &f64| v / count as f64 + v / (n - count) as f64;
        let direction: Vec<f64> = sum.iter().map(apart).collect();
        let middle = |i: usize| 0.5 * (sum[i] / count as f64 - sum[i] / (n - count) as f64);
        let border: f64 = (0..d).map(|i| direction[i] * middle(i)).sum();
        let next: Vec<bool> = along(&columns, &direction).iter().map(|v| *v > border).collect();
        if next == second {
            break;
        }
        second = next;
    }
    let count = second.iter().filter(|second| **second).count();
    (count > 0 && count < n).then_some(second)
}

/// The inner products of all columns with a direction.
fn along(columns: &Matrix<f64>, direction: &[f64]) -> Vec<f64> {
    let inner = |column: &[f64]| column.iter().zip(direction).map(|(a, b)| a * b).sum();
    columns.columns().map(inner).collect()
}

/// The sum of all columns, each times its weight.
fn weighed_sum(columns: &Matrix<f64>, weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = vec![0.0; columns.rows()];
    for (column, weight) in columns.columns().zip(weights) {
        sum.iter_mut().zip(column).for_each(|(sum, v)| *sum += weight * v);
    }
    sum
}
