//! The data boundary and the only place that names the linear-algebra crate.
//!
//! Algorithms see data through [`DataMatrix`], that is through the products `Z^T X` and `X H^T`,
//! so that dense, sparse, memory-mapped and distributed data share every rule.

mod centred;
mod data;
mod dense;
mod product;
mod scalar;
mod svd;
mod view;
mod whiten;

#[cfg(test)]
mod tests;

pub(crate) use centred::{Centred, mean_column};
pub use data::{DataMatrix, check_data, check_non_negative};
pub use dense::Matrix;
pub(crate) use dense::{add_scaled, dot, scale};
pub(crate) use product::{add_mul, gram_of_columns, gram_of_rows, mul, mul_block, product};
pub use scalar::{Dtype, Scalar};
pub(crate) use svd::symmetric_eigen;
pub use svd::{Svd, SvdMethod, pseudo_inverse, truncated_svd};
pub use view::MatrixView;
pub(crate) use whiten::Whitening;
