//! Settings of Multi-layer NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::JointLoop;
use crate::driver::FitSession;
use crate::error::Result;
use crate::matrix::{DataMatrix, Scalar, check_data, check_non_negative};
use crate::models::nmf::bring_to_unit_sums;
use crate::models::options::check_layers;
use crate::models::summary::{Outcome, svd_bound};
use crate::models::{Model, Nmf, Settings, Summary};
use crate::observe::Stage;
use crate::stop::StopRule;

/// Iterations after which the factorization of a layer alone is a start as good as any.
const PRETRAINING: usize = 50;

/// Multi-layer NMF: `X ~ Z_1 Z_2 ... Z_m H_m`, nothing negative.
///
/// ```
/// use deepnmf::{Matrix, MultilayerNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = MultilayerNmf::new([5, 3]).fit(&x)?;
/// assert_eq!(model.factors.h[1].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MultilayerNmf {
    /// The number of components of each layer, the one next to the data first.
    pub layers: Vec<usize>,
    /// How each layer is factorized first, in 50 iterations at most, and when the joint tuning stops; its
    /// number of components is of no account.
    pub nmf: Nmf,
}

impl MultilayerNmf {
    /// Multi-layer NMF with the given layer sizes and default settings.
    pub fn new(layers: impl Into<Vec<usize>>) -> Self {
        Self { layers: layers.into(), nmf: Nmf::new(1) }
    }

    /// Sets how each layer is factorized first.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf, ..self }
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
        check_data(x)?;
        check_layers(&self.layers, x.shape().1)?;
        check_non_negative(x)?;
        let (mut z, mut h, mut runs) = (vec![], None, vec![]);
        for (i, &components) in self.layers.iter().enumerate() {
            let max_iterations = self.nmf.stop.max_iterations.min(PRETRAINING);
            let stop = StopRule { max_iterations, ..self.nmf.stop };
            let nmf = Nmf { components, stop, measure_bound: false, ..self.nmf.clone() };
            let input = h.as_ref().map_or(x, |h| h as &dyn DataMatrix<T>);
            let stage = Stage::Pretraining { layer: i + 1 };
            let (mut factors, summary) = nmf.fit_stage(input, (stage, None), session)?;
            // The next layer is to see features by how much they matter, not by how they happen to be
            // scaled.
            bring_to_unit_sums(&mut factors.z[0], &mut factors.h[0]);
            z.append(&mut factors.z);
            h = factors.h.pop();
            runs.extend(summary.runs);
        }
        let top = h.unwrap_or_else(|| unreachable!("a model has layers"));
        let (tuned, run) =
            session.run(Stage::FineTuning, &self.nmf.stop, || Ok(JointLoop::new(x, z, top)))?;
        runs.push(run);
        let (k, x_norm_sq) = (self.layers[self.layers.len() - 1], x.norm_sq());
        let bound = || svd_bound(x, x_norm_sq, k, None, self.nmf.seed);
        let outcome = Outcome {
            x_norm_sq,
            bound: self.nmf.measure_bound.then(bound).transpose()?,
            seconds: session.seconds(),
            main_run: runs.len() - 1,
            runs,
            notices: vec![],
            error: None,
        };
        let summary = Summary::new(x.shape(), outcome);
        Ok(Model::new(Settings::MultilayerNmf(self.clone()), tuned.into_factors(), summary))
    }
}
