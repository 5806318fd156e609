//! Settings of Deep Semi-NMF, checked.

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Scalar, check_data};
use crate::models::options::check_layers;
use crate::models::{FitOptions, Neighbourhood, Notice};

/// The ridge of the layers' loss if none is given: without any, features could shrink towards
/// nothing, and with them all that the layers above have to explain.
const LAYER_RIDGE: f64 = 1e-3;

/// How Algorithm 1 is carried out. Both forms give the same bases and top features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The closed form, at the cost of the top layer alone.
    #[default]
    Fast,
    /// Every update as it is printed, by pseudo-inverses: slow, for reference.
    Literal,
}

/// Which graph penalty a model has, and with it which form of Algorithm 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// `Tr(Phi H L H^T Phi^T)` with the basis `Phi` of the layer and normalised graphs: the penalty of
    /// reconstructions, on which no scale has an effect. Layers of linear models are fitted one after the
    /// other, each to its minimum.
    #[default]
    ScaleFree,
    /// `Tr(H L H^T)` as printed, which has no minimum: features shrink until it has no effect. In deep models every
    /// basis follows from the features of the top layer.
    Printed,
    /// The same in the authors' released code: the first basis follows from the second layer's features,
    /// every other one from those of its own layer.
    Released,
}

impl Variant {
    /// What files of before there were several mean.
    pub(crate) fn of_old_files() -> Self {
        Self::Printed
    }

    /// Refuses a form of Algorithm 2 that only deep models have.
    pub(crate) fn check_shallow(self) -> Result<()> {
        if self == Self::Released {
            let accepted = "models with one layer have scale-free and printed";
            return Err(Error::parameter("the variant", "released", accepted));
        }
        Ok(())
    }
}

/// What is minimised over all layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// `|X - Z_1 g(Z_2 ... g(Z_m H_m))|^2`: only the top features count, those below follow.
    #[default]
    Paper,
    /// `sum_i w_i |H_{i-1} - g(Z_i H_i)|^2`: each layer explains the features of the one below.
    Layer,
    /// `sum_i w_i |X - Z_1 g(Z_2 ... g(Z_i H_i))|^2`: each layer explains the data.
    Data,
}

/// What does the minimising.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum Optimizer {
    /// For linear models Algorithm 1 (the paper's loss) or block descent (the others); for nonlinear
    /// ones [`Optimizer::Varpro`].
    #[default]
    Auto,
    /// Accelerated projected gradients with backtracking and restart.
    Apg {
        /// Whether all blocks move at once, or one after the other.
        joint: bool,
    },
    /// Adam on full batches, as the authors' Python code does it.
    Adam {
        /// The step size.
        step: f64,
    },
    /// Variable projection: `Z_1` by least squares in every step, the others by L-BFGS.
    Varpro,
}

/// How the loss over all layers is lowered. Algorithm 1 has the rule of the other loops instead.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Descent {
    /// What does the minimising.
    pub optimizer: Optimizer,
    /// The most iterations; the rule of the other loops decides on the rest.
    pub max_iterations: usize,
}

impl Default for Descent {
    fn default() -> Self {
        Self { optimizer: Optimizer::Auto, max_iterations: 150 }
    }
}

/// Penalties, and the form of the result, which a free basis leaves undetermined.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Penalties {
    /// The weight of `sum_i |Z_i|^2 / 2`, as a share of a sample's mean squared length.
    pub ridge: f64,
    /// The weight of the sum of all features that are variables, as the same share.
    pub sparsity: f64,
    /// The form in which the result is returned.
    pub normal_form: NormalForm,
}

/// Which factor of a component has length one in the result. The product stays what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NormalForm {
    /// As the fit left them.
    #[default]
    None,
    /// Every row of `H_m`.
    Features,
    /// Every column of `Z_m`.
    Basis,
}

/// Deep Semi-NMF: `X ~ Z_1 g(Z_2 ... g(Z_m H_m))` with non-negative features in every layer.
///
/// ```
/// use deepnmf::{Activation, DeepSemiNmf, Factorization, Matrix};
/// let x = Matrix::from_fn(12, 40, |i, j| ((i * j) as f64).sin() + 1.0);
/// let linear = DeepSemiNmf::new([6, 3]).fit(&x)?;
/// assert_eq!(linear.factors.h[1].shape(), (3, 40));
/// assert_eq!(linear.factors.basis(2)?.shape(), (12, 3));
/// let relu = DeepSemiNmf::new([6, 3]).activation(Activation::Relu).fit(&x)?;
/// assert!(relu.summary.error < linear.summary.error);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeepSemiNmf {
    /// The number of components of each layer, the one next to the data first.
    pub layers: Vec<usize>,
    /// How Algorithm 1 is carried out.
    pub form: Form,
    /// The nonlinearity between the layers.
    #[serde(default)]
    pub activation: Activation,
    /// What is minimised.
    #[serde(default)]
    pub loss: Loss,
    /// The weight of each layer in the losses that have one; all one if empty.
    #[serde(default)]
    pub weights: Vec<f64>,
    /// How the loss over all layers is lowered.
    #[serde(default)]
    pub descent: Descent,
    /// Penalties.
    #[serde(default)]
    pub penalties: Penalties,
    /// Neighbour graphs of the layers.
    #[serde(default)]
    pub neighbourhood: Neighbourhood,
    /// Settings that all models share.
    pub options: FitOptions,
}

