//! Settings of Semi-NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::SemiNmfLoop;
use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::Graph;
use crate::init::begin;
use crate::matrix::{DataMatrix, Matrix, Scalar, check_data};
use crate::models::factors::check_shape;
use crate::models::options::check_layers;
use crate::models::summary::{Outcome, svd_bound};
use crate::models::{Factors, FitOptions, Model, Notice, Settings, Summary};
use crate::observe::Stage;

/// Semi-NMF: `X ~ Z H` with non-negative `H`.
///
/// ```
/// use deepnmf::{Matrix, SemiNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = SemiNmf::new(3).fit(&x)?;
/// assert!(model.factors.h[0].as_slice().iter().all(|h| *h >= 0.0));
/// assert!(model.summary.gap.unwrap() < 1e-9); // non-negative data: as good as can be
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SemiNmf {
    /// The number of components `k`.
    pub components: usize,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl SemiNmf {
    /// Semi-NMF with `components` components and default settings.
    pub fn new(components: usize) -> Self {
        Self { components, options: FitOptions::default() }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
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
        let (factors, summary) = fit_tied(x, self.components, None, &self.options, session)?;
        Ok(Model::new(Settings::SemiNmf(self.clone()), factors, summary))
    }

    /// Factorizes `x` from given features instead of a start.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if `h` is not `components x n` or has a negative entry.
    pub fn fit_from<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        h: Matrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        check(x, self.components, &self.options)?;
        check_given_features(&h, (self.components, x.shape().1), 1)?;
        let (fitted, run) = session.run(Stage::Fitting, &self.options.stop, || {
            SemiNmfLoop::new(x, h, self.options.solver)
        })?;
        let x_norm_sq = fitted.x_norm_sq;
        let (z, h) = fitted.into_factors();
        let layer = Layer { z, h, x_norm_sq, run, singular_values: None, notice: None };
        let (factors, summary) = sum_up(x, layer, None, &self.options, session)?;
        Ok(Model::new(Settings::SemiNmf(self.clone()), factors, summary))
    }
}

/// One layer of `k` components whose samples a graph may tie, fitted and summed up.
pub(crate) fn fit_tied<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    graph: Option<&dyn Graph<T>>,
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<(Factors<T>, Summary)> {
    check(x, k, options)?;
    let layer = start_and_run(x, (k, true), (Stage::Fitting, graph), options, session)?;
    // With a graph the history is that of another objective.
    let error = graph.map(|_| crate::reconstruction_error(x, &layer.z, &layer.h));
    sum_up(x, layer, error, options, session)
}

fn check<T: Scalar>(x: &dyn DataMatrix<T>, k: usize, options: &FitOptions) -> Result<()> {
    options.check()?;
    check_data(x)?;
    check_layers(&[k], x.shape().1)
}

fn sum_up<T: Scalar>(
    x: &dyn DataMatrix<T>,
    layer: Layer<T>,
    error: Option<f64>,
    options: &FitOptions,
    session: &FitSession<'_>,
) -> Result<(Factors<T>, Summary)> {
    let (known, k) = (layer.singular_values.as_deref(), layer.h.rows());
    let bound =
        options.measure_bound.then(|| svd_bound(x, layer.x_norm_sq, k, known, options.seed));
    let outcome = Outcome {
        x_norm_sq: layer.x_norm_sq,
        bound: bound.transpose()?,
        seconds: session.seconds(),
        runs: vec![layer.run],
        main_run: 0,
        notices: layer.notice.into_iter().collect(),
        error,
    };
    Ok((Factors::new(vec![layer.z], vec![layer.h]), Summary::new(x.shape(), outcome)))
}

/// One layer, factorized.
pub(crate) struct Layer<T> {
    pub(crate) z: Matrix<T>,
    pub(crate) h: Matrix<T>,
    pub(crate) x_norm_sq: f64,
    pub(crate) run: crate::driver::Run,
    pub(crate) singular_values: Option<Vec<f64>>,
    pub(crate) notice: Option<Notice>,
}

/// Starts and runs Semi-NMF on the input of one layer of `k` components, which may be the last; a
/// graph may tie its samples.
pub(crate) fn start_and_run<T: Scalar>(
    x: &dyn DataMatrix<T>,
    (k, last): (usize, bool),
    (stage, graph): (Stage, Option<&dyn Graph<T>>),
    options: &FitOptions,
    session: &mut FitSession<'_>,
) -> Result<Layer<T>> {
    let mut learnt = None;
    let (fitted, run) = session.run(stage, &options.stop, || {
        let started = begin(x, k, options.start, options.scale.in_layer(last), options.seed)?;
        learnt = Some((started.singular_values, started.found_positive_vector));
        SemiNmfLoop::tied(x, started.h, options.solver, graph)
    })?;
    let (singular_values, found) = learnt.unwrap_or((None, true));
    let layer = if let Stage::Pretraining { layer } = stage { layer } else { 1 };
    let notice = (!found).then_some(Notice::NoPositiveVector { layer });
    let x_norm_sq = fitted.x_norm_sq;
    let (z, h) = fitted.into_factors();
    Ok(Layer { z, h, x_norm_sq, run, singular_values, notice })
}

/// Refuses features of the wrong shape, or not finite, or negative.
pub(crate) fn check_given_features<T: Scalar>(
    h: &Matrix<T>,
    shape: (usize, usize),
    layer: usize,
) -> Result<()> {
    check_shape(format!("the given features of layer {layer}"), h, shape)?;
    check_data(h)?;
    for (j, column) in h.columns().enumerate() {
        if let Some(value) = column.iter().find(|v| **v < T::ZERO) {
            let name = format!("a given feature of layer {layer}, sample {}", j + 1);
            return Err(crate::Error::parameter(name, value, "features must not be negative"));
        }
    }
    Ok(())
}
