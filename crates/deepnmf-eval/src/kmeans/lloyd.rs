//! Lloyd's algorithm: assign samples to centroids, move centroids to the means, repeat.

use deepnmf::{Matrix, Scalar};
use rayon::prelude::*;

use super::Samples;
use super::assign::{Assignment, BLOCK};
use crate::numbers::{distance_sq, vectorised};

/// When a restart stops, and how it works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// A restart stops when the sum of squared moves of the centroids is no more than this.
    pub(super) shift: f64,
    pub(super) iterations: usize,
    pub(super) bounds: bool,
}

/// What a restart found.
#[derive(Debug)]
pub(super) struct Outcome<T> {
    pub(super) labels: Vec<usize>,
    pub(super) centroids: Matrix<T>,
    pub(super) inertia: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// One restart at work.
pub(super) struct Lloyd<'a, T> {
    samples: &'a Samples<T>,
    centroids: Matrix<T>,
    assignment: Assignment,
    /// The labels of which `centroids` are the means; no sample has such a label at first.
    averaged: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl<'a, T: Scalar> Lloyd<'a, T> {
    pub(super) fn new(samples: &'a Samples<T>, centroids: Matrix<T>) -> Self {
        let n = samples.x.cols();
        let (assignment, averaged) = (Assignment::unknown(n), vec![NONE; n]);
        Self { samples, centroids, assignment, averaged }
    }

    pub(super) fn run(mut self, limits: &Limits) -> Outcome<T> {
        let mut converged = false;
        let mut iterations = 0;
        while iterations < limits.iterations && !converged {
            iterations += 1;
            self.assign(limits);
            self.fill_empty_clusters();
            if self.assignment.labels == self.averaged {
                converged = true;
                break;
            }
            let drifts = self.move_centroids();
            self.assignment.widen(&drifts);
            if drifts.iter().map(|d| d * d).sum::<f64>() <= limits.shift {
                converged = true;
                self.assign(limits);
            } else if iterations == limits.iterations || self.samples.cancel.is_cancelled() {
                self.assign(limits);
                break;
            }
        }
        let inertia = self.inertia();
        let (labels, centroids) = (self.assignment.labels, self.centroids);
        Outcome { labels, centroids, inertia, iterations, converged }
    }

    fn assign(&mut self, limits: &Limits) {
        if !limits.bounds {
            self.assignment.forget();
        }
        self.assignment.renew(self.samples, &self.centroids);
    }

    /// Gives each empty cluster the sample that is farthest from its own centroid, as long as
    /// there is a sample that does not lie on it.
    fn fill_empty_clusters(&mut self) {
        let mut sizes = vec![0; self.centroids.cols()];
        for label in &self.assignment.labels {
            sizes[*label] += 1;
        }
        let empty: Vec<usize> = (0..sizes.len()).filter(|c| sizes[*c] == 0).collect();
        if empty.is_empty() {
            return;
        }
        let mut far: Vec<(f64, usize)> =
            self.distances().into_iter().zip(0..).filter(|(d, _)| *d > 0.0).collect();
        far.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut far = far.into_iter().map(|(_, j)| j);
        for cluster in empty {
            let Some(j) = far.find(|j| sizes[self.assignment.labels[*j]] > 1) else { return };
            sizes[self.assignment.labels[j]] -= 1;
            sizes[cluster] = 1;
            self.assignment.move_sample(j, cluster);
        }
    }

    /// Moves every centroid whose members have changed to their mean; returns how far each moved.
    fn move_centroids(&mut self) -> Vec<f64> {
        let (p, k) = self.centroids.shape();
        let labels = &self.assignment.labels;
        let mut changed = vec![false; k];
        for (new, old) in labels.iter().zip(&self.averaged).filter(|(new, old)| new != old) {
            changed[*new] = true;
            if *old != NONE {
                changed[*old] = true;
            }
        }
        let members = Members::of(labels, k);
        let x = &self.samples.x;
        let move_one = |(c, centroid): (usize, &mut [T])| {
            let of_c = members.of_cluster(c);
            if !changed[c] || of_c.is_empty() {
                return 0.0;
            }
            let mean = mean_of(x, of_c);
            let drift = distance_sq(&mean, centroid).sqrt();
            centroid.copy_from_slice(&mean);
            drift
        };
        let columns = self.centroids.as_mut_slice().par_chunks_mut(p).enumerate();
        let drifts = columns.with_min_len(4).map(move_one).collect();
        self.averaged.copy_from_slice(labels);
        drifts
    }

    /// The squared distance of every sample from its centroid.
    fn distances(&self) -> Vec<f64> {
        let labels = self.assignment.labels.par_iter().enumerate().with_min_len(BLOCK);
        let distance =
            |(j, c): (usize, &usize)| distance_sq(self.samples.x.col(j), self.centroids.col(*c));
        labels.map(distance).collect()
    }

    fn inertia(&self) -> f64 {
        self.distances().iter().sum()
    }
}

/// The samples of each cluster, in order.
pub(super) struct Members {
    order: Vec<usize>,
    ends: Vec<usize>,
}

impl Members {
    pub(super) fn of(labels: &[usize], k: usize) -> Self {
        let mut ends = vec![0; k];
        for label in labels {
            ends[*label] += 1;
        }
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        // `ends` holds the starts; filling in the samples turns each into the end.
        let mut order = vec![0; labels.len()];
        for (j, label) in labels.iter().enumerate() {
            order[ends[*label]] = j;
            ends[*label] += 1;
        }
        Self { order, ends }
    }

    pub(super) fn of_cluster(&self, c: usize) -> &[usize] {
        let start = if c == 0 { 0 } else { self.ends[c - 1] };
        &self.order[start..self.ends[c]]
    }
}

/// The mean of some samples, summed in `f64` and in their order.
pub(super) fn mean_of<T: Scalar>(x: &Matrix<T>, members: &[usize]) -> Vec<T> {
    let mut sums = vec![0.0; x.rows()];
    vectorised(|| {
        for j in members {
            for (sum, v) in sums.iter_mut().zip(x.col(*j)) {
                *sum += v.to_f64();
            }
        }
    });
    sums.iter().map(|sum| T::from_f64(sum / members.len() as f64)).collect()
}
