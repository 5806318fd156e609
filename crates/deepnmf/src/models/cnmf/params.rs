//! Settings of CNMF, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::Labels;
use crate::matrix::{DataMatrix, Scalar};
use crate::models::nmf::Held;
use crate::models::{Model, Nmf, Settings};
use crate::observe::Stage;

/// CNMF: `X ~ Z H`, nothing negative, with the same features for all samples of a class.
///
/// ```
/// use deepnmf::{Cnmf, Matrix};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let model = Cnmf::new(3).fit(&x, &labels)?;
/// assert_eq!(model.factors.h[0].col(0), model.factors.h[0].col(2));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cnmf {
    /// The factorization itself.
    pub nmf: Nmf,
}

impl Cnmf {
    /// CNMF with `components` components and the published multiplicative rules.
    pub fn new(components: usize) -> Self {
        Self { nmf: Nmf::new(components).solver(Nmf::LEE_SEUNG) }
    }

    /// Sets the factorization itself.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf }
    }

    /// Factorizes `x`, of whose samples some or all have a label.
    ///
    /// # Errors
    /// If the data are empty, not finite or negative somewhere, or the settings or the labels do not
    /// fit them.
    pub fn fit<T: Scalar>(&self, x: &dyn DataMatrix<T>, labels: &Labels) -> Result<Model<T>> {
        self.fit_in(x, labels, &mut FitSession::new())
    }

    /// Factorizes `x` in a session that can be watched and stopped.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        labels: &Labels,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let held = Some(Held::Equal(crate::graph::ClassMeans::new(x.shape().1, labels)?));
        let (factors, summary) = self.nmf.fit_stage(x, (Stage::Fitting, held), session)?;
        Ok(Model::new(Settings::Cnmf(self.clone()), factors, summary))
    }
}
