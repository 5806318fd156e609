//! The objective and its descent.
//!
//! ```text
//! C = Y H^+,  d x K                    the best centres for given memberships
//! A = R R^T + t^2 I,  R = Y - C H      = Y Y^T + t^2 I - C (Y H^T)^T
//! J = log det A
//! ```
//!
//! `log det` is concave, so its tangent is above it: `log det A' <= log det A + Tr(A^-1 (A' - A))`. Given `A`, samples
//! choose the clusters that make `|y - sum_i c_i|^2` least in the metric `A^-1`, then centres follow. Both lower the
//! right hand side, so `J` never rises. Where no sample changes its clusters any more, memberships, centres and metric
//! belong together: a sample that comes back as a new one gets the same clusters.

use super::choice::Choice;
use super::coordinates::Coordinates;
use super::memberships::{Memberships, rows_of};
use super::merge::merged;
use crate::error::Result;
use crate::matrix::{Matrix, Whitening, product};

/// The rounds of a descent that is to come to rest. It takes some ten.
pub(super) const TO_REST: usize = 100;

/// One of so many spare clusters is merged in a round.
const SHARE_MERGED: usize = 2;

/// What memberships make of the samples.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// `C`.
    pub(super) centres: Matrix<f64>,
    /// `A^-1 C`.
    turned: Matrix<f64>,
    /// `C^T A^-1 C`.
    inner: Matrix<f64>,
    /// The sizes of the clusters of all parts.
    counts: Vec<f64>,
    /// `W` with `W^T W = A^-1`.
    pub(super) w: Matrix<f64>,
    /// `J`.
    pub(super) objective: f64,
}

impl State {
    pub(super) fn of(samples: &Coordinates, memberships: &Memberships) -> Result<Self> {
        let d = samples.dimension();
        let shared = memberships.shared();
        let counts: Vec<f64> = (0..shared.rows()).map(|a| shared[(a, a)]).collect();
        let sums = sums_of_clusters(&samples.y, memberships);
        let inverse = inverse_of(shared, &memberships.sizes)?;
        let mut centres = product(sums.view(), inverse.view());
        weigh_out(&mut centres, &memberships.sizes, &counts);
        let explained = product(centres.view(), sums.t());
        let a = Matrix::from_fn(d, d, |i, j| {
            // The product of both is symmetric but for rounding.
            let explained = f64::midpoint(explained[(i, j)], explained[(j, i)]);
            samples.scatter[(i, j)] - explained + if i == j { samples.floor } else { 0.0 }
        });
        let metric = Whitening::of::<f64>(&a)?;
        let turned = product(metric.inverse.view(), centres.view());
        let inner = product(centres.t(), turned.view());
        Ok(Self { centres, turned, inner, counts, w: metric.w, objective: metric.log_det })
    }

    /// What samples choose, given these centres and this metric.
    pub(super) fn choose(&self, samples: &Coordinates, from: &Memberships) -> Memberships {
        let mut chosen = from.clone();
        let choice = Choice::new(&from.sizes, &from.held, &self.inner);
        choice.choose(&self.turned, samples.y.view(), &mut chosen.labels);
        chosen
    }

    /// Into how many fewer clusters of a part the others are merged: the new place of each.
    pub(super) fn merged(&self, sizes: &[usize], part: usize, wanted: usize) -> Vec<usize> {
        let start: usize = sizes[..part].iter().sum();
        let own = |i: usize, j: usize| self.inner[(start + i, start + j)];
        let inner = Matrix::from_fn(sizes[part], sizes[part], own);
        merged(inner, &self.counts[start..start + sizes[part]], wanted)
    }
}

/// `Y H^T`, `d x K`.
fn sums_of_clusters(y: &Matrix<f64>, memberships: &Memberships) -> Matrix<f64> {
    let starts = memberships.starts();
    let mut sums = Matrix::zeros(y.rows(), memberships.clusters());
    for (y, labels) in y.columns().zip(memberships.of_samples()) {
        for (label, start) in labels.iter().zip(&starts) {
            sums.col_mut(start + label).iter_mut().zip(y).for_each(|(sum, y)| *sum += y);
        }
    }
    sums
}

/// An inverse of `H H^T` for least squares. Stacked memberships are not of full rank: a constant can go from one part
/// to another. So the centres of every part but the first are asked to sum to zero, which changes no sum of centres.
/// What is still not of full rank, by the measure of `f32` to be certain, is solved with centres of least norm.
pub(super) fn inverse_of(mut shared: Matrix<f64>, sizes: &[usize]) -> Result<Matrix<f64>> {
    let counts: Vec<f64> = (0..shared.rows()).map(|a| shared[(a, a)]).collect();
    for (part, rows) in rows_of(sizes).enumerate() {
        let members: Vec<usize> = rows.clone().filter(|a| counts[*a] > 0.0).collect();
        let total: f64 = counts[rows.clone()].iter().sum();
        rows.filter(|a| counts[*a] == 0.0).for_each(|a| shared[(a, a)] = 1.0);
        if part > 0 {
            let weight = total / (members.len() as f64).powi(2).max(1.0);
            for a in &members {
                for b in &members {
                    shared[(*a, *b)] += weight;
                }
            }
        }
    }
    Ok(Whitening::of::<f32>(&shared)?.inverse)
}

/// Takes from the centres of each part their mean over the samples, whose sum over all parts is that of the samples:
/// nothing. A cluster that nobody belongs to has the centre zero.
pub(super) fn weigh_out(centres: &mut Matrix<f64>, sizes: &[usize], counts: &[f64]) {
    for rows in rows_of(sizes) {
        let total: f64 = counts[rows.clone()].iter().sum();
        let mut mean = vec![0.0; centres.rows()];
        for a in rows.clone() {
            let share = counts[a] / total.max(1.0);
            mean.iter_mut().zip(centres.col(a)).for_each(|(mean, c)| *mean += share * c);
        }
        for a in rows {
            let column = centres.col_mut(a).iter_mut().zip(&mean);
            if counts[a] > 0.0 {
                column.for_each(|(c, mean)| *c -= mean);
            } else {
                column.for_each(|(c, _)| *c = 0.0);
            }
        }
    }
}

/// Memberships, and what they make of the samples.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) memberships: Memberships,
    pub(super) state: State,
}

/// Lowers `J` until no sample changes its clusters, in so many rounds at most.
pub(super) fn descend(
    samples: &Coordinates,
    mut memberships: Memberships,
    rounds: usize,
) -> Result<Found> {
    let mut state = State::of(samples, &memberships)?;
    for _ in 0..rounds {
        let chosen = state.choose(samples, &memberships);
        if chosen == memberships {
            break;
        }
        memberships = chosen;
        state = State::of(samples, &memberships)?;
    }
    Ok(Found { memberships, state })
}

/// Merges clusters of a part until it has so many. Of those that are too many half are merged at a time, and samples
/// choose anew in between.
pub(super) fn merge_down(
    samples: &Coordinates,
    mut memberships: Memberships,
    part: usize,
    size: usize,
) -> Result<Found> {
    while memberships.sizes[part] > size {
        memberships = State::of(samples, &memberships)?.choose(samples, &memberships);
        let many = memberships.sizes[part];
        let wanted = many - (many - size).div_ceil(SHARE_MERGED);
        let state = State::of(samples, &memberships)?;
        let places = state.merged(&memberships.sizes, part, wanted);
        memberships = memberships.merged(part, wanted, &places);
    }
    descend(samples, memberships, TO_REST)
}
