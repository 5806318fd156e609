//! Public data sets, downloaded once into a cache folder.
//!
//! Nothing is downloaded unless [`fetch`] is called. Files are looked for, in this order, in the
//! offline folder, in the cache, and on the mirror or at their origin. A download appears under its
//! name only when it is whole and its checksum is right; one that was cut short goes on where it
//! stopped. The tests talk to a server on this machine; whether the origins still serve these
//! files can only be seen by trying.
//!
//! ```
//! use deepnmf_data::fetch;
//! let pie = fetch::find("pie-pose27")?;
//! assert!(pie.licence.contains("terms"));
//! assert_eq!(pie.files[0].name, "PIE_pose27.mat");
//! # Ok::<(), fetch::FetchError>(())
//! ```

mod download;
mod error;
mod options;
mod registry;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub use self::download::Progress;
pub use self::error::FetchError;
pub use self::options::FetchOptions;
pub use self::registry::{PublicFile, PublicSet, find, sets};

/// Gets all files of a set; their paths, in the order of [`PublicSet::files`].
///
/// `progress` is told of every piece that arrives.
///
/// # Errors
/// If a file is not in the offline folder, cannot be downloaded or stored, is larger than it may
/// be, or has the wrong checksum.
pub fn fetch(
    set: &PublicSet,
    options: &FetchOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Vec<PathBuf>, FetchError> {
    set.files.iter().map(|file| fetch_file(set, file, options, progress)).collect()
}

fn fetch_file(
    set: &PublicSet,
    file: &PublicFile,
    options: &FetchOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<PathBuf, FetchError> {
    if let Some(folder) = &options.offline {
        return offline(set, file, folder);
    }
    let folder = options.cache_folder()?.join(set.name);
    let target = folder.join(file.name);
    if target.is_file() && check(&target, file).is_ok() {
        return Ok(target);
    }
    fs::create_dir_all(&folder).map_err(|source| stored(&folder, source))?;
    let url = options.url(set, file);
    let part = folder.join(format!("{}.part", file.name));
    download::download(&url, file, &part, options, progress)?;
    if let Err(error) = check(&part, file) {
        // What is wrong now would stay wrong if the download went on from it.
        let _ = fs::remove_file(&part);
        return Err(error);
    }
    fs::rename(&part, &target).map_err(|source| stored(&target, source))?;
    Ok(target)
}

/// The file in a folder that the user has filled.
fn offline(set: &PublicSet, file: &PublicFile, folder: &Path) -> Result<PathBuf, FetchError> {
    let places = [folder.join(set.name).join(file.name), folder.join(file.name)];
    match places.iter().find(|path| path.is_file()) {
        Some(found) => check(found, file).map(|()| found.clone()),
        None => Err(FetchError::NotOffline { path: places[0].clone(), url: file.url.into() }),
    }
}

/// Checks length and checksum of a whole file.
fn check(path: &Path, file: &PublicFile) -> Result<(), FetchError> {
    let failed = |source| stored(path, source);
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > file.most_bytes {
        return Err(FetchError::TooLarge { what: file.name.into(), most: file.most_bytes });
    }
    let Some(expected) = file.sha256 else {
        return Ok(());
    };
    let found = sha256(path).map_err(failed)?;
    if found == expected {
        return Ok(());
    }
    Err(FetchError::Checksum { path: path.into(), found, expected: expected.into() })
}

fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hash) = (File::open(path)?, Sha256::new());
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|d| char::from_digit(d.into(), 16));
    Ok(hash.finalize().iter().flat_map(digits).flatten().collect())
}

fn stored(path: &Path, source: io::Error) -> FetchError {
    FetchError::Storage { path: path.into(), source }
}

#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;
