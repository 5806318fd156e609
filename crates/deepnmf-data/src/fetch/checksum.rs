//! Whether a file is the one it should be.
//!
//! Where nobody has published a checksum, that of the first download is written down beside the
//! file, and every later one has to agree with it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{FetchError, PublicFile, stored};

/// Checks length and checksum of a whole file; its checksum.
pub(super) fn check(
    path: &Path,
    file: &PublicFile,
    expected: Option<&str>,
) -> Result<String, FetchError> {
    let failed = |source| stored(path, source);
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > file.most_bytes {
        return Err(FetchError::TooLarge { what: file.name.into(), most: file.most_bytes });
    }
    let found = sha256(path).map_err(failed)?;
    match expected {
        Some(expected) if expected != found => {
            Err(FetchError::Checksum { path: path.into(), found, expected: expected.into() })
        }
        _ => Ok(found),
    }
}

/// What the file in this folder should have: what is published, or what was written down.
pub(super) fn expected(file: &PublicFile, folder: &Path) -> Option<String> {
    let published = file.sha256.map(str::to_owned);
    published.or_else(|| {
        let record = fs::read_to_string(record_of(file, folder)).ok()?;
        record.split_whitespace().next().map(str::to_owned)
    })
}

/// Writes down the checksum of a file that has none, as `sha256sum` does.
pub(super) fn write_down(sum: &str, file: &PublicFile, folder: &Path) -> Result<(), FetchError> {
    if file.sha256.is_some() {
        return Ok(());
    }
    let path = record_of(file, folder);
    fs::write(&path, format!("{sum}  {}\n", file.name)).map_err(|source| stored(&path, source))
}

fn record_of(file: &PublicFile, folder: &Path) -> PathBuf {
    folder.join(format!("{}.sha256", file.name))
}

pub(super) fn sha256(path: &Path) -> io::Result<String> {
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
