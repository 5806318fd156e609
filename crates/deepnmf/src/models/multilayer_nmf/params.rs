//! Settings of Multi-layer NMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::JointLoop;
use crate::driver::FitSession;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, PartColumns, Scalar, check_data, check_non_negative};
use crate::models::nmf::bring_to_unit_sums;
use crate::models::options::check_layers;
use crate::models::summary::{Bound, Record};
use crate::models::{Abilities, Kind, Model, Nmf, NonNegativeOptions, Outcome, Task};
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
    /// How each layer is factorized first, in 50 iterations at most, and when the joint tuning stops; its
    /// number of components is ignored.
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

impl Kind for MultilayerNmf {
    const ABILITIES: Abilities = Abilities { deep: true, ..Abilities::NON_NEGATIVE };

    fn layers(&self) -> Vec<usize> {
        self.layers.clone()
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let (x, options) = (task.x, &self.nmf.options);
        self.nmf.check_frobenius()?;
        check_data(x)?;
        check_layers(&self.layers, x.parts().total())?;
        check_non_negative(x)?;
        let (mut z, mut h, mut runs) = (vec![], None, vec![]);
        for (i, &components) in self.layers.iter().enumerate() {
            let max_iterations = options.stop.max_iterations.min(PRETRAINING);
            let stop = StopRule { max_iterations, ..options.stop };
            let options = NonNegativeOptions { stop, measure_bound: false, ..options.clone() };
            let below = h.as_ref().map(|h: &Matrix<T>| PartColumns::new(h.view(), x.parts()));
            let input = below.as_ref().map_or(x, |below| below as &dyn DataMatrix<T>);
            let stage = Stage::Pretraining { layer: i + 1 };
            let layer = Nmf::new(components).with(options);
            let Outcome { mut factors, summary } = layer.fit_stage(input, stage, None, session)?;
            // The next layer is to see features by how much they matter, not by how they happen to be
            // scaled.
            bring_to_unit_sums(&mut factors.z[0], &mut factors.h[0]);
            z.append(&mut factors.z);
            h = factors.h.pop();
            runs.extend(summary.runs);
        }
        let top = h.unwrap_or_else(|| unreachable!("a model has layers"));
        let (tuned, run) = session
            .run(Stage::FineTuning, &options.stop, x.parts(), || JointLoop::new(x, z, top))?;
        runs.push(run);
        let components = self.layers[self.layers.len() - 1];
        let bound = options.measure_bound.then_some(Bound { components, seed: options.seed });
        let record = Record { main_run: runs.len() - 1, runs, ..Record::default() };
        let summary = record.sum_up(x, bound, session)?;
        Ok(Model::new(self.clone(), Outcome { factors: tuned.into_factors(), summary }))
    }
}
