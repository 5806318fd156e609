//! The one door to every model: [`Settings::fit`], and the one table of what models can do.

use crate::activation::Activation;
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::Labels;
use crate::init::ScaleIn;
use crate::matrix::{DataMatrix, Incomplete, Matrix, SampleWeights, Scalar, Weighted};
use crate::objective::Divergence;
use crate::update::Penalty;

use super::{Factors, FixedComponents, Known, Model, Neighbourhood, PartSizes, Settings, Summary};

/// The labels of each attribute that a model takes, or of each layer; some may have none.
pub type Attributes<'a> = [Option<&'a Labels>];

/// What a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a question of its own
pub struct Abilities {
    /// Which labels it learns from.
    pub labels: LabelUse,
    /// Whether data may have negative entries.
    pub negative_data: bool,
    /// Whether it may have several layers.
    pub deep: bool,
    /// Whether it takes the mean off the samples first; its features then have any sign.
    pub centred: bool,
    /// Whether it can begin from factors of another model.
    pub warm_start: bool,
    /// Whether samples may have weights: its loss is a sum over samples. Some settings add what is none.
    pub weights: bool,
    /// Whether some components may be given and stay as they are ([`FixedComponents`]).
    pub fixed: bool,
}

impl Abilities {
    /// One layer, data of any sign, no labels.
    pub(crate) const SHALLOW: Self = Self {
        labels: LabelUse::None,
        negative_data: true,
        deep: false,
        centred: false,
        warm_start: false,
        weights: false,
        fixed: false,
    };
    /// One layer, nothing negative, no labels.
    pub(crate) const NON_NEGATIVE: Self = Self { negative_data: false, ..Self::SHALLOW };
    /// Whether it learns to predict the attributes whose labels it is given.
    pub fn predicts(self) -> bool {
        self.labels != LabelUse::None && self.negative_data
    }

    /// Several layers, data of any sign, no labels.
    pub(crate) const DEEP: Self = Self { deep: true, ..Self::SHALLOW };
}

/// A model as it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// Its name as people write it.
    pub title: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// What it can do.
    pub abilities: Abilities,
}

/// Which labels a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelUse {
    /// None.
    None,
    /// Those of one attribute.
    One,
    /// Those of any number of attributes.
    Several,
    /// Those of one attribute for each layer.
    EachLayer,
    /// Those of one attribute for each part, or none at all.
    EachPart,
}

/// Factors of another model to begin from.
#[derive(Debug, Clone)]
pub enum WarmStart<T> {
    /// All factors, fitted to the same samples. A model with one layer takes the features of the last.
    Factors(Factors<T>),
    /// The bases `Z_1 .. Z_m`, fitted to other samples with the same features.
    Bases(Vec<Matrix<T>>),
}

/// What is to be factorized, and with what.
pub struct Task<'a, T> {
    /// The data.
    pub x: &'a dyn DataMatrix<T>,
    /// The labels.
    pub attributes: &'a Attributes<'a>,
    /// Where to begin, if not where the settings say.
    pub from: Option<WarmStart<T>>,
    /// The weights of the samples of this part, if they have any.
    pub weights: Option<&'a [f64]>,
    /// Components that stay, if some do.
    pub fixed: Option<FixedComponents<T>>,
    /// The same after their check.
    pub(crate) known: Option<Known<T>>,
}

impl<'a, T> Task<'a, T> {
    /// Nothing but data.
    pub(crate) fn of(x: &'a dyn DataMatrix<T>) -> Self {
        Self { x, attributes: &[], from: None, weights: None, fixed: None, known: None }
    }
}

/// Factors and how they came about.
pub(crate) struct Outcome<T> {
    pub(crate) factors: Factors<T>,
    pub(crate) summary: Summary,
}

/// What a model's settings must be able to do.
pub(crate) trait Kind: Clone + Into<Settings> {
    /// What the model can do.
    const ABILITIES: Abilities;

    /// The number of components of each layer, the first one first.
    fn layers(&self) -> Vec<usize>;

    /// The nonlinearity between the layers.
    fn activation(&self) -> Activation {
        Activation::Identity
    }

    /// What it keeps small.
    fn divergence(&self) -> Divergence {
        Divergence::Frobenius
    }

    /// The penalty of the features of new samples that have `p` features.
    fn penalty(&self, p: usize) -> Penalty {
        let _ = p;
        Penalty::NONE
    }

    /// The same settings for data times `factor`: what is measured in their unit is scaled with them.
    #[must_use]
    fn in_unit(self, factor: f64) -> Self {
        let _ = factor;
        self
    }

