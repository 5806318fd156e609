//! Leaves a local optimum of Lloyd's algorithm by moving one centroid far away.
//!
//! What Lloyd's algorithm cannot mend is a centroid in the wrong place: two clusters that share a
//! centroid while another is cut in two. A swap dissolves one cluster and cuts another in two, and
//! Lloyd's algorithm settles the rest. Swaps are tried in the order of what they promise; the first
//! that lowers the inertia is kept, and the search begins anew. It ends when as many swaps in a row
//! as the caller allows brought no gain, so it never makes a clustering worse.

use std::cmp::Ordering;

use deepnmf::matrix::dot;
use deepnmf::{Matrix, Scalar};
use rayon::prelude::*;

use super::Samples;
use super::assign::Assignment;
use super::lloyd::{Limits, Lloyd, Members, Outcome, mean_of};
use crate::numbers::distance_sq;

/// Rounds of power iteration and of two-means when a cluster is cut in two: the cut only has to be
/// good enough for Lloyd's algorithm to begin from.
const CUT_ROUNDS: usize = 8;

/// The most rounds in which a swap may prove itself. Where clusters are real, a few are enough;
/// where they are not, hundreds of rounds would gain next to nothing.
const TRIAL_ROUNDS: usize = 20;

/// The least share of a cluster's own inertia that a cut must take away. Clusters that hold two
/// lose far more; where less is lost, all directions are alike and the cut separates nothing.
const SEPARATES: f64 = 0.1;

/// The least share of the inertia by which a swap must lower it.
const WORTHWHILE: f64 = 1e-6;

/// `found`, after all swaps that `patience` finds.
pub(super) fn improve<T: Scalar>(
    samples: &Samples<T>,
    found: Outcome<T>,
    limits: &Limits,
    patience: usize,
) -> Outcome<T> {
    let trial = Limits { iterations: limits.iterations.min(TRIAL_ROUNDS), ..*limits };
    let mut best = found;
    let mut settled = true;
    while let Some(better) = better(samples, &best, &trial, patience) {
        settled = better.converged;
        best = better;
    }
    if settled { best } else { Lloyd::new(samples, best.centroids).run(limits) }
}

fn better<T: Scalar>(
    samples: &Samples<T>,
    best: &Outcome<T>,
    limits: &Limits,
    patience: usize,
) -> Option<Outcome<T>> {
    if samples.cancel.is_cancelled() {
        return None;
    }
    let enough = best.inertia * (1.0 - WORTHWHILE);
    let costs = removal_costs(samples, best);
    let cuts = cuts(samples, best);
    let wanted = promising(&costs, &cuts, patience).into_iter();
    wanted.take_while(|_| !samples.cancel.is_cancelled()).find_map(|(dissolved, cut)| {
        let mut start = best.centroids.clone();
        let [one, other] = &cuts[cut].as_ref()?.halves;
        start.col_mut(dissolved).copy_from_slice(one);
        start.col_mut(cut).copy_from_slice(other);
        let run = Lloyd::new(samples, start).run(limits);
        (run.inertia < enough).then_some(run)
    })
}

/// The `patience` pairs (cluster to dissolve, cluster to cut) that promise the least inertia.
fn promising<T>(costs: &[f64], cuts: &[Option<Cut<T>>], patience: usize) -> Vec<(usize, usize)> {
    let pairs = cuts.iter().enumerate().filter_map(|(cut, found)| Some((cut, found.as_ref()?)));
    let mut promises: Vec<(f64, (usize, usize))> = pairs
        .flat_map(|(cut, found)| {
            let others = costs.iter().enumerate().filter(move |(c, _)| *c != cut);
            others.map(move |(c, cost)| (cost - found.gain, (c, cut)))
        })
        .collect();
    let least_first = |a: &(f64, _), b: &(f64, _)| -> Ordering { a.0.total_cmp(&b.0) };
    promises.sort_by(least_first);
    promises.into_iter().take(patience).map(|(_, pair)| pair).collect()
}

