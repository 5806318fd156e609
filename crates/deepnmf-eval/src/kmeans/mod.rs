//! k-means: Lloyd's algorithm from k-means++ starts, best of several restarts, then swaps.
//!
//! - Initialization: the greedy k-means++ of Arthur & Vassilvitskii, as scikit-learn runs it
//!   (`seeding.rs`).
//! - Assignment: Hamerly's bounds decide which samples may have changed their cluster; only those
//!   are compared with the centroids, in blocked matrix products (`assign.rs`).
//! - Update: a centroid is the mean of its members, summed anew only where membership changed, so
//!   it depends on nothing but its members (`lloyd.rs`).
//! - Swaps: the best restart is improved by moving centroids from where they gain little to where
//!   two clusters share one (`swap.rs`).
//!
//! Restarts draw from random streams of their own, blocks of samples are fixed and no sum depends
//! on the order in which threads finish: a seed gives the same bits whatever the number of threads.

mod assign;
mod lloyd;
mod seeding;
mod swap;
#[cfg(test)]
mod tests;

use deepnmf::matrix::check_data;
use deepnmf::rng::generator;
use deepnmf::{CancelToken, Matrix, Scalar};
use rayon::prelude::*;

use crate::error::{EvalError, Result, check_lengths, counted};
use crate::instances::Instances;
use crate::numbers::{centred, mean_sample, squared_lengths};
use assign::Pool;
use lloyd::{Limits, Lloyd, Outcome};

/// The settings of a k-means clustering.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf_eval::KMeans;
/// let x = Matrix::from_vec(1, 4, vec![0.0, 0.1, 5.0, 5.1])?;
/// let found = KMeans::new(2).restarts(10).seed(0).fit(&x)?;
/// assert_eq!(found.labels[0], found.labels[1]);
/// assert_ne!(found.labels[1], found.labels[2]);
/// assert!((found.inertia - 0.01f64).abs() < 1e-12);
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KMeans {
    clusters: usize,
    restarts: usize,
    seed: u64,
    tolerance: f64,
    max_iterations: usize,
    bounds: bool,
    swaps: usize,
}

/// A clustering of samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering<T> {
    /// The cluster of every sample. A cluster without samples exists only where there are fewer
    /// distinct samples than clusters.
    pub labels: Vec<usize>,
    /// The centres of the clusters, a column each.
    pub centroids: Matrix<T>,
    /// The sum of the squared distances of all samples from the centres of their clusters.
    pub inertia: f64,
    /// Rounds of Lloyd's algorithm in the best restart, or after its last swap.
    pub iterations: usize,
    /// Whether those stopped by themselves, not by the limit on iterations.
    pub converged: bool,
    /// Which restart was best, counted from 0.
    pub restart: usize,
    /// The inertia that each restart reached, before any swap.
    pub inertias: Vec<f64>,
}

impl KMeans {
    /// How many [swaps](Self::swaps) without gain end the search by default.
    pub const SWAPS: usize = 10;

    /// `clusters` clusters; by default 10 restarts, seed 0, tolerance 1e-4, at most 300 iterations and
    /// 10 swaps without gain.
    pub fn new(clusters: usize) -> Self {
        Self {
            clusters,
            restarts: 10,
            seed: 0,
            tolerance: 1e-4,
            max_iterations: 300,
            bounds: true,
            swaps: Self::SWAPS,
        }
    }

    /// How many starts to try.
    #[must_use]
    pub fn restarts(self, restarts: usize) -> Self {
        Self { restarts, ..self }
    }

    /// The seed of all random numbers.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Stops once the squared moves of all centroids sum up to no more than this times the mean
    /// variance of the features, as scikit-learn does. Zero waits until no label changes.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The most iterations of each restart.
    #[must_use]
    pub fn max_iterations(self, max_iterations: usize) -> Self {
        Self { max_iterations, ..self }
    }

    /// How many swaps of a centroid without gain end the search for a better clustering than that of
    /// the best restart; 0 leaves it as Lloyd's algorithm found it.
    #[must_use]
    pub fn swaps(self, swaps: usize) -> Self {
        Self { swaps, ..self }
    }

    /// Whether bounds spare distances. They never change a result, only its speed.
    #[must_use]
    pub fn bounds(self, bounds: bool) -> Self {
        Self { bounds, ..self }
    }

    /// Clusters the samples (columns) of `x`; the restart of least inertia wins and is improved.
    ///
    /// # Errors
    /// If there are fewer samples than clusters, if a feature is not finite or its square
    /// overflows, or if a setting is out of range.
    pub fn fit<T: Instances>(&self, x: &Matrix<T>) -> Result<Clustering<T>> {
        self.fit_until(x, &CancelToken::new())
    }

