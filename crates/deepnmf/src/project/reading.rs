//! Features of new samples at a layer with neighbours (`models/deep_semi_nmf/layered.rs`).
//!
//! A new sample reads its own features of the layer below, `y`, and finds its nearest training samples there. With
//! weights `w_l` that sum to one it is drawn to what the layer sees of them, as those were drawn to each other, and put
//! to unit length in the space that the basis `V` spans:
//!
//! ```text
//! g = (y + lambda sum_l w_l V h_l) / (1 + lambda)        r = ( u(V V^+ g) ; 1 )        V h ~ r
//! ```
//!
//! by the pseudo-inverse of `V` or over non-negative `h`. Training samples are known by `y` and get the features of
//! the fit.

use rayon::prelude::*;

use super::{Projection, by_basis, non_negative};
use crate::error::{Error, Result};
use crate::graph::{NeighbourWeights, nearest_to};
use crate::matrix::{DataMatrix, Matrix, PartColumns, Parts, Scalar, product};
use crate::models::reading::{Lens, to_unit_length};
use crate::models::{Factors, Neighbourhood};

/// Unit features nearer than this are the same but for rounding.
fn same<T: Scalar>() -> f64 {
    64.0 * T::EPSILON.to_f64().sqrt()
}

/// A layer that reads the features of the one below.
pub(super) struct Reading<'a, T> {
    pub(super) neighbourhood: &'a Neighbourhood,
    pub(super) factors: &'a Factors<T>,
    /// The layer, counted from 1.
    pub(super) layer: usize,
    /// Its basis.
    pub(super) v: &'a Matrix<T>,
}

impl<T: Scalar> Reading<'_, T> {
    /// The features of the samples `x`, whose features of the layer below are known.
    pub(super) fn features(
        &self,
        below: &Matrix<T>,
        x: &dyn DataMatrix<T>,
        method: Projection,
    ) -> Result<Matrix<T>> {
        let (trained, top) = (&self.factors.h[self.layer - 2], &self.factors.h[self.layer - 1]);
        let parts = Parts::whole(trained.cols());
        let lens = Lens::new(self.factors, self.layer - 1, top.rows(), parts)?;
        let mut y = lens.unit_features(below);
        let near = self.near(&y, &lens.unit_features(trained), x)?;
        if self.neighbourhood.of_layer(self.layer) > 0 {
            self.draw_to_neighbours(&mut y, &near, top);
            let along = by_basis(&PartColumns::new(y.view(), x.parts()), self.v)?;
            y = product(self.v.view(), along.view());
            to_unit_length(&mut y);
        }
        let target = PartColumns::new(y.view(), x.parts());
        let mut h = match method {
            Projection::Basis => by_basis(&target, self.v)?,
            Projection::NonNegative => non_negative(&target, self.v)?,
        };
        for (j, near) in near.iter().enumerate() {
            if let Near::Trained(sample) = near {
                h.col_mut(j).copy_from_slice(top.col(*sample));
            }
        }
        Ok(h)
    }

    /// The training samples near each new one.
    fn near(&self, y: &Matrix<T>, trained: &Matrix<T>, x: &dyn DataMatrix<T>) -> Result<Vec<Near>> {
        let wanted = self.neighbourhood.of_layer(self.layer);
        let found = nearest_to(trained, y, wanted.max(1), &|| x.go_on())?;
        let near = found.into_iter().map(|near| match near.first() {
            None => {
                Err(Error::Numerical("the model has no samples to find neighbours among".into()))
            }
            Some(first) if first.distance <= same::<T>() => Ok(Near::Trained(first.sample)),
            Some(_) if wanted == 0 => Ok(Near::Others(vec![])),
            Some(_) => {
                let lengths: Vec<f64> = near.iter().map(|near| near.distance).collect();
                let weights = self.weights(&lengths);
                Ok(Near::Others(near.iter().map(|near| near.sample).zip(weights).collect()))
            }
        });
        near.collect()
    }

    /// Weights of neighbours at these distances, which sum to one.
    fn weights(&self, lengths: &[f64]) -> Vec<f64> {
        let weight = |length: f64| match self.neighbourhood.weights {
            NeighbourWeights::Binary => 1.0,
            // Of what is read: a unit vector, and a one.
            NeighbourWeights::Dot => (2.0 - length * length / 2.0).max(0.0),
            NeighbourWeights::Heat { sigma } => {
                let sigma = sigma.unwrap_or(lengths[lengths.len() / 2]).max(f64::MIN_POSITIVE);
                (-(length / sigma).powi(2) / 2.0).exp()
            }
        };
        let weights: Vec<f64> = lengths.iter().map(|length| weight(*length)).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|w| if sum > 0.0 { w / sum } else { 0.0 }).collect()
    }

    /// `y <- (y + lambda sum_l w_l V h_l) / (1 + lambda)`.
    fn draw_to_neighbours(&self, y: &mut Matrix<T>, near: &[Near], top: &Matrix<T>) {
        let (lambda, rows) = (self.neighbourhood.lambda, y.rows());
        let columns = y.as_mut_slice().par_chunks_mut(rows).zip(near);
        columns.for_each(|(y, near)| {
            let Near::Others(near) = near else { return };
            let total: f64 = near.iter().map(|(_, weight)| weight).sum();
            if total == 0.0 {
                return;
            }
            let mut mean = Matrix::<T>::zeros(top.rows(), 1);
            for (sample, weight) in near {
                let weight = T::from_f64(*weight);
                let entries = mean.as_mut_slice().iter_mut().zip(top.col(*sample));
                entries.for_each(|(m, h)| *m += weight * *h);
            }
            let drawn = product(self.v.view(), mean.view());
            for (y, drawn) in y.iter_mut().zip(drawn.as_slice()) {
                *y = T::from_f64((y.to_f64() + lambda * drawn.to_f64()) / (1.0 + lambda));
            }
        });
    }
}

/// What stands near a new sample.
enum Near {
    /// A training sample, which it is.
    Trained(usize),
    /// Others, with their weights.
    Others(Vec<(usize, f64)>),
}
