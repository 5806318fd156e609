//! Evaluates features: clusters and classifies them, and measures the result.
//!
//! - [`kmeans`]: k-means++ with restarts, exact and fast.
//! - [`metrics`]: AC, NMI, ARI, purity, confusion.
//! - [`svm`] and [`knn`]: a linear support vector machine and the nearest neighbour.
//! - [`scale`]: the scaling of features before that.
//! - [`stats`]: many runs in a few numbers, and whether two methods differ.
//! - [`protocol`]: the paper's two protocols, [`cluster`] and [`classify`].
//!
//! Features are `k x n`: a sample is a column.

mod error;
mod instances;
pub mod kmeans;
pub mod knn;
pub mod metrics;
mod numbers;
pub mod protocol;
pub mod scale;
pub mod stats;
pub mod svm;

pub use error::{EvalError, Result};
pub use instances::Instances;
pub use kmeans::{Clustering, KMeans};
pub use knn::NearestNeighbour;
pub use protocol::{
    Classifier, ClassifyOptions, ClassifyScore, ClusterOptions, ClusterScore, classify, cluster,
};
pub use scale::{Scaler, Scaling};
pub use svm::{LinearSvm, SvmModel};
