//! Weakly supervised factorization (the paper's section 4): `X ~ Z H` with `H >= 0`, where samples
//! with the same label are drawn to the same features.
//!
//! ```text
//! |X - Z H|^2 / 2 + sum_a lambda_a Tr(H L_a H^T) / 2
//! ```
//!
//! with the Laplacian `L_a` of a graph over the labels of attribute `a`. WSF knows one attribute,
//! WSF-MA any number. Samples without a label have no edge. The rules are those of Algorithm 2 for one
//! layer, that is Semi-NMF's with a graph: the loop is `semi_nmf/algorithm.rs`.

mod params;
#[cfg(test)]
mod tests;

pub(crate) use params::{ADVICE, Labelled, check_lambda, weighted};
pub use params::{Wsf, WsfMa};
