//! Settings of NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::{Constraint, GraphForm, alternate};
use super::kullback_leibler::KlAlternation;
use super::{ElasticNet, EntryPenalties};
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::init::{StartedPair, begin_non_negative_watched};
use crate::matrix::{DataMatrix, Entry, Matrix, Scalar, Weighted, check_data, check_non_negative};
use crate::models::factors::Pair;
use crate::models::observed::{self, Observed};
use crate::models::options::check_layers;
use crate::models::semi_nmf::check_given_features;
use crate::models::summary::{Bound, Record, blame_shrinking};
use crate::models::{
    Abilities, Factors, Kind, Known, Model, NonNegativeOptions, Notice, Outcome, Task, WarmStart,
};
use crate::objective::{Divergence, kl_divergence};
use crate::observe::Stage;
use crate::stop::Watch;
use crate::update::{Fixed, HSolver, Penalty};

/// NMF: `X ~ Z H` of non-negative data into non-negative factors.
///
/// ```
/// use deepnmf::{Factorization, Matrix, Nmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = Nmf::new(3).fit(&x)?;
/// assert!(model.factors.z[0].as_slice().iter().all(|z| *z >= 0.0));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nmf {
    /// The number of components `k`.
    pub components: usize,
    /// What it keeps small. The Kullback-Leibler divergence is minimised by coordinate descent
    /// ([`HSolver::Hals`]), and has no SVD bound.
    #[serde(default, skip_serializing_if = "Divergence::is_usual")]
    pub divergence: Divergence,
    /// What keeps the factors small or sparse.
    #[serde(default, skip_serializing_if = "ElasticNet::is_none")]
    pub penalty: ElasticNet,
    /// Settings that all models share.
    #[serde(flatten)]
    pub options: NonNegativeOptions,
}

/// What a fit begins with.
pub(crate) enum Given<T> {
    Nothing,
    Factors(Pair<T>),
    /// Some components, which stay.
    Known(Known<T>),
}

