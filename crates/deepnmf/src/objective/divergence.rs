//! What a factorization keeps small.

use serde::{Deserialize, Serialize};

use super::kullback_leibler::{kl_of_one_component, kl_term};
use crate::error::Result;
use crate::matrix::{DataMatrix, Scalar, power_of_two};

/// How far a reconstruction is from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Divergence {
    /// Half of the squared Frobenius norm of the difference.
    #[default]
    Frobenius,
    /// `sum x log(x / y) - x + y`, for data that count something: an error weighs by the root of what is expected. What
    /// is called its error is the root of twice the divergence, as the norm is.
    KullbackLeibler,
}

impl Divergence {
    /// Whether it is the usual one, which files leave out.
    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
    pub(crate) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// By what errors grow where data grow by `2^exponent`.
    pub(crate) fn error_unit(self, exponent: i32) -> f64 {
        let half = |exponent: i32| power_of_two(exponent.div_euclid(2));
        match self {
            Self::Frobenius => power_of_two(exponent),
            Self::KullbackLeibler if exponent % 2 == 0 => half(exponent),
            Self::KullbackLeibler => half(exponent) * std::f64::consts::SQRT_2,
        }
    }

    /// The loss of an entry `x` of which a model makes `y`: `(x - y)^2`, or `x log(x / y) - x + y`, which is infinite where
    /// something is counted and nothing expected.
    pub fn of_entry(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Frobenius => (x - y).powi(2),
            Self::KullbackLeibler => kl_term(x, y),
        }
    }

    /// What an error is relative to, as text.
    pub fn least_model(self) -> &'static str {
        match self {
            Self::Frobenius => "the norm of the data",
            Self::KullbackLeibler => "the error of the best single component",
        }
    }

    /// *Together*: what an error is relative to: the norm of the data, or the error of the best model with one
    /// component, which knows sums of features and samples alone (without components the divergence is infinite).
    ///
    /// # Errors
    /// If the data cannot be read, or another part has failed.
    pub fn error_of_least_model<T: Scalar>(self, x: &dyn DataMatrix<T>) -> Result<f64> {
        match self {
            Self::Frobenius => Ok(x.norm_sq()?.sqrt()),
            Self::KullbackLeibler => Ok((2.0 * kl_of_one_component(x)?).sqrt()),
        }
    }
}
