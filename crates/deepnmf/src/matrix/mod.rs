//! The data boundary and the only place that names the linear-algebra crate.
//!
//! Algorithms see data through [`DataMatrix`], that is through the products `Z^T X` and `X H^T`,
//! so that dense, sparse, memory-mapped and distributed data share every rule.

mod centred;
mod data;
mod dense;
mod fingerprint;
#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
mod foreign;
pub(crate) mod incomplete;
mod kernels;
mod krylov;
mod less;
mod part_data;
mod parts;
mod product;
mod scalar;
mod scaled;
pub(crate) mod sparse;
mod svd;
mod view;
mod watched;
mod weighted;
mod whiten;
mod widened;

#[cfg(test)]
mod tests;

pub use centred::Centred;
pub(crate) use centred::mean_column;
pub use data::{
    DataMatrix, Entry, PartColumns, Visit, VisitSparse, check_data, check_non_negative,
};
pub(crate) use data::{affordable_copy, check_copy, columns_of};
pub(crate) use dense::first_least;
pub use dense::{Matrix, dot, sum_of_pairs};
pub(crate) use dense::{add_scaled, scale};
pub use fingerprint::Fingerprint;
pub use incomplete::Incomplete;
pub(crate) use incomplete::Sample;
pub(crate) use less::Less;
pub use part_data::PartData;
pub use parts::{Communicator, Parts, Reduction};
pub(crate) use product::{add_mul, gram_of_columns, gram_of_rows, mul_block};
pub use product::{mul, product};
pub use scalar::{Dtype, Scalar};
pub(crate) use scaled::{Scaled, extreme_exponent, power_of_two, scale_by_power, unit_exponent};
pub use sparse::{Form, Sparse, Stored, Whole};
pub(crate) use svd::AUTO_TOLERANCE;
pub use svd::{Svd, SvdMethod, pseudo_inverse, truncated_svd};
pub(crate) use svd::{compute_truncated_svd, symmetric_eigen, truncation_error, widened_svd};
pub use view::MatrixView;
pub(crate) use watched::Watched;
pub use weighted::SampleWeights;
pub(crate) use weighted::{Weighted, total_weight, weight_of, weighted_row_sums};
pub(crate) use whiten::Whitening;
pub(crate) use widened::Widened;
