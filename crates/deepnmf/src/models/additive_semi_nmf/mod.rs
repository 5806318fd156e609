//! Additive Semi-NMF: attributes found apart, without labels.
//!
//! ```text
//! X ~ Z_1 H_1 + Z_2 H_2 + ...          Z_i: p x k_i,    H_i: k_i x n, a single one in each column
//!
//! J = log det(R R^T + t^2 I)           R = U^T (X - Z_1 H_1 - Z_2 H_2 - ..), d x n
//! ```
//!
//! Each part divides the samples into clusters of its own: one by who is on a picture, another by the pose. A sample
//! is the sum of the centres of its clusters. `U` are the `d` leading principal directions of the samples, 100 at
//! most, and `t^2` is a tenth of the least eigenvalue of their scatter (`coordinates.rs`).
//!
//! Least squares would not do: one attribute has most of the variance, and all parts would divide it further. `J` is
//! a sum of logarithms, so a direction of little variance counts as much as one of large variance. It is lowered by a
//! part that explains what others have left over, wherever that is.
//!
//! How many parts there are, and how large, is found where nobody says it (`auto.rs`).
//!
//! Files: `memberships.rs` (who belongs where), `choice.rs` (the best clusters for a sample), `descent.rs` (`J` and
//! its descent), `merge.rs` (which clusters are merged), `propose.rs` and `cut.rs` (other partitions of one part),
//! `starts.rs` (where the loop begins), `algorithm.rs` (the loop, which takes a proposal if `J` is lower), `labelled.rs`
//! (parts with labels), `part.rs` and `layers.rs` (deep parts), `result.rs` (the factors, and what to read in them).
//!
//! A part may be deep: many clusters next to the data, fewer in layer 2, each of which is some of the many (`layers.rs`).
//!
//! With shallow parts the result is one layer, `Z = [Z_1 Z_2 ..]` and the stacked `H`, so `X ~ Z H` without an offset. Sums of centres do
//! not say which part a constant belongs to, so it is fixed: the centres of every part, weighted by the sizes of
//! clusters, sum to zero, and the mean of the samples is added to each column of `Z_1`. A cluster that nobody belongs
//! to has the centre zero.
//!
//! The errors that the loop reports are `exp(J / 2d)`: the geometric mean of the singular values of `R`, with `t` under
//! each of them. The error of the model is that of `X - Z H`, as always.
//!
//! With one part there is nothing to keep apart, and the model is [`SemiNmf`](crate::SemiNmf).
//!
//! Any part but one may have labels of some samples: it is an attribute that is known, beside those that are found
//! (`labelled.rs`).

mod algorithm;
mod auto;
mod choice;
mod coordinates;
mod cut;
mod descent;
mod labelled;
mod layers;
mod memberships;
mod merge;
mod params;
mod part;
mod propose;
mod result;
mod starts;

#[cfg(test)]
mod deep_tests;
#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod tests;

pub(crate) use choice::Choice;
pub(crate) use coordinates::most_coordinates;
pub(crate) use layers::one_layer_up;
pub(crate) use memberships::rows_of;
pub use params::AdditiveSemiNmf;
pub use part::PartSizes;
