//! The fit of Deep Semi-NMF: layer by layer first, then all layers together.

use super::network::Network;
use super::params::{DeepSemiNmf, Form, Loss, NormalForm, Optimizer, Variant};
use super::{algorithm, blocks, layered, literal};
use crate::activation::Activation;
use crate::descent::{Accelerated, Adam, Lbfgs};
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::ScaleIn;
use crate::matrix::{DataMatrix, Matrix, PartColumns, Parts, Scalar, check_data, dot, scale};
use crate::models::factors::check_shape;
use crate::models::graphs::Graphs;
use crate::models::semi_nmf::{LayerTask, check_given_features, start_and_run};
use crate::models::summary::{Bound, Record, blame_shrinking};
use crate::models::{
    Abilities, Factors, Kind, Model, Neighbourhood, Notice, Outcome, Task, WarmStart,
};
use crate::observe::Stage;
use crate::stop::StopRule;

impl Kind for DeepSemiNmf {
    const ABILITIES: Abilities = Abilities { warm_start: true, weights: true, ..Abilities::DEEP };

    fn layers(&self) -> Vec<usize> {
        self.layers.clone()
    }

    fn activation(&self) -> Activation {
        self.activation
    }

    fn in_unit(self, factor: f64) -> Self {
        Self { neighbourhood: self.neighbourhood.in_unit(factor), ..self }
    }

    fn beyond_samples(&self) -> Option<&'static str> {
        if self.neighbourhood.any() {
            return Some("neighbours");
        }
        let beyond =
            "activations, penalties, optimizers and losses other than those of Algorithm 1";
        (!self.is_the_papers()).then_some(beyond)
    }

    fn descends(&self) -> bool {
        !self.is_the_papers()
    }

    fn unit_in(&self) -> ScaleIn {
        // No nonlinearity commutes with a change of scale, nor does a layer that reads unit features.
        let linear = self.activation == Activation::Identity && !self.neighbourhood.any();
        if linear { self.options.scale } else { ScaleIn::Z }
    }

    fn neighbourhood(&self) -> Option<Neighbourhood> {
        self.is_the_papers().then(|| self.neighbourhood.clone())
    }

    fn joint_neighbourhood(&self) -> Option<Neighbourhood> {
        let joint = !self.is_the_papers() && self.neighbourhood.any();
        joint.then(|| self.neighbourhood.clone())
    }

    fn layers_have_losses(&self) -> bool {
        self.loss != Loss::Paper
    }

    fn fade(&self) -> Option<usize> {
        self.options.fade
    }

    fn advice(&self) -> &'static str {
        "use another optimizer, or a smaller step"
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        if self.neighbourhood.any() {
            if task.from.is_some() {
                let accepted = "a model with neighbours begins by itself, leave them out";
                return Err(Error::parameter("the factors to begin from", "given", accepted));
            }
            if self.is_the_papers() {
                return self.fit_in_layers(task.x, Graphs::NONE, session);
            }
        }
        match task.from {
            None => self.fit_supervised(task.x, Supervision::NONE, session),
            Some(WarmStart::Factors(factors)) => self.fine_tune(task.x, factors, session),
            Some(WarmStart::Bases(bases)) => self.fine_tune_bases(task.x, bases, session),
        }
    }
}

