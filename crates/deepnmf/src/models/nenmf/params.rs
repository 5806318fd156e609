//! Settings of NeNMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::NeNmfLoop;
use crate::driver::FitSession;
use crate::error::Result;
use crate::init::begin_non_negative;
use crate::matrix::{DataMatrix, Scalar};
use crate::models::{Model, Nmf, Settings};
use crate::observe::Stage;

/// NeNMF: `X ~ Z H`, nothing negative, as published.
///
/// ```
/// use deepnmf::{Matrix, NeNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = NeNmf::new(3).fit(&x)?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeNmf {
    /// The factorization; its rule is of no account.
    pub nmf: Nmf,
}

impl NeNmf {
    /// NeNMF with `components` components and default settings.
    pub fn new(components: usize) -> Self {
        Self { nmf: Nmf::new(components) }
    }

    /// Sets start, stop and seed.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf }
    }

    /// Factorizes `x`.
    ///
    /// # Errors
    /// If the data are empty, not finite or negative somewhere, or the settings do not fit them.
    pub fn fit<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<Model<T>> {
        self.fit_in(x, &mut FitSession::new())
    }

    /// Factorizes `x` in a session that can be watched and stopped.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let nmf = &self.nmf;
        nmf.check(x)?;
        let mut known = None;
        let (fitted, run) = session.run(Stage::Fitting, &nmf.stop, || {
            let (z, h, values) = begin_non_negative(x, nmf.components, nmf.start, nmf.seed)?;
            known = values;
            Ok(NeNmfLoop::new(x, &z, h))
        })?;
        let (factors, summary) =
            nmf.sum_up(x, fitted.into_factors(), (run, None, known), session)?;
        Ok(Model::new(Settings::NeNmf(self.clone()), factors, summary))
    }
}
