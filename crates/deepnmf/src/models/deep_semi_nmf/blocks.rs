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

use crate::checkpoint::{Restored, StateWriter};
use crate::error::Result;
use crate::matrix::{
    DataMatrix, Matrix, PartColumns, Scalar, Whitening, add_scaled, gram_of_rows, product, scale,
};
use crate::models::Factors;
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated, extrapolated_above_zero};
use crate::objective::{Fitted, reconstruction_error};
use crate::update::{
    BasisProducts, HSolver, Regularizer, ZScratch, update_regularized, z_least_squares,
};

use super::fit::Goal;
use super::params::Loss;

/// The loss, block by block.
pub(super) struct Blocks<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    goal: Goal<'a, T>,
    solver: HSolver,
}

/// Begins the descent from these factors.
pub(super) fn descend<'a, T: Scalar>(
    x: &'a dyn DataMatrix<T>,
    factors: Factors<T>,
    goal: Goal<'a, T>,
    solver: HSolver,
) -> Result<Extrapolated<Blocks<'a, T>>> {
    let x_norm_sq = x.norm_sq()?;
    let goal = goal.for_samples_of(x_norm_sq / x.parts().total() as f64);
    let blocks = Blocks { x, x_norm_sq, goal, solver };
    let value = blocks.measure(&factors)?;
    Ok(Extrapolated::new(blocks, factors, value))
}

impl<T: Scalar> Blocks<'_, T> {
    /// The objective where nothing has been computed yet.
    fn measure(&self, factors: &Factors<T>) -> Result<f64> {
        let mut value = 0.0;
        let mut phi = Matrix::identity(0);
        for (i, (z, h)) in factors.z.iter().zip(&factors.h).enumerate() {
            let error = match self.goal.loss {
                Loss::Layer if i > 0 => {
                    let below = PartColumns::new(factors.h[i - 1].view(), self.x.parts());
                    reconstruction_error(&below, z, h)?
                }
                _ => {
                    phi = if i == 0 { z.clone() } else { product(phi.view(), z.view()) };
                    reconstruction_error(self.x, &phi, h)?
                }
            };
            let graph = self.goal.graphs.of(i + 1);
            let penalty = graph.map_or(Ok(0.0), |graph| graph.penalty(h))?;
            value += self.share(i, error, z, h)? + penalty / 2.0;
        }
        Ok(value)
    }

    /// What layer `i` adds to the objective.
    fn share(&self, i: usize, error: f64, z: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        let Goal { weights, ridge, sparsity, .. } = &self.goal;
        let sum = || h.as_slice().iter().map(|v| v.to_f64()).sum::<f64>();
        let sparse = if *sparsity > 0.0 { sparsity * self.x.parts().sum_of(sum())? } else { 0.0 };
        Ok(weights[i] * error * error / 2.0 + ridge * z.norm_sq() / 2.0 + sparse)
    }

    fn sweep_layers(&self, factors: &mut Factors<T>) -> Result<f64> {
        let mut value = 0.0;
        let parts = self.x.parts();
        self.x.fill_in(&factors.z[0], &factors.h[0])?;
        for i in 0..factors.depth() {
            let weight = self.goal.weights[i];
            let (below, from) = factors.h.split_at_mut(i);
            let (this, above) = from.split_at_mut(1);
            let below = below.last().map(|h| PartColumns::new(h.view(), parts));
            let input = below.as_ref().map_or(self.x, |below| below as &dyn DataMatrix<T>);
            let (h, z) = (&mut this[0], &mut factors.z[i]);
            let mut gram = Matrix::zeros(h.rows(), h.rows());
            gram_of_rows(&mut gram, h, parts)?;
            self.add_ridge(&mut gram, weight);
            let mut scratch = ZScratch::new(z.rows(), z.cols());
            z_least_squares(z, input, h, &gram, &mut scratch)?;
            let products = BasisProducts::of(input, z)?;
            let mut pulled = products.clone();
            scale(&mut pulled.phi_t_phi, weight);
            scale(&mut pulled.phi_t_x, weight);
            if let Some(next) = above.first() {
                let weight = self.goal.weights[i + 1];
                let wanted = product(factors.z[i + 1].view(), next.view());
                add_scaled(&mut pulled.phi_t_x, weight, &wanted);
                add_to_diagonal(&mut pulled.phi_t_phi, weight);
            }
            value += self.update(i, h, pulled)? / 2.0;
            let input_norm_sq = if i == 0 { self.x_norm_sq } else { input.norm_sq()? };
            let fitted = Fitted { phi: &factors.z[i], h, products: &products };
            let left = if i == 0 { self.x.fill_in(fitted.phi, fitted.h)? } else { None };
            let error = match left {
                Some(left) => left.sqrt(),
                None => fitted.error(input, input_norm_sq)?,
            };
            value += self.share(i, error, &factors.z[i], h)?;
        }
        Ok(value)
    }

    fn sweep_data(&self, factors: &mut Factors<T>) -> Result<f64> {
        let mut value = 0.0;
        // The basis below the first layer is the identity.
        let mut below: Option<Below<T>> = None;
        for i in 0..factors.depth() {
            let Signals { mut gram, sum } = self.signals_above(factors, i)?;
            let k = factors.z[i].cols();
            if let Some(Below { products, .. }) = &below {
                let mut right = Matrix::zeros(products.phi_t_x.rows(), k);
                let image = PartColumns::new(products.phi_t_x.view(), self.x.parts());
                image.mul_tr(&sum, &mut right)?;
                factors.z[i] = self.solve_between(&products.phi_t_phi, &right, &gram)?;
            } else {
                self.add_ridge(&mut gram, 1.0);
                let z = &mut factors.z[i];
                let mut scratch = ZScratch::new(z.rows(), k);
                z_least_squares(z, self.x, &sum, &gram, &mut scratch)?;
            }
            let z = &factors.z[i];
            let next = match &below {
                None => Below { phi: z.clone(), products: BasisProducts::of(self.x, z)? },
                Some(below) => below.times(z),
            };
            let mut weighted = next.products.clone();
            scale(&mut weighted.phi_t_phi, self.goal.weights[i]);
            scale(&mut weighted.phi_t_x, self.goal.weights[i]);
            let h = &mut factors.h[i];
            value += self.update(i, h, weighted)? / 2.0;
            let fitted = Fitted { phi: &next.phi, h, products: &next.products };
            let error = fitted.error(self.x, self.x_norm_sq)?;
            value += self.share(i, error, &factors.z[i], h)?;
            below = Some(next);
        }
        Ok(value)
    }

    /// The signals of the layers from `i` on.
    fn signals_above(&self, factors: &Factors<T>, i: usize) -> Result<Signals<T>> {
        let k = factors.h[i].rows();
        let mut gram = Matrix::zeros(k, k);
        let mut sum = Matrix::zeros(k, factors.h[i].cols());
        let mut one = Matrix::zeros(k, k);
        for j in i..factors.depth() {
            let signal = (i + 1..=j)
                .rev()
                .fold(factors.h[j].clone(), |h, l| product(factors.z[l].view(), h.view()));
            gram_of_rows(&mut one, &signal, self.x.parts())?;
            add_scaled(&mut gram, self.goal.weights[j], &one);
            add_scaled(&mut sum, self.goal.weights[j], &signal);
        }
        Ok(Signals { gram, sum })
    }

    /// `Z` with `G Z S + ridge Z = R`.
    fn solve_between(
        &self,
        g: &Matrix<T>,
        right: &Matrix<T>,
        s: &Matrix<f64>,
    ) -> Result<Matrix<T>> {
        let (g, right) = (g.cast::<f64>(), right.cast::<f64>());
        if self.goal.ridge == 0.0 {
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
                *v /= g.max(0.0) * s.max(0.0) + self.goal.ridge;
            }
        }
        let outside = product(g_vectors.view(), inside.view());
        Ok(product(outside.view(), s_vectors.t()).cast())
    }

    fn add_ridge(&self, gram: &mut Matrix<f64>, weight: f64) {
        if self.goal.ridge > 0.0 {
            add_to_diagonal(gram, self.goal.ridge / weight);
        }
    }

    /// Updates the features of layer `i + 1`; returns their graph penalty.
    fn update(&self, i: usize, h: &mut Matrix<T>, mut products: BasisProducts<T>) -> Result<f64> {
        if self.goal.sparsity > 0.0 {
            let slope = T::from_f64(self.goal.sparsity);
            products.phi_t_x.as_mut_slice().iter_mut().for_each(|v| *v -= slope);
        }
        let graph = self.goal.graphs.of(i + 1);
        let mut regularizer = graph.map(|graph| Regularizer::new(graph, h)).transpose()?;
        update_regularized(self.solver, h, &products, regularizer.as_mut())?;
        Ok(regularizer.map_or(0.0, |regularizer| regularizer.penalty()))
    }
}