impl<T: Scalar> Given<T> {
    fn fixed(&self) -> Option<Fixed> {
        match self {
            Self::Known(known) => Some(known.fixed()),
            _ => None,
        }
    }
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
            divergence: Divergence::default(),
            penalty: ElasticNet::default(),
            options: NonNegativeOptions::default(),
        }
    }

    /// NMF by the rule of Lee & Seung, which the models built on it were published with.
    pub fn lee_seung(components: usize) -> Self {
        Self::new(components).with(NonNegativeOptions::default().solver(Self::LEE_SEUNG))
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: NonNegativeOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets what it keeps small.
    #[must_use]
    pub fn divergence(self, divergence: Divergence) -> Self {
        Self { divergence, ..self }
    }

    /// Sets what keeps the factors small or sparse.
    #[must_use]
    pub fn penalty(self, penalty: ElasticNet) -> Self {
        Self { penalty, ..self }
    }

    /// Factorizes `x` as a part of a larger fit; something may constrain the features.
    pub(crate) fn fit_stage<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        stage: Stage,
        constraint: Option<Constraint<'_, T>>,
        session: &mut FitSession<'_>,
    ) -> Result<Outcome<T>> {
        self.fit_stage_from(Given::Nothing, x, stage, constraint, session)
    }

    /// The same from something given.
    fn fit_stage_from<T: Scalar>(
        &self,
        given: Given<T>,
        x: &dyn DataMatrix<T>,
        stage: Stage,
        constraint: Option<Constraint<'_, T>>,
        session: &mut FitSession<'_>,
    ) -> Result<Outcome<T>> {
        self.check(x)?;
        if constraint.is_some() {
            self.check_plain()?;
        }
        if self.divergence == Divergence::KullbackLeibler {
            return self.fit_kullback_leibler(given, x, stage, session);
        }
        let options = &self.options;
        let small = (!self.penalty.is_none()).then(|| Constraint::Small(self.penalties(x)));
        let fixed = given.fixed();
        let stays = fixed.map(Constraint::Fixed);
        let constraint = constraint.or(small).or(stays);
        let regularized =
            matches!(constraint, Some(Constraint::Graph { .. } | Constraint::Small(_)));
        let printed =
            matches!(constraint, Some(Constraint::Graph { form: GraphForm::Printed, .. }));
        let (mut singular_values, mut notices) = (None, vec![]);
        if let Some(Constraint::Graph { graph, .. }) = &constraint {
            notices.extend(Notice::of_search(1, *graph));
        }
        let watch = session.watch(&options.stop);
        let mut size = 0.0;
        let begin = || {
            let started = self.begin(given, x, &watch)?;
            size = x.parts().sum_of(started.h.norm_sq())?;
            singular_values = started.singular_values;
            if started.cut_short {
                notices.push(Notice::InitializationCutShort { stage: stage.to_string() });
            }
            Ok(Pair { z: started.z, h: started.h })
        };
        let (rule, parts) = (&options.stop, x.parts());
        let hals = matches!(options.solver, HSolver::Hals { .. });
        let (pair, mut run) = if constraint.is_none() && hals && observed::pays(x, self.components)
        {
            let prepare = || Observed::begin(x, begin()?, true);
            let (fitted, run) = session.run(stage, rule, parts, prepare)?;
            (fitted.point, run)
        } else {
            let prepare = || alternate(x, begin()?, options.solver, constraint);
            let (fitted, run) = session.run(stage, rule, parts, prepare)?;
            (fitted.point, run)
        };
        if printed {
            let after = x.parts().sum_of(pair.h.norm_sq())?;
            notices.extend(blame_shrinking(&mut run, size, after));
        }
        // With a graph or a penalty the history is that of another objective.
        let error = regularized.then(|| crate::reconstruction_error(x, &pair.z, &pair.h));
        let error = error.transpose()?;
        self.sum_up(x, pair, Record { notices, error, singular_values, ..Record::of(run) }, session)
    }

    /// The penalties of entries for these data.
    fn penalties<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> EntryPenalties {
        self.penalty.of_entries(x.shape().0, x.parts().total(), self.divergence)
    }

    /// *Together*: what to say of penalties, now that there are factors.
    fn notice_of_penalties<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        h: &Matrix<T>,
    ) -> Result<Option<Notice>> {
        let ElasticNet { features, basis, .. } = self.penalty;
        let free = match (features > 0.0, basis > 0.0) {
            (false, false) => return Ok(None),
            (false, true) => "the matrix of features",
            (true, false) => "the basis",
            (true, true) => {
                let nothing = x.parts().sum_of(h.norm_sq())? <= 0.0;
                return Ok(nothing.then_some(Notice::NothingLeft));
            }
        };
        Ok(Some(Notice::PenaltyEscaped { free: free.into() }))
    }

    /// [`fit_stage`](Self::fit_stage) with the Kullback-Leibler divergence.
    fn fit_kullback_leibler<T: Scalar>(
        &self,
        given: Given<T>,
        x: &dyn DataMatrix<T>,
        stage: Stage,
        session: &mut FitSession<'_>,
    ) -> Result<Outcome<T>> {
        let (options, mut notices) = (&self.options, vec![]);
        let (sweeps, fixed) = (self.sweeps()?, given.fixed().unwrap_or_default());
        let watch = session.watch(&options.stop);
        let (fitted, run) = session.run(stage, &options.stop, x.parts(), || {
            let started = self.begin(given, x, &watch)?;
            if started.cut_short {
                notices.push(Notice::InitializationCutShort { stage: stage.to_string() });
            }
            let pair = Pair { z: started.z, h: started.h };
            KlAlternation::begin(x, pair, sweeps, self.penalties(x), fixed)
        })?;
        let Pair { z, h } = &fitted.point;
        let least = Some(self.divergence.error_of_least_model(x)?);
        let penalized = !self.penalty.is_none();
        let error = penalized.then(|| Ok((2.0 * kl_divergence(x, z, h)?).sqrt())).transpose()?;
        self.sum_up(x, fitted.point, Record { notices, error, least, ..Record::of(run) }, session)
    }

    /// The sweeps of coordinate descent, which is the only rule for the Kullback-Leibler divergence.
    pub(crate) fn sweeps(&self) -> Result<usize> {
        let name = match self.options.solver {
            HSolver::Hals { sweeps } => return Ok(sweeps),
            HSolver::Multiplicative { .. } => "multiplicative",
            HSolver::Accelerated { .. } => "accelerated",
        };
        let accepted =
            "the Kullback-Leibler divergence is minimised by coordinate descent, use hals";
        Err(Error::parameter("the rule", name, accepted))
    }

    /// Refuses penalties that a model built on NMF does not have.
    pub(crate) fn check_unpenalized(&self) -> Result<()> {
        if self.penalty.is_none() {
            return Ok(());
        }
        let accepted = "this model has none on its factors, leave it out, or use nmf";
        Err(Error::parameter("the elastic-net penalty", "given", accepted))
    }

    /// The same, and a divergence that it does not have.
    pub(crate) fn check_plain(&self) -> Result<()> {
        self.check_unpenalized()?;
        match self.divergence {
            Divergence::Frobenius => Ok(()),
            Divergence::KullbackLeibler => {
                let accepted =
                    "this model keeps the Frobenius norm small, use it, or nmf or multilayer-nmf";
                Err(Error::parameter("the divergence", "kullback-leibler", accepted))
            }
        }
    }

    /// The factors of another model, if they fit the data.
    fn given_pair<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: &Factors<T>,
    ) -> Result<Pair<T>> {
        let (p, n) = x.shape();
        factors.check_shapes(p, n, &[self.components])?;
        let (z, h) = (factors.z[0].clone(), factors.h[0].clone());
        check_given_features(&h, self.components, 1, x.parts())?;
        check_data(&z)?;
        match z.find_entry(&|v| v < T::ZERO)? {
            None => Ok(Pair { z, h }),
            Some(Entry { feature, value, .. }) => {
                let name = format!("the given basis, feature {}", feature + 1);
                Err(Error::parameter(name, value, "the basis must not be negative"))
            }
        }
    }

    /// Refuses a rule that its divergence does not have.
    pub(crate) fn check_rule(&self) -> Result<()> {
        if self.divergence == Divergence::KullbackLeibler {
            self.sweeps()?;
        }
        Ok(())
    }

    /// Factors to begin with: the given ones, or random ones if somebody stops the initialization.
    pub(crate) fn begin<T: Scalar>(
        &self,
        given: Given<T>,
        x: &dyn DataMatrix<T>,
        watch: &Watch,
    ) -> Result<StartedPair<T>> {
        let known = match given {
            Given::Nothing => None,
            Given::Known(known) => Some(known),
            Given::Factors(Pair { z, h }) => {
                return Ok(StartedPair { z, h, singular_values: None, cut_short: false });
            }
        };
        match x.weights().filter(|_| self.divergence == Divergence::KullbackLeibler) {
            None => self.begin_around(known.as_ref(), x, watch),
            Some(weights) => {
                // Squared errors, which it is about, weigh by roots.
                let rooted = Weighted::rooted(x, weights);
                let Some(roots) = rooted.weights() else {
                    return self.begin_around(known.as_ref(), x, watch);
                };
                let lesser = known.as_ref().map(|known| known.clone().unweighted(roots));
                let mut started = self.begin_around(lesser.as_ref(), &rooted, watch)?;
                roots.put_on(&mut started.h);
                if let Some(known) = known {
                    known.put_back(&mut started.h);
                }
                Ok(started)
            }
        }
    }

    /// The initialization, around components that stay if there are any.
    fn begin_around<T: Scalar>(
        &self,
        known: Option<&Known<T>>,
        x: &dyn DataMatrix<T>,
        watch: &Watch,
    ) -> Result<StartedPair<T>> {
        let NonNegativeOptions { start, seed, .. } = self.options;
        let begin = |x: &dyn DataMatrix<T>, components| {
            begin_non_negative_watched(x, watch, components, start, seed)
        };
        let Some(known) = known else { return begin(x, self.components) };
        let mut cut_short = false;
        let Pair { z, h } = known.begin(x, self.components, true, &mut |rest, components| {
            let started = begin(rest, components)?;
            cut_short = started.cut_short;
            Ok(Pair { z: started.z, h: started.h })
        })?;
        Ok(StartedPair { z, h, singular_values: None, cut_short })
    }

    /// Refuses settings and data that no factorization is possible with.
    pub(crate) fn check<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<()> {
        self.options.check()?;
        self.penalty.check()?;
        self.check_rule()?;
        check_data(x)?;
        check_layers(&[self.components], x.parts().total())?;
        check_non_negative(x)
    }

    /// The factors and how they came about.
    pub(crate) fn sum_up<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        Pair { z, h }: Pair<T>,
        mut record: Record,
        session: &FitSession<'_>,
    ) -> Result<Outcome<T>> {
        record.notices.extend(self.notice_of_penalties(x, &h)?);
        let bound = Bound { components: self.components, seed: self.options.seed };
        let bound = (self.options.measure_bound && self.divergence.is_usual()).then_some(bound);
        let summary = record.sum_up(x, bound, session)?;
        Ok(Outcome { factors: Factors::new(vec![z], vec![h]), summary })
    }
}

