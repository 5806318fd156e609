//! How good a factorization is.

mod frobenius;

pub use frobenius::reconstruction_error;
pub(crate) use frobenius::{Fitted, error_from_products, error_with_products};
