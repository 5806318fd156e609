//! Block descent on the consistent losses of the linear model.
//!
//! For one block at a time both losses are least squares:
//!
//! ```text
//! layer:  H_i   G = w_i Z_i^T Z_i + w_{i+1} I,   B = w_i Z_i^T H_{i-1} + w_{i+1} Z_{i+1} H_{i+1}
//!         Z_i   = H_{i-1} H_i^+                                        (H_0 = X)
//! data:   H_i   G = w_i Phi_i^T Phi_i,           B = w_i Phi_i^T X     (Phi_i = Z_1 ... Z_i)
//!         Z_i   = Phi_{i-1}^+ X (sum_j w_j K_j)^T (sum_j w_j K_j K_j^T)^-1,   j >= i,
//!                 K_j = Z_{i+1} ... Z_j H_j
//! ```
//!
//! (plus what the graphs of the layers add), so bases are solved exactly and features take a step of
//! any rule.

use crate::error::Result;
use crate::matrix::{
    DataMatrix, Matrix, Scalar, Whitening, add_scaled, gram_of_rows, product, scale,
};
use crate::models::Factors;
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated, extrapolated_above_zero};
use crate::models::graphs::Graphs;
use crate::objective::{error_with_products, reconstruction_error};
use crate::update::{HSolver, Tied, ZScratch, feature_products, update_tied, z_least_squares};

use super::params::{Loss, Penalties};

/// The loss, block by block.
pub(super) struct Blocks<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    loss: Loss,
    weights: Vec<f64>,
    ridge: f64,
    sparsity: f64,
    graphs: Graphs<'a, T>,
    solver: HSolver,
}

/// Begins the descent from these factors.
pub(super) fn descend<'a, T: Scalar>(
    x: &'a dyn DataMatrix<T>,
    factors: Factors<T>,
    loss: (Loss, Vec<f64>),
    held: (&Penalties, Graphs<'a, T>),
    solver: HSolver,
) -> Extrapolated<Blocks<'a, T>> {
    let blocks = Blocks::new(x, loss, held, solver);
    let value = blocks.measure(&factors);
    Extrapolated::new(blocks, factors, value)
}

