//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Writes a file under a temporary name beside `path` and renames it when all of it is on disk.
/// Whatever goes wrong, a file that stood at `path` before is untouched; where all goes well, the
/// new one has its permissions.
///
/// # Errors
/// If `path` is a folder or a device, its folder cannot be written to, `write` fails or the disk
/// is full.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    replace(path, write).map_err(|source| Error::Io {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

/// Finds out whether [`write_atomically`] can write to `path`, before hours go into what is to be
/// written there. Nothing is left behind.
///
/// # Errors
/// If it cannot.
pub fn check_writable(path: &Path) -> Result<()> {
    let refused = |source| Error::Io { action: "write", path: path.to_owned(), source };
    let (target, _) = regular_target(path).map_err(refused)?;
    fill_temporary(&folder_of(&target), |_| Ok(())).map(drop).map_err(refused)
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (target, before) = regular_target(path)?;
    let folder = folder_of(&target);
    let temporary = fill_temporary(&folder, write)?;
    if let Some(before) = before {
        temporary.as_file().set_permissions(before.permissions())?;
    }
    temporary.persist(&target).map_err(|e| e.error)?;
    // Makes the renaming itself last; the file is complete even where folders cannot be synced.
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The file that is meant by `path`, and what is known of it if it exists.
fn regular_target(path: &Path) -> io::Result<(PathBuf, Option<fs::Metadata>)> {
    // Renaming onto a link would replace the link; the file it leads to is meant.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target).ok();
    match &before {
        Some(before) if before.is_dir() => Err(io::Error::other("it is a folder")),
        Some(before) if !before.is_file() => {
            Err(io::Error::other("it is a device or pipe, not a file"))
        }
        _ => Ok((target, before)),
    }
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn fill_temporary(
    folder: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".deepnmf-");
    // Temporary files are private by default; this one becomes an ordinary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    let mut buffered = BufWriter::with_capacity(1 << 20, temporary.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    temporary.as_file().sync_all()?;
    Ok(temporary)
}
