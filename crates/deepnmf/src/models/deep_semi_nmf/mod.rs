//! Deep Semi-NMF (the paper's section 3): `X ~ Z_1 g(Z_2 ... g(Z_m H_m))` with `H_i >= 0`.
//!
//! Layers are pre-trained greedily by Semi-NMF, each on the features of the one below, and then
//! fine-tuned together ([`fit`]): the linear model by Algorithm 1 of the paper, of which [`literal`]
//! is the print (with the two different `Psi` that its shapes need) and [`algorithm`] the same map
//! in closed form; nonlinear models and other losses by gradients of [`network`] or, where they are
//! linear, block by block ([`blocks`]). Linear models with neighbours or scale-free label graphs are fitted layer
//! after layer instead ([`layered`]).

mod algorithm;
mod blocks;
mod fit;
mod layered;
#[cfg(test)]
mod layered_tests;
mod literal;
mod network;
#[cfg(test)]
mod network_tests;
#[cfg(test)]
mod nonlinear_tests;
mod params;

#[cfg(test)]
mod tests;

pub(crate) use fit::Supervision;
pub use params::{DeepSemiNmf, Descent, Form, Loss, NormalForm, Optimizer, Penalties, Variant};
