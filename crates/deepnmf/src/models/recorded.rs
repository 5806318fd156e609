//! What other crates record with a model.

use std::fmt::{self, Display};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A value of a type that this crate does not know, stored in a model file as JSON.
///
/// ```
/// use deepnmf::Recorded;
/// let steps = Recorded::of(&["log1p", "unit"])?;
/// assert_eq!(steps.read::<Vec<String>>()?.unwrap(), ["log1p", "unit"]);
/// assert_eq!(Recorded::default().read::<Vec<String>>()?, None);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Recorded(serde_json::Value);

impl Recorded {
    /// Records a value.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn of(value: &impl Serialize) -> Result<Self> {
        let json = serde_json::to_value(value);
        json.map(Self).map_err(|error| Error::Numerical(format!("cannot be recorded: {error}")))
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_null()
    }

    /// The value, if one was recorded.
    ///
    /// # Errors
    /// If it is of another type.
    pub fn read<R: DeserializeOwned>(&self) -> Result<Option<R>> {
        if self.is_empty() {
            return Ok(None);
        }
        let value = serde_json::from_value(self.0.clone());
        value.map(Some).map_err(|error| Error::Numerical(format!("{self} is not known: {error}")))
    }
}

/// As it stands in the file.
impl Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
