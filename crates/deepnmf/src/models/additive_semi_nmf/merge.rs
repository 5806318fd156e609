//! Which clusters of a part are merged: two at a time, those by which `J` grows least.
//!
//! ```text
//! A' = A + m d d^T,  d = c_a - c_b,  m = n_a n_b / (n_a + n_b)      what a pair leaves over where it is one
//! J' = J + log(1 + m d^T A^-1 d)
//! ```
//!
//! The metric follows with every pair: once two halves of a cluster are one, the direction between them is what samples
//! differ in anyway, and other pairs that differ in it cost little. So the halves of a person who turns find each other,
//! although each is nearer to the same half of somebody else. All of it is in the Gram matrix `C^T A^-1 C` alone, by
//! Sherman and Morrison. The centres of other parts stay as they are; the descent that follows moves them.

use crate::matrix::Matrix;

/// Merges clusters until there are so many. `inner` is `C^T A^-1 C` of the clusters of one part, `counts` how many samples
/// they have. Gives the place of each cluster among those that are left, which keep their order.
pub(super) fn merged(mut inner: Matrix<f64>, counts: &[f64], wanted: usize) -> Vec<usize> {
    let mut counts = counts.to_vec();
    let mut left: Vec<usize> = (0..counts.len()).collect();
    let mut into = left.clone();
    while left.len() > wanted.max(1) {
        let (a, b) = cheapest_pair(&inner, &counts, &left);
        let (of_a, of_b) = (counts[a], counts[b]);
        let weight = mass(of_a, of_b);
        let along: Vec<f64> =
            inner.col(a).iter().zip(inner.col(b)).map(|(of_a, of_b)| of_a - of_b).collect();
        let scale = weight / (1.0 + weight * (along[a] - along[b]).max(0.0));
        for j in &left {
            let step = scale * along[*j];
            for i in &left {
                inner[(*i, *j)] -= step * along[*i];
            }
        }
        // The first of the two is their mean.
        let total = of_a + of_b;
        let share = if total > 0.0 { of_a / total } else { 0.5 };
        for i in &left {
            let mean = share * inner[(*i, a)] + (1.0 - share) * inner[(*i, b)];
            inner[(*i, a)] = mean;
        }
        for j in &left {
            let mean = share * inner[(a, *j)] + (1.0 - share) * inner[(b, *j)];
            inner[(a, *j)] = mean;
        }
        counts[a] = total;
        left.retain(|other| *other != b);
        into.iter_mut().filter(|into| **into == b).for_each(|into| *into = a);
    }
    let place = |kept: &usize| left.iter().position(|other| other == kept).unwrap_or(0);
    into.iter().map(place).collect()
}

/// By what the squared distance of two centres counts.
fn mass(of_a: f64, of_b: f64) -> f64 {
    of_a * of_b / (of_a + of_b).max(1.0)
}

/// The pair by which `J` grows least, of equal ones the first; the first cluster of a pair stands before the second.
fn cheapest_pair(inner: &Matrix<f64>, counts: &[f64], left: &[usize]) -> (usize, usize) {
    let (mut cheapest, mut least) = ((left[0], left[left.len() - 1]), f64::INFINITY);
    for (place, &b) in left.iter().enumerate() {
        let column = inner.col(b);
        for &a in &left[..place] {
            let distance = inner[(a, a)] + column[b] - 2.0 * column[a];
            let grows = distance * mass(counts[a], counts[b]);
            if grows < least {
                (cheapest, least) = ((a, b), grows);
            }
        }
    }
    cheapest
}
