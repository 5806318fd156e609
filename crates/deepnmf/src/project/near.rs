//! The samples of the fit that new ones are near to.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::graph::{Neighbour, NeighbourWeights, cosine, nearest_to};
use crate::matrix::{Matrix, Scalar, dot};
use crate::models::Neighbourhood;

/// What stands near a new sample.
pub(super) enum Near {
    /// A sample of the fit, which it is.
    Itself(usize),
    /// Others, with weights that sum to one; none if nothing draws it.
    Others(Vec<(usize, f64)>),
}

/// Where samples are compared: those of the fit and new ones, as columns.
pub(super) struct Compared<'a, T> {
    pub(super) trained: &'a Matrix<T>,
    pub(super) new: &'a Matrix<T>,
    /// Samples nearer than this share of their length are the same but for rounding.
    pub(super) rounding: f64,
}

impl<T: Scalar> Compared<'_, T> {
    /// What stands near each new sample, for the neighbours of a layer, counted from 1.
    pub(super) fn near(
        &self,
        neighbourhood: &Neighbourhood,
        layer: usize,
        go_on: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Vec<Near>> {
        let wanted = neighbourhood.of_layer(layer);
        let found = nearest_to(self.trained, self.new, wanted.max(1), go_on)?;
        let near = found.into_iter().enumerate().map(|(j, near)| {
            let Some(first) = near.first() else {
                let why = "the model has no samples to find neighbours among";
                return Err(Error::Numerical(why.into()));
            };
            let length = dot(self.new.col(j), self.new.col(j)).sqrt();
            if first.distance <= self.rounding * length {
                return Ok(Near::Itself(first.sample));
            }
            if wanted == 0 {
                return Ok(Near::Others(vec![]));
            }
            let weights = self.weights(neighbourhood.weights, j, &near);
            Ok(Near::Others(near.iter().map(|near| near.sample).zip(weights).collect()))
        });
        near.collect()
    }

    /// Weights of the samples near the `j`-th new one, which sum to one.
    fn weights(&self, kind: NeighbourWeights, j: usize, near: &[Neighbour]) -> Vec<f64> {
        let weight = |other: &Neighbour| match kind {
            NeighbourWeights::Binary => 1.0,
            NeighbourWeights::Dot => dot(self.trained.col(other.sample), self.new.col(j)).max(0.0),
            NeighbourWeights::Cosine => cosine(self.trained.col(other.sample), self.new.col(j)),
            NeighbourWeights::Heat { sigma } => {
                let usual = near[near.len() / 2].distance;
                let sigma = sigma.unwrap_or(usual).max(f64::MIN_POSITIVE);
                (-(other.distance / sigma).powi(2) / 2.0).exp()
            }
        };
        let weights: Vec<f64> = near.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|w| if sum > 0.0 { w / sum } else { 0.0 }).collect()
    }
}

/// Draws each column of `features`, those of new samples, to the mean of what stands near it:
/// `h <- (h + lambda sum_l w_l h_l) / (1 + lambda)`.
pub(super) fn draw_to<T: Scalar>(
    features: &mut Matrix<T>,
    near: &[Near],
    trained: &Matrix<T>,
    lambda: f64,
) {
    let k = features.rows().max(1);
    features.as_mut_slice().par_chunks_mut(k).zip(near).for_each(|(h, near)| {
        let Some(mean) = mean_of(near, trained) else { return };
        for (h, mean) in h.iter_mut().zip(mean) {
            *h = T::from_f64((h.to_f64() + lambda * mean) / (1.0 + lambda));
        }
    });
}

/// The mean features of what stands near a new sample, if something draws it.
pub(super) fn mean_of<T: Scalar>(near: &Near, trained: &Matrix<T>) -> Option<Vec<f64>> {
    let Near::Others(near) = near else { return None };
    if near.iter().all(|(_, weight)| *weight == 0.0) {
        return None;
    }
    let mean = |i: usize| near.iter().map(|(l, w)| w * trained[(i, *l)].to_f64()).sum();
    Some((0..trained.rows()).map(mean).collect())
}

/// Samples of the fit get its features.
pub(super) fn give_own<T: Scalar>(h: &mut Matrix<T>, near: &[Near], trained: &Matrix<T>) {
    for (j, near) in near.iter().enumerate() {
        if let Near::Itself(sample) = near {
            h.col_mut(j).copy_from_slice(trained.col(*sample));
        }
    }
}
