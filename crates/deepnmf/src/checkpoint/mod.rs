//! Fits that outlive what they run on: a process that is killed, a machine that goes down.
//!
//! A fit is a fixed sequence of loops, and everything else in it (initializations, graphs, decompositions)
//! follows from the data and the settings, to the bit. So a checkpoint holds the state of one loop after one
//! iteration. A resumed fit runs the same sequence again, and each loop begins where its newest readable
//! checkpoint left it, or at its own beginning. It ends with the same bits in any case; a damaged or missing
//! file costs time and nothing else.
//!
//! Data in parts have the same files, with the features of all samples: the first part writes and reads them. So a
//! fit goes on with any number of parts, and ends with the same bits on as many, else up to the rounding of sums.
//!
//! | file | what |
//! |---|---|
//! | `fit-F.json` | which data, settings and version the checkpoints of fit `F` belong to |
//! | `fit-F-loop-L-I.state` | loop `L` of that fit after iteration `I`; the newest two are kept |
//! | `fit-F-loop-L-done.state` | the same, ended |

mod keeper;
mod state;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::matrix::Dtype;
use crate::models::Settings;

pub(crate) use keeper::{Keeper, Reached};
pub(crate) use state::{Restored, StateWriter};

/// How often a state is written by default.
const EVERY: Duration = Duration::from_secs(30);

/// Where and how often a fit writes checkpoints.
///
/// ```
/// use deepnmf::{Checkpoints, Factorization, FitSession, Matrix, SemiNmf};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64 - 3.0);
/// let folder = tempfile::tempdir().unwrap();
/// let checkpoints = Checkpoints::new(folder.path()).resume(true);
/// let mut session = FitSession::new().checkpointed(checkpoints.clone());
/// let model = SemiNmf::new(3).fit_in(&x, &[], &mut session)?;
/// checkpoints.remove()?; // once the model is safe
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoints {
    folder: PathBuf,
    every: Duration,
    resume: bool,
}

impl Checkpoints {
    /// Checkpoints in this folder, which is made where there is none, every 30 seconds.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), every: EVERY, resume: false }
    }

    /// Sets the time between two of them. After the first one they take no more than a fiftieth of the time of
    /// the fit, so large states are written less often.
    #[must_use]
    pub fn every(self, every: Duration) -> Self {
        Self { every, ..self }
    }

    /// Goes on where checkpoints in the folder ended, if there are any. Without it, a folder that holds some
    /// is refused.
    #[must_use]
    pub fn resume(self, resume: bool) -> Self {
        Self { resume, ..self }
    }

    /// Removes all checkpoints from the folder, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove(&self) -> Result<()> {
        for path in keeper::files(&self.folder)? {
            std::fs::remove_file(&path).map_err(|source| Error::Io {
                action: "remove",
                path,
                source,
            })?;
        }
        // Fails where something else is in it, which is then meant to stay.
        let _ = std::fs::remove_dir(&self.folder);
        Ok(())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// What checkpoints belong to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) version: String,
    pub(crate) dtype: Dtype,
    pub(crate) features: usize,
    pub(crate) samples: usize,
    /// Of the samples, in their order.
    pub(crate) data: String,
    /// Of the labels.
    pub(crate) labels: String,
    /// Of the factors to begin with, if they were given.
    pub(crate) start: String,
    pub(crate) settings: Settings,
}

impl Identity {
    /// What differs from another one, in words.
    fn difference(&self, other: &Self) -> Option<String> {
        let named = [
            ("the version of deepnmf", self.version.clone(), other.version.clone()),
            ("the number type", self.dtype.to_string(), other.dtype.to_string()),
            ("the number of features", self.features.to_string(), other.features.to_string()),
            ("the number of samples", self.samples.to_string(), other.samples.to_string()),
            ("the fingerprint of the data", self.data.clone(), other.data.clone()),
            ("the fingerprint of the labels", self.labels.clone(), other.labels.clone()),
            ("the factors to begin with", self.start.clone(), other.start.clone()),
        ];
        let differs = named.into_iter().find(|(_, ours, theirs)| ours != theirs);
        if let Some((name, ours, theirs)) = differs {
            return Some(format!("{name} is {ours}, but {theirs} there"));
        }
        let [ours, theirs] =
            [self, other].map(|i| serde_json::to_value(&i.settings).unwrap_or_default());
        difference_of_values("", &ours, &theirs)
    }
}

/// The first setting in which two objects differ, with both values.
fn difference_of_values(
    name: &str,
    ours: &serde_json::Value,
    theirs: &serde_json::Value,
) -> Option<String> {
    use serde_json::Value;
    if let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) {
        let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
        // A time budget is that of each run: with another one the same fit goes on.
        return keys.filter(|key| *key != "max_seconds").find_map(|key| {
            let of = |object: &serde_json::Map<_, _>| object.get(key).cloned().unwrap_or_default();
            let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            difference_of_values(&name, &of(ours), &of(theirs))
        });
    }
    (ours != theirs).then(|| format!("the setting {name} is {ours}, but {theirs} there"))
}
