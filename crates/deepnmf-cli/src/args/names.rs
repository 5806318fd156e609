//! The names of the libraries' choices on the command line.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use deepnmf::{
    Abilities, Activation, Divergence, Dtype, Form, HSolver, LabelGraph, Loss, ModelInfo,
    NeighbourSearch, NeighbourWeights, NonNegativeStart, NormalForm, Optimizer, Pretraining,
    Projection, ScaleIn, Settings, Start, Variant,
};
use deepnmf_eval::{Classifier, Scaling};

/// Declares the names of a library's choices on the command line.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident => $target:ty { $($(#[$help:meta])* $variant:ident => $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name {
            $($(#[$help])* $variant,)+
        }

        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name {
                    $($name::$variant => $value,)+
                }
            }
        }
    };
}

/// Initializations, of the models with a basis of any sign and of the non-negative ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StartName {
    /// Uniform random numbers
    Random,
    /// Memberships of a k-means clustering
    #[value(name = "kmeans")]
    KMeans,
    /// Singular value decomposition of rank k - 1
    Svd,
    /// The best rank-k factors where a positive vector exists, else of rank k - 1 with a constant one
    Optimal,
    /// Non-negative models: NNDSVD, parts of a singular value decomposition, with zeros
    Nndsvd,
    /// The same, the mean of the data in place of zeros
    Nndsvda,
    /// The same, small random numbers in place of zeros
    Nndsvdar,
}

impl StartName {
    /// What it means for models with a basis of any sign.
    pub(crate) fn of_any_sign(self) -> Option<Start> {
        match self {
            Self::Random => Some(Start::Random),
            Self::KMeans => Some(Start::KMeans),
            Self::Svd => Some(Start::Svd),
            Self::Optimal => Some(Start::Optimal),
            Self::Nndsvd | Self::Nndsvda | Self::Nndsvdar => None,
        }
    }

    /// What it means for non-negative models.
    pub(crate) fn non_negative(self) -> Option<NonNegativeStart> {
        match self {
            Self::Random => Some(NonNegativeStart::Random),
            Self::Nndsvd => Some(NonNegativeStart::Nndsvd),
            Self::Nndsvda => Some(NonNegativeStart::Nndsvda),
            Self::Nndsvdar => Some(NonNegativeStart::Nndsvdar),
            Self::KMeans | Self::Svd | Self::Optimal => None,
        }
    }
}

names! {
    /// Factors that carry the scale.
    ScaleName => ScaleIn {
        /// The basis in the last layer, the features in those below
        Auto => ScaleIn::Auto,
        /// The features, so that the next layer sees the scale of each component
        H => ScaleIn::H,
        /// The basis
        Z => ScaleIn::Z,
        /// Both by equal parts
        Balanced => ScaleIn::Balanced,
        /// The basis, but weak components fade out of the features: soft whitening
        Soft => ScaleIn::Soft,
    }
}

names! {
    /// Rules for the features, with their usual settings.
    SolverName => HSolver {
        /// The paper's rule
        Multiplicative => HSolver::MULTIPLICATIVE,
        /// Exact coordinate descent
        Hals => HSolver::HALS,
        /// Accelerated projected gradients
        Accelerated => HSolver::ACCELERATED,
    }
}

names! {
    /// What nmf keeps small.
    DivergenceName => Divergence {
        /// The squared Frobenius norm of the difference
        Frobenius => Divergence::Frobenius,
        /// The Kullback-Leibler divergence, for counts
        Kl => Divergence::KullbackLeibler,
    }
}

names! {
    /// Label graphs.
    GraphName => LabelGraph {
        /// Equal weights
        Binary => LabelGraph::Binary,
        /// Larger weights for near samples
        Rbf => LabelGraph::Rbf { sigma: None },
        /// The dot product of the samples
        Dot => LabelGraph::Dot,
    }
}

names! {
    /// Weights of the neighbour graph.
    NeighbourWeightsName => NeighbourWeights {
        /// Equal weights
        Binary => NeighbourWeights::Binary,
        /// Larger weights for near samples
        Heat => NeighbourWeights::Heat { sigma: None },
        /// The dot product
        Dot => NeighbourWeights::Dot,
        /// The cosine of the angle between samples
        Cosine => NeighbourWeights::Cosine,
    }
}

names! {
    /// How nearest neighbours are found.
    NeighbourSearchName => NeighbourSearch {
        /// Exactly up to 20000 samples, approximately beyond
        Auto => NeighbourSearch::Auto,
        /// By comparing all samples with all
        Exact => NeighbourSearch::Exact,
        /// Cell by cell, which misses a few
        Approximate => NeighbourSearch::Approximate,
    }
}