impl Kind for Nmf {
    const ABILITIES: Abilities =
        Abilities { warm_start: true, weights: true, fixed: true, ..Abilities::NON_NEGATIVE };

    fn layers(&self) -> Vec<usize> {
        vec![self.components]
    }

    fn divergence(&self) -> Divergence {
        self.divergence
    }

    fn penalty(&self, p: usize) -> Penalty {
        self.penalty.of_features(p, self.divergence)
    }

    fn in_unit(self, factor: f64) -> Self {
        Self { penalty: self.penalty.in_unit(factor), ..self }
    }

    fn beyond_samples(&self) -> Option<&'static str> {
        (!self.penalty.is_none()).then_some("the elastic-net penalty")
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let given = match (task.from, task.known) {
            (None, None) => Given::Nothing,
            (None, Some(known)) => Given::Known(known),
            (Some(WarmStart::Factors(factors)), _) => {
                Given::Factors(self.given_pair(task.x, &factors)?)
            }
            (Some(WarmStart::Bases(_)), _) => {
                let accepted = "nmf has one layer, begin from factors";
                return Err(Error::parameter("the warm start", "bases", accepted));
            }
        };
        let outcome = self.fit_stage_from(given, task.x, Stage::Fitting, None, session)?;
        Ok(Model::new(self.clone(), outcome))
    }
}