    /// The same, until somebody asks to stop: the best clustering so far, which has not `converged`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_until<T: Instances>(
        &self,
        x: &Matrix<T>,
        cancel: &CancelToken,
    ) -> Result<Clustering<T>> {
        T::kmeans(self, x, cancel)
    }

    pub(crate) fn fit_here<T: Scalar>(
        &self,
        x: &Matrix<T>,
        cancel: &CancelToken,
    ) -> Result<Clustering<T>> {
        self.check(x)?;
        let samples = Samples::of(x, cancel)?;
        let limits = self.limits(&samples);
        let run = |restart| {
            // There must be one to keep.
            if restart > 0 && cancel.is_cancelled() {
                return None;
            }
            let start =
                seeding::spread(&samples, self.clusters, &mut generator(self.seed, restart as u64));
            Some(Lloyd::new(&samples, start).run(&limits))
        };
        let runs: Vec<_> = (0..self.restarts).into_par_iter().filter_map(run).collect();
        let (restart, inertias, best) = best_of(runs);
        let best = swap::improve(&samples, best, &limits, self.swaps);
        Ok(samples.clustering(best, restart, inertias))
    }

    /// Clusters the samples of `x` once, from the given centroids.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if `centroids` is not one column of `x`'s features per cluster.
    pub fn fit_from<T: Instances>(
        &self,
        x: &Matrix<T>,
        centroids: &Matrix<T>,
    ) -> Result<Clustering<T>> {
        T::kmeans_from(self, x, centroids)
    }

    pub(crate) fn fit_from_here<T: Scalar>(
        &self,
        x: &Matrix<T>,
        centroids: &Matrix<T>,
    ) -> Result<Clustering<T>> {
        self.check(x)?;
        check_data(centroids)?;
        check_lengths(counted("a sample", x.rows()), counted("a centroid", centroids.rows()))?;
        check_lengths(
            counted("the clusters", self.clusters),
            counted("the centroids", centroids.cols()),
        )?;
        let samples = Samples::of(x, &CancelToken::new())?;
        let start = centred(centroids, &samples.mean);
        refuse_overflow::<T>(&squared_lengths(&start))?;
        let run = Lloyd::new(&samples, start).run(&self.limits(&samples));
        let inertias = vec![run.inertia];
        Ok(samples.clustering(run, 0, inertias))
    }

    fn check<T: Scalar>(&self, x: &Matrix<T>) -> Result<()> {
        let at_least_one = |name, value| {
            if value > 0 { Ok(()) } else { Err(EvalError::parameter(name, value, "1 or more")) }
        };
        at_least_one("the number of clusters", self.clusters)?;
        at_least_one("the number of restarts", self.restarts)?;
        at_least_one("the number of iterations", self.max_iterations)?;
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(EvalError::parameter("the tolerance", self.tolerance, "0 or more"));
        }
        check_data(x)?;
        if self.clusters > x.cols() {
            return Err(EvalError::TooManyClusters { clusters: self.clusters, samples: x.cols() });
        }
        Ok(())
    }

    fn limits<T: Scalar>(&self, samples: &Samples<T>) -> Limits {
        let entries = (samples.x.rows() * samples.x.cols()) as f64;
        let mean_variance = samples.lengths.iter().sum::<f64>() / entries;
        Limits {
            shift: self.tolerance * mean_variance,
            iterations: self.max_iterations,
            bounds: self.bounds,
        }
    }
}

/// Distances are at most twice the longest length; their squares must fit into the number type.
fn refuse_overflow<T: Scalar>(lengths: &[f64]) -> Result<()> {
    if T::from_f64(8.0 * lengths.iter().sum::<f64>()).finite() {
        return Ok(());
    }
    Err(EvalError::Overflow { dtype: T::DTYPE })
}

/// What all restarts share: the samples less their mean, where distances lose fewer digits.
struct Samples<T> {
    x: Matrix<T>,
    lengths: Vec<f64>,
    mean: Vec<f64>,
    pool: Pool<T>,
    cancel: CancelToken,
}

impl<T: Scalar> Samples<T> {
    fn of(x: &Matrix<T>, cancel: &CancelToken) -> Result<Self> {
        let mean = mean_sample(x);
        let x = centred(x, &mean);
        let lengths = squared_lengths(&x);
        refuse_overflow::<T>(&lengths)?;
        Ok(Self { x, lengths, mean, pool: Pool::default(), cancel: cancel.clone() })
    }

    fn clustering(&self, run: Outcome<T>, restart: usize, inertias: Vec<f64>) -> Clustering<T> {
        let back: Vec<f64> = self.mean.iter().map(|m| -m).collect();
        Clustering {
            labels: run.labels,
            centroids: centred(&run.centroids, &back),
            inertia: run.inertia,
            iterations: run.iterations,
            converged: run.converged,
            restart,
            inertias,
        }
    }
}

/// The run of least inertia, the first of them if they are several, after its place and the
/// inertias of all.
fn best_of<T>(mut runs: Vec<Outcome<T>>) -> (usize, Vec<f64>, Outcome<T>) {
    let inertias: Vec<f64> = runs.iter().map(|run| run.inertia).collect();
    let least = |best: usize, i: usize| if inertias[i] < inertias[best] { i } else { best };
    let place = (0..inertias.len()).fold(0, least);
    let run = runs.swap_remove(place);
    (place, inertias, run)
}
