//! Settings of NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::{Held, alternate};
use crate::driver::{FitSession, Run};
use crate::error::Result;
use crate::init::{NonNegativeStart, begin_non_negative};
use crate::matrix::{DataMatrix, Matrix, Scalar, check_data, check_non_negative};
use crate::models::options::check_layers;
use crate::models::summary::{Outcome, svd_bound};
use crate::models::{Factors, Model, Settings, Summary};
use crate::observe::Stage;
use crate::stop::StopRule;
use crate::update::HSolver;

/// NMF: `X ~ Z H` of non-negative data into non-negative factors.
///
/// ```
/// use deepnmf::{Matrix, Nmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = Nmf::new(3).fit(&x)?;
/// assert!(model.factors.z[0].as_slice().iter().all(|z| *z >= 0.0));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nmf {
    /// The number of components `k`.
    pub components: usize,
    /// Where the factors begin.
    pub start: NonNegativeStart,
    /// Which rule updates both factors.
    pub solver: HSolver,
    /// When to stop.
    pub stop: StopRule,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether to compute the best error any factorization of this rank can have.
    pub measure_bound: bool,
}

impl Nmf {
    /// The multiplicative rule of Lee & Seung.
    pub const LEE_SEUNG: HSolver = HSolver::Multiplicative { eta: 1.0, repeats: 1 };
    /// The same, repeated while the products it works on are worth it.
    pub const MULTIPLICATIVE: HSolver =
        HSolver::Multiplicative { eta: 1.0, repeats: Self::REPEATS };
    /// How often a multiplicative update is repeated at most.
    pub const REPEATS: usize = 10;

    /// NMF with `components` components and default settings.
    pub fn new(components: usize) -> Self {
        Self {
            components,
            start: NonNegativeStart::default(),
            solver: HSolver::HALS,
            stop: StopRule::default(),
            seed: 0,
            measure_bound: true,
        }
    }

    /// Sets where the factors begin.
    #[must_use]
    pub fn start(self, start: NonNegativeStart) -> Self {
        Self { start, ..self }
    }

    /// Sets the rule for both factors.
    #[must_use]
    pub fn solver(self, solver: HSolver) -> Self {
        Self { solver, ..self }
    }

    /// Sets when to stop.
    #[must_use]
    pub fn stop(self, stop: StopRule) -> Self {
        Self { stop, ..self }
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
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
        let (factors, summary) = self.fit_stage(x, (Stage::Fitting, None), session)?;
        Ok(Model::new(Settings::Nmf(self.clone()), factors, summary))
    }

    /// Factorizes `x` as a part of a larger fit; something may hold the features.
    pub(crate) fn fit_stage<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        (stage, held): (Stage, Option<Held<'_, T>>),
        session: &mut FitSession<'_>,
    ) -> Result<(Factors<T>, Summary)> {
        self.check(x)?;
        let tied = matches!(held, Some(Held::Tied { .. }));
        let mut known = None;
        let (fitted, run) = session.run(stage, &self.stop, || {
            let (z, h, values) = begin_non_negative(x, self.components, self.start, self.seed)?;
            known = values;
            Ok(alternate(x, (z, h), self.solver, held))
        })?;
        let (z, h) = fitted.point;
        // With a graph the history is that of another objective.
        let error = tied.then(|| crate::reconstruction_error(x, &z, &h));
        self.sum_up(x, (z, h), (run, error, known), session)
    }

    /// Refuses settings and data that no factorization is possible with.
    pub(crate) fn check<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<()> {
        self.solver.check()?;
        self.stop.check()?;
        check_data(x)?;
        check_layers(&[self.components], x.shape().1)?;
        check_non_negative(x)
    }

    /// The factors and how they came about.
    pub(crate) fn sum_up<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        (z, h): (Matrix<T>, Matrix<T>),
        (run, error, known): (Run, Option<f64>, Option<Vec<f64>>),
        session: &FitSession<'_>,
    ) -> Result<(Factors<T>, Summary)> {
        let (k, x_norm_sq) = (self.components, x.norm_sq());
        let bound = || svd_bound(x, x_norm_sq, k, known.as_deref(), self.seed);
        let outcome = Outcome {
            x_norm_sq,
            bound: self.measure_bound.then(bound).transpose()?,
            seconds: session.seconds(),
            runs: vec![run],
            main_run: 0,
            notices: vec![],
            error,
        };
        Ok((Factors::new(vec![z], vec![h]), Summary::new(x.shape(), outcome)))
    }
}
