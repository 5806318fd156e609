//! The names of the libraries' choices on the command line.

use clap::ValueEnum;
use deepnmf::{Dtype, Form, HSolver, Projection, ScaleIn, Start};
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

names! {
    /// Starts.
    StartName => Start {
        /// Uniform random numbers
        Random => Start::Random,
        /// Memberships of a k-means clustering
        #[value(name = "kmeans")]
        KMeans => Start::KMeans,
        /// Singular value decomposition of rank k - 1
        Svd => Start::Svd,
        /// The best rank-k factors where a positive vector exists, else as svd
        Optimal => Start::Optimal,
    }
}

names! {
    /// Places of the scale.
    ScaleName => ScaleIn {
        /// The features, so that the next layer sees what matters
        H => ScaleIn::H,
        /// The basis
        Z => ScaleIn::Z,
        /// Both by equal parts
        Balanced => ScaleIn::Balanced,
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
    /// Forms of Algorithm 1.
    FormName => Form {
        /// In closed form
        Fast => Form::Fast,
        /// Step by step as printed, slow
        Literal => Form::Literal,
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
    /// Scalings of features before they are judged.
    ScalingName => Scaling {
        /// As they are
        None => Scaling::None,
        /// Each sample to norm 1
        UnitSamples => Scaling::UnitSamples,
        /// Each feature to norm 1
        UnitRows => Scaling::UnitRows,
        /// Uncorrelated features of variance 1
        Whitened => Scaling::Whitened,
    }
}

names! {
    /// What learns to tell classes apart.
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

/// Models that can be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelName {
    /// X ~ Z H, one layer
    SemiNmf,
    /// X ~ Z1 Z2 ... Zm Hm, several layers
    DeepSemiNmf,
    /// Whitened principal components, the baseline to beat
    WhitenedPca,
}
