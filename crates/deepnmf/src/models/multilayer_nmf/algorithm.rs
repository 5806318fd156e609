//! All layers together.

use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, product};
use crate::models::factors::chain;
use crate::models::{Factors, Nmf};
use crate::objective::{Fitted, reconstruction_error};
use crate::update::{BasisProducts, FeatureProducts};

/// Keeps a denominator away from zero.
const EPS: f64 = 1e-16;

/// The factors of a model; the features of lower layers are what the layer above makes of its own.
pub(super) fn factors_of<T: Scalar>(z: Vec<Matrix<T>>, top: Matrix<T>) -> Factors<T> {
    let mut h = vec![top];
    for z in z[1..].iter().rev() {
        let implied = product(z.view(), h[h.len() - 1].view());
        h.push(implied);
    }
    h.reverse();
    Factors::new(z, h)
}

/// The joint tuning under way.
pub(super) struct JointLoop<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    pub(super) z: Vec<Matrix<T>>,
    pub(super) h: Matrix<T>,
    error: f64,
}

impl<'a, T: Scalar> JointLoop<'a, T> {
    pub(super) fn new(x: &'a dyn DataMatrix<T>, z: Vec<Matrix<T>>, h: Matrix<T>) -> Result<Self> {
        let phi = chain(&z);
        let error = match x.fill_in(&phi, &h)? {
            Some(left) => left.sqrt(),
            None => reconstruction_error(x, &phi, &h)?,
        };
        Ok(Self { x, x_norm_sq: x.norm_sq()?, z, h, error })
    }

    /// `Z_i`, given `C` and `S`.
    fn update_basis(&mut self, i: usize, c: &Matrix<T>, s: &Matrix<T>) {
        let above = (i + 1 < self.z.len()).then(|| chain(&self.z[i + 1..]));
        let (mut up, mut spread) = (c.clone(), s.clone());
        if let Some(q) = &above {
            up = product(c.view(), q.t());
            spread = product(product(q.view(), s.view()).view(), q.t());
        }
        let mut down = product(self.z[i].view(), spread.view());
        if i > 0 {
            let psi = chain(&self.z[..i]);
            up = product(psi.t(), up.view());
            down = product(product(psi.t(), psi.view()).view(), down.view());
        }
        let parts = up.as_slice().iter().zip(down.as_slice());
        for (z, (up, down)) in self.z[i].as_mut_slice().iter_mut().zip(parts) {
            let new = *z * *up / (*down + T::from_f64(EPS));
            *z = if new < T::FLUSH { T::ZERO } else { new };
        }
    }
}

impl<T: Scalar> Algorithm for JointLoop<'_, T> {
    fn error(&self) -> f64 {
        self.error
    }

    fn step(&mut self) -> Result<()> {
        let FeatureProducts { x_ht: c, hht: s } = FeatureProducts::of(self.x, &self.h)?;
        for i in 0..self.z.len() {
            self.update_basis(i, &c, &s);
        }
        let phi = chain(&self.z);
        let products = BasisProducts::of(self.x, &phi)?;
        Nmf::LEE_SEUNG.update(&mut self.h, products.plain());
        let fitted = Fitted { phi: &phi, h: &self.h, products: &products };
        self.error = match self.x.fill_in(&phi, &self.h)? {
            Some(left) => left.sqrt(),
            None => fitted.error(self.x, self.x_norm_sq)?,
        };
        Ok(())
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        state.matrices("z", &self.z);
        state.features("h", &self.h);
        state.number("error", self.error);
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.z = state.matrices("z")?;
        self.h = state.features("h")?;
        self.error = state.number("error")?;
        self.x.fill_in(&chain(&self.z), &self.h)?;
        Ok(())
    }
}
