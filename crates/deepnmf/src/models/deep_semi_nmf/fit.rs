//! The fit of Deep Semi-NMF: layer by layer first, then all layers together.

use super::network::Network;
use super::params::{DeepSemiNmf, Form, Loss, NormalForm, Optimizer, Variant};
use super::{algorithm, blocks, literal};
use crate::activation::Activation;
use crate::descent::{Accelerated, Adam, Lbfgs};
use crate::driver::{FitSession, Run};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, check_data, scale};
use crate::models::factors::check_shape;
use crate::models::graphs::Graphs;
use crate::models::semi_nmf::{check_given_features, start_and_run};
use crate::models::summary::{Outcome, svd_bound};
use crate::models::{Factors, Model, Notice, Settings, Summary};
use crate::observe::Stage;
use crate::stop::StopRule;

impl DeepSemiNmf {
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
        self.fit_supervised(x, Supervision::NONE, session)
    }

    /// Factorizes `x` with graphs that tie the samples of some layers.
    pub(crate) fn fit_supervised<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        supervision: Supervision<'_, T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.check(x)?;
        let mut fit = Fit { notices: self.increasing_layers(), ..Fit::default() };
        let factors = self.pretrain(x, supervision, &mut fit, session)?;
        self.finish(x, factors, supervision, fit, session)
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
        let factors = Factors { activation: self.activation, ..factors };
        self.finish(x, factors, Supervision::NONE, fit, session)
    }

    /// Begins from the bases `Z_1 .. Z_m` of another model, fitted to other samples with the same
    /// features: the features of these samples are projected onto them, then all is fine-tuned.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if the bases do not have the shapes of this model.
    pub fn fit_from_bases<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        bases: Vec<Matrix<T>>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.check(x)?;
        let (p, _) = x.shape();
        let given: Vec<_> = bases.iter().map(Matrix::cols).collect();
        self.check_same_layers(&given)?;
        let below = std::iter::once(p).chain(self.layers.iter().copied());
        for (i, ((z, &k), below)) in bases.iter().zip(&self.layers).zip(below).enumerate() {
            check_shape(format!("Z_{}", i + 1), z, (below, k))?;
            check_data(z)?;
        }
        let factors = Factors { activation: self.activation, ..Factors::new(bases, vec![]) };
        let h = (1..=self.layers.len())
            .map(|layer| crate::project::non_negative_features(x, &factors, layer))
            .collect::<Result<_>>()?;
        self.fit_from(x, Factors { h, ..factors }, session)
    }

    /// Refuses bases of other layers than this model's.
    pub(crate) fn check_same_layers(&self, given: &[usize]) -> Result<()> {
        if given == self.layers {
            return Ok(());
        }
        let list =
            |layers: &[usize]| layers.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
        Err(crate::Error::Shape {
            what: "the layers of the given bases".into(),
            found: list(given),
            expected: list(&self.layers),
        })
    }

    /// Semi-NMF of the data, then of what each layer's features are the image of.
    fn pretrain<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        supervision: Supervision<'_, T>,
        fit: &mut Fit,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let graphs = if supervision.from_the_start { supervision.graphs } else { Graphs::NONE };
        let mut factors = Factors { activation: self.activation, ..Factors::new(vec![], vec![]) };
        for (i, &k) in self.layers.iter().enumerate() {
            let inverted = factors.h.last_mut().zip(factors.z.last_mut()).map(|(h, z)| {
                fit_into_range(self.activation, z, h);
                self.activation.invert(h)
            });
            let input = inverted.as_ref().map_or(x, |h| h as &dyn DataMatrix<T>);
            let size = (k, i + 1 == self.layers.len());
            let stage = Stage::Pretraining { layer: i + 1 };
            let tied = (stage, graphs.of(i + 1));
            let layer = start_and_run(input, size, tied, &self.options, session)?;
            if i == 0 {
                fit.singular_values = layer.singular_values;
            }
            fit.notices.extend(layer.notice);
            fit.runs.push(layer.run);
            factors.z.push(layer.z);
            factors.h.push(layer.h);
        }
        Ok(factors)
    }

    /// Fine-tunes and sums up.
    fn finish<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        supervision: Supervision<'_, T>,
        mut fit: Fit,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let x_norm_sq = x.norm_sq();
        let tied = supervision.graphs.any();
        // One layer that has been trained is a finished Semi-NMF, or WSF.
        let trained = self.layers.len() == 1
            && !fit.runs.is_empty()
            && self.is_the_papers()
            && (supervision.from_the_start || !tied);
        let main_run = if trained { 0 } else { fit.runs.len() };
        let mut factors = match trained {
            true => factors,
            false if self.is_the_papers() => {
                self.algorithm_1(x, factors, supervision, &mut fit, session)?
            }
            false => self.descend(x, factors, supervision.graphs, &mut fit, session)?,
        };
        bring_into_form(&mut factors, self.penalties.normal_form);
        let depth = self.layers.len();
        let error = if self.is_the_papers() && !tied {
            None
        } else {
            Some(factors.reconstruction_error(x, depth, factors.top_features())?)
        };
        let known = fit.singular_values.as_deref();
        let (top, seed) = (self.layers[depth - 1], self.options.seed);
        let bound = self.options.measure_bound.then(|| svd_bound(x, x_norm_sq, top, known, seed));
        let outcome = Outcome {
            x_norm_sq,
            bound: bound.transpose()?,
            seconds: session.seconds(),
            runs: fit.runs,
            main_run,
            notices: fit.notices,
            error,
        };
        let summary = Summary::new(x.shape(), outcome);
        let used = Self { penalties: self.penalties_in_use(), ..self.clone() };
        Ok(Model::new(Settings::DeepSemiNmf(used), factors, summary))
    }

    fn algorithm_1<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        Supervision { graphs, variant, .. }: Supervision<'_, T>,
        fit: &mut Fit,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let (first, last) = (self.layers[0], self.layers[self.layers.len() - 1]);
        let printed = variant == Variant::Printed;
        let fast = printed && self.form == Form::Fast && algorithm::applies_to(&factors)?;
        if printed && self.form == Form::Fast && !fast {
            fit.notices.push(Notice::LiteralForm);
        }
        if printed && first > last {
            fit.notices.push(Notice::RankCollapse { first, last });
        }
        let (factors, runs) = if fast {
            algorithm::fine_tune(x, factors, graphs, &self.options, session)?
        } else {
            literal::fine_tune(x, factors, (graphs, variant), &self.options, session)?
        };
        fit.runs.extend(runs);
        Ok(factors)
    }

    /// Lowers the loss over all layers by gradients or block by block.
    fn descend<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        graphs: Graphs<'_, T>,
        fit: &mut Fit,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let penalties = self.penalties_in_use();
        let loss = (self.loss, self.layer_weights());
        let (stage, options) = (Stage::FineTuning, &self.options);
        let rule = StopRule { max_iterations: self.descent.max_iterations, ..options.stop };
        let linear = self.activation == Activation::Identity;
        if linear && self.loss != Loss::Paper && self.descent.optimizer == Optimizer::Auto {
            let (tuned, run) = session.run(stage, &rule, || {
                Ok(blocks::descend(x, factors, loss, (&penalties, graphs), options.solver))
            })?;
            fit.runs.push(run);
            return Ok(tuned.point);
        }
        let eliminate = matches!(self.descent.optimizer, Optimizer::Auto | Optimizer::Varpro);
        let network = Network::new(x, &factors, loss, (&penalties, graphs), eliminate);
        let point = network.point_of(factors);
        let (mut network, point, run) = match self.descent.optimizer {
            Optimizer::Auto | Optimizer::Varpro => {
                let (done, run) = session.run(stage, &rule, || Lbfgs::new(network, point))?;
                (done.objective, done.point, run)
            }
            Optimizer::Apg { joint } => {
                let begin = || Accelerated::new(network, point, joint);
                let (done, run) = session.run(stage, &rule, begin)?;
                (done.objective, done.point, run)
            }
            Optimizer::Adam { step } => {
                let (done, run) = session.run(stage, &rule, || Adam::new(network, point, step))?;
                (done.objective, done.best, run)
            }
        };
        fit.runs.push(run);
        network.factors_at(&point)
    }
}