    /// What these settings add to a loss that is a sum over samples, and so cannot weigh them.
    fn beyond_samples(&self) -> Option<&'static str> {
        None
    }

    /// Whether all layers are moved by gradients, which takes more memory.
    fn descends(&self) -> bool {
        false
    }

    /// Which factor carries the unit of the data.
    fn unit_in(&self) -> ScaleIn {
        ScaleIn::Z
    }

    /// The neighbour graphs of its layers, if features of new samples depend on neighbours.
    fn neighbourhood(&self) -> Option<Neighbourhood> {
        None
    }

    /// The same of models whose layers are fitted together.
    fn joint_neighbourhood(&self) -> Option<Neighbourhood> {
        None
    }

    /// Whether every layer has a term of its own in the loss.
    fn layers_have_losses(&self) -> bool {
        false
    }

    /// The clusters of each part, in models whose samples are sums of parts.
    fn part_sizes(&self) -> &[PartSizes] {
        &[]
    }

    /// From which component on those fade out in what layers with neighbours read, if somebody says so.
    fn fade(&self) -> Option<usize> {
        None
    }

    /// What to change where a fit does not converge.
    fn advice(&self) -> &'static str {
        "use f64, or another initialization or rule"
    }

    /// Fits the model. All parts of the data call it together.
    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>>;
}

/// The settings of a model, ready to be fitted.
///
/// ```
/// use deepnmf::{Factorization, FitSession, Matrix, SemiNmf, Wsf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = SemiNmf::new(3).fit(&x)?;
///
/// let labels: Vec<Option<u32>> = (0..20).map(|j| (j < 10).then_some(j % 2)).collect();
/// let supervised = Wsf::new(3, 0.1).fit_labelled(&x, &[Some(&labels)])?;
/// # Ok::<(), deepnmf::Error>(())
/// ```
pub trait Factorization: Clone + Into<Settings> {
    /// Factorizes `x`.
    ///
    /// # Errors
    /// If the data are empty, not finite, or negative where the model takes no such numbers, or if the
    /// settings do not fit them.
    fn fit<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<Model<T>> {
        self.fit_labelled(x, &[])
    }

    /// Factorizes `x`, of whose samples some or all have labels.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if the labels do not fit the data or the model.
    fn fit_labelled<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        attributes: &Attributes<'_>,
    ) -> Result<Model<T>> {
        self.fit_in(x, attributes, &mut FitSession::new())
    }

    /// Factorizes `x` in a session that can be watched and stopped.
    ///
    /// # Errors
    /// As [`fit_labelled`](Self::fit_labelled).
    fn fit_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        attributes: &Attributes<'_>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        T::fit(&self.clone().into(), Task { attributes, ..Task::of(x) }, session)
    }

    /// Factorizes `x` from factors of another model, without labels.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if the model cannot begin there, or shapes do not fit.
    fn fit_from<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        from: WarmStart<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let task = Task { from: Some(from), ..Task::of(x) };
        T::fit(&self.clone().into(), task, session)
    }

    /// Factorizes `x`, whose samples have weights: the loss is `sum_j w_j |x_j - Z h_j|^2`, or the same of the
    /// Kullback-Leibler divergence. A sample of weight 2 counts as two copies of it. Errors of the result are
    /// those of this loss. `weights` has one number above 0 for each sample of this part.
    ///
    /// Models that take weights say so ([`Abilities::weights`]).
    ///
    /// ```
    /// use deepnmf::{Factorization, FitSession, Matrix, SemiNmf};
    /// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
    /// let weights: Vec<f64> = (0..20).map(|j| if j < 10 { 1.0 } else { 3.0 }).collect();
    /// let model = SemiNmf::new(3).fit_weighted(&x, &weights, None, &mut FitSession::new())?;
    /// assert_eq!(model.factors.h[0].shape(), (3, 20));
    /// # Ok::<(), deepnmf::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit_from`](Self::fit_from), and if the model takes no weights, entries are missing, or a weight is no
    /// number above 0.
    fn fit_weighted<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        weights: &[f64],
        from: Option<WarmStart<T>>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let task = Task { from, weights: Some(weights), ..Task::of(x) };
        T::fit(&self.clone().into(), task, session)
    }

    /// Factorizes `x` with components that stay as they are, in models that take them ([`Abilities::fixed`]). The loss is
    /// minimised over all others. Samples may have weights, as in [`fit_weighted`](Self::fit_weighted).
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and if the model takes none, or they do not fit the data or the model.
    fn fit_fixed<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        fixed: FixedComponents<T>,
        weights: Option<&[f64]>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let task = Task { weights, fixed: Some(fixed), ..Task::of(x) };
        T::fit(&self.clone().into(), task, session)
    }
}

impl Factorization for Settings {}

