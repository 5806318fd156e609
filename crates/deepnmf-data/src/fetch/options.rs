//! Where files are looked for and kept.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::{FetchError, PublicFile, PublicSet};

/// Where files are looked for and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchOptions {
    /// Where downloads are kept; `deepnmf` in the user's cache folder unless given.
    pub cache: Option<PathBuf>,
    /// An address that files are downloaded from instead of their origin, as
    /// `MIRROR/name-of-the-set/name-of-the-file`.
    pub mirror: Option<String>,
    /// A folder that has the files, directly or in a folder named after the set. Nothing is
    /// downloaded then.
    pub offline: Option<PathBuf>,
    /// How long a server may send nothing.
    pub patience: Duration,
    /// How often a download that breaks off is taken up again.
    pub retries: u32,
}

impl Default for FetchOptions {
    fn default() -> Self {
        let patience = Duration::from_secs(30);
        Self { cache: None, mirror: None, offline: None, patience, retries: 3 }
    }
}

impl FetchOptions {
    /// What the environment says: `DEEPNMF_CACHE`, `DEEPNMF_MIRROR` and `DEEPNMF_OFFLINE`.
    pub fn from_env() -> Self {
        Self::from_variables(|name| env::var_os(name))
    }

    pub(super) fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        Self {
            cache: given("DEEPNMF_CACHE").map(PathBuf::from),
            mirror: given("DEEPNMF_MIRROR").map(|url| url.to_string_lossy().into_owned()),
            offline: given("DEEPNMF_OFFLINE").map(PathBuf::from),
            ..Self::default()
        }
    }

    pub(super) fn cache_folder(&self) -> Result<PathBuf, FetchError> {
        if let Some(cache) = &self.cache {
            return Ok(cache.clone());
        }
        let given = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let base = given("XDG_CACHE_HOME")
            .or_else(|| given("LOCALAPPDATA"))
            .or_else(|| given("HOME").map(|home| home.join(".cache")));
        base.map(|base| base.join("deepnmf")).ok_or(FetchError::NoCache)
    }

    /// Where a file is downloaded from.
    pub(super) fn url(&self, set: &PublicSet, file: &PublicFile) -> String {
        match &self.mirror {
            None => file.url.into(),
            Some(mirror) => format!("{}/{}/{}", mirror.trim_end_matches('/'), set.name, file.name),
        }
    }
}
