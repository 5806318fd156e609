//! How well a clustering agrees with known classes.
//!
//! All measures are functions of the table that counts samples by class and cluster
//! ([`Contingency`]). Samples whose class or cluster is unknown do not count. Labels are any
//! numbers: neither do they start at 0 nor have classes and clusters to be equally many.
//!
//! ```
//! use deepnmf_eval::metrics;
//! let classes = [Some(0usize), Some(0), Some(1), Some(1), None];
//! let clusters = [7usize, 7, 3, 7, 3];
//! assert_eq!(metrics::accuracy(&classes, &clusters)?, 0.75);
//! # Ok::<(), deepnmf_eval::EvalError>(())
//! ```

mod agreement;
mod confusion;
mod contingency;
mod matching;
#[cfg(test)]
mod tests;

pub use agreement::{Average, accuracy, ari, nmi, nmi_with, purity};
pub use confusion::{Confusion, confusion};
pub use contingency::{Contingency, Label};
pub use matching::match_columns;