/// Brings features into the range of a bounded `g`; the basis takes over what they lose.
fn fit_into_range<T: Scalar>(g: Activation, z: &mut Matrix<T>, h: &mut Matrix<T>) {
    let largest = h.as_slice().iter().fold(0.0, |most: f64, v| most.max(v.to_f64()));
    let gain = g.gain(largest);
    scale(z, gain);
    scale(h, 1.0 / gain);
}

/// Gives the rows of `H_m` or the columns of `Z_m` length one.
fn bring_into_form<T: Scalar>(factors: &mut Factors<T>, form: NormalForm) {
    let (Some(z), Some(h)) = (factors.z.last_mut(), factors.h.last_mut()) else { return };
    for r in 0..z.cols() {
        let length = match form {
            NormalForm::None => return,
            NormalForm::Basis => 1.0 / crate::matrix::dot(z.col(r), z.col(r)).sqrt(),
            NormalForm::Features => {
                h.columns().map(|c| c[r].to_f64() * c[r].to_f64()).sum::<f64>().sqrt()
            }
        };
        if length.is_normal() {
            let (up, down) = (T::from_f64(length), T::from_f64(1.0 / length));
            z.col_mut(r).iter_mut().for_each(|v| *v *= up);
            (0..h.cols()).for_each(|j| h.col_mut(j)[r] *= down);
        }
    }
}

/// What ties samples to each other in a fit.
pub(crate) struct Supervision<'a, T> {
    /// The graph of each layer.
    pub(crate) graphs: Graphs<'a, T>,
    /// Whether pre-training knows of them.
    pub(crate) from_the_start: bool,
    /// Which form of Algorithm 2 the linear model follows.
    pub(crate) variant: Variant,
}

impl<T> Clone for Supervision<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Supervision<'_, T> {}

impl<T> Supervision<'_, T> {
    /// Nothing does.
    pub(crate) const NONE: Self =
        Self { graphs: Graphs::NONE, from_the_start: true, variant: Variant::Printed };
}

/// What a fit has learnt on its way.
#[derive(Default)]
struct Fit {
    runs: Vec<Run>,
    notices: Vec<Notice>,
    singular_values: Option<Vec<f64>>,
}
