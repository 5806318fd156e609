//! DNMF (Zafeiriou, Tefas, Buciu & Pitas 2006): NMF with Fisher's criterion on the features.
//!
//! ```text
//! |X - Z H|^2 / 2 + gamma Tr(S_w) / 2 + delta (|H|^2 - Tr(S_b)) / 2
//! ```
//!
//! with the scatter `S_w` of features within classes and `S_b` between them, both over samples with a label,
//! as `|H|^2` is. `delta = 0` is what the authors of the paper released. As published, the last term is
//! `-delta Tr(S_b)` alone, which has no lower bound: features gain by growing. Compared with their size, as
//! here, it is never negative.
//!
//! For `delta > 0` features could gain by shrinking while the basis grows, so the criterion is that of
//! components whose basis vectors have length one: `sum_r |z_r|^2 C(h_r)` with `C` of the row `h_r` of `H`.
//! It does not change when the scale moves from one factor to the other. `Z` is updated with `C(h_r)` as a
//! ridge, then brought to length one, then `H` is updated; no step raises the objective. It begins at most
//! at that of zeros, so the error never exceeds the norm of the data. A multiplicative rule has the exponent
//! 1/2 at most, because `S_b` has negative weights.
//!
//! The loop is `nmf/algorithm.rs`, with the criterion as a graph (`graph/fisher.rs`).

mod params;
#[cfg(test)]
mod tests;

pub use params::Dnmf;
