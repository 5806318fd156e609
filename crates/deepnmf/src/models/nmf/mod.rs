//! NMF: `X ~ Z H` with nothing negative, neither in the data nor in the factors.
//!
//! The rules for the features are those of Semi-NMF: `H` sees `Z^T X` and `Z^T Z`, and `Z^T` sees
//! `H X^T` and `H H^T`. For data and bases without negative entries the multiplicative rule with
//! exponent 1 is the one of Lee & Seung (2001).
//!
//! With the Kullback-Leibler divergence both are coordinate descents on the entries that are not zero
//! (`kullback_leibler.rs`). Both factors may have an elastic-net penalty (`penalties.rs`).

mod algorithm;
mod kullback_leibler;
#[cfg(test)]
mod kullback_leibler_tests;
mod params;
mod penalties;
#[cfg(test)]
mod penalties_tests;
#[cfg(test)]
mod tests;

pub(crate) use algorithm::{Constraint, GraphForm, bring_to_unit_sums};
pub(crate) use params::Given;
pub use params::Nmf;
pub use penalties::ElasticNet;
pub(crate) use penalties::EntryPenalties;
