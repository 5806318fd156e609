//! The alternation of NeNMF.

use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar};
use crate::models::factors::Pair;
use crate::objective::Fitted;
use crate::update::{BasisProducts, FeatureProducts, Limits, h_nesterov, projected_gradient};

/// The share of the gradient at the start that is asked for first.
const FIRST_SHARE: f64 = 1e-3;

/// A factor that needs no more steps than this is asked for more.
const FEW: usize = 10;

/// The most steps for one factor in one iteration.
const MOST: usize = 1000;

/// NeNMF under way.
pub(super) struct NeNmfLoop<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    /// `Z^T`, `k x p`.
    zt: Matrix<T>,
    h: Matrix<T>,
    basis_limits: Limits,
    feature_limits: Limits,
    error: f64,
}

impl<'a, T: Scalar> NeNmfLoop<'a, T> {
    pub(super) fn new(x: &'a dyn DataMatrix<T>, z: &Matrix<T>, h: Matrix<T>) -> Result<Self> {
        let zt = z.t().to_matrix();
        let left = x.fill_in(z, &h)?;
        let of_basis = FeatureProducts::of(x, &h)?.turned();
        let basis = projected_gradient(&zt, &of_basis, Parts::whole(zt.cols()))?;
        let products = BasisProducts::of(x, z)?;
        let features = projected_gradient(&h, &products, x.parts())?;
        let first = Limits { tolerance: FIRST_SHARE * basis.hypot(features), most: MOST };
        let x_norm_sq = x.norm_sq()?;
        let error = match left {
            Some(left) => left.sqrt(),
            None => Fitted { phi: z, h: &h, products: &products }.error(x, x_norm_sq)?,
        };
        Ok(Self { x, x_norm_sq, zt, h, basis_limits: first, feature_limits: first, error })
    }

    pub(super) fn into_pair(self) -> Pair<T> {
        Pair { z: self.zt.t().to_matrix(), h: self.h }
    }
}

impl<T: Scalar> Algorithm for NeNmfLoop<'_, T> {
    fn error(&self) -> f64 {
        self.error
    }

    fn step(&mut self) -> Result<()> {
        let of_basis = FeatureProducts::of(self.x, &self.h)?.turned();
        // The basis is the same on all parts: nothing to reduce.
        let whole = Parts::whole(self.zt.cols());
        if h_nesterov(&mut self.zt, &of_basis, self.basis_limits, whole)? <= FEW {
            self.basis_limits.tolerance /= 10.0;
        }
        let z = self.zt.t().to_matrix();
        let products = BasisProducts::of(self.x, &z)?;
        if h_nesterov(&mut self.h, &products, self.feature_limits, self.x.parts())? <= FEW {
            self.feature_limits.tolerance /= 10.0;
        }
        let fitted = Fitted { phi: &z, h: &self.h, products: &products };
        self.error = match self.x.fill_in(&z, &self.h)? {
            Some(left) => left.sqrt(),
            None => fitted.error(self.x, self.x_norm_sq)?,
        };
        Ok(())
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        state.matrix("zt", &self.zt);
        state.features("h", &self.h);
        state.number("basis tolerance", self.basis_limits.tolerance);
        state.number("feature tolerance", self.feature_limits.tolerance);
        state.number("error", self.error);
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.zt = state.matrix("zt")?;
        self.h = state.features("h")?;
        self.basis_limits.tolerance = state.number("basis tolerance")?;
        self.feature_limits.tolerance = state.number("feature tolerance")?;
        self.error = state.number("error")?;
        self.x.fill_in(&self.zt.t().to_matrix(), &self.h)?;
        Ok(())
    }
}