/// `sum_j w_j K_j K_j^T` and `sum_j w_j K_j` over some layers.
struct Signals<T> {
    gram: Matrix<f64>,
    sum: Matrix<T>,
}

/// `Phi_i` and its products with the data.
struct Below<T> {
    phi: Matrix<T>,
    products: BasisProducts<T>,
}

impl<T: Scalar> Below<T> {
    /// `Phi_{i+1} = Phi_i Z_{i+1}`, without another look at the data.
    fn times(&self, z: &Matrix<T>) -> Self {
        let BasisProducts { phi_t_x, phi_t_phi } = &self.products;
        Self {
            phi: product(self.phi.view(), z.view()),
            products: BasisProducts {
                phi_t_x: product(z.t(), phi_t_x.view()),
                phi_t_phi: product(z.t(), product(phi_t_phi.view(), z.view()).view()),
            },
        }
    }
}

impl<T: Scalar> Sweeps for Blocks<'_, T> {
    type Point = Factors<T>;

    /// No block moves again once the error of its layer is known, so the products that moved it also
    /// measure it.
    fn sweep(&self, factors: &mut Factors<T>) -> Result<f64> {
        match self.goal.loss {
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

    fn save(name: &str, point: &Factors<T>, state: &mut StateWriter<'_>) {
        point.save(name, state);
    }

    fn restored(name: &str, state: &Restored<'_>) -> Result<Factors<T>> {
        Factors::restored(name, state)
    }
}

fn add_to_diagonal<T: Scalar>(square: &mut Matrix<T>, value: f64) {
    for i in 0..square.rows() {
        square[(i, i)] += T::from_f64(value);
    }
}
