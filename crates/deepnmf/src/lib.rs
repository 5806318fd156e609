//! Deep matrix factorization that learns one representation per attribute of the data.

pub mod error;
pub mod matrix;

pub use error::{Error, Result};
pub use matrix::{Dtype, Matrix, MatrixView, Scalar};
