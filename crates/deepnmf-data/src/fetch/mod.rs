//! Public data sets, downloaded once into a cache folder.
//!
//! Nothing is downloaded unless [`fetch`] is called. Files are looked for, in this order, in the
//! offline folder, in the cache, and on the mirror or at their origin. A download appears under its
//! name only when it is whole and its checksum is right; one that was cut short goes on where it
//! stopped. An archive becomes a folder of the files that are wanted in it. The tests talk to a server on this machine; whether the origins still serve these
//! files can only be seen by trying.
//!
//! ```
//! use deepnmf_data::fetch;
//! let pie = fetch::find("pie-pose27")?;
//! assert!(pie.licence.contains("terms"));
//! assert_eq!(pie.files[0].name, "PIE_pose27.mat");
//! # Ok::<(), fetch::FetchError>(())
//! ```

mod checksum;
mod download;
mod error;
mod options;
mod registry;
mod unpack;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::checksum::check;
pub use self::download::Progress;
pub use self::error::FetchError;
pub use self::options::FetchOptions;
pub use self::registry::{PublicFile, PublicSet, find, sets};
pub use self::unpack::Unpack;

/// A file of a set that is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The file, or the folder that it was unpacked to.
    pub path: PathBuf,
    /// The checksum of the file; unknown for a folder that somebody else has unpacked.
    pub sha256: Option<String>,
}

/// Gets all files of a set, in the order of [`PublicSet::files`]. Archives are unpacked.
///
/// `progress` is told of every piece that arrives.
///
/// # Errors
/// If a file is not in the offline folder, cannot be downloaded, stored or unpacked, is larger than
/// it may be, or has the wrong checksum.
pub fn fetch(
    set: &PublicSet,
    options: &FetchOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Vec<Fetched>, FetchError> {
    set.files.iter().map(|file| fetch_file(set, file, options, progress)).collect()
}

fn fetch_file(
    set: &PublicSet,
    file: &PublicFile,
    options: &FetchOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Fetched, FetchError> {
    if let Some(folder) = &options.offline {
        return offline(set, file, folder, options);
    }
    let folder = options.cache_folder()?.join(set.name);
    let expected = checksum::expected(file, &folder);
    if let Some(path) = unpacked_in(&folder, file) {
        return Ok(Fetched { path, sha256: expected });
    }
    let target = folder.join(file.name);
    let kept = if target.is_file() { check(&target, file, expected.as_deref()).ok() } else { None };
    let sum = match kept {
        Some(sum) => sum,
        None => download_to(&target, set, file, expected.as_deref(), options, progress)?,
    };
    let path = ready(target.clone(), file, &folder).inspect_err(|error| {
        if !matches!(error, FetchError::Storage { .. }) {
            forget(&target);
        }
    })?;
    checksum::write_down(&sum, file, &folder)?;
    Ok(Fetched { path, sha256: Some(sum) })
}

/// Downloads a file, which appears under its name when it is whole; its checksum.
fn download_to(
    target: &Path,
    set: &PublicSet,
    file: &PublicFile,
    expected: Option<&str>,
    options: &FetchOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<String, FetchError> {
    let folder = target.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|source| stored(folder, source))?;
    let part = folder.join(format!("{}.part", file.name));
    download::download(&options.url(set, file), file, &part, options, progress)?;
    // What is wrong now would stay wrong if the download went on from it.
    let sum = check(&part, file, expected).inspect_err(|_| forget(&part))?;
    fs::rename(&part, target).map_err(|source| stored(target, source))?;
    Ok(sum)
}

/// The file in a folder that the user has filled. An archive is unpacked into the cache.
fn offline(
    set: &PublicSet,
    file: &PublicFile,
    folder: &Path,
    options: &FetchOptions,
) -> Result<Fetched, FetchError> {
    let own = folder.join(set.name);
    if let Some(unpack) = &file.unpack
        && let Some(path) = unpack::unpacked(unpack, &[own.join(unpack.folder), own.clone()])
    {
        return Ok(Fetched { path, sha256: None });
    }
    let places = [own.join(file.name), folder.join(file.name)];
    let Some(found) = places.iter().find(|path| path.is_file()) else {
        return Err(FetchError::NotOffline { path: places[0].clone(), url: file.url.into() });
    };
    let sum = check(found, file, file.sha256)?;
    if file.unpack.is_none() {
        return Ok(Fetched { path: found.clone(), sha256: Some(sum) });
    }
    let cache = options.cache_folder()?.join(set.name);
    fs::create_dir_all(&cache).map_err(|source| stored(&cache, source))?;
    let path = ready(found.clone(), file, &cache)?;
    Ok(Fetched { path, sha256: Some(sum) })
}

/// The file itself, or the folder that it becomes.
fn ready(path: PathBuf, file: &PublicFile, folder: &Path) -> Result<PathBuf, FetchError> {
    match (&file.unpack, unpacked_in(folder, file)) {
        (None, _) => Ok(path),
        (Some(_), Some(there)) => Ok(there),
        (Some(unpack), None) => {
            let target = folder.join(unpack.folder);
            unpack::unpack(&path, unpack, &target).map(|()| target)
        }
    }
}

/// The folder that an archive has become before.
fn unpacked_in(folder: &Path, file: &PublicFile) -> Option<PathBuf> {
    let unpack = file.unpack.as_ref()?;
    unpack::unpacked(unpack, &[folder.join(unpack.folder)])
}

/// Removes a file that is of no use; if it cannot be, the next attempt will find out.
fn forget(path: &Path) {
    let _ = fs::remove_file(path);
}

fn stored(path: &Path, source: io::Error) -> FetchError {
    FetchError::Storage { path: path.into(), source }
}

#[cfg(test)]
mod archive_tests;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;
