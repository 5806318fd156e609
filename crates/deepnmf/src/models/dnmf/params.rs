//! Settings of DNMF, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::FitSession;
use crate::error::Result;
use crate::graph::Fisher;
use crate::matrix::Scalar;
use crate::models::kind::only;
use crate::models::nmf::{Constraint, GraphForm};
use crate::models::{Abilities, Kind, LabelUse, Model, Nmf, Task};
use crate::observe::Stage;
use crate::update::HSolver;

/// DNMF: `X ~ Z H`, nothing negative, with classes that are tight and apart.
///
/// ```
/// use deepnmf::{Dnmf, Factorization, Matrix};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let model = Dnmf::new(3, 0.1, 0.0).fit_labelled(&x, &[Some(&labels)])?;
/// assert_eq!(model.factors.h[0].shape(), (3, 20));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dnmf {
    /// The factorization itself.
    pub nmf: Nmf,
    /// The weight of the scatter within classes.
    pub gamma: f64,
    /// The weight of the scatter between classes.
    pub delta: f64,
}

impl Dnmf {
    /// DNMF with `components` components, both weights, and multiplicative rules.
    pub fn new(components: usize, gamma: f64, delta: f64) -> Self {
        Self { nmf: Nmf::lee_seung(components), gamma, delta }
    }

    /// Sets the factorization itself.
    #[must_use]
    pub fn with(self, nmf: Nmf) -> Self {
        Self { nmf, ..self }
    }
}

impl Dnmf {
    /// The factorization with a rule that negative weights allow.
    fn factorization(&self) -> Nmf {
        let mut nmf = self.nmf.clone();
        if let (true, HSolver::Multiplicative { eta, .. }) =
            (self.delta > 0.0, &mut nmf.options.solver)
        {
            *eta = eta.min(0.5);
        }
        nmf
    }
}

impl Kind for Dnmf {
    const ABILITIES: Abilities = Abilities { labels: LabelUse::One, ..Abilities::NON_NEGATIVE };

    fn layers(&self) -> Vec<usize> {
        self.nmf.layers()
    }

    fn advice(&self) -> &'static str {
        "lower gamma and delta, the weights of the scatter"
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        self.nmf.check_plain()?;
        let (x, unknown) = (task.x, vec![None; task.x.shape().1]);
        let labels = only(task.attributes, &unknown);
        let graph = Fisher::new(x.parts(), labels, self.gamma, self.delta)?;
        let labelled = labels.iter().flatten().count() as f64;
        let weighs = (self.gamma > 0.0 || self.delta > 0.0) && x.parts().sum_of(labelled)? > 0.0;
        let form = if self.delta > 0.0 { GraphForm::UnitBasis } else { GraphForm::Printed };
        let constraint = weighs.then_some(Constraint::Graph { graph: &graph, form });
        let outcome = self.factorization().fit_stage(x, Stage::Fitting, constraint, session)?;
        Ok(Model::new(self.clone(), outcome))
    }
}
