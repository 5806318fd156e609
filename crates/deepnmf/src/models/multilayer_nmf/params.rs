//! Settings of Multi-layer NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::{JointLoop, factors_of};
use super::kullback_leibler::{KlJoint, Layers};
use crate::driver::{FitSession, Run};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, PartColumns, Scalar, check_data, check_non_negative};
use crate::models::nmf::bring_to_unit_sums;
use crate::models::options::check_layers;
use crate::models::summary::{Bound, Record};
use crate::models::{Abilities, Factors, Kind, Model, Nmf, NonNegativeOptions, Outcome, Task};
use crate::objective::Divergence;
use crate::observe::Stage;
use crate::stop::StopRule;

/// Iterations after which the factorization of a layer alone is a start as good as any.
const PRETRAINING: usize = 50;

/// Multi-layer NMF: `X ~ Z_1 Z_2 ... Z_m H_m`, nothing negative.
///
/// ```
/// use deepnmf::{Factorization, Matrix, MultilayerNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = MultilayerNmf::new([5, 3]).fit(&x)?;
/// assert_eq!(model.factors.h[1].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MultilayerNmf {
    /// The number of components of each layer, the one next to the data first.
    pub layers: Vec<usize>,
    /// How each layer is factorized first, in 50 iterations at most, what is kept small, and when the joint tuning
    /// stops; its number of components is ignored.
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
}

impl MultilayerNmf {
    /// Tunes all layers together.
    fn tune<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        z: Vec<Matrix<T>>,
        h: Matrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<(Factors<T>, Run)> {
        let (stage, stop) = (Stage::FineTuning, &self.nmf.options.stop);
        if self.nmf.divergence == Divergence::KullbackLeibler {
            let (layers, sweeps) = (Layers { z, h }, self.nmf.sweeps()?);
            let (tuned, run) =
                session.run(stage, stop, x.parts(), || KlJoint::begin(x, layers, sweeps))?;
            let Layers { z, h } = tuned.point;
            return Ok((factors_of(z, h), run));
        }
        let (tuned, run) = session.run(stage, stop, x.parts(), || JointLoop::new(x, z, h))?;
        Ok((factors_of(tuned.z, tuned.h), run))
    }
}

impl Kind for MultilayerNmf {
    const ABILITIES: Abilities = Abilities { deep: true, weights: true, ..Abilities::NON_NEGATIVE };

    fn layers(&self) -> Vec<usize> {
        self.layers.clone()
    }

    fn divergence(&self) -> Divergence {
        self.nmf.divergence
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let (x, options) = (task.x, &self.nmf.options);
        self.nmf.check_unpenalized()?;
        self.nmf.check_rule()?;
        check_data(x)?;
        check_layers(&self.layers, x.parts().total())?;
        check_non_negative(x)?;
        let (mut z, mut h, mut runs) = (vec![], None, vec![]);
        for (i, &components) in self.layers.iter().enumerate() {
            let max_iterations = options.stop.max_iterations.min(PRETRAINING);
            let stop = StopRule { max_iterations, ..options.stop };
            let options = NonNegativeOptions { stop, measure_bound: false, ..options.clone() };
            let below = h
                .as_ref()
                .map(|h: &Matrix<T>| PartColumns::new(h.view(), x.parts()).weighted(x.weights()));
            let input = below.as_ref().map_or(x, |below| below as &dyn DataMatrix<T>);
            let stage = Stage::Pretraining { layer: i + 1 };
            let layer = Nmf::new(components).divergence(self.nmf.divergence).with(options);
            let Outcome { mut factors, summary } = layer.fit_stage(input, stage, None, session)?;
            // The next layer is to see features by how much they matter, not by how they happen to be
            // scaled.
            bring_to_unit_sums(&mut factors.z[0], &mut factors.h[0]);
            z.append(&mut factors.z);
            h = factors.h.pop();
            runs.extend(summary.runs);
        }
        let top = h.unwrap_or_else(|| unreachable!("a model has layers"));
        let (factors, run) = self.tune(x, z, top, session)?;
        runs.push(run);
        let (divergence, components) = (self.nmf.divergence, self.layers[self.layers.len() - 1]);
        let usual = divergence.is_usual();
        let bound = Bound { components, seed: options.seed };
        let bound = (options.measure_bound && usual).then_some(bound);
        let least = (!usual).then(|| divergence.error_of_least_model(x)).transpose()?;
        let record = Record { main_run: runs.len() - 1, runs, least, ..Record::default() };
        let summary = record.sum_up(x, bound, session)?;
        Ok(Model::new(self.clone(), Outcome { factors, summary }))
    }
}
