//! How good a factorization is.

mod frobenius;

pub(crate) use frobenius::{Fitted, direct_error, reconstruction_error};
