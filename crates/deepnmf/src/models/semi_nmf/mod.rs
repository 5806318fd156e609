//! Semi-NMF (Ding, Li & Jordan 2010): `X ~ Z H` with `H >= 0` and `Z` of any sign.
//!
//! ```text
//! min |X - Z H|_F^2 / 2    over  Z (p x k),  H (k x n) >= 0
//! ```
//!
//! The columns of `Z` can be read as cluster centroids, those of `H` as soft memberships.

mod algorithm;
mod params;

#[cfg(test)]
mod tests;

pub use algorithm::SemiNmfLoop;
pub use params::SemiNmf;
pub(crate) use params::{Layer, LayerTask, OneLayer, check_given_features, start_and_run};
