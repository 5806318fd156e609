//! Settings of NeNMF, and the fit.

use serde::{Deserialize, Serialize};

use super::algorithm::NeNmfLoop;
use crate::driver::FitSession;
use crate::error::Result;
use crate::matrix::Scalar;
use crate::models::nmf::Given;
use crate::models::summary::Record;
use crate::models::{Abilities, Kind, Model, Nmf, Notice, Task};
use crate::observe::Stage;

/// NeNMF: `X ~ Z H`, nothing negative, as published.
///
/// ```
/// use deepnmf::{Factorization, Matrix, NeNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = NeNmf::new(3).fit(&x)?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeNmf {
    /// The factorization; its rule is ignored.
    pub nmf: Nmf,
}

impl NeNmf {
    /// NeNMF with `components` components and default settings.
    pub fn new(components: usize) -> Self {
        Self { nmf: Nmf::new(components) }
    }

    /// Sets the factorization.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf }
    }
}

impl Kind for NeNmf {
    const ABILITIES: Abilities = Abilities { weights: true, ..Abilities::NON_NEGATIVE };

    fn layers(&self) -> Vec<usize> {
        vec![self.nmf.components]
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let (x, nmf, options) = (task.x, &self.nmf, &self.nmf.options);
        nmf.check_plain()?;
        nmf.check(x)?;
        let (mut singular_values, mut notices) = (None, vec![]);
        let (stage, watch) = (Stage::Fitting, session.watch(&options.stop));
        let (fitted, run) = session.run(stage, &options.stop, x.parts(), || {
            let started = nmf.begin(Given::Nothing, x, &watch)?;
            singular_values = started.singular_values;
            if started.cut_short {
                notices.push(Notice::InitializationCutShort { stage: stage.to_string() });
            }
            NeNmfLoop::new(x, &started.z, started.h)
        })?;
        let record = Record { notices, singular_values, ..Record::of(run) };
        Ok(Model::new(self.clone(), nmf.sum_up(x, fitted.into_pair(), record, session)?))
    }
}