impl DeepSemiNmf {
    /// Factorizes `x` with graph regularization of some layers. Neighbours are those in the data, and in what
    /// pre-training makes of them.
    pub(crate) fn fit_supervised<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        supervision: Supervision<'_, T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.check(x)?;
        let mut record = Record { notices: self.increasing_layers(), ..Record::default() };
        let factors = self.pretrain(x, supervision, &mut record, session)?;
        if !self.neighbourhood.any() {
            return self.finish(x, factors, supervision, record, session);
        }
        let near = layered::with_neighbours(self, x, &factors, supervision.graphs, session)?;
        let graphs: Vec<_> = near.iter().map(|g| g.as_ref().map(|g| g as &dyn Graph<T>)).collect();
        let missed = graphs.iter().enumerate().filter_map(|(i, g)| Notice::of_search(i + 1, (*g)?));
        record.notices.extend(missed);
        let (graphs, variant) = (Graphs::new(&graphs), Variant::ScaleFree);
        self.finish(x, factors, Supervision { graphs, variant, ..supervision }, record, session)
    }

    /// Factorizes `x` layer after layer, with scale-free graph penalties.
    pub(crate) fn fit_in_layers<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        graphs: Graphs<'_, T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.check(x)?;
        let mut record = Record { notices: self.increasing_layers(), ..Record::default() };
        let factors = layered::fit_layers(self, x, graphs, &mut record, session)?;
        self.sum_up(x, factors, true, record, session)
    }

    /// Fine-tunes given factors instead of pre-training.
    fn fine_tune<T: Scalar>(
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
            check_given_features(h, h.rows(), i + 1, x.parts())?;
        }
        let record = Record { notices: self.increasing_layers(), ..Record::default() };
        let factors = Factors { activation: self.activation, ..factors };
        self.finish(x, factors, Supervision::NONE, record, session)
    }

    /// Projects the samples onto given bases, then fine-tunes.
    fn fine_tune_bases<T: Scalar>(
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
        self.fine_tune(x, Factors { h, ..factors }, session)
    }

    /// Refuses bases of other layers than this model's.
    pub(crate) fn check_same_layers(&self, given: &[usize]) -> Result<()> {
        if given == self.layers {
            return Ok(());
        }
        let list =
            |layers: &[usize]| layers.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
        Err(Error::Shape {
            what: "the layers of the given bases".into(),
            found: list(given),
            expected: list(&self.layers),
        })
    }

    /// From which component on those of a layer, counted from 1, fade out where it is softly whitened.
    pub(super) fn fade_of(&self, layer: usize) -> usize {
        let above = self.layers.get(layer).copied();
        let usual = above.unwrap_or(ScaleIn::fade_of(self.layers[layer - 1]));
        self.options.fade.unwrap_or(usual)
    }

    /// Semi-NMF of the data, then of what each layer's features are the image of.
    fn pretrain<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        supervision: Supervision<'_, T>,
        record: &mut Record,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let graphs = if supervision.from_the_start { supervision.graphs } else { Graphs::NONE };
        let parts = x.parts();
        let mut factors = Factors { activation: self.activation, ..Factors::new(vec![], vec![]) };
        for (i, &components) in self.layers.iter().enumerate() {
            let inverted = match factors.h.last_mut().zip(factors.z.last_mut()) {
                Some((h, z)) => {
                    fit_into_range(self.activation, z, h, parts)?;
                    Some(self.activation.invert(h))
                }
                None => None,
            };
            let below =
                inverted.as_ref().map(|h| PartColumns::new(h.view(), parts).weighted(x.weights()));
            let input = below.as_ref().map_or(x, |below| below as &dyn DataMatrix<T>);
            let wanted = LayerTask {
                components,
                last: i + 1 == self.layers.len(),
                stage: Stage::Pretraining { layer: i + 1 },
                graph: graphs.penalty_of(i + 1, supervision.variant),
                fade: self.fade_of(i + 1),
            };
            let layer = start_and_run(input, &wanted, &self.options, session)?;
            if i == 0 {
                record.singular_values = layer.singular_values;
            }
            record.notices.extend(layer.notices);
            record.runs.push(layer.run);
            factors.z.push(layer.factors.z);
            factors.h.push(layer.factors.h);
        }
        Ok(factors)
    }

    /// Fine-tunes and sums up.
    fn finish<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        supervision: Supervision<'_, T>,
        mut record: Record,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let regularized = supervision.graphs.any();
        // One layer that has been trained is a finished Semi-NMF, or WSF.
        let trained = self.layers.len() == 1
            && !record.runs.is_empty()
            && self.is_the_papers()
            && (supervision.from_the_start || !regularized);
        record.main_run = if trained { 0 } else { record.runs.len() };
        let factors = match trained {
            true => factors,
            false if self.is_the_papers() => {
                self.algorithm_1(x, factors, supervision, &mut record, session)?
            }
            false => self.descend(x, factors, supervision, &mut record, session)?,
        };
        self.sum_up(x, factors, regularized, record, session)
    }

    /// The model of these factors.
    fn sum_up<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        mut factors: Factors<T>,
        regularized: bool,
        mut record: Record,
        session: &FitSession<'_>,
    ) -> Result<Model<T>> {
        bring_into_form(&mut factors, self.penalties.normal_form, x.parts())?;
        let depth = self.layers.len();
        if !self.is_the_papers() || regularized {
            let error = factors.reconstruction_error(x, depth, factors.top_features())?;
            record.error = Some(error);
        }
        let bound = Bound { components: self.layers[depth - 1], seed: self.options.seed };
        let summary = record.sum_up(x, self.options.measure_bound.then_some(bound), session)?;
        let used = Self { penalties: self.penalties_in_use(), ..self.clone() };
        Ok(Model::new(used, Outcome { factors, summary }))
    }

    fn algorithm_1<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        Supervision { graphs, variant, .. }: Supervision<'_, T>,
        record: &mut Record,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let (first, last) = (self.layers[0], self.layers[self.layers.len() - 1]);
        let printed = variant == Variant::Printed;
        let wanted = printed && self.form == Form::Fast;
        let fast = wanted && algorithm::applies_to(&factors, x.parts())?;
        if wanted && !fast {
            record.notices.push(Notice::LiteralForm);
        }
        if printed && first > last {
            record.notices.push(Notice::RankCollapse { first, last });
        }
        let before = x.parts().sum_of(factors.top_features().norm_sq())?;
        let (factors, mut runs) = if fast {
            algorithm::fine_tune(x, factors, graphs, &self.options, session)?
        } else {
            let form = literal::Printed { graphs, variant };
            literal::fine_tune(x, factors, form, &self.options, session)?
        };
        if let (true, Some(run)) = (graphs.any(), runs.first_mut()) {
            let after = x.parts().sum_of(factors.top_features().norm_sq())?;
            record.notices.extend(blame_shrinking(run, before, after));
        }
        record.runs.extend(runs);
        Ok(factors)
    }

    /// Lowers the loss over all layers by gradients or block by block.
    fn descend<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: Factors<T>,
        Supervision { graphs, variant, .. }: Supervision<'_, T>,
        record: &mut Record,
        session: &mut FitSession<'_>,
    ) -> Result<Factors<T>> {
        let scale_free = variant == Variant::ScaleFree && graphs.any();
        let goal = Goal { scale_free, ..self.goal(graphs) };
        let (stage, options, parts) = (Stage::FineTuning, &self.options, x.parts());
        let rule = StopRule { max_iterations: self.descent.max_iterations, ..options.stop };
        // Blocks of the scale-free penalty are no least squares of the same form, so gradients take their place.
        // Nor are those of the data's loss where entries are missing: every layer would need an X^ of its own.
        let of_one = !x.is_incomplete() || self.loss == Loss::Layer;
        let linear = self.activation == Activation::Identity && !scale_free && of_one;
        if linear && self.loss != Loss::Paper && self.descent.optimizer == Optimizer::Auto {
            let (tuned, run) = session
                .run(stage, &rule, parts, || blocks::descend(x, factors, goal, options.solver))?;
            record.runs.push(run);
            return Ok(tuned.point);
        }
        // The best Z_1 for observed entries is a problem of its own for each feature, as dear as all else together. As a
        // variable it needs none, and value and slope are exact at every point, so that no curvature is wrong either.
        let closed = matches!(self.descent.optimizer, Optimizer::Auto | Optimizer::Varpro);
        let eliminate = closed && !x.is_incomplete();
        let network = Network::new(x, &factors, goal, eliminate)?;
        let point = network.point_of(factors);
        let (mut network, point, run) = match self.descent.optimizer {
            Optimizer::Auto | Optimizer::Varpro => {
                let (done, run) =
                    session.run(stage, &rule, parts, || Lbfgs::new(network, point))?;
                (done.objective, done.point, run)
            }
            Optimizer::Apg { joint } => {
                let begin = || Accelerated::new(network, point, joint);
                let (done, run) = session.run(stage, &rule, parts, begin)?;
                (done.objective, done.point, run)
            }
            Optimizer::Adam { step } => {
                let begin = || Adam::new(network, point, step);
                let (done, run) = session.run(stage, &rule, parts, begin)?;
                (done.objective, done.best, run)
            }
        };
        record.runs.push(run);
        network.factors_at(&point)
    }

    /// What is minimised over all layers.
    pub(super) fn goal<'a, T>(&self, graphs: Graphs<'a, T>) -> Goal<'a, T> {
        let penalties = self.penalties_in_use();
        Goal {
            loss: self.loss,
            weights: self.layer_weights(),
            ridge: penalties.ridge,
            sparsity: penalties.sparsity,
            graphs,
            scale_free: false,
        }
    }
}

