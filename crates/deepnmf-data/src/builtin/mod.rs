//! Data sets that need no file: `builtin:faces`, `builtin:xor`.
//!
//! ```
//! let faces = deepnmf_data::builtin::generate::<f32>("faces:identities=2,poses=1,noise=0")?;
//! assert_eq!(faces.samples(), 2 * 3 * 3);
//! # Ok::<(), deepnmf_data::builtin::BuiltinError>(())
//! ```

mod faces;
mod options;
mod random;
mod xor;

pub use faces::Faces;
pub use xor::Xor;

use deepnmf::Scalar;

use crate::Dataset;

/// The names of all sets, as messages list them.
const SETS: &str = "faces, faces-multipie, faces-pie or xor";

/// Makes the built-in data set that `spec` names, alone or with options as in `xor:samples=50`:
///
/// - `faces`: four attributes; options of [`Faces::parse`].
/// - `faces-multipie`: [`Faces::multi_pie`] with identity, pose and expression.
/// - `faces-pie`: [`Faces::pie`] with identity and illumination.
/// - `xor`: [`Xor`]; options of [`Xor::parse`].
///
/// # Errors
/// If there is no such data set, or its options are wrong.
pub fn generate<T: Scalar>(spec: &str) -> Result<Dataset<T>, BuiltinError> {
    let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
    match name.trim() {
        "faces" => Faces::parse(options)?.generate(),
        "faces-multipie" => {
            let faces = Faces::multi_pie().with(options)?.generate()?;
            Ok(with_only(faces, &["identity", "pose", "expression"]))
        }
        "faces-pie" => {
            let faces = Faces::pie().with(options)?.generate()?;
            Ok(with_only(faces, &["identity", "illumination"]))
        }
        "xor" => Xor::parse(options)?.generate(),
        other => Err(BuiltinError::UnknownSet { name: other.into() }),
    }
}

/// The attributes that a set is about; the others are the same for all samples.
fn with_only<T>(mut data: Dataset<T>, names: &[&str]) -> Dataset<T> {
    data.attributes.retain(|a| names.contains(&a.name.as_str()) || a.classes().len() > 1);
    data
}

/// Why a built-in data set cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuiltinError {
    /// No built-in data set of this name.
    #[error(
        "there is no built-in data set {name:?}: use {SETS}, alone or with options as in faces:key=value,..."
    )]
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
