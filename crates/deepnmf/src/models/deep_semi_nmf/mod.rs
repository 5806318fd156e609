//! Deep Semi-NMF (the paper's section 3): `X ~ Z_1 Z_2 ... Z_m H_m` with `H_i >= 0`.
//!
//! ```text
//! min |X - Z_1 ... Z_m H_m|_F^2 / 2,     H_{i-1} ~ Z_i H_i >= 0
//! ```
//!
//! Layers are pre-trained greedily by Semi-NMF, each on the features of the one below, and then
//! fine-tuned together by Algorithm 1. [`literal`] is that algorithm as it is printed (with the
//! two different `Psi` that its shapes need); [`algorithm`] is the same map in closed form.

mod algorithm;
mod literal;
mod params;

#[cfg(test)]
mod tests;

pub use params::{DeepSemiNmf, Form};