names! {
    /// Pre-training of the layers of deep-wsf.
    PretrainingName => Pretraining {
        /// WSF with the label graph of the layer
        Wsf => Pretraining::Wsf,
        /// Semi-NMF without labels
        SemiNmf => Pretraining::SemiNmf,
    }
}

names! {
    /// Graph penalties, and forms of Algorithm 2.
    VariantName => Variant {
        /// The penalty of reconstructions, which keeps its effect whatever the scale of features and data
        ScaleFree => Variant::ScaleFree,
        /// The penalty of features as the paper prints it, whose effect fades as features shrink
        Printed => Variant::Printed,
        /// The same as the authors' released code has it, for deep-wsf
        Released => Variant::Released,
    }
}

names! {
    /// Forms of Algorithm 1.
    FormName => Form {
        /// In closed form
        Fast => Form::Fast,
        /// Step by step as printed, slow
        Literal => Form::Literal,
    }
}

names! {
    /// Nonlinearities between layers.
    ActivationName => Activation {
        /// None: the linear model
        Identity => Activation::Identity,
        /// 1.7159 tanh(2x/3)
        Stanh => Activation::Stanh,
        /// x^2
        Square => Activation::Square,
        /// 1 / (1 + e^-x)
        Sigmoid => Activation::Sigmoid,
        /// ln(1 + e^x)
        Softplus => Activation::Softplus,
        /// max(x, 0)
        Relu => Activation::Relu,
    }
}

names! {
    /// Losses of deep models.
    LossName => Loss {
        /// The data from the top layer
        Paper => Loss::Paper,
        /// The features of each layer from the layer above
        Layer => Loss::Layer,
        /// The data from every layer
        Data => Loss::Data,
    }
}

names! {
    /// What minimises the losses of deep models.
    OptimizerName => Optimizer {
        /// Algorithm 1 or block descent for linear models, varpro for the others
        Auto => Optimizer::Auto,
        /// Accelerated projected gradients, all layers at once
        Apg => Optimizer::Apg { joint: true },
        /// Accelerated projected gradients, one factor after the other
        ApgBlocks => Optimizer::Apg { joint: false },
        /// Adam with a step of 1e-3, or --step
        Adam => Optimizer::Adam { step: 1e-3 },
        /// Z1 by least squares, the others by L-BFGS
        Varpro => Optimizer::Varpro,
    }
}

names! {
    /// Normal forms of the last layer.
    NormalFormName => NormalForm {
        /// As the fit leaves them
        None => NormalForm::None,
        /// Rows of Hm of unit norm
        Features => NormalForm::Features,
        /// Columns of Zm of unit norm
        Basis => NormalForm::Basis,
    }
}

names! {
    /// Number types.
    DtypeName => Dtype {
        /// 32 bits: half the memory, twice the speed
        F32 => Dtype::F32,
        /// 64 bits
        F64 => Dtype::F64,
    }
}

names! {
    /// Scalings of features before they are evaluated.
    ScalingName => Scaling {
        /// As they are
        None => Scaling::None,
        /// Each sample to unit norm
        UnitSamples => Scaling::UnitSamples,
        /// Each feature to unit norm
        UnitRows => Scaling::UnitRows,
        /// Uncorrelated features of variance 1
        Whitened => Scaling::Whitened,
    }
}

names! {
    /// Classifiers.
    ClassifierName => Classifier {
        /// Linear support vector machine
        LinearSvm => Classifier::LinearSvm,
        /// The nearest training sample
        NearestNeighbour => Classifier::NearestNeighbour,
    }
}

names! {
    /// Methods of out-of-sample projection.
    MethodName => Projection {
        /// Method 1: pseudo-inverse of the basis, fast, features of any sign
        Basis => Projection::Basis,
        /// Method 2: non-negative least squares
        Nonnegative => Projection::NonNegative,
    }
}

/// A model by its name. The library lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelName(&'static ModelInfo);

impl ModelName {
    /// Understands the names of all models, with a line of help for each.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        let models = Settings::MODELS.iter();
        let values = models.map(|model| PossibleValue::new(model.name).help(model.summary));
        PossibleValuesParser::new(values).try_map(|name| Self::find(&name).ok_or("no such model"))
    }

    /// The model of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Settings::MODELS.iter().find(|model| model.name == name).map(Self)
    }

    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        self.0.name
    }

    /// What it can do.
    pub(crate) fn abilities(self) -> Abilities {
        self.0.abilities
    }
}
