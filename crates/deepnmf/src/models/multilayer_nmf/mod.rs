//! Multi-layer NMF (Ahn, Choi & Oh 2004; Song & Lee 2013): `X ~ Z_1 Z_2 ... Z_m H_m`, nothing negative.
//!
//! Layers are factorized greedily, each on the features of the one below, and then tuned together by
//! multiplicative rules: with `Psi = Z_1 ... Z_{i-1}`, `Q = Z_{i+1} ... Z_m` and `Phi = Z_1 ... Z_m`
//!
//! ```text
//! Z_i <- Z_i * (Psi^T C Q^T) / (Psi^T Psi Z_i Q S Q^T),     C = X H_m^T,  S = H_m H_m^T
//! H_m <- H_m * (Phi^T X) / (Phi^T Phi H_m)
//! ```
//!
//! so that an iteration touches the data twice, whatever the number of layers. With the Kullback-Leibler divergence the
//! first basis and the features are tuned by coordinate descent (`kullback_leibler.rs`).

mod algorithm;
mod kullback_leibler;
mod params;
#[cfg(test)]
mod tests;

pub use params::MultilayerNmf;
