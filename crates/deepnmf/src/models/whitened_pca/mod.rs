//! Whitened principal components: the baseline that a factorization must beat.
//!
//! ```text
//! X - m 1^T ~ U S V^T,     Z = U S / sqrt(n),     H = sqrt(n) V^T
//! ```
//!
//! with `m` the mean sample. Each feature has variance one, and features may have any sign. No
//! loop is needed: the decomposition is the result.
//!
//! The decomposition is in `params.rs`.

mod params;

#[cfg(test)]
mod tests;

pub use params::WhitenedPca;
