//! Settings of Deep WSF, and the fit.

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::{Graph, LabelGraph};
use crate::init::ScaleIn;
use crate::matrix::{DataMatrix, Scalar, Watched};
use crate::models::deep_semi_nmf::Supervision;
use crate::models::graphs::{Graphs, Labelled, weighted};
use crate::models::wsf::{ADVICE, check_lambda};
use crate::models::{
    Abilities, Attributes, DeepSemiNmf, Factorization, FitOptions, Form, Kind, LabelUse, Model,
    Neighbourhood, Penalties, Settings, Task, Variant, WarmStart, in_common_unit,
};
use crate::objective::Divergence;

/// The ridge of nonlinear models and consistent losses with the printed penalty if none is given. Without any, features would
/// shrink and bases grow until labels lose their effect; with one, a component costs least where both its
/// parts cost the same, and there all that counts is the root of `lambda` times the ridge.
const RIDGE: f64 = 0.1;

/// What begins each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pretraining {
    /// WSF with the layer's labels.
    #[default]
    Wsf,
    /// Semi-NMF, which knows no labels.
    SemiNmf,
}

/// Deep WSF: one attribute a layer, or none.
///
/// ```
/// use deepnmf::{DeepWsf, Factorization, Matrix};
/// let x = Matrix::from_fn(12, 40, |i, j| ((i * j) as f64).sin() + 1.0);
/// let identity: Vec<Option<u32>> = (0..40).map(|j| (j < 30).then_some(j % 4)).collect();
/// let model = DeepWsf::new([6, 3], [0.0, 0.01]).fit_labelled(&x, &[None, Some(&identity)])?;
/// assert_eq!(model.factors.h[1].shape(), (3, 40));
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeepWsf {
    /// The layers and how they are fitted, as without labels.
    pub deep: DeepSemiNmf,
    /// The weight of each layer's labels; ignored for a layer that has none.
    pub lambda: Vec<f64>,
    /// How samples of the same class are connected.
    pub graph: LabelGraph,
    /// What begins each layer.
    pub pretraining: Pretraining,
    /// Which graph penalty it has, and which form of Algorithm 2 the linear model follows.
    pub variant: Variant,
}

impl DeepWsf {
    /// Linear Deep WSF with the given layer sizes, the weight of each layer's labels, and default
    /// settings.
    pub fn new(layers: impl Into<Vec<usize>>, lambda: impl Into<Vec<f64>>) -> Self {
        Self::of(DeepSemiNmf::new(layers), lambda)
    }

    /// A Deep Semi-NMF with the weight of each layer's labels.
    pub fn of(deep: DeepSemiNmf, lambda: impl Into<Vec<f64>>) -> Self {
        Self {
            deep,
            lambda: lambda.into(),
            graph: LabelGraph::default(),
            pretraining: Pretraining::default(),
            variant: Variant::default(),
        }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { deep: self.deep.with(options), ..self }
    }

    /// Sets how samples of the same class are connected.
    #[must_use]
    pub fn graph(self, graph: LabelGraph) -> Self {
        Self { graph, ..self }
    }

    /// Sets what begins each layer.
    #[must_use]
    pub fn pretraining(self, pretraining: Pretraining) -> Self {
        Self { pretraining, ..self }
    }

