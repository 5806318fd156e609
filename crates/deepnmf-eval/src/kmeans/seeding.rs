//! Starting centroids that are spread over the samples.
//!
//! k-means++ (Arthur & Vassilvitskii 2007), greedy: each new centroid is the best of
//! `2 + log k` samples, each drawn with a chance proportional to its squared distance from the
//! centroids chosen so far; best is the one that lowers the sum of those distances most.

use deepnmf::matrix::product;
use deepnmf::rng::{below, uniform};
use deepnmf::{Matrix, Scalar};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Samples;
use super::assign::BLOCK;
use crate::numbers::rounding_share;

/// `k` samples to start from.
pub(super) fn spread<T: Scalar>(samples: &Samples<T>, k: usize, rng: &mut ChaCha8Rng) -> Matrix<T> {
    let n = samples.x.cols();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small positive number
    let trials = 2 + (k as f64).ln() as usize;
    let mut centroids = Matrix::zeros(samples.x.rows(), k);
    let mut chances = Chances::none_chosen(samples);
    for c in 0..k {
        let chosen = if samples.cancel.is_cancelled() {
            below(rng, n) // any will do for who does not wait
        } else {
            let drawn = if c == 0 { vec![below(rng, n)] } else { chances.draw(trials, rng) };
            chances.add_best(&drawn)
        };
        centroids.col_mut(c).copy_from_slice(samples.x.col(chosen));
    }
    centroids
}

/// The squared distance of every sample from the nearest centroid chosen so far.
struct Chances<'a, T> {
    samples: &'a Samples<T>,
    nearest: Vec<f64>,
    running: Vec<f64>,
}

impl<'a, T: Scalar> Chances<'a, T> {
    fn none_chosen(samples: &'a Samples<T>) -> Self {
        let n = samples.x.cols();
        Self { samples, nearest: vec![f64::INFINITY; n], running: vec![0.0; n] }
    }

    /// Samples drawn by their distance, or by nothing where all lie on a centroid.
    fn draw(&mut self, trials: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let n = self.nearest.len();
        let mut sum = 0.0;
        for (running, distance) in self.running.iter_mut().zip(&self.nearest) {
            sum += distance;
            *running = sum;
        }
        let mut one = || {
            if sum <= 0.0 {
                return below(rng, n);
            }
            let target = uniform(rng) * sum;
            self.running.partition_point(|running| *running <= target).min(n - 1)
        };
        (0..trials).map(|_| one()).collect()
    }

    /// Chooses the one of the drawn samples that leaves the least sum of distances.
    fn add_best(&mut self, drawn: &[usize]) -> usize {
        let p = self.samples.x.rows();
        let picked = drawn.iter().flat_map(|j| self.samples.x.col(*j)).copied().collect();
        // The shape is right by construction; a sample to fall back on costs nothing.
        let Ok(picked) = Matrix::from_vec(p, drawn.len(), picked) else { return drawn[0] };
        let along = product(self.samples.x.t(), picked.view());
        let sum_for = |c: usize| {
            let blocks = self.nearest.par_chunks(BLOCK).enumerate();
            let sum = |(block, nearest): (usize, &[f64])| {
                self.lowered(block * BLOCK, nearest, along.col(c), drawn[c]).sum::<f64>()
            };
            blocks.map(sum).collect::<Vec<_>>().iter().sum::<f64>()
        };
        let sums: Vec<f64> = (0..drawn.len()).map(sum_for).collect();
        let least = |best: usize, c: usize| if sums[c] < sums[best] { c } else { best };
        let best = (1..sums.len()).fold(0, least);
        self.nearest = self.lowered(0, &self.nearest, along.col(best), drawn[best]).collect();
        drawn[best]
    }

    /// The distances from `first` on, if sample `chosen` became a centroid.
    fn lowered<'b>(
        &'b self,
        first: usize,
        nearest: &'b [f64],
        along: &'b [T],
        chosen: usize,
    ) -> impl Iterator<Item = f64> + 'b {
        let length = self.samples.lengths[chosen];
        let share = rounding_share::<T>(self.samples.x.rows());
        nearest.iter().zip(&along[first..]).zip(&self.samples.lengths[first..]).map(
            move |((nearest, along), own)| {
                let distance = own - 2.0 * along.to_f64() + length;
                // What rounding alone may have made is no distance: a copy must not be drawn.
                if distance <= share * (own + length) { 0.0 } else { nearest.min(distance) }
            },
        )
    }
}