impl Settings {
    /// Factorizes `x`, whatever the model. `attributes` holds what it learns from ([`Abilities::labels`]):
    /// nothing, one list of labels, one for each weight, or one for each layer. A list may be left out.
    ///
    /// # Errors
    /// As [`Factorization::fit_labelled`].
    pub fn fit<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        attributes: &Attributes<'_>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.fit_in(x, attributes, session)
    }

    /// The door itself; what fails on one part of the data fails on all.
    pub(crate) fn run<T: Scalar>(
        &self,
        mut task: Task<'_, T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        let parts = task.x.parts();
        let result = self.check_task(&mut task).and_then(|()| match task.weights {
            None => self.run_in_unit(task, session),
            Some(weights) => self.run_weighted(task, weights, session),
        });
        result.inspect_err(|error| parts.abort(error))
    }

    fn check_task<T: Scalar>(&self, task: &mut Task<'_, T>) -> Result<()> {
        if let Some(fixed) = task.fixed.take() {
            task.known = Some(fixed.checked(self, task.x)?);
        }
        if task.from.is_some() && !self.abilities().warm_start {
            let accepted = format!("{} cannot begin from factors, semi-nmf can", self.name());
            return Err(Error::parameter("the warm start", "given", accepted));
        }
        self.check_labels(task)
    }

    /// Fits samples times factors without weights, and takes the factors off the features.
    fn run_weighted<T: Scalar>(
        &self,
        task: Task<'_, T>,
        weights: &[f64],
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        self.check_weights()?;
        Incomplete::refuse(task.x, "a fit with weights of samples")?;
        let weights = SampleWeights::new(weights, self.divergence(), task.x.parts())?;
        let x = Weighted::new(task.x, &weights);
        let mut from = task.from;
        if let Some(WarmStart::Factors(factors)) = &mut from {
            factors.h.iter_mut().for_each(|h| weights.put_on(h));
        }
        let given = task.known;
        let known = given.clone().map(|known| known.weighted(&weights));
        let task = Task { x: &x, from, weights: None, known, ..task };
        let mut model = self.run_in_unit(task, session)?;
        model.factors.h.iter_mut().for_each(|h| weights.take_off(h));
        // What stays does so to the bit.
        if let Some(known) = given {
            known.put_back(&mut model.factors.h[0]);
        }
        Ok(model)
    }

    /// Refuses weights of samples where the loss is no sum over samples.
    fn check_weights(&self) -> Result<()> {
        let accepted = match (self.abilities().weights, self.beyond_samples()) {
            (true, None) => return Ok(()),
            (true, Some(beyond)) => {
                format!(
                    "samples with weights need a loss that is a sum over them, leave out {beyond}"
                )
            }
            (false, _) => {
                let takers = Self::MODELS.iter().filter(|model| model.abilities.weights);
                let names: Vec<_> = takers.map(|model| model.name).collect();
                format!("{} takes none, these do: {}", self.name(), names.join(", "))
            }
        };
        Err(Error::parameter("the list of weights of samples", "given", accepted))
    }

    fn check_labels<T: Scalar>(&self, task: &Task<'_, T>) -> Result<()> {
        let (given, layers) = (task.attributes.len(), self.layers().len());
        let most = match self.abilities().labels {
            LabelUse::None => 0,
            LabelUse::One => 1,
            LabelUse::Several => return Ok(()),
            LabelUse::EachLayer if given == layers => return Ok(()),
            LabelUse::EachPart if given == 0 || given == self.parts().len() => return Ok(()),
            LabelUse::EachPart => {
                return Err(Error::Shape {
                    what: "the labels".into(),
                    found: format!("{given} of them"),
                    expected: match self.parts().len() {
                        0 => "none where the fit finds out which parts there are".into(),
                        parts => format!("one (or none) for each of the {parts} parts"),
                    },
                });
            }
            LabelUse::EachLayer => {
                return Err(Error::Shape {
                    what: "the labels".into(),
                    found: format!("{given} of them"),
                    expected: format!("one (or none) for each of the {layers} layers"),
                });
            }
        };
        if given > most {
            let accepted = match most {
                0 => format!("{} learns from none, leave them out", self.name()),
                _ => format!("{} learns from those of one attribute", self.name()),
            };
            return Err(Error::parameter("the number of attributes with labels", given, accepted));
        }
        Ok(())
    }
}

/// The labels of the only attribute, or none for every sample.
pub(crate) fn only<'a>(attributes: &Attributes<'a>, unknown: &'a Labels) -> &'a Labels {
    attributes.first().copied().flatten().unwrap_or(unknown)
}

