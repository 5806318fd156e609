//! Settings of DNMF, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::{Fisher, Labels};
use crate::matrix::{DataMatrix, Scalar};
use crate::models::nmf::Held;
use crate::models::{Model, Nmf, Settings};
use crate::observe::Stage;

/// DNMF: `X ~ Z H`, nothing negative, with classes that are tight and apart.
///
/// ```
/// use deepnmf::{Dnmf, Matrix};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let model = Dnmf::new(3, 0.1, 0.0).fit(&x, &labels)?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dnmf {
    /// The factorization itself.
    pub nmf: Nmf,
    /// The weight of the scatter within classes.
    pub gamma: f64,
    /// The weight of the scatter between classes.
    pub delta: f64,
}

impl Dnmf {
    /// DNMF with `components` components, both weights, and multiplicative rules.
    pub fn new(components: usize, gamma: f64, delta: f64) -> Self {
        Self { nmf: Nmf::new(components).solver(Nmf::LEE_SEUNG), gamma, delta }
    }

    /// Sets the factorization itself.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf, ..self }
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
        let graph = Fisher::new(x.shape().1, labels, self.gamma, self.delta)?;
        let weighs = (self.gamma > 0.0 || self.delta > 0.0) && labels.iter().any(Option::is_some);
        let unit_sums = self.delta > 0.0;
        let held = weighs.then_some(Held::Tied { graph: &graph, unit_sums });
        let (factors, summary) = self.nmf.fit_stage(x, (Stage::Fitting, held), session)?;
        Ok(Model::new(Settings::Dnmf(self.clone()), factors, summary))
    }
}
