//! What is evaluated, compiled once for each number type.
//!
//! Generic code is compiled anew in every crate that uses it. The methods here are not generic, so k-means,
//! the support vector machine and the scalings are compiled in this crate alone. The core does the same with
//! its fits.

use deepnmf::{CancelToken, Matrix, Scalar};

use crate::error::Result;
use crate::kmeans::{Clustering, KMeans};
use crate::knn::NearestNeighbour;
use crate::scale::{Scaler, Scaling};
use crate::svm::{LinearSvm, SvmModel};

/// A number type that features can be evaluated in: `f32` or `f64`.
pub trait Instances: Scalar {
    /// [`KMeans::fit_until`].
    #[doc(hidden)]
    fn kmeans(
        settings: &KMeans,
        x: &Matrix<Self>,
        cancel: &CancelToken,
    ) -> Result<Clustering<Self>>;

    /// [`KMeans::fit_from`].
    #[doc(hidden)]
    fn kmeans_from(
        settings: &KMeans,
        x: &Matrix<Self>,
        centroids: &Matrix<Self>,
    ) -> Result<Clustering<Self>>;

    /// [`LinearSvm::fit`].
    #[doc(hidden)]
    fn svm(settings: &LinearSvm, x: &Matrix<Self>, labels: &[usize]) -> Result<SvmModel>;

    /// [`SvmModel::decision_values`].
    #[doc(hidden)]
    fn decision_values(machine: &SvmModel, x: &Matrix<Self>) -> Result<Matrix<f64>>;

    /// [`NearestNeighbour::neighbours`].
    #[doc(hidden)]
    fn neighbours(known: &NearestNeighbour<Self>, x: &Matrix<Self>) -> Result<Vec<usize>>;

    /// [`Scaling::fit`].
    #[doc(hidden)]
    fn scaler(scaling: Scaling, x: &Matrix<Self>) -> Result<Scaler<Self>>;

    /// [`Scaler::apply`].
    #[doc(hidden)]
    fn scaled(scaler: &Scaler<Self>, x: &Matrix<Self>) -> Result<Matrix<Self>>;
}

macro_rules! instances {
    ($type:ty) => {
        impl Instances for $type {
            fn kmeans(
                settings: &KMeans,
                x: &Matrix<Self>,
                cancel: &CancelToken,
            ) -> Result<Clustering<Self>> {
                settings.fit_here(x, cancel)
            }

            fn kmeans_from(
                settings: &KMeans,
                x: &Matrix<Self>,
                centroids: &Matrix<Self>,
            ) -> Result<Clustering<Self>> {
                settings.fit_from_here(x, centroids)
            }

            fn svm(settings: &LinearSvm, x: &Matrix<Self>, labels: &[usize]) -> Result<SvmModel> {
                settings.fit_here(x, labels)
            }

            fn decision_values(machine: &SvmModel, x: &Matrix<Self>) -> Result<Matrix<f64>> {
                machine.decision_values_here(x)
            }

            fn neighbours(known: &NearestNeighbour<Self>, x: &Matrix<Self>) -> Result<Vec<usize>> {
                known.neighbours_here(x)
            }

            fn scaler(scaling: Scaling, x: &Matrix<Self>) -> Result<Scaler<Self>> {
                scaling.fit_here(x)
            }

            fn scaled(scaler: &Scaler<Self>, x: &Matrix<Self>) -> Result<Matrix<Self>> {
                scaler.apply_here(x)
            }
        }
    };
}

instances!(f32);
instances!(f64);
