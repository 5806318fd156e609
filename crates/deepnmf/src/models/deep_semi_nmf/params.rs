//! Settings of Deep Semi-NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::{algorithm, literal};
use crate::driver::{FitSession, Run};
use crate::error::Result;
use crate::matrix::{DataMatrix, Scalar, check_data};
use crate::models::options::check_layers;
use crate::models::semi_nmf::{check_given_features, start_and_run};
use crate::models::summary::{Outcome, svd_bound};
use crate::models::{Factors, FitOptions, Model, Notice, Settings, Summary};
use crate::observe::Stage;

/// How Algorithm 1 is carried out. Both forms give the same bases and top features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The closed form, at the cost of the top layer alone.
    #[default]
    Fast,
    /// Every update as it is printed, by pseudo-inverses: slow, for reference.
    Literal,
}

/// Deep Semi-NMF: `X ~ Z_1 ... Z_m H_m` with non-negative features in every layer.
///
/// ```
/// use deepnmf::{DeepSemiNmf, Matrix};
/// let x = Matrix::from_fn(12, 40, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = DeepSemiNmf::new([6, 3]).fit(&x)?;
/// assert_eq!(model.factors.h[1].shape(), (3, 40));
/// assert_eq!(model.factors.basis(2)?.shape(), (12, 3));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeepSemiNmf {
    /// The number of components of each layer, the one next to the data first.
    pub layers: Vec<usize>,
    /// How Algorithm 1 is carried out.
    pub form: Form,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl DeepSemiNmf {
    /// Deep Semi-NMF with the given layer sizes and default settings.
    pub fn new(layers: impl Into<Vec<usize>>) -> Self {
        Self { layers: layers.into(), form: Form::default(), options: FitOptions::default() }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets how Algorithm 1 is carried out.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Factorizes `x`.
    ///
    /// # Errors
    /// If the data are empty or not finite, or the settings do not fit them.
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
        self.check(x)?;
        let mut fit = Fit { notices: self.increasing_layers(), ..Fit::default() };
        let mut factors = Factors::new(vec![], vec![]);
        for (i, &k) in self.layers.iter().enumerate() {
            let input = factors.h.last().map_or(x, |h| h as &dyn DataMatrix<T>);
            let stage = Stage::Pretraining { layer: i + 1 };
            let layer = start_and_run(input, k, stage, &self.options, session)?;
            if i == 0 {
                fit.singular_values = layer.singular_values;
            }
            fit.notices.extend(layer.notice);
            fit.runs.push(layer.run);
            factors.z.push(layer.z);
            factors.h.push(layer.h);
        }
        self.finish(x, factors, fit, session)
    }

    /// Fine-tunes given factors instead of pre-training, for instance those of another model.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if the factors do not have the shapes of this model.
    pub fn fit_from<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.check(x)?;
        let (p, n) = x.shape();
        factors.check_shapes(p, n, &self.layers)?;
        for (i, (z, h)) in factors.z.iter().zip(&factors.h).enumerate() {
            check_data(z)?;
            check_given_features(h, h.shape(), i + 1)?;
        }
        let fit = Fit { notices: self.increasing_layers(), ..Fit::default() };
        self.finish(x, factors, fit, session)
    }

    fn check<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<()> {
        self.options.check()?;
        check_data(x)?;
        check_layers(&self.layers, x.shape().1)
    }

    fn increasing_layers(&self) -> Vec<Notice> {
        self.layers
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[1] > pair[0])
            .map(|(i, pair)| Notice::IncreasingLayers {
                layer: i + 2,
                components: pair[1],
                below: pair[0],
            })
            .collect()
    }

    /// Fine-tunes and sums up.
    fn finish<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        mut fit: Fit,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let x_norm_sq = x.norm_sq();
        // One layer that has been trained is a finished Semi-NMF.
        let (factors, main_run) = if self.layers.len() == 1 && !fit.runs.is_empty() {
            (factors, 0)
        } else {
            let main_run = fit.runs.len();
            (self.fine_tune(x, factors, &mut fit, session)?, main_run)
        };
        let top = self.layers[self.layers.len() - 1];
        let known = fit.singular_values.as_deref();
        let seed = self.options.seed;
        let bound = self.options.measure_bound.then(|| svd_bound(x, x_norm_sq, top, known, seed));
        let outcome = Outcome {
            x_norm_sq,
            bound: bound.transpose()?,
            seconds: session.seconds(),
            runs: fit.runs,
            main_run,
            notices: fit.notices,
        };
        let summary = Summary::new(x.shape(), outcome);
        Ok(Model::new(Settings::DeepSemiNmf(self.clone()), factors, summary))
    }

    fn fine_tune<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        fit: &mut Fit,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let (first, last) = (self.layers[0], self.layers[self.layers.len() - 1]);
        let fast = self.form == Form::Fast && algorithm::applies_to(&factors)?;
        if self.form == Form::Fast && !fast {
            fit.notices.push(Notice::LiteralForm);
        }
        if first > last {
            fit.notices.push(Notice::RankCollapse { first, last });
        }
        let (factors, runs) = if fast {
            algorithm::fine_tune(x, factors, &self.options, session)?
        } else {
            literal::fine_tune(x, factors, &self.options, session)?
        };
        fit.runs.extend(runs);
        Ok(factors)
    }
}

/// What a fit has learnt on its way.
#[derive(Default)]
struct Fit {
    runs: Vec<Run>,
    notices: Vec<Notice>,
    singular_values: Option<Vec<f64>>,
}
