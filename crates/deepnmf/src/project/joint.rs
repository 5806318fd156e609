//! Features of new samples in models with neighbours whose layers are fitted together: nonlinear ones, and those with
//! another loss.
//!
//! A new sample minimises what the fit minimised for each of its own, everything else held. With weights `w_l` of its
//! nearest training samples that sum to one, for each layer `i` that has neighbours and takes part in its features:
//!
//! ```text
//! |x - Z_1 g(Z_2 ... g(Z_l h))|^2 + lambda sum_i |Phi_i (h_i - m_i)|^2        m_i = sum_l w_l h_il
//! ```
//!
//! In a linear model that is `Phi h ~ (x + lambda sum_i Phi_i m_i) / (1 + lambda + ..)`. In others each layer on the way up
//! is drawn to its `m_i` by method 1. Samples are compared where the fit compared them, as far as the model remembers it: in the space
//! of the first basis, of which it keeps `Z_1^+ x`; softly whitened and at unit length for the layers above the first.
//! Training samples are known by it and get the features of the fit.

use super::near::{Compared, Near, draw_to, give_own, mean_of};
use super::nonlinear::{self, Pull};
use super::{Projection, by_basis, gram_in_f64, is_linear, non_negative_by_products};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, Whitening, product};
use crate::models::reading::Lens;
use crate::models::{Factors, Model, Neighbourhood};

/// Unit features nearer than this are the same but for rounding, and so are samples as a share of their length.
fn rounding<T: Scalar>() -> f64 {
    64.0 * T::EPSILON.to_f64().sqrt()
}

/// A model at work on some samples.
pub(super) struct Joint<'a, T> {
    pub(super) neighbourhood: &'a Neighbourhood,
    pub(super) factors: &'a Factors<T>,
    /// `Z_1^+ x` of the samples of the fit.
    pub(super) seen: &'a Matrix<T>,
    /// From which component on those of the first layer fade out where they are compared, if somebody says so.
    pub(super) fade: Option<usize>,
    /// Whether the layers below have features of their own, on which those of a layer do not depend.
    pub(super) own_layers: bool,
}

impl<'a, T: Scalar> Joint<'a, T> {
    pub(super) fn of(
        model: &Model<T>,
        neighbourhood: &'a Neighbourhood,
        factors: &'a Factors<T>,
        seen: &'a Matrix<T>,
    ) -> Self {
        let (fade, own_layers) = (model.settings.fade(), model.settings.layers_have_losses());
        Self { neighbourhood, factors, seen, fade, own_layers }
    }

    /// The features of the samples `x` at a layer, counted from 1.
    pub(super) fn features(
        &self,
        x: &dyn DataMatrix<T>,
        layer: usize,
        method: Projection,
    ) -> Result<Matrix<T>> {
        let along = by_basis(x, &self.factors.z[0])?;
        let below = (1..layer).any(|layer| self.neighbourhood.of_layer(layer) > 0);
        let first = if self.own_layers || !below { layer } else { 1 };
        let near: Vec<Vec<Near>> = (first..=layer)
            .map(|layer| self.near(layer, &along, &|| x.go_on()))
            .collect::<Result<_>>()?;
        let from_the_top = (first..=layer).rev().zip(near.iter().rev());
        let pulls: Vec<_> =
            from_the_top.map(|(i, near)| self.pull(i, near)).collect::<Result<_>>()?;
        let mut h = match (method, is_linear(self.factors, layer)) {
            (method, true) => self.linear(x, layer, &pulls, method)?,
            (Projection::Basis, false) => self.by_inverses(along, layer, &near)?,
            (Projection::NonNegative, false) => {
                nonlinear::by_descent(x, self.factors, layer, &pulls)?
            }
        };
        give_own(&mut h, &near[near.len() - 1], &self.factors.h[layer - 1]);
        Ok(h)
    }

