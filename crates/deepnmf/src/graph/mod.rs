//! Graphs between samples: which of them should have similar features, and how much.
//!
//! A graph is a symmetric `n x n` matrix of weights `W` that nobody ever forms. With the degrees
//! `D` on a diagonal and the Laplacian `L = D - W`, features `H` (`k x n`) are as rough as
//!
//! ```text
//! Tr(H L H^T) = sum_j d_j |h_j|^2 - <H, H W>        ( = 1/2 sum_{j,l} w_jl |h_j - h_l|^2 )
//! ```
//!
//! so products `H W` and degrees are all that a fit needs.

mod binary;
mod dot;
mod fisher;
mod groups;
mod knn;
#[cfg(test)]
mod literal;
mod means;
mod rbf;
mod sum;
#[cfg(test)]
mod tests;
mod tiles;

pub use binary::SameLabel;
pub use dot::DotProduct;
pub use fisher::Fisher;
pub use knn::{NeighbourSearch, NeighbourWeights, Neighbours};
pub(crate) use means::ClassMeans;
pub use rbf::Rbf;
pub use sum::WeightedSum;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, dot};

/// What one attribute says of every sample: a class, or nothing.
pub type Labels = [Option<u32>];

/// A graph between `n` samples.
pub trait Graph<T: Scalar>: Sync {
    /// The number of samples `n`.
    fn samples(&self) -> usize {
        self.degrees().len()
    }

    /// The diagonal of `D`, never negative.
    fn degrees(&self) -> &[T];

    /// `out += factor H W`; both are `k x n`.
    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>);

    /// Whether `W` is positive semi-definite. `D + W` is in any case.
    fn is_positive(&self) -> bool;

    /// `Tr(H L H^T)`.
    fn roughness(&self, h: &Matrix<T>) -> f64 {
        let mut product = Matrix::zeros(h.rows(), h.cols());
        self.add_product(1.0, h, &mut product);
        let lengths = h.columns().zip(self.degrees());
        lengths.map(|(h, d)| d.to_f64() * dot(h, h)).sum::<f64>() - h.inner(&product)
    }
}

/// How samples of the same class are tied to each other.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "weights", rename_all = "kebab-case")]
pub enum LabelGraph {
    /// All with weight 1.
    #[default]
    Binary,
    /// By how near they are, `exp(-|x_j - x_l|^2 / (2 sigma^2))`.
    Rbf {
        /// The width; the median distance within classes if not given.
        sigma: Option<f64>,
    },
    /// By their dot product `x_j^T x_l`.
    Dot,
}

impl LabelGraph {
    /// The graph of these samples and labels.
    ///
    /// # Errors
    /// If there is not one label (or `None`) for each sample, or a width is not above zero.
    pub fn build<T: Scalar>(
        self,
        x: &dyn DataMatrix<T>,
        labels: &Labels,
    ) -> Result<Box<dyn Graph<T>>> {
        means::check_labels(x.shape().1, labels)?;
        Ok(match self {
            Self::Binary => Box::new(SameLabel::new(labels)),
            Self::Rbf { sigma } => Box::new(Rbf::new(x, labels, sigma)?),
            Self::Dot => Box::new(DotProduct::new(x, labels)),
        })
    }
}