    /// Sets which graph penalty it has, and which form of Algorithm 2 the linear model follows.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// Factorizes `x`, given for each layer a graph of any kind, its weight included, or none.
    ///
    /// # Errors
    /// If the data are empty or not finite, or the settings or the graphs do not fit them.
    pub fn fit_with_graphs<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        graphs: &[Option<&dyn Graph<T>>],
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        check_count("the graphs", graphs.len(), self.deep.layers.len())?;
        for graph in graphs.iter().flatten() {
            if graph.samples() != x.shape().1 {
                return Err(Error::Shape {
                    what: "a graph".into(),
                    found: format!("{} samples", graph.samples()),
                    expected: format!("{} samples", x.shape().1),
                });
            }
        }
        if session.is_checkpointed() {
            let accepted = "fits with graphs of your own have none, leave them out";
            return Err(Error::parameter("checkpoints", "wanted", accepted));
        }
        in_common_unit(x, Divergence::Frobenius, session, |x, _, session| {
            self.fit_in_unit(x, graphs, session)
        })
    }

    /// The same for data in the common unit.
    fn fit_in_unit<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        graphs: &[Option<&dyn Graph<T>>],
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let graphs = Graphs::new(graphs);
        let from_the_start = self.pretraining == Pretraining::Wsf;
        let layered = self.deep.is_the_papers() && self.variant == Variant::ScaleFree;
        if layered {
            self.check_layered()?;
        } else if self.deep.neighbourhood.any() && self.variant != Variant::ScaleFree {
            let accepted = "neighbours need the variant scale-free";
            return Err(Error::parameter("the number of neighbours", "given", accepted));
        }
        let model = if layered && (graphs.any() || self.deep.neighbourhood.any()) {
            self.deep.fit_in_layers(x, graphs, session)?
        } else {
            let variant = if graphs.any() { self.variant } else { Variant::Printed };
            let supervision = Supervision { graphs, from_the_start, variant };
            self.in_use(graphs).fit_supervised(x, supervision, session)?
        };
        let settings = match model.settings {
            Settings::DeepSemiNmf(deep) => Settings::DeepWsf(Self { deep, ..self.clone() }),
            other => other,
        };
        Ok(Model { settings, ..model })
    }

    /// Supervised pre-training: this model of labelled `auxiliary` samples gives its bases to an
    /// unsupervised `then` of the `primary` samples. Returns both models, the latter last.
    ///
    /// # Errors
    /// As [`Factorization::fit_labelled`], and if the features or the layers of both differ.
    pub fn fit_then<T: Scalar>(
        &self,
        auxiliary: &dyn DataMatrix<T>,
        attributes: &Attributes<'_>,
        then: &DeepSemiNmf,
        primary: &dyn DataMatrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<(Model<T>, Model<T>)> {
        let (p, features) = (primary.shape().0, auxiliary.shape().0);
        if p != features {
            return Err(Error::Shape {
                what: "the auxiliary samples".into(),
                found: format!("{features} features"),
                expected: format!("{p} features, as the primary samples have"),
            });
        }
        then.check_same_layers(&self.deep.layers)?;
        let first = self.fit_in(auxiliary, attributes, session)?;
        let bases = WarmStart::Bases(first.factors.z.clone());
        let second = then.fit_from(primary, bases, session)?;
        Ok((first, second))
    }

    /// Refuses settings of Algorithm 2 where layers are fitted one after the other.
    fn check_layered(&self) -> Result<()> {
        let accepted = "a linear deep-wsf has it with the variants printed and released only";
        if self.pretraining == Pretraining::SemiNmf {
            return Err(Error::parameter("the pre-training", "semi-nmf", accepted));
        }
        if self.deep.form == Form::Literal {
            return Err(Error::parameter("the form", "literal", accepted));
        }
        Ok(())
    }

    /// The deep model with a ridge where labels as printed would have no effect without one.
    fn in_use<T>(&self, graphs: Graphs<'_, T>) -> DeepSemiNmf {
        let deep = self.deep.clone();
        let penalties = deep.penalties;
        let printed = self.variant != Variant::ScaleFree;
        if printed && graphs.any() && !deep.is_the_papers() && penalties.ridge == 0.0 {
            return deep.penalties(Penalties { ridge: RIDGE, ..penalties });
        }
        deep
    }
}

impl Kind for DeepWsf {
    const ABILITIES: Abilities = Abilities { labels: LabelUse::EachLayer, ..Abilities::DEEP };

    fn layers(&self) -> Vec<usize> {
        self.deep.layers.clone()
    }

    fn activation(&self) -> Activation {
        self.deep.activation
    }

    fn in_unit(self, factor: f64) -> Self {
        let deep = Kind::in_unit(self.deep, factor);
        Self { graph: self.graph.in_unit(factor), deep, ..self }
    }

    fn descends(&self) -> bool {
        self.deep.descends()
    }

    fn unit_in(&self) -> ScaleIn {
        self.deep.unit_in()
    }

    fn neighbourhood(&self) -> Option<Neighbourhood> {
        Kind::neighbourhood(&self.deep)
    }

    fn joint_neighbourhood(&self) -> Option<Neighbourhood> {
        self.deep.joint_neighbourhood()
    }

    fn layers_have_losses(&self) -> bool {
        self.deep.layers_have_losses()
    }

    fn fade(&self) -> Option<usize> {
        self.deep.options.fade
    }

    fn advice(&self) -> &'static str {
        ADVICE
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let layers = self.deep.layers.len();
        check_lambda(&self.lambda, layers, "layers")?;
        let watch = session.watch(&self.deep.options.stop);
        let watched = Watched::new(task.x, &watch);
        let mut graphs = Vec::with_capacity(layers);
        for (labels, &lambda) in task.attributes.iter().zip(&self.lambda) {
            let labelled: Vec<_> = labels.iter().map(|l| Labelled { lambda, labels: l }).collect();
            graphs.push(weighted(&watched, (self.graph, self.variant), &labelled, None)?);
        }
        let graphs: Vec<_> =
            graphs.iter().map(|graph| graph.as_ref().map(|g| g as &dyn Graph<T>)).collect();
        self.fit_in_unit(task.x, &graphs, session)
    }
}

/// Refuses a list that does not have one entry for each layer.
fn check_count(what: &str, found: usize, layers: usize) -> Result<()> {
    if found == layers {
        return Ok(());
    }
    Err(Error::Shape {
        what: what.into(),
        found: format!("{found} of them"),
        expected: format!("one (or none) for each of the {layers} layers"),
    })
}