/// By how much the inertia would grow if each member of a cluster went to its second nearest
/// centroid.
fn removal_costs<T: Scalar>(samples: &Samples<T>, found: &Outcome<T>) -> Vec<f64> {
    let mut assignment = Assignment::unknown(samples.x.cols());
    assignment.renew(samples, &found.centroids);
    let mut costs = vec![0.0; found.centroids.cols()];
    for (label, gap) in assignment.labels.iter().zip(assignment.gaps()) {
        costs[*label] += gap;
    }
    costs
}

/// A cluster in two halves.
struct Cut<T> {
    halves: [Vec<T>; 2],
    /// By how much the cut lowers the inertia.
    gain: f64,
}

fn cuts<T: Scalar>(samples: &Samples<T>, found: &Outcome<T>) -> Vec<Option<Cut<T>>> {
    let members = Members::of(&found.labels, found.centroids.cols());
    let cut = |c: usize| cut_in_two(&samples.x, members.of_cluster(c), found.centroids.col(c));
    (0..found.centroids.cols()).into_par_iter().map(cut).collect()
}

/// Cuts a cluster across its widest direction, then by two-means; none where that separates nothing.
fn cut_in_two<T: Scalar>(x: &Matrix<T>, members: &[usize], centre: &[T]) -> Option<Cut<T>> {
    let direction = widest_direction(x, members, centre)?;
    let middle = dot(centre, &direction);
    let mut second: Vec<bool> =
        members.iter().map(|j| dot(x.col(*j), &direction) > middle).collect();
    let mut halves = means(x, members, &second)?;
    for _ in 0..CUT_ROUNDS {
        let nearer =
            |j: &usize| distance_sq(x.col(*j), &halves[1]) < distance_sq(x.col(*j), &halves[0]);
        let next: Vec<bool> = members.iter().map(nearer).collect();
        if next == second {
            break;
        }
        let Some(moved) = means(x, members, &next) else { break };
        (second, halves) = (next, moved);
    }
    let before: f64 = members.iter().map(|j| distance_sq(x.col(*j), centre)).sum();
    let after =
        |(j, second): (&usize, &bool)| distance_sq(x.col(*j), &halves[usize::from(*second)]);
    let after: f64 = members.iter().zip(&second).map(after).sum();
    let gain = before - after;
    (gain >= SEPARATES * before).then_some(Cut { halves, gain })
}

/// The means of the two halves; none where one of them is empty.
fn means<T: Scalar>(x: &Matrix<T>, members: &[usize], second: &[bool]) -> Option<[Vec<T>; 2]> {
    let half = |which: bool| {
        let of_half = members.iter().zip(second).filter(|(_, second)| **second == which);
        let of_half: Vec<usize> = of_half.map(|(j, _)| *j).collect();
        (!of_half.is_empty()).then(|| mean_of(x, &of_half))
    };
    Some([half(false)?, half(true)?])
}

/// The direction in which the members spread most, by power iteration from the farthest member.
fn widest_direction<T: Scalar>(x: &Matrix<T>, members: &[usize], centre: &[T]) -> Option<Vec<T>> {
    let distance = |j: &&usize| distance_sq(x.col(**j), centre);
    let farthest = members.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let from_centre = |j: usize| x.col(j).iter().zip(centre).map(|(v, c)| v.to_f64() - c.to_f64());
    let mut direction = unit(from_centre(*farthest).collect())?;
    for _ in 0..CUT_ROUNDS {
        let middle = dot(centre, &direction);
        let mut next = vec![0.0; centre.len()];
        for j in members {
            let along = dot(x.col(*j), &direction) - middle;
            for (sum, v) in next.iter_mut().zip(from_centre(*j)) {
                *sum += along * v;
            }
        }
        direction = unit(next)?;
    }
    Some(direction)
}

fn unit<T: Scalar>(v: Vec<f64>) -> Option<Vec<T>> {
    let length = dot(&v, &v).sqrt();
    (length > 0.0).then(|| v.into_iter().map(|v| T::from_f64(v / length)).collect())
}