/// A loss over all layers with its penalties.
pub(super) struct Goal<'a, T> {
    pub(super) loss: Loss,
    /// The weight of each layer.
    pub(super) weights: Vec<f64>,
    /// As shares of a sample's mean squared length, or as they are once that is known.
    pub(super) ridge: f64,
    pub(super) sparsity: f64,
    pub(super) graphs: Graphs<'a, T>,
    /// Whether their penalty is that of reconstructions.
    pub(super) scale_free: bool,
}

impl<T> Goal<'_, T> {
    /// The same with weights that are no shares, for samples of this mean squared length.
    pub(super) fn for_samples_of(self, mean_square: f64) -> Self {
        Self { ridge: self.ridge * mean_square, sparsity: self.sparsity * mean_square, ..self }
    }
}

/// Brings features into the range of a bounded `g`; the basis takes over what they lose.
fn fit_into_range<T: Scalar>(
    g: Activation,
    z: &mut Matrix<T>,
    h: &mut Matrix<T>,
    parts: Parts<'_>,
) -> Result<()> {
    let mut largest = [h.as_slice().iter().fold(0.0, |most: f64, v| most.max(v.to_f64()))];
    parts.max(&mut largest)?;
    let gain = g.gain(largest[0]);
    scale(z, gain);
    scale(h, 1.0 / gain);
    Ok(())
}

