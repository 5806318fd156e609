//! The data boundary and the only place that names the linear-algebra crate.
//!
//! Algorithms see data through [`DataMatrix`], that is through the products `Z^T X` and `X H^T`,
//! so that dense, sparse, memory-mapped and distributed data share every rule.

mod dense;
mod scalar;
mod view;

pub use dense::Matrix;
pub(crate) use dense::dot;
pub use scalar::{Dtype, Scalar};
pub use view::MatrixView;
