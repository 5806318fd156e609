//! Settings of NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::{Constraint, GraphForm, alternate};
use crate::driver::FitSession;
use crate::error::Result;
use crate::init::{StartedPair, begin_non_negative_watched};
use crate::matrix::{DataMatrix, Scalar, check_data, check_non_negative};
use crate::models::factors::Pair;
use crate::models::options::check_layers;
use crate::models::summary::{Bound, Record, blame_shrinking};
use crate::models::{Abilities, Factors, Kind, Model, NonNegativeOptions, Notice, Outcome, Task};
use crate::observe::Stage;
use crate::stop::Watch;
use crate::update::HSolver;

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
    /// Settings that all models share.
    #[serde(flatten)]
    pub options: NonNegativeOptions,
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
        Self { components, options: NonNegativeOptions::default() }
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

    /// Factorizes `x` as a part of a larger fit; something may constrain the features.
    pub(crate) fn fit_stage<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        stage: Stage,
        constraint: Option<Constraint<'_, T>>,
        session: &mut FitSession<'_>,
    ) -> Result<Outcome<T>> {
        self.check(x)?;
        let options = &self.options;
        let regularized = matches!(constraint, Some(Constraint::Graph { .. }));
        let printed =
            matches!(constraint, Some(Constraint::Graph { form: GraphForm::Printed, .. }));
        let (mut singular_values, mut notices) = (None, vec![]);
        if let Some(Constraint::Graph { graph, .. }) = &constraint {
            notices.extend(Notice::of_search(1, *graph));
        }
        let watch = session.watch(&options.stop);
        let mut size = 0.0;
        let (fitted, mut run) = session.run(stage, &options.stop, x.parts(), || {
            let started = self.begin(x, &watch)?;
            size = x.parts().sum_of(started.h.norm_sq())?;
            singular_values = started.singular_values;
            if started.cut_short {
                notices.push(Notice::InitializationCutShort { stage: stage.to_string() });
            }
            alternate(x, Pair { z: started.z, h: started.h }, options.solver, constraint)
        })?;
        let pair = fitted.point;
        if printed {
            let after = x.parts().sum_of(pair.h.norm_sq())?;
            notices.extend(blame_shrinking(&mut run, size, after));
        }
        // With a graph the history is that of another objective.
        let error = regularized.then(|| crate::reconstruction_error(x, &pair.z, &pair.h));
        let error = error.transpose()?;
        self.sum_up(x, pair, Record { notices, error, singular_values, ..Record::of(run) }, session)
    }

    /// Factors to begin with, random ones if somebody stops that.
    pub(crate) fn begin<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        watch: &Watch,
    ) -> Result<StartedPair<T>> {
        let NonNegativeOptions { start, seed, .. } = self.options;
        begin_non_negative_watched(x, watch, self.components, start, seed)
    }

    /// Refuses settings and data that no factorization is possible with.
    pub(crate) fn check<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<()> {
        self.options.check()?;
        check_data(x)?;
        check_layers(&[self.components], x.parts().total())?;
        check_non_negative(x)
    }

    /// The factors and how they came about.
    pub(crate) fn sum_up<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        Pair { z, h }: Pair<T>,
        record: Record,
        session: &FitSession<'_>,
    ) -> Result<Outcome<T>> {
        let bound = Bound { components: self.components, seed: self.options.seed };
        let summary = record.sum_up(x, self.options.measure_bound.then_some(bound), session)?;
        Ok(Outcome { factors: Factors::new(vec![z], vec![h]), summary })
    }
}

impl Kind for Nmf {
    const ABILITIES: Abilities = Abilities::NON_NEGATIVE;

    fn layers(&self) -> Vec<usize> {
        vec![self.components]
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let outcome = self.fit_stage(task.x, Stage::Fitting, None, session)?;
        Ok(Model::new(self.clone(), outcome))
    }
}
