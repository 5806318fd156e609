//! Deep WSF (the paper's section 4): a Deep Semi-NMF in which the labels of one attribute may shape
//! each layer.
//!
//! ```text
//! |X - Z_1 g(Z_2 ... g(Z_m H_m))|^2 / 2 + sum_i lambda_i Tr(Phi_i H_i L_i H_i^T Phi_i^T) / 2,   Phi_i = Z_1 ... Z_i
//! ```
//!
//! In the linear model the graphs of all layers would act on the same product, so there each layer minimises
//! `|X - Phi_i H_i|^2 / 2` and its own penalty within the space of the layer below (`deep_semi_nmf/layered.rs`).
//! Nonlinear models and consistent losses are lowered like those of Deep Semi-NMF.
//!
//! The paper prints `Tr(H_i L_i H_i^T)`, which features escape by shrinking (`update/smoothness.rs` says why the
//! penalty above has a minimum). With [`Variant::Printed`](crate::Variant::Printed) and
//! [`Variant::Released`](crate::Variant::Released) the linear model follows Algorithm 2 with it, after WSF or Semi-NMF
//! of each layer.
//!
//! The loops are those of `deep_semi_nmf/`.

mod params;
#[cfg(test)]
mod tests;

pub use params::{DeepWsf, Pretraining};
