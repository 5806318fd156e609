//! Deep WSF (the paper's section 4): a Deep Semi-NMF in which the labels of one attribute may shape
//! each layer.
//!
//! ```text
//! |X - Z_1 g(Z_2 ... g(Z_m H_m))|^2 / 2 + sum_i lambda_i Tr(H_i L_i H_i^T) / 2
//! ```
//!
//! The linear model follows Algorithm 2, as printed or as released, after WSF or Semi-NMF of each
//! layer. Nonlinear models and consistent losses are lowered like those of Deep Semi-NMF, where
//! this model's machinery is.
//!
//! The loops are those of `deep_semi_nmf/`.

mod params;
#[cfg(test)]
mod tests;

pub use params::{DeepWsf, Pretraining};