/// Gives the rows of `H_m` or the columns of `Z_m` length one.
fn bring_into_form<T: Scalar>(
    factors: &mut Factors<T>,
    form: NormalForm,
    parts: Parts<'_>,
) -> Result<()> {
    let reading = factors.readings.last_mut().and_then(Option::as_mut);
    let (Some(z), Some(h)) = (factors.z.last_mut(), factors.h.last_mut()) else { return Ok(()) };
    let lengths: Vec<f64> = match form {
        NormalForm::None => return Ok(()),
        NormalForm::Basis => z.columns().map(|z| 1.0 / dot(z, z).sqrt()).collect(),
        NormalForm::Features => {
            let mut squares = vec![0.0; h.rows()];
            for column in h.columns() {
                squares.iter_mut().zip(column).for_each(|(s, v)| *s += v.to_f64() * v.to_f64());
            }
            parts.sum(&mut squares)?;
            squares.into_iter().map(f64::sqrt).collect()
        }
    };
    let mut bases: Vec<&mut Matrix<T>> = std::iter::once(z).chain(reading).collect();
    for (r, length) in lengths.into_iter().enumerate() {
        if length.is_normal() {
            let (up, down) = (T::from_f64(length), T::from_f64(1.0 / length));
            for basis in &mut bases {
                basis.col_mut(r).iter_mut().for_each(|v| *v *= up);
            }
            (0..h.cols()).for_each(|j| h.col_mut(j)[r] *= down);
        }
    }
    Ok(())
}

/// The graphs of a fit, and where they count.
pub(crate) struct Supervision<'a, T> {
    /// The graph of each layer.
    pub(crate) graphs: Graphs<'a, T>,
    /// Whether pre-training knows of them.
    pub(crate) from_the_start: bool,
    /// Which penalty they have, and which form of Algorithm 2 the linear model follows.
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
