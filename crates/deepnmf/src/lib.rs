//! Deep matrix factorization that learns one representation per attribute of the data.
//!
//! Data `X` (`p` features x `n` samples) are factorized into layers of non-negative features,
//! `X ~ Z_1 Z_2 ... Z_m H_m`, after *A deep matrix factorization method for learning attribute
//! representations* (Trigeorgis, Bousmalis, Zafeiriou & Schuller).
//!
//! ```
//! use deepnmf::{DeepSemiNmf, Factorization, Matrix, Projection};
//!
//! let x = Matrix::from_fn(20, 50, |i, j| ((i + 1) * (j + 3) % 11) as f64);
//! let model = DeepSemiNmf::new([8, 3]).fit(&x)?;
//! assert!(model.summary.error >= model.summary.svd_bound.unwrap() * (1.0 - 1e-9));
//!
//! let unseen = Matrix::from_fn(20, 4, |i, j| ((i + 2) * (j + 5) % 11) as f64);
//! let features = model.project(&unseen, 2, Projection::NonNegative)?;
//! assert_eq!(features.shape(), (3, 4));
//! # Ok::<(), deepnmf::Error>(())
//! ```
//!
//! * Models: [`SemiNmf`], [`DeepSemiNmf`]; several attributes without labels [`AdditiveSemiNmf`]; with labels of some samples [`Wsf`], [`WsfMa`],
//!   [`DeepWsf`]; baselines: [`Nmf`], [`NeNmf`], [`Gnmf`], [`MultilayerNmf`], [`Cnmf`], [`Dnmf`],
//!   [`WhitenedPca`]. Each is fitted by [`Factorization`]; any of them is a [`Settings`]. Settings they
//!   share: [`FitOptions`].
//! * Data: [`Matrix`], borrowed [`MatrixView`], [`Sparse`], or your own [`DataMatrix`], which may be spread over parts
//!   that work together ([`matrix::Parts`]).
//! * Classes of samples without a label: [`Model::predict`].
//! * Watch or stop a fit: [`FitSession`]. Keep the result: [`Model::save`],
//!   [`persist::load_model`].

#[cfg(test)]
extern crate self as deepnmf; // some tests are shared with other crates

pub mod activation;
pub mod batches;
pub mod checkpoint;
mod descent;
pub mod driver;
pub mod error;
pub mod graph;
pub mod guide;
pub mod init;
mod instances;
pub mod matrix;
pub mod models;
pub mod objective;
pub mod observe;
pub mod persist;
pub mod predict;
pub mod project;
pub mod rng;
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod split_tests;
pub mod stop;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod unit_tests;
pub mod update;
#[cfg(test)]
mod weight_tests;

pub use activation::Activation;
pub use batches::{Learner, Progress};
pub use checkpoint::Checkpoints;
pub use driver::{FitSession, Run};
pub use error::{Error, Result};
pub use graph::{Graph, LabelGraph, Labels, NeighbourSearch, NeighbourWeights};
pub use init::{NonNegativeStart, ScaleIn, Start};
pub use matrix::{DataMatrix, Dtype, Matrix, MatrixView, Scalar, Sparse};
pub use models::*;
pub use objective::{Divergence, reconstruction_error};
pub use observe::{Event, Observer, Stage};
pub use predict::{Prediction, PredictorInfo};
pub use project::Projection;
pub use stop::{CancelToken, StopReason, StopRule};
pub use update::HSolver;
