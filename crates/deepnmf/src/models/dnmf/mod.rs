//! DNMF (Zafeiriou, Tefas, Buciu & Pitas 2006): NMF with Fisher's criterion on the features.
//!
//! ```text
//! |X - Z H|^2 / 2 + gamma Tr(S_w) / 2 - delta Tr(S_b) / 2
//! ```
//!
//! with the scatter `S_w` of features within classes and `S_b` between them. `delta = 0` is what the
//! authors of the paper released. For `delta > 0` features would gain by growing, so every column of
//! `Z` then keeps the sum 1, and an iteration that does not lower the objective ends the fit.
//!
//! The loop is `nmf/algorithm.rs`, with the criterion as a graph (`graph/fisher.rs`).

mod params;
#[cfg(test)]
mod tests;

pub use params::Dnmf;
