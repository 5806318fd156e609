//! Settings of CNMF, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::ClassMeans;
use crate::matrix::Scalar;
use crate::models::kind::only;
use crate::models::nmf::Constraint;
use crate::models::{Abilities, Kind, LabelUse, Model, Nmf, Task};
use crate::observe::Stage;

/// CNMF: `X ~ Z H`, nothing negative, with the same features for all samples of a class.
///
/// ```
/// use deepnmf::{Cnmf, Factorization, Matrix};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let model = Cnmf::new(3).fit_labelled(&x, &[Some(&labels)])?;
/// assert_eq!(model.factors.h[0].col(0), model.factors.h[0].col(2));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cnmf {
    /// The factorization itself.
    pub nmf: Nmf,
}

impl Cnmf {
    /// CNMF with `components` components and the published multiplicative rules.
    pub fn new(components: usize) -> Self {
        Self { nmf: Nmf::lee_seung(components) }
    }

    /// Sets the factorization itself.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf }
    }
}

impl Kind for Cnmf {
    const ABILITIES: Abilities = Abilities { labels: LabelUse::One, ..Abilities::NON_NEGATIVE };

    fn layers(&self) -> Vec<usize> {
        self.nmf.layers()
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        self.nmf.check_plain()?;
        let (x, unknown) = (task.x, vec![None; task.x.shape().1]);
        let classes = ClassMeans::new(x.parts(), only(task.attributes, &unknown))?;
        let constraint = Some(Constraint::Equal(classes));
        let outcome = self.nmf.fit_stage(x, Stage::Fitting, constraint, session)?;
        Ok(Model::new(self.clone(), outcome))
    }
}
