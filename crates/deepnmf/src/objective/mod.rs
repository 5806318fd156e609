//! How good a factorization is.

mod frobenius;

pub(crate) use frobenius::Fitted;
pub use frobenius::reconstruction_error;
