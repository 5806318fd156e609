//! The update rules, one a file, each with its formula.
//!
//! A rule for the features sees two products and nothing else (but for the Kullback-Leibler divergence, `kl.rs`,
//! whose rules see the entries of the data that are not zero): `B = Phi^T X` (`k x n`) and
//! `G = Phi^T Phi` (`k x k`), where `Phi = Z_1 ... Z_i` is the basis of the layer at hand. All
//! of them lower (or keep) `|X - Phi H|` over non-negative `H`, and all of them treat the columns
//! of `H` independently, so they work through fixed blocks of columns on all threads.
//!
//! With graph regularization as printed the objective has a penalty more (`smoothness.rs` has the scale-free one,
//! which needs no rule of its own):
//!
//! ```text
//! |X - Phi H|^2 / 2 + Tr(H (D - W) H^T) / 2
//! ```
//!
//! For a positive semi-definite `W` the part with `W` is concave in `H`, so that its tangent at the
//! present `H_0` lies above it: `-Tr(H W H^T) / 2 <= -<H_0 W, H> + const`. With the tangent in its
//! place the columns are independent again, and whatever lowers that lowers the objective. (For any
//! `W`, `D + W` and `2 D` have the same difference, and the former is positive semi-definite; the
//! multiplicative rule needs that only if `W` has negative weights.)

mod blocks;
mod free;
mod graph_term;
mod h_accelerated;
mod h_exact;
mod h_hals;
mod h_multiplicative;
mod h_nesterov;
mod kl;
mod kl_between;
mod kl_entries;
mod kl_rule;
mod penalty;
mod products;
mod regularizer;
mod smoothness;
mod z_least_squares;

#[cfg(test)]
mod kl_tests;
#[cfg(test)]
mod regularizer_tests;
#[cfg(test)]
mod smoothness_tests;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::matrix::{Matrix, Scalar};

pub(crate) use free::{Fixed, rows_of, update_rows};
pub(crate) use graph_term::{GraphPenalty, GraphTerm};
pub use h_accelerated::h_accelerated;
pub use h_exact::h_exact;
pub use h_hals::h_hals;
pub use h_multiplicative::h_multiplicative;
pub(crate) use h_nesterov::{Limits, h_nesterov, projected_gradient};
pub(crate) use kl::{Effort, KlProblem, SampleFactors, sums_of_rows};
pub(crate) use kl_between::KlBetween;
pub(crate) use kl_entries::{KlEntries, Seen, Sums};
pub(crate) use penalty::Penalty;
pub(crate) use products::{BasisProducts, FeatureProducts};
pub(crate) use regularizer::{Regularizer, update_regularized, with_penalty};
pub(crate) use smoothness::Smoothness;
pub(crate) use z_least_squares::{ZScratch, z_least_squares};

/// What a rule for the features may see of the data and the basis.
#[derive(Debug, Clone, Copy)]
pub struct Products<'a, T> {
    /// `B = Phi^T X`, `k x n`.
    pub phi_t_x: &'a Matrix<T>,
    /// `G = Phi^T Phi`, `k x k`.
    pub phi_t_phi: &'a Matrix<T>,
    /// The products of a graph between the samples.
    pub graph: Option<GraphProducts<'a, T>>,
}

/// What a rule for the features may see of a graph between the samples.
#[derive(Debug, Clone, Copy)]
pub struct GraphProducts<'a, T> {
    /// `H W` at the features that are to be updated, `k x n`.
    pub hw: &'a Matrix<T>,
    /// The diagonal of `D`.
    pub degrees: &'a [T],
}

impl<'a, T: Scalar> Products<'a, T> {
    /// Products without a graph.
    pub fn plain(phi_t_x: &'a Matrix<T>, phi_t_phi: &'a Matrix<T>) -> Self {
        Self { phi_t_x, phi_t_phi, graph: None }
    }
}

/// Which rule updates the features, and how hard it works in one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum HSolver {
    /// The paper's multiplicative rule.
    Multiplicative {
        /// The exponent; the objective provably never rises for 0.5 and below, and up to 1 where
        /// nothing is negative.
        eta: f64,
        /// The most updates in one iteration; with a graph there is one.
        #[serde(default = "once")]
        repeats: usize,
    },
    /// Exact coordinate descent, row by row.
    Hals {
        /// The most sweeps over all rows in one iteration.
        sweeps: usize,
    },
    /// Nesterov's accelerated projected gradient with restart.
    Accelerated {
        /// Gradient steps in one iteration.
        steps: usize,
    },
}

impl HSolver {
    /// The multiplicative rule with the paper's square root.
    pub const MULTIPLICATIVE: Self = Self::Multiplicative { eta: 0.5, repeats: 1 };
    /// Coordinate descent with enough sweeps to be worth the products it works on.
    pub const HALS: Self = Self::Hals { sweeps: 10 };
    /// Accelerated gradients with enough steps to be worth the products they work on.
    pub const ACCELERATED: Self = Self::Accelerated { steps: 20 };

    /// Refuses settings no rule can work with.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Multiplicative { eta, .. } if !(eta > 0.0 && eta <= 1.0) => {
                Err(Error::parameter(
                    "the exponent eta of the multiplicative rule",
                    eta,
                    "it must be above 0 and at most 1 (0.5 is the paper's)",
                ))
            }
            Self::Multiplicative { repeats: 0, .. } => {
                Err(Error::parameter("the number of repeated updates", 0, "at least 1 is needed"))
            }
            Self::Hals { sweeps: 0 } => {
                Err(Error::parameter("the number of sweeps", 0, "at least 1 is needed"))
            }
            Self::Accelerated { steps: 0 } => {
                Err(Error::parameter("the number of gradient steps", 0, "at least 1 is needed"))
            }
            _ => Ok(()),
        }
    }

    /// The same rule, which works no longer on products than they took: with `k` components, those of
    /// a column cost `length k` and a pass over it `k^2` (Gillis & Glineur 2012).
    pub(crate) fn worth(self, length: usize, k: usize) -> Self {
        let most = 1 + length / k.max(1);
        match self {
            Self::Multiplicative { eta, repeats } => {
                Self::Multiplicative { eta, repeats: repeats.min(most) }
            }
            Self::Hals { sweeps } => Self::Hals { sweeps: sweeps.min(most) },
            Self::Accelerated { steps } => Self::Accelerated { steps: steps.min(most) },
        }
    }

    /// Updates the features `h` in place.
    pub fn update<T: Scalar>(self, h: &mut Matrix<T>, products: Products<'_, T>) {
        match self {
            Self::Multiplicative { eta, repeats } => h_multiplicative(h, products, eta, repeats),
            Self::Hals { sweeps } => h_hals(h, products, sweeps),
            Self::Accelerated { steps } => h_accelerated(h, products, steps),
        }
    }
}

/// What files of before repeats were known mean.
fn once() -> usize {
    1
}

impl Default for HSolver {
    fn default() -> Self {
        Self::HALS
    }
}