impl DeepSemiNmf {
    /// Linear Deep Semi-NMF with the given layer sizes and default settings.
    pub fn new(layers: impl Into<Vec<usize>>) -> Self {
        Self {
            layers: layers.into(),
            form: Form::default(),
            activation: Activation::default(),
            loss: Loss::default(),
            weights: Vec::new(),
            descent: Descent::default(),
            penalties: Penalties::default(),
            neighbourhood: Neighbourhood::default(),
            options: FitOptions::default(),
        }
    }

    /// Sets the neighbour graphs of the layers.
    #[must_use]
    pub fn neighbourhood(self, neighbourhood: Neighbourhood) -> Self {
        Self { neighbourhood, ..self }
    }

    /// Replaces the shared settings.
    #[must_use]
    pub fn with(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets how Algorithm 1 is carried out.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Sets the nonlinearity between the layers.
    #[must_use]
    pub fn activation(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// Sets what is minimised.
    #[must_use]
    pub fn loss(self, loss: Loss) -> Self {
        Self { loss, ..self }
    }

    /// Sets the weight of each layer, for [`Loss::Layer`] and [`Loss::Data`].
    #[must_use]
    pub fn weights(self, weights: impl Into<Vec<f64>>) -> Self {
        Self { weights: weights.into(), ..self }
    }

    /// Sets how the loss over all layers is lowered.
    #[must_use]
    pub fn descent(self, descent: Descent) -> Self {
        Self { descent, ..self }
    }

    /// Sets what does the minimising.
    #[must_use]
    pub fn optimizer(self, optimizer: Optimizer) -> Self {
        Self { descent: Descent { optimizer, ..self.descent }, ..self }
    }

    /// Sets the penalties.
    #[must_use]
    pub fn penalties(self, penalties: Penalties) -> Self {
        Self { penalties, ..self }
    }

    /// Whether Algorithm 1 of the paper applies: a linear model, its loss, no penalty.
    pub(crate) fn is_the_papers(&self) -> bool {
        self.activation == Activation::Identity
            && self.loss == Loss::Paper
            && self.descent.optimizer == Optimizer::Auto
            && (self.penalties.ridge, self.penalties.sparsity) == (0.0, 0.0)
    }

    /// The weight of each layer.
    pub(super) fn layer_weights(&self) -> Vec<f64> {
        if self.weights.is_empty() { vec![1.0; self.layers.len()] } else { self.weights.clone() }
    }

    /// The penalties, with a ridge where the loss cannot do without one.
    pub(super) fn penalties_in_use(&self) -> Penalties {
        let needed = if self.loss == Loss::Layer { LAYER_RIDGE } else { 0.0 };
        let ridge = if self.penalties.ridge > 0.0 { self.penalties.ridge } else { needed };
        Penalties { ridge, ..self.penalties }
    }

    pub(super) fn check<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<()> {
        self.options.check()?;
        self.check_weights()?;
        self.check_penalties()?;
        self.check_neighbourhood()?;
        check_data(x)?;
        check_layers(&self.layers, x.parts().total())
    }

    fn check_neighbourhood(&self) -> Result<()> {
        self.neighbourhood.check(self.layers.len())?;
        if self.neighbourhood.any() && self.form != Form::Fast {
            let accepted = "neighbours need the form fast";
            return Err(Error::parameter("the number of neighbours", "given", accepted));
        }
        Ok(())
    }

    fn check_weights(&self) -> Result<()> {
        let layers = self.layers.len();
        if !self.weights.is_empty() && self.loss == Loss::Paper {
            let accepted = "the paper's loss has no weights, use that of the layers or of the data";
            return Err(Error::parameter("the list of weights", "given", accepted));
        }
        if !self.weights.is_empty() && self.weights.len() != layers {
            let accepted = format!("give one for each of the {layers} layers");
            return Err(Error::parameter("the number of weights", self.weights.len(), accepted));
        }
        match self.weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
            Some(weight) => Err(Error::parameter("a weight", weight, "it must be above 0")),
            None => Ok(()),
        }
    }

    fn check_penalties(&self) -> Result<()> {
        let Penalties { ridge, sparsity, .. } = self.penalties;
        for (name, value) in [("the ridge", ridge), ("the weight of sparsity", sparsity)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::parameter(name, value, "it must be a number of at least 0"));
            }
        }
        if sparsity > 0.0 && ridge == 0.0 {
            // Features could shrink towards nothing while the bases grow.
            let accepted = "sparse features need a ridge above 0 as well";
            return Err(Error::parameter("the ridge", ridge, accepted));
        }
        match self.descent.optimizer {
            Optimizer::Adam { step } if !(step > 0.0 && step.is_finite()) => {
                Err(Error::parameter("the step size of Adam", step, "it must be above 0"))
            }
            _ => Ok(()),
        }
    }

    /// A notice for every layer that is larger than the one below it.
    pub(super) fn increasing_layers(&self) -> Vec<Notice> {
        self.layers
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[1] > pair[0])
            .map(|(i, pair)| Notice::IncreasingLayers {
                layer: i + 2,
                components: pair[1],
                below: pair[0],
            })
            .collect()
    }
}
