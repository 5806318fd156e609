//! Deep matrix factorization that learns one representation per attribute of the data.

pub mod driver;
pub mod error;
pub mod init;
pub mod matrix;
pub mod models;
pub mod objective;
pub mod observe;
pub mod persist;
pub mod project;
mod rng;
pub mod stop;
#[cfg(test)]
mod testing;
pub mod update;

pub use driver::{FitSession, Run};
pub use error::{Error, Result};
pub use init::{ScaleIn, Start};
pub use matrix::{DataMatrix, Dtype, Matrix, MatrixView, Scalar};
pub use models::{
    DeepSemiNmf, Factors, FitOptions, Form, Model, Notice, Provenance, SemiNmf, Settings, Summary,
};
pub use objective::reconstruction_error;
pub use observe::{Event, Observer, Stage};
pub use project::Projection;
pub use stop::{CancelToken, StopReason, StopRule};
pub use update::HSolver;
