//! Graphs between samples: which of them should have similar features, and how much.
//!
//! A graph is a symmetric `n x n` matrix of weights `W` that nobody ever forms. With the degrees
//! `D` on a diagonal and the Laplacian `L = D - W`, the graph penalty of features `H` (`k x n`) is
//!
//! ```text
//! Tr(H L H^T) = sum_j d_j |h_j|^2 - <H, H W>        ( = 1/2 sum_{j,l} w_jl |h_j - h_l|^2 )
//! ```
//!
//! so products `H W` and degrees are all that a fit needs. Where samples are spread over parts, a graph
//! holds the rows of its part. Graphs of classes exchange sums over classes; those that compare samples
//! are built from the samples of all parts, on each of them (`gathered.rs`).

mod binary;
mod dot;
mod fisher;
mod gathered;
mod groups;
mod knn;
#[cfg(test)]
mod literal;
mod means;
mod normalised;
mod rbf;
mod samples;
mod smooth;
mod sum;
#[cfg(test)]
mod tests;
mod tiles;

pub use binary::SameLabel;
pub use dot::DotProduct;
pub use fisher::Fisher;
pub(crate) use groups::classes_of_all_parts;
pub use knn::{
    Neighbour, NeighbourSearch, NeighbourWeights, Neighbours, Search, nearest_neighbours,
};
pub(crate) use knn::{cosine, nearest_to};
pub(crate) use means::ClassMeans;
pub use rbf::Rbf;
pub(crate) use smooth::{smooth, smoothed};
pub use sum::{Weighted, WeightedSum};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, dot};

/// What one attribute says of every sample: a class, or nothing.
pub type Labels = [Option<u32>];

/// A graph between samples.
pub trait Graph<T: Scalar>: Sync {
    /// Return the number of samples of this part.
    fn samples(&self) -> usize {
        self.degrees().len()
    }

    /// Return the parts that the samples are spread over.
    fn parts(&self) -> Parts<'_>;

    /// Return the diagonal of `D`, never negative, for the samples of this part.
    fn degrees(&self) -> &[T];

    /// Compute `out += factor H W`; both are `k x n` and hold the samples of this part. All parts call it
    /// together.
    ///
    /// # Errors
    /// If another part has failed.
    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()>;

    /// Return whether `W` is positive semi-definite. `D + W` is in any case.
    fn is_positive(&self) -> bool;

    /// Return which share of the nearest samples a search for neighbours has found, by its own estimate.
    fn share_found(&self) -> f64 {
        1.0
    }

    /// Return the graph penalty `Tr(H L H^T)`. All parts call it together.
    ///
    /// # Errors
    /// If another part has failed.
    fn penalty(&self, h: &Matrix<T>) -> Result<f64> {
        let mut product = Matrix::zeros(h.rows(), h.cols());
        self.add_product(1.0, h, &mut product)?;
        let lengths = h.columns().zip(self.degrees());
        let own = lengths.map(|(h, d)| d.to_f64() * dot(h, h)).sum::<f64>() - h.inner(&product);
        self.parts().sum_of(own)
    }
}

/// `H L = H D - H W`; all parts call it together.
pub(crate) fn times_laplacian<T: Scalar>(graph: &dyn Graph<T>, h: &Matrix<T>) -> Result<Matrix<T>> {
    let mut product = Matrix::zeros(h.rows(), h.cols());
    graph.add_product(-1.0, h, &mut product)?;
    for (j, d) in graph.degrees().iter().enumerate() {
        product.col_mut(j).iter_mut().zip(h.col(j)).for_each(|(out, h)| *out += *d * *h);
    }
    Ok(product)
}

impl<T: Scalar> Graph<T> for &dyn Graph<T> {
    fn parts(&self) -> Parts<'_> {
        (**self).parts()
    }

    fn degrees(&self) -> &[T] {
        (**self).degrees()
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        (**self).add_product(factor, h, out)
    }

    fn is_positive(&self) -> bool {
        (**self).is_positive()
    }

    fn share_found(&self) -> f64 {
        (**self).share_found()
    }
}

/// How samples of the same class are connected.
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
    /// The same for samples times `factor`: a given width is measured in their unit.
    pub(crate) fn in_unit(self, factor: f64) -> Self {
        match self {
            Self::Rbf { sigma } => Self::Rbf { sigma: sigma.map(|sigma| sigma * factor) },
            other => other,
        }
    }

    /// The graph of these samples and labels.
    ///
    /// # Errors
    /// If there is not one label (or `None`) for each sample, or a width is not above zero.
    pub fn build<'a, T: Scalar>(
        self,
        x: &'a dyn DataMatrix<T>,
        labels: &Labels,
    ) -> Result<Box<dyn Graph<T> + 'a>> {
        means::check_labels(x.shape().1, labels)?;
        match self {
            Self::Binary => Ok(Box::new(SameLabel::new(labels, x.parts())?)),
            Self::Rbf { sigma } => {
                gathered::label_graph(x, labels, |x, labels| Rbf::new(x, labels, sigma))
            }
            Self::Dot => gathered::label_graph(x, labels, DotProduct::new),
        }
    }

    /// The same with weights such that every class has a mean degree of one: the weight of the graph penalty
    /// then means the same for classes of any size.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_normalised<'a, T: Scalar>(
        self,
        x: &'a dyn DataMatrix<T>,
        labels: &Labels,
    ) -> Result<Box<dyn Graph<T> + 'a>> {
        let graph = self.build(x, labels)?;
        Ok(Box::new(normalised::Normalised::new(graph, labels)?))
    }
}
