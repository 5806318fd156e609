//! Data sets that need no file: `builtin:faces`.
//!
//! ```
//! let faces = deepnmf_data::builtin::generate::<f32>("faces:identities=2,poses=1,noise=0")?;
//! assert_eq!(faces.samples(), 2 * 3 * 3);
//! # Ok::<(), deepnmf_data::builtin::BuiltinError>(())
//! ```

mod faces;

pub use faces::Faces;

use deepnmf::Scalar;

use crate::Dataset;

/// Makes the built-in data set that `spec` names: `faces`, or `faces:key=value,...` with the
/// options of [`Faces::parse`].
///
/// # Errors
/// If there is no such data set, or its options are wrong.
pub fn generate<T: Scalar>(spec: &str) -> Result<Dataset<T>, BuiltinError> {
    let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
    match name.trim() {
        "faces" => Faces::parse(options)?.generate(),
        other => Err(BuiltinError::UnknownSet { name: other.into() }),
    }
}

/// Why a built-in data set cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuiltinError {
    /// No built-in data set of this name.
    #[error("there is no built-in data set {name:?}: use faces, or faces:key=value,...")]
    UnknownSet {
        /// The name asked for.
        name: String,
    },
    /// An option the data set does not have.
    #[error("the built-in data set {set} has no option {key:?}: use {accepted}")]
    UnknownKey {
        /// The data set.
        set: &'static str,
        /// The option asked for.
        key: String,
        /// The options there are.
        accepted: String,
    },
    /// An option without a value.
    #[error("{text:?} is no option: write options as key=value, separated by commas")]
    NotKeyValue {
        /// What stands there.
        text: String,
    },
    /// An option given more than once.
    #[error("the option {key} is given twice: leave one out")]
    Twice {
        /// The option.
        key: String,
    },
    /// A value that an option cannot have.
    #[error("{key} is {value:?}: {accepted} is needed")]
    OutOfRange {
        /// The option.
        key: String,
        /// Its value.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// More samples than anyone could want.
    #[error(
        "the options ask for {samples} samples, but {most} is the most: lower identities, poses, \
         expressions or illuminations"
    )]
    TooManySamples {
        /// The samples asked for.
        samples: u128,
        /// The most there may be.
        most: u128,
    },
    /// The data do not fit into memory.
    #[error("the data need {bytes} bytes of memory, more than there is: ask for fewer samples")]
    Memory {
        /// The bytes needed.
        bytes: u64,
    },
}
