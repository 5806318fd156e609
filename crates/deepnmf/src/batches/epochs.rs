//! A fit that goes through its samples batch by batch, several times.

use std::ops::ControlFlow;

use super::{Learner, Progress, Sums, check_settings};
use crate::checkpoint::{Identity, Restored, StateWriter};
use crate::driver::{Algorithm, FitSession};
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Incomplete, Matrix, Scalar};
use crate::models::{Model, Settings, Task};
use crate::observe::Stage;
use crate::project::Projection;
use crate::stop::StopRule;

/// When passes end unless somebody says otherwise: each does as much as many iterations.
pub const PASSES: StopRule = StopRule { kappa: 1e-4, max_iterations: 20, max_seconds: None };

impl Settings {
    /// Fits the model in batches of so many samples, which learn a basis in far fewer passes over the data than
    /// iterations take. An iteration is a pass; its error is that of every batch before it was learnt from. Features
    /// and error of the result are those of all samples. Samples should stand in no order.
    ///
    /// # Errors
    /// If the model cannot learn from batches, a batch is smaller than a layer, the data are in parts, or as a fit.
    pub fn fit_in_batches<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        size: usize,
        rule: &StopRule,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        check_settings(self)?;
        Incomplete::refuse(x, "learning from batches")?;
        let most = self.layers().into_iter().max().unwrap_or(1);
        if size < most {
            let accepted = format!("a batch needs as many samples as a layer components, {most}");
            return Err(Error::parameter("the number of samples in a batch", size, accepted));
        }
        let parts = x.parts();
        if !parts.is_whole() {
            let accepted = "batches follow one another in one place: leave them out";
            return Err(Error::parameter("samples in batches", "in parts", accepted));
        }
        if session.is_checkpointed() {
            let task = Task::of(x);
            let identity = self.identity(&task, x.fingerprint()?)?;
            let identity = Identity { start: format!("batches of {size}"), ..identity };
            session.begin_fit(&identity, parts)?;
        }
        let (epochs, run) =
            session.run(Stage::Fitting, rule, parts, || Epochs::begin(self, x, size))?;
        let mut model = epochs.learner.into_model();
        let depth = model.factors.depth();
        model.factors.h = (1..=depth)
            .map(|layer| model.project(x, layer, Projection::NonNegative))
            .collect::<Result<_>>()?;
        let summary = &mut model.summary;
        (summary.stop, summary.iterations) = (run.stop, run.iterations);
        (summary.history, summary.clock) = (run.history.clone(), run.clock.clone());
        (summary.samples, summary.fingerprint) = (parts.total(), Some(x.fingerprint()?));
        summary.runs = vec![run];
        summary.seconds = session.seconds();
        model.summary.error = model.error_of(x, depth, model.factors.top_features())?;
        model.summary.relative_error = model.relative(x, model.summary.error)?;
        Ok(model)
    }
}

/// Passes over the data, one batch after another.
struct Epochs<'a, T> {
    x: &'a dyn DataMatrix<T>,
    size: usize,
    learner: Learner<T>,
    error: f64,
}

impl<'a, T: Scalar> Epochs<'a, T> {
    /// Learns from the first batch alone.
    fn begin(settings: &Settings, x: &'a dyn DataMatrix<T>, size: usize) -> Result<Self> {
        let mut first = None;
        each_batch(x, size, &mut |batch| {
            first = Some(Learner::begin(settings, batch)?);
            Ok(ControlFlow::Break(()))
        })?;
        let learner = first.ok_or(Error::Empty { features: x.shape().0, samples: 0 })?;
        // Before anything was learnt, zeros reconstruct the data as well as anything.
        Ok(Self { x, size, learner, error: x.norm_sq()?.sqrt() })
    }
}

/// Shows all samples in batches of one size; what is left over belongs to the last one.
fn each_batch<T: Scalar>(
    x: &dyn DataMatrix<T>,
    size: usize,
    learn: &mut dyn FnMut(&Matrix<T>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let (p, n) = x.shape();
    let (mut batch, mut next): (Vec<T>, usize) = (vec![], 0);
    let mut done = Ok(ControlFlow::Continue(()));
    x.blocks(&mut |_, block| {
        for j in 0..block.cols() {
            batch.extend(block.col(j));
            next += 1;
            let whole = batch.len() >= p * size && n - next >= size;
            if whole || next == n {
                let columns = batch.len() / p;
                done = Matrix::from_vec(p, columns, std::mem::take(&mut batch))
                    .and_then(|batch| learn(&batch));
                if !matches!(done, Ok(ControlFlow::Continue(()))) {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    done.map(|_| ())
}

impl<T: Scalar> Algorithm for Epochs<'_, T> {
    fn error(&self) -> f64 {
        self.error
    }

    fn step(&mut self) -> Result<()> {
        let mut sum = 0.0;
        let learner = &mut self.learner;
        each_batch(self.x, self.size, &mut |batch| {
            sum += learner.learn(batch)?.powi(2);
            Ok(ControlFlow::Continue(()))
        })?;
        // A pass that lowers nothing ends the fit; batches may well have an error that rises by a little.
        self.error = self.error.min(sum.sqrt());
        Ok(())
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        let Learner { model, progress } = &self.learner;
        state.matrices("z", &model.factors.z); // features belong to a batch, and are found anew
        state.matrix("hht", &progress.sums.hht);
        state.matrix("x_ht", &progress.sums.x_ht);
        state.number("samples", progress.samples);
        state.number("error", self.error);
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        let Learner { model, progress } = &mut self.learner;
        model.factors.z = state.matrices("z")?;
        let sums = Sums { hht: state.matrix("hht")?, x_ht: state.matrix("x_ht")? };
        *progress = Progress { sums, samples: state.number("samples")? };
        self.error = state.number("error")?;
        Ok(())
    }
}