/// The list of models: the enum of their settings, and what asks each of them.
macro_rules! models {
    ($(#[doc = $summary:literal] $model:ident = $name:literal, $title:literal;)+) => {
        /// The settings of a model; one variant per model.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "model")]
        pub enum Settings {
            $(#[doc = $summary] #[serde(rename = $name)] $model($model),)+
        }

        impl Settings {
            /// All models.
            pub const MODELS: &'static [ModelInfo] = &[$(ModelInfo {
                name: $name,
                title: $title,
                summary: $summary.trim_ascii(),
                abilities: <$model as Kind>::ABILITIES,
            }),+];

            /// The model's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$model(_) => $name,)+ }
            }

            /// What the model can do.
            pub fn abilities(&self) -> Abilities {
                match self { $(Self::$model(_) => <$model as Kind>::ABILITIES,)+ }
            }

            /// The number of components of each layer, the first one first.
            pub fn layers(&self) -> Vec<usize> {
                match self { $(Self::$model(model) => model.layers(),)+ }
            }

            /// The nonlinearity between the layers.
            pub fn activation(&self) -> crate::activation::Activation {
                match self { $(Self::$model(model) => model.activation(),)+ }
            }

            /// What the model keeps small, and its errors are errors of.
            pub fn divergence(&self) -> crate::objective::Divergence {
                match self { $(Self::$model(model) => Kind::divergence(model),)+ }
            }

            /// The penalty of the features of new samples that have `p` features.
            pub(crate) fn penalty(&self, p: usize) -> crate::update::Penalty {
                match self { $(Self::$model(model) => Kind::penalty(model, p),)+ }
            }

            /// The same settings for data times `factor`.
            pub(crate) fn in_unit(self, factor: f64) -> Self {
                match self { $(Self::$model(model) => Self::$model(model.in_unit(factor)),)+ }
            }

            /// What these settings add to a loss that is a sum over samples.
            pub(super) fn beyond_samples(&self) -> Option<&'static str> {
                match self { $(Self::$model(model) => model.beyond_samples(),)+ }
            }

            /// Whether all layers are moved by gradients.
            pub(super) fn descends(&self) -> bool {
                match self { $(Self::$model(model) => model.descends(),)+ }
            }

            /// Which factor carries the unit of the data.
            pub(super) fn unit_in(&self) -> crate::init::ScaleIn {
                match self { $(Self::$model(model) => model.unit_in(),)+ }
            }

            /// The neighbour graphs of its layers, if features of new samples depend on neighbours.
            pub(crate) fn neighbours(&self) -> Option<Neighbourhood> {
                match self { $(Self::$model(model) => model.neighbourhood(),)+ }
            }

            /// From which component on those fade out in what layers with neighbours read, if somebody says so.
            pub(crate) fn fade(&self) -> Option<usize> {
                match self { $(Self::$model(model) => model.fade(),)+ }
            }

            /// The same of models whose layers are fitted together.
            pub(crate) fn joint_neighbours(&self) -> Option<Neighbourhood> {
                match self { $(Self::$model(model) => model.joint_neighbourhood(),)+ }
            }

            /// Whether every layer has a term of its own in the loss.
            pub(crate) fn layers_have_losses(&self) -> bool {
                match self { $(Self::$model(model) => model.layers_have_losses(),)+ }
            }

            /// Whether new samples are compared with those of the fit in the space of the first basis.
            pub(crate) fn compares_data(&self) -> bool {
                self.neighbours().is_some_and(|of| of.of_layer(1) > 0)
                    || self.joint_neighbours().is_some()
            }

            /// The clusters of each part in each layer, in models whose samples are sums of parts.
            pub fn part_sizes(&self) -> &[PartSizes] {
                match self { $(Self::$model(model) => model.part_sizes(),)+ }
            }

            /// Those of each part in the top layer.
            pub fn parts(&self) -> Vec<usize> {
                self.parts_in(self.layers().len())
            }

            /// Those of each part in a layer, counted from 1.
            pub fn parts_in(&self, layer: usize) -> Vec<usize> {
                self.part_sizes().iter().map(|part| part.in_layer(layer)).collect()
            }

            /// What to change where a fit does not converge.
            pub(super) fn advice(&self) -> &'static str {
                match self { $(Self::$model(model) => model.advice(),)+ }
            }

            pub(super) fn dispatch<T: Scalar>(
                &self,
                task: Task<'_, T>,
                session: &mut crate::driver::FitSession<'_>,
            ) -> crate::error::Result<Model<T>> {
                match self { $(Self::$model(model) => model.run(task, session),)+ }
            }
        }

        $(
            impl From<$model> for Settings {
                fn from(model: $model) -> Self {
                    Self::$model(model)
                }
            }

            impl Factorization for $model {}
        )+
    };
}

pub(super) use models;
