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

use super::params::Variant;
use crate::checkpoint::{Restored, StateWriter};
use crate::driver::{Algorithm, FitSession, Run};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, product, pseudo_inverse};
use crate::models::factors::chain;
use crate::models::graphs::Graphs;
use crate::models::{Factors, FitOptions};
use crate::objective::reconstruction_error;
use crate::observe::Stage;
use crate::update::{BasisProducts, HSolver, Regularizer, update_regularized, with_penalty};

/// What Algorithm 2 adds to Algorithm 1, and in which form.
pub(super) struct Printed<'a, T> {
    pub(super) graphs: Graphs<'a, T>,
    pub(super) variant: Variant,
}

/// Fine-tunes pre-trained factors.
pub(super) fn fine_tune<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: Factors<T>,
    form: Printed<'_, T>,
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<(Factors<T>, Vec<Run>)> {
    let (tuned, mut run) = session.run(Stage::FineTuning, &options.stop, x.parts(), || {
        LiteralLoop::new(x, factors, form, options.solver)
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
    form: Printed<'a, T>,
    solver: HSolver,
    error: f64,
}

impl<'a, T: Scalar> LiteralLoop<'a, T> {
    pub(super) fn new(
        x: &'a dyn DataMatrix<T>,
        factors: Factors<T>,
        form: Printed<'a, T>,
        solver: HSolver,
    ) -> Result<Self> {
        let mut this = Self { x, factors, form, solver, error: 0.0 };
        this.measure()?;
        Ok(this)
    }

    /// A last round of the bases, so that they fit the last features.
    pub(super) fn finish(mut self) -> Result<(Factors<T>, f64)> {
        for i in 0..self.factors.depth() {
            self.update_z(i)?;
        }
        self.measure()?;
        Ok((self.factors, self.error))
    }

    /// `Z_i <- Psi^+ X H~_i^+`.
    fn update_z(&mut self, i: usize) -> Result<()> {
        let Factors { z, h, .. } = &self.factors;
        let from = match self.form.variant {
            Variant::Printed | Variant::ScaleFree => z.len() - 1,
            // The first basis follows from layer 2, every other one from its own features.
            Variant::Released => i.max(1).min(z.len() - 1),
        };
        let above = z[i + 1..=from].iter().rev();
        let h_tilde = above.fold(h[from].clone(), |h, z| product(z.view(), h.view()));
        // The pseudo-inverse is that of the samples of all parts.
        let parts = self.x.parts();
        let inverse_t = pseudo_inverse(parts.gather(&h_tilde)?.t())?;
        let mut x_h = Matrix::zeros(self.x.shape().0, h_tilde.rows());
        self.x.mul_tr(&parts.own_columns(inverse_t), &mut x_h)?;
        self.factors.z[i] = if i == 0 {
            x_h
        } else {
            product(pseudo_inverse(chain(&z[..i]).view())?.view(), x_h.view())
        };
        Ok(())
    }

    fn update_h(&mut self, i: usize) -> Result<()> {
        let phi = chain(&self.factors.z[..=i]);
        let h = &mut self.factors.h[i];
        let products = BasisProducts::of(self.x, &phi)?;
        let graph = self.form.graphs.of(i + 1);
        let mut regularizer = graph.map(|graph| Regularizer::new(graph, h)).transpose()?;
        update_regularized(self.solver, h, &products, regularizer.as_mut())
    }

    fn measure(&mut self) -> Result<()> {
        let phi = chain(&self.factors.z);
        let top = self.factors.top_features();
        let graph = self.form.graphs.of(self.factors.depth());
        let regularizer = graph.map(|graph| Regularizer::new(graph, top)).transpose()?;
        let error = match self.x.fill_in(&phi, top)? {
            Some(left) => left.sqrt(),
            None => reconstruction_error(self.x, &phi, top)?,
        };
        self.error = with_penalty(error, regularizer.as_ref());
        Ok(())
    }
}

impl<T: Scalar> Algorithm for LiteralLoop<'_, T> {
    fn error(&self) -> f64 {
        self.error
    }

    fn step(&mut self) -> Result<()> {
        for i in 0..self.factors.depth() {
            self.update_z(i)?;
            self.update_h(i)?;
        }
        self.measure()
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        self.factors.save("factors", state);
        state.number("error", self.error);
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.factors = Factors::restored("factors", state)?;
        self.error = state.number("error")?;
        self.x.fill_in(&chain(&self.factors.z), self.factors.top_features())?;
        Ok(())
    }
}