impl<'a, T: Scalar> Blocks<'a, T> {
    fn new(
        x: &'a dyn DataMatrix<T>,
        (loss, weights): (Loss, Vec<f64>),
        (penalties, graphs): (&Penalties, Graphs<'a, T>),
        solver: HSolver,
    ) -> Self {
        let x_norm_sq = x.norm_sq();
        let per_sample = x_norm_sq / x.shape().1 as f64;
        Self {
            x,
            x_norm_sq,
            loss,
            weights,
            ridge: penalties.ridge * per_sample,
            sparsity: penalties.sparsity * per_sample,
            graphs,
            solver,
        }
    }

    /// The objective where nothing has been computed yet.
    fn measure(&self, factors: &Factors<T>) -> f64 {
        let mut value = 0.0;
        let mut phi = Matrix::identity(0);
        for (i, (z, h)) in factors.z.iter().zip(&factors.h).enumerate() {
            let error = match self.loss {
                Loss::Layer if i > 0 => reconstruction_error(&factors.h[i - 1], z, h),
                _ => {
                    phi = if i == 0 { z.clone() } else { product(phi.view(), z.view()) };
                    reconstruction_error(self.x, &phi, h)
                }
            };
            let roughness = self.graphs.of(i + 1).map_or(0.0, |graph| graph.roughness(h));
            value += self.share(i, error, z, h) + roughness / 2.0;
        }
        value
    }

    /// What layer `i` adds to the objective.
    fn share(&self, i: usize, error: f64, z: &Matrix<T>, h: &Matrix<T>) -> f64 {
        let sum = || h.as_slice().iter().map(|v| v.to_f64()).sum::<f64>();
        let sparse = if self.sparsity > 0.0 { self.sparsity * sum() } else { 0.0 };
        self.weights[i] * error * error / 2.0 + self.ridge * z.norm_sq() / 2.0 + sparse
    }

    fn sweep_layers(&self, factors: &mut Factors<T>) -> Result<f64> {
        let mut value = 0.0;
        for i in 0..factors.depth() {
            let weight = self.weights[i];
            let (below, from) = factors.h.split_at_mut(i);
            let (this, above) = from.split_at_mut(1);
            let (input, h) =
                (below.last().map_or(self.x, |h| h as &dyn DataMatrix<T>), &mut this[0]);
            let z = &mut factors.z[i];
            let mut gram = Matrix::zeros(h.rows(), h.rows());
            gram_of_rows(&mut gram, h);
            self.add_ridge(&mut gram, weight);
            let mut scratch = ZScratch::new(z.rows(), z.cols());
            z_least_squares(z, input, h, &gram, &mut scratch)?;
            let (b, g) = feature_products(input, z);
            let (mut pull, mut target) = (g.clone(), b.clone());
            scale(&mut pull, weight);
            scale(&mut target, weight);
            if let Some(next) = above.first() {
                let weight = self.weights[i + 1];
                add_scaled(&mut target, weight, &product(factors.z[i + 1].view(), next.view()));
                add_to_diagonal(&mut pull, weight);
            }
            value += self.update(i, h, &pull, target) / 2.0;
            let input_norm_sq = if i == 0 { self.x_norm_sq } else { input.norm_sq() };
            let error = error_with_products(input, input_norm_sq, (&factors.z[i], h), (&b, &g));
            value += self.share(i, error, &factors.z[i], h);
        }
        Ok(value)
    }

    fn sweep_data(&self, factors: &mut Factors<T>) -> Result<f64> {
        let mut value = 0.0;
        // Phi_{i-1}, Phi_{i-1}^T Phi_{i-1} and Phi_{i-1}^T X; the basis below the first layer is the
        // identity.
        let mut below: Option<(Matrix<T>, Matrix<T>, Matrix<T>)> = None;
        for i in 0..factors.depth() {
            let (gram, sum) = self.signals_above(factors, i);
            let k = factors.z[i].cols();
            if let Some((_, phi_t_phi, phi_t_x)) = &below {
                let mut right = Matrix::zeros(phi_t_x.rows(), k);
                phi_t_x.mul_tr(&sum, &mut right);
                factors.z[i] = self.solve_between(phi_t_phi, &right, &gram)?;
            } else {
                let mut gram = gram;
                self.add_ridge(&mut gram, 1.0);
                let z = &mut factors.z[i];
                let mut scratch = ZScratch::new(z.rows(), k);
                z_least_squares(z, self.x, &sum, &gram, &mut scratch)?;
            }
            let z = &factors.z[i];
            let (phi, g, b) = match &below {
                None => {
                    let (b, g) = feature_products(self.x, z);
                    (z.clone(), g, b)
                }
                Some((phi, phi_t_phi, phi_t_x)) => (
                    product(phi.view(), z.view()),
                    product(z.t(), product(phi_t_phi.view(), z.view()).view()),
                    product(z.t(), phi_t_x.view()),
                ),
            };
            let (mut weighted_g, mut weighted_b) = (g.clone(), b.clone());
            scale(&mut weighted_g, self.weights[i]);
            scale(&mut weighted_b, self.weights[i]);
            let h = &mut factors.h[i];
            value += self.update(i, h, &weighted_g, weighted_b) / 2.0;
            let error = error_with_products(self.x, self.x_norm_sq, (&phi, h), (&b, &g));
            value += self.share(i, error, &factors.z[i], h);
            below = Some((phi, g, b));
        }
        Ok(value)
    }

    /// `sum_j w_j K_j K_j^T` and `sum_j w_j K_j` over the layers from `i` on.
    fn signals_above(&self, factors: &Factors<T>, i: usize) -> (Matrix<f64>, Matrix<T>) {
        let k = factors.h[i].rows();
        let mut gram = Matrix::zeros(k, k);
        let mut sum = Matrix::zeros(k, factors.h[i].cols());
        let mut one = Matrix::zeros(k, k);
        for j in i..factors.depth() {
            let signal = (i + 1..=j)
                .rev()
                .fold(factors.h[j].clone(), |h, l| product(factors.z[l].view(), h.view()));
            gram_of_rows(&mut one, &signal);
            add_scaled(&mut gram, self.weights[j], &one);
            add_scaled(&mut sum, self.weights[j], &signal);
        }
        (gram, sum)
    }

    /// `Z` with `G Z S + ridge Z = R`.
    fn solve_between(
        &self,
        g: &Matrix<T>,
        right: &Matrix<T>,
        s: &Matrix<f64>,
    ) -> Result<Matrix<T>> {
        let (g, right) = (g.cast::<f64>(), right.cast::<f64>());
        if self.ridge == 0.0 {
            let left = Whitening::of::<T>(&g)?.inverse;
            let inverse = Whitening::of::<T>(s)?.inverse;
            let solved = product(product(left.view(), right.view()).view(), inverse.view());
            return Ok(solved.cast());
        }
        let (g_values, g_vectors) = crate::matrix::symmetric_eigen(&g)?;
        let (s_values, s_vectors) = crate::matrix::symmetric_eigen(s)?;
        let mut inside = product(product(g_vectors.t(), right.view()).view(), s_vectors.view());
        for (j, s) in s_values.iter().enumerate() {
            for (v, g) in inside.col_mut(j).iter_mut().zip(&g_values) {
                *v /= g.max(0.0) * s.max(0.0) + self.ridge;
            }
        }
        let outside = product(g_vectors.view(), inside.view());
        Ok(product(outside.view(), s_vectors.t()).cast())
    }

    fn add_ridge(&self, gram: &mut Matrix<f64>, weight: f64) {
        if self.ridge > 0.0 {
            add_to_diagonal(gram, self.ridge / weight);
        }
    }

    /// Updates the features of layer `i + 1`; returns how rough they are then.
    fn update(&self, i: usize, h: &mut Matrix<T>, g: &Matrix<T>, mut b: Matrix<T>) -> f64 {
        if self.sparsity > 0.0 {
            let slope = T::from_f64(self.sparsity);
            b.as_mut_slice().iter_mut().for_each(|v| *v -= slope);
        }
        let mut tied = self.graphs.of(i + 1).map(|graph| Tied::new(graph, h));
        update_tied(self.solver, h, (&b, g), &mut tied);
        tied.map_or(0.0, |tied| tied.roughness())
    }
}

impl<T: Scalar> Sweeps for Blocks<'_, T> {
    type Point = Factors<T>;

    /// No block moves again once the error of its layer is known, so the products that moved it also
    /// measure it.
    fn sweep(&self, factors: &mut Factors<T>) -> Result<f64> {
        match self.loss {
            Loss::Layer => self.sweep_layers(factors),
            Loss::Paper | Loss::Data => self.sweep_data(factors),
        }
    }

    fn ahead(&self, now: &Factors<T>, before: &Factors<T>, momentum: f64) -> Factors<T> {
        let z = now.z.iter().zip(&before.z).map(|(a, b)| extrapolated(a, b, momentum)).collect();
        let features = now.h.iter().zip(&before.h);
        let h = features.map(|(a, b)| extrapolated_above_zero(a, b, momentum)).collect();
        Factors::new(z, h)
    }
}

fn add_to_diagonal<T: Scalar>(square: &mut Matrix<T>, value: f64) {
    for i in 0..square.rows() {
        square[(i, i)] += T::from_f64(value);
    }
}
