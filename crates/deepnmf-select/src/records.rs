//! What was found so far, in files: a fit each. Work goes on where it ended, and many processes share it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use deepnmf::matrix::{DataMatrix, Fingerprint};
use deepnmf::persist::write_atomically;
use deepnmf::{Error, Matrix, Result, Scalar, Settings};
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};
use serde::{Deserialize, Serialize};

use crate::held_out::{Task, Trial};

/// What must be the same for records to be of use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) data: Fingerprint,
    /// Those of one component.
    pub(crate) settings: Settings,
    pub(crate) share: f64,
    pub(crate) seed: u64,
}

impl About {
    pub(crate) fn of<T: Scalar>(
        x: &dyn DataMatrix<T>,
        settings: Settings,
        share: f64,
        seed: u64,
    ) -> Result<Self> {
        Ok(Self { data: x.fingerprint()?, settings, share, seed })
    }
}

/// A folder of records.
pub(crate) struct Records<'a>(&'a Path);

/// What stands in the files beside the components.
const TRIAL: &str = "trial";
const COMPONENTS: &str = "components";

impl<'a> Records<'a> {
    /// Opens a folder, or makes it.
    pub(crate) fn open(folder: &'a Path, about: &About) -> Result<Self> {
        let failed = |action| move |source| Error::Io { action, path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed("write"))?;
        let path = folder.join("about.json");
        if !path.exists() {
            let text = serde_json::to_vec_pretty(about).map_err(|e| unsound(&path, &e))?;
            write_atomically(&path, |file| file.write_all(&text))?;
            return Ok(Self(folder));
        }
        let text = fs::read(&path).map_err(failed("read"))?;
        let found: About = serde_json::from_slice(&text).map_err(|e| unsound(&path, &e))?;
        if found == *about {
            return Ok(Self(folder));
        }
        let what = if found.data == about.data { "with other settings" } else { "of other data" };
        let reason = format!("these records are of fits {what}: name another folder, or remove it");
        Err(Error::ModelFile { path, reason })
    }

    fn path(&self, task: Task) -> PathBuf {
        self.0.join(format!("size-{}-mask-{}.safetensors", task.size, task.mask))
    }

    /// Writes what was found, whole or not at all.
    pub(crate) fn keep(&self, trial: &Trial, directions: &Matrix<f64>) -> Result<()> {
        let path = self.path(trial.task);
        let words = serde_json::to_string(trial).map_err(|e| unsound(&path, &e))?;
        let bytes: Vec<u8> = directions.as_slice().iter().flat_map(|v| v.to_le_bytes()).collect();
        let shape = vec![directions.cols(), directions.rows()];
        let view = TensorView::new(Dtype::F64, shape, &bytes).map_err(|e| unsound(&path, &e))?;
        let about = Some(HashMap::from([(TRIAL.to_owned(), words)]));
        let whole = serialize([(COMPONENTS, view)], about).map_err(|e| unsound(&path, &e))?;
        write_atomically(&path, |file| file.write_all(&whole))
    }

    /// What is known of a task.
    pub(crate) fn find(&self, task: Task) -> Result<Option<(Trial, Matrix<f64>)>> {
        let path = self.path(task);
        if !path.exists() {
            return Ok(None);
        }
        let failed = |source| Error::Io { action: "read", path: path.clone(), source };
        let bytes = fs::read(&path).map_err(failed)?;
        let (_, about) = SafeTensors::read_metadata(&bytes).map_err(|e| unsound(&path, &e))?;
        let words = about.metadata().as_ref().and_then(|words| words.get(TRIAL)).cloned();
        let trial: Trial =
            serde_json::from_str(&words.unwrap_or_default()).map_err(|e| unsound(&path, &e))?;
        let all = SafeTensors::deserialize(&bytes).map_err(|e| unsound(&path, &e))?;
        let view = all.tensor(COMPONENTS).map_err(|e| unsound(&path, &e))?;
        let numbers = view
            .data()
            .chunks_exact(8)
            .map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap_or_default()));
        match *view.shape() {
            [k, p] if view.dtype() == Dtype::F64 && trial.task == task => {
                Ok(Some((trial, Matrix::from_vec(p, k, numbers.collect())?)))
            }
            _ => Err(unsound(&path, &"it holds something else")),
        }
    }
}

fn unsound(path: &Path, why: &dyn std::fmt::Display) -> Error {
    let reason = format!("this is no record of a fit ({why}): remove it");
    Error::ModelFile { path: path.to_owned(), reason }
}
