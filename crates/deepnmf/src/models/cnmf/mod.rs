//! CNMF (Liu, Wu, Li, Cai & Huang 2012): NMF in which samples of the same class *have* the same
//! features.
//!
//! With the constraint matrix `A` (labelled samples of a class share one row of `V`, every other sample
//! has its own), `H = V^T A^T` and
//!
//! ```text
//! Z <- Z * (X A V) / (Z V^T A^T A V)         V <- V * (A^T X^T Z) / (A^T A V Z^T Z)
//! ```
//!
//! `A^T A` holds the sizes of the classes: the second rule is that of NMF for a class's mean sample. So
//! here `H` is kept whole, with equal columns, and sees `Z^T X` averaged over each class; any rule for
//! the features does.
//!
//! The loop is `nmf/algorithm.rs`, with the classes as a constraint.

mod params;
#[cfg(test)]
mod tests;

pub use params::Cnmf;
