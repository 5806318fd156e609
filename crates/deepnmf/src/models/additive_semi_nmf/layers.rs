//! The layers above the first, where parts are deep.
//!
//! ```text
//! X ~ Z_1 H_1        the sum of all parts, a deep one in its many clusters (`mod.rs`)
//! X ~ Z_1 Z_2 H_2    Z_2: block diagonal, K_1 x K_2
//! ```
//!
//! A deep part has fewer clusters in layer 2, each of them some of its clusters in layer 1: those that are merged by the
//! least growth of `J`, one pair after the other (`merge.rs`). A column of its block holds the shares that the many
//! have of the samples of the one, so `Z_1 Z_2` has the mean of their centres. Parts that are shallow, or have no more
//! layers, have the identity as their block. `H_2` follows from `H_1`: who belongs to a cluster belongs to what it was merged
//! into. So `J` is that of layer 1, and new samples choose there.

use super::descent::Found;
use super::memberships::{Memberships, rows_of};
use crate::matrix::{Matrix, Scalar};

/// The bases `Z_2, Z_3, ..` of parts with so many clusters in each layer: `sizes[0]` those of layer 1. `summed` are the
/// parts that were found as a sum, of which a deep one always is.
pub(super) fn upper_bases(
    sizes: &[Vec<usize>],
    summed: &[usize],
    Found { memberships, state }: &Found,
) -> Vec<Matrix<f64>> {
    let (mut bases, mut below) = (vec![], memberships.clone());
    // Of each part the place of the clusters of layer 1 among those of the layer below.
    let mut places: Vec<Vec<usize>> = memberships.sizes.iter().map(|k| (0..*k).collect()).collect();
    for pair in sizes.windows(2) {
        let (lower, upper) = (&pair[0], &pair[1]);
        let mut z = Matrix::zeros(lower.iter().sum(), upper.iter().sum());
        let mut above = memberships.clone();
        for (part, (rows, columns)) in rows_of(lower).zip(rows_of(upper)).enumerate() {
            let place = summed.iter().position(|other| *other == part);
            let (Some(place), true) = (place, rows.len() > columns.len()) else {
                rows.zip(columns).for_each(|(i, j)| z[(i, j)] = 1.0);
                if let Some(place) = place {
                    above = above.merged(place, lower[part], &places[place]);
                }
                continue;
            };
            let wanted = columns.len();
            let merged = state.merged(&memberships.sizes, place, wanted);
            let unordered = memberships.merged(place, wanted, &merged);
            let order = unordered.order(place);
            let now: Vec<usize> = merged.iter().map(|a| order[*a]).collect();
            above = above.merged(place, wanted, &now);
            // Merges of a layer are the first ones of the next, so every cluster below is in one above.
            let mut into = vec![0; rows.len()];
            places[place].iter().zip(&now).for_each(|(below, above)| into[*below] = *above);
            let counts = counts_of(&below, place);
            for (a, b) in into.iter().enumerate() {
                let all = into.iter().zip(&counts).filter(|(other, _)| *other == b);
                let (many, total) = all.fold((0.0, 0.0), |(m, t), (_, count)| (m + 1.0, t + count));
                let share = if total > 0.0 { counts[a] / total } else { 1.0 / many };
                z[(rows.start + a, columns.start + b)] = share;
            }
            places[place] = now;
        }
        bases.push(z);
        below = above;
    }
    bases
}

/// How many samples each cluster of a part has.
fn counts_of(memberships: &Memberships, part: usize) -> Vec<f64> {
    let mut counts = vec![0.0; memberships.sizes[part]];
    memberships.of_part(part).into_iter().for_each(|a| counts[a] += 1.0);
    counts
}

/// The memberships `h` one layer up, through its basis `z`: of each part the cluster in which the one below has its share.
/// `below` and `above` are the clusters of each part.
pub(crate) fn one_layer_up<T: Scalar>(
    h: &Matrix<T>,
    z: &Matrix<T>,
    below: &[usize],
    above: &[usize],
) -> Matrix<T> {
    let mut into = vec![0; z.rows()];
    for (rows, columns) in rows_of(below).zip(rows_of(above)) {
        for a in rows {
            let more = |best: usize, b: usize| if z[(a, b)] > z[(a, best)] { b } else { best };
            into[a] = columns.clone().fold(columns.start, more);
        }
    }
    let mut up = Matrix::zeros(z.cols(), h.cols());
    for (j, h) in h.columns().enumerate() {
        let members = h.iter().zip(&into).filter(|(v, _)| **v > T::ZERO);
        members.for_each(|(_, b)| up[(*b, j)] = T::ONE);
    }
    up
}
