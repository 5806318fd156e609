//! What can go wrong. Messages name the cause and what would help.

use std::path::PathBuf;

/// Everything that can go wrong in this crate. Each message names the culprit and what would work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The shapes of two things do not fit.
    #[error("{what}: found {found}, but {expected} is needed")]
    Shape {
        /// What has the wrong shape.
        what: String,
        /// The shape it has.
        found: String,
        /// The shape it should have.
        expected: String,
    },
    /// A data matrix without rows or columns.
    #[error("the data are empty: {features} features of {samples} samples")]
    Empty {
        /// Rows of the data matrix.
        features: usize,
        /// Columns of the data matrix.
        samples: usize,
    },
    /// A value that is not a number, or infinite.
    #[error(
        "sample {sample}, feature {feature} is {value} (counted from 1): \
         remove it, replace it by a number, or declare it missing (--missing nan, missing=np.nan)"
    )]
    NotFinite {
        /// The sample (column of `X`), counted from 1.
        sample: usize,
        /// The feature (row of `X`), counted from 1.
        feature: usize,
        /// What stands there.
        value: f64,
    },
    /// A sample, or a feature, of which every entry is missing.
    #[error(
        "{what} {number} has no observed entry (counted from 1), so nothing can be said of it: leave it out"
    )]
    NothingObserved {
        /// `sample` or `feature`.
        what: &'static str,
        /// Its number, counted from 1.
        number: usize,
    },
    /// A negative value in the data of a model that has no place for it.
    #[error(
        "sample {sample}, feature {feature} is {value} (counted from 1), but this model takes \
         non-negative data only: use Semi-NMF, which takes any, or shift the data"
    )]
    Negative {
        /// The sample (column of `X`), counted from 1.
        sample: usize,
        /// The feature (row of `X`), counted from 1.
        feature: usize,
        /// What stands there.
        value: f64,
    },
    /// A parameter outside its range.
    #[error("{name} is {value}: {accepted}")]
    Parameter {
        /// The parameter's name.
        name: String,
        /// The value given.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// A computation that broke down.
    #[error("{0}")]
    Numerical(String),
    /// Somebody asked to stop, or the time was used up, before there was a result.
    #[error("interrupted before there was a result: {0}")]
    Interrupted(crate::stop::StopReason),
    /// A model file that cannot be used.
    #[error("{path}: {reason}", path = path.display())]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// A file that cannot be read or written.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl Error {
    /// A parameter outside its range.
    pub(crate) fn parameter(
        name: impl Into<String>,
        value: impl std::fmt::Display,
        accepted: impl Into<String>,
    ) -> Self {
        Self::Parameter { name: name.into(), value: value.to_string(), accepted: accepted.into() }
    }
}

/// A result whose error is [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;
