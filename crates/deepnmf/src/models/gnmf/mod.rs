//! GNMF (Cai, He, Han & Huang 2011): NMF whose features keep near samples near.
//!
//! ```text
//! |X - Z H|^2 / 2 + lambda Tr(Z H L H^T Z^T) / 2,      L of a normalised graph of nearest neighbours
//! ```
//!
//! Published with `lambda Tr(H L H^T) / 2`, which features escape by shrinking (`update/smoothness.rs`), `lambda` 100
//! and the rules `Z * X H^T / (Z H H^T)` and `H * (Z^T X + lambda H W) / (Z^T Z H + lambda H D)`: that is
//! [`Gnmf::published`].
//!
//! The loop is `nmf/algorithm.rs`, with the graph as a constraint.

mod params;
#[cfg(test)]
mod tests;

pub use params::Gnmf;
