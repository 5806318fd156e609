//! Algorithm 1 as it is printed, by pseudo-inverses.
//!
//! ```text
//! repeat, for all layers i:
//!   H~_i <- H_m if i = m, otherwise Z_{i+1} H~_{i+1}
//!   Psi  <- Z_1 ... Z_{i-1}                       (the identity for i = 1)
//!   Z_i  <- Psi^+ X H~_i^+
//!   Phi  <- Z_1 ... Z_i                           (with the new Z_i)
//!   H_i  <- H_i * [ ([Phi^T X]^pos + [Phi^T Phi]^neg H_i) / ([Phi^T X]^neg + [Phi^T Phi]^pos H_i) ]^eta
//! ```
//!
//! Algorithm 2 adds `lambda_i H_i W_i` above and `lambda_i H_i D_i` below. The authors' released code
//! for it has another `H~_i` ([`Variant::Released`]): `Z_2 H_2` for the first layer, the layer's own
//! features for all others.
//!
//! The print has one `Psi` for both updates; the shapes of the second need `Phi`. A last round of
//! the `Z_i` alone leaves each basis the best one for the features it is returned with.

use crate::driver::{Algorithm, FitSession, Run};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, product, pseudo_inverse};
use crate::models::factors::chain;
use crate::models::graphs::Graphs;
use crate::models::{Factors, FitOptions};
use crate::objective::reconstruction_error;
use crate::observe::Stage;

use super::params::Variant;
use crate::update::{HSolver, Tied, feature_products, update_tied, with_roughness};

/// Fine-tunes pre-trained factors.
pub(super) fn fine_tune<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: Factors<T>,
    (graphs, variant): (Graphs<'_, T>, Variant),
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<(Factors<T>, Vec<Run>)> {
    let (tuned, mut run) = session.run(Stage::FineTuning, &options.stop, || {
        Ok(LiteralLoop::new(x, factors, (graphs, variant), options.solver))
    })?;
    let (factors, error) = tuned.finish()?;
    // The closing round belongs to the last iteration.
    let last = run.history.len() - 1;
    run.history[last] = error;
    Ok((factors, vec![run]))
}

/// Algorithm 1 under way.
pub(super) struct LiteralLoop<'a, T> {
    x: &'a dyn DataMatrix<T>,
    factors: Factors<T>,
    graphs: Graphs<'a, T>,
    variant: Variant,
    solver: HSolver,
    error: f64,
}

impl<'a, T: Scalar> LiteralLoop<'a, T> {
    pub(super) fn new(
        x: &'a dyn DataMatrix<T>,
        factors: Factors<T>,
        (graphs, variant): (Graphs<'a, T>, Variant),
        solver: HSolver,
    ) -> Self {
        let mut this = Self { x, factors, graphs, variant, solver, error: 0.0 };
        this.measure();
        this
    }

    /// A last round of the bases, so that they fit the last features.
    pub(super) fn finish(mut self) -> Result<(Factors<T>, f64)> {
        for i in 0..self.factors.depth() {
            self.update_z(i)?;
        }
        self.measure();
        Ok((self.factors, self.error))
    }

    /// `Z_i <- Psi^+ X H~_i^+`.
    fn update_z(&mut self, i: usize) -> Result<()> {
        let Factors { z, h, .. } = &self.factors;
        let from = match self.variant {
            Variant::Printed => z.len() - 1,
            // The first basis follows from layer 2, every other one from its own features.
            Variant::Released => i.max(1).min(z.len() - 1),
        };
        let above = z[i + 1..=from].iter().rev();
        let h_tilde = above.fold(h[from].clone(), |h, z| product(z.view(), h.view()));
        let inverse_t = pseudo_inverse(h_tilde.t())?;
        let mut x_h = Matrix::zeros(self.x.shape().0, h_tilde.rows());
        self.x.mul_tr(&inverse_t, &mut x_h);
        self.factors.z[i] = if i == 0 {
            x_h
        } else {
            product(pseudo_inverse(chain(&z[..i]).view())?.view(), x_h.view())
        };
        Ok(())
    }

    fn update_h(&mut self, i: usize) {
        let phi = chain(&self.factors.z[..=i]);
        let h = &mut self.factors.h[i];
        let (phi_t_x, phi_t_phi) = feature_products(self.x, &phi);
        let mut tied = self.graphs.of(i + 1).map(|graph| Tied::new(graph, h));
        update_tied(self.solver, h, (&phi_t_x, &phi_t_phi), &mut tied);
    }

    fn measure(&mut self) {
        let phi = chain(&self.factors.z);
        let top = self.factors.top_features();
        let tied = self.graphs.of(self.factors.depth()).map(|graph| Tied::new(graph, top));
        self.error = with_roughness(reconstruction_error(self.x, &phi, top), tied.as_ref());
    }
}

impl<T: Scalar> Algorithm for LiteralLoop<'_, T> {
    fn error(&self) -> f64 {
        self.error
    }

    fn step(&mut self) -> Result<()> {
        for i in 0..self.factors.depth() {
            self.update_z(i)?;
            self.update_h(i);
        }
        self.measure();
        Ok(())
    }
}