    /// What stands near the samples whose `Z_1^+ x` are `along`, for the neighbours of a layer.
    fn near(
        &self,
        layer: usize,
        along: &Matrix<T>,
        go_on: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Vec<Near>> {
        let (trained, new) = if layer == 1 {
            let gram = gram_in_f64(&self.factors.z[0]);
            // Lengths of W Z^T Z b are those of Z b.
            let map = product(Whitening::of::<T>(&gram)?.w.view(), gram.view()).cast::<T>();
            (product(map.view(), self.seen.view()), product(map.view(), along.view()))
        } else {
            let fade = self.fade.unwrap_or(self.factors.z[layer - 1].cols());
            let first = Factors::new(vec![self.factors.z[0].clone()], vec![self.seen.clone()]);
            let lens = Lens::new(&first, 1, fade, Parts::whole(self.seen.cols()))?;
            (lens.unit_features(self.seen), lens.unit_features(along))
        };
        let compared = Compared { trained: &trained, new: &new, rounding: rounding::<T>() };
        compared.near(self.neighbourhood, layer, go_on)
    }

    /// Where nothing nonlinear lies between: all terms are squared distances of `Phi h`, so one least squares problem with
    /// the mean of what they draw it to.
    fn linear(
        &self,
        x: &dyn DataMatrix<T>,
        layer: usize,
        pulls: &[Option<Pull<T>>],
        method: Projection,
    ) -> Result<Matrix<T>> {
        let phi = self.factors.basis(layer)?;
        let mut phi_t_x = Matrix::zeros(phi.cols(), x.shape().1);
        x.tr_mul(&phi, &mut phi_t_x)?;
        let mut targets = phi_t_x.cast::<f64>();
        let mut weights = vec![1.0; targets.cols()];
        for (i, pull) in (1..=layer).rev().zip(pulls) {
            let Some(Pull { means, weights: lambda, .. }) = pull else { continue };
            let there = product(phi.t(), self.factors.basis(i)?.view()).cast::<f64>();
            let drawn = product(there.view(), means.cast::<f64>().view());
            for (j, lambda) in lambda.iter().map(|lambda| lambda.to_f64()).enumerate() {
                let column = targets.col_mut(j).iter_mut().zip(drawn.col(j));
                column.for_each(|(target, drawn)| *target += lambda * drawn);
                weights[j] += lambda;
            }
        }
        for (j, weight) in weights.into_iter().enumerate() {
            targets.col_mut(j).iter_mut().for_each(|target| *target /= weight);
        }
        let gram = gram_in_f64(&phi);
        Ok(match method {
            Projection::Basis => product(Whitening::of::<T>(&gram)?.inverse.view(), targets.view()),
            Projection::NonNegative => non_negative_by_products(&targets, &gram),
        }
        .cast())
    }

    /// Method 1, from `Z_1^+ x` up; `near` is of the last layers.
    fn by_inverses(&self, along: Matrix<T>, layer: usize, near: &[Vec<Near>]) -> Result<Matrix<T>> {
        let first = layer + 1 - near.len();
        let mut h = along;
        for i in 1..=layer {
            if i > 1 {
                h = by_basis(&self.factors.activation.invert(&h), &self.factors.z[i - 1])?;
            }
            if i >= first {
                let trained = &self.factors.h[i - 1];
                draw_to(&mut h, &near[i - first], trained, self.neighbourhood.lambda);
            }
        }
        Ok(h)
    }

    /// What the neighbours of a layer add to the loss of the samples; nothing if it has none.
    fn pull(&self, layer: usize, near: &[Near]) -> Result<Option<Pull<T>>> {
        if self.neighbourhood.of_layer(layer) == 0 {
            return Ok(None);
        }
        let trained = &self.factors.h[layer - 1];
        let mut means = Matrix::zeros(trained.rows(), near.len());
        let mut weights = vec![T::ZERO; near.len()];
        for (j, near) in near.iter().enumerate() {
            if let Some(mean) = mean_of(near, trained) {
                means.col_mut(j).iter_mut().zip(mean).for_each(|(m, v)| *m = T::from_f64(v));
                weights[j] = T::from_f64(self.neighbourhood.lambda);
            }
        }
        Ok(Some(Pull { gram: gram_in_f64(&self.factors.basis(layer)?).cast(), means, weights }))
    }
}
