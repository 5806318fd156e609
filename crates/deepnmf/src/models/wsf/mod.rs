//! Weakly supervised factorization (the paper's section 4): `X ~ Z H` with `H >= 0`, where samples
//! with the same label are drawn to the same features.
//!
//! ```text
//! |X - Z H|^2 / 2 + sum_a lambda_a Tr(Z H L_a H^T Z^T) / 2
//! ```
//!
//! with the Laplacian `L_a` of a graph over the labels of attribute `a`, in which every class has a mean degree of
//! one. WSF knows one attribute, WSF-MA any number. Samples without a label have no edge. With binary weights the
//! penalty is the scatter of reconstructions about the means of their classes, and `lambda = 1` draws them half of
//! the way there, whatever the unit of the data, the number of samples and the sizes of classes are.
//!
//! The paper prints `Tr(H L_a H^T)`, which has no effect in the limit: features shrink, the basis grows, and the
//! objective has no minimum (`update/smoothness.rs`). That form is [`Variant::Printed`](crate::Variant::Printed). The
//! loop of both is `semi_nmf/algorithm.rs`.

mod params;
#[cfg(test)]
mod tests;

pub(crate) use params::{ADVICE, check_lambda};
pub use params::{Wsf, WsfMa};
