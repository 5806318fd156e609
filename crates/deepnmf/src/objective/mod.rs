//! How good a factorization is.

mod divergence;
mod frobenius;
mod kullback_leibler;

pub use divergence::Divergence;
pub(crate) use frobenius::Fitted;
pub use frobenius::reconstruction_error;
pub(crate) use kullback_leibler::{kl_divergence, kl_term};
