//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Writes a file that gets its name when all of it is on disk.
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
    Temporary::filled(&folder_of(&target), |_| Ok(())).map(drop).map_err(refused)
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (target, before) = regular_target(path)?;
    let folder = folder_of(&target);
    let temporary = Temporary::filled(&folder, write)?;
    if let Some(before) = before {
        temporary.file().set_permissions(before.permissions())?;
    }
    temporary.persist(&target, &folder)?;
    // Makes the new name itself last; the file is complete even where folders cannot be synced.
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The file that is meant by `path`, and what is known of it if it exists.
fn regular_target(path: &Path) -> io::Result<(PathBuf, Option<fs::Metadata>)> {
    // Renaming onto a link would replace the link; the file it leads to is meant.
    let found = fs::canonicalize(path);
    if found.is_err() && fs::symlink_metadata(path).is_ok_and(|info| info.is_symlink()) {
        return Err(io::Error::other("it is a link that leads nowhere"));
    }
    let target = found.unwrap_or_else(|_| path.to_owned());
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

/// A file that is being written. Where the system knows files without a name it has none until it is whole,
/// so that a process that is killed leaves nothing behind.
enum Temporary {
    Named(NamedTempFile),
    #[cfg(target_os = "linux")]
    Unnamed(fs::File),
}

impl Temporary {
    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create(folder) {
            return Ok(Self::Unnamed(file));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".deepnmf-");
        // Temporary files are private by default; this one becomes an ordinary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder.tempfile_in(folder).map(Self::Named)
    }

    fn filled(
        folder: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let temporary = Self::new(folder)?;
        let mut buffered = BufWriter::with_capacity(1 << 20, temporary.file());
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        temporary.file().sync_all()?;
        Ok(temporary)
    }

    fn file(&self) -> &fs::File {
        match self {
            Self::Named(file) => file.as_file(),
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
        }
    }

    /// Gives the file its name.
    fn persist(self, target: &Path, folder: &Path) -> io::Result<()> {
        let _ = folder;
        match self {
            Self::Named(file) => file.persist(target).map(drop).map_err(|e| e.error),
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => unnamed::link(&file, target, folder),
        }
    }
}

/// Files without a name, as Linux has them.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::os::fd::AsRawFd;
    use std::path::Path;
    use std::{fs, io};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// None where the file system does not know them.
    pub(super) fn create(folder: &Path) -> Option<fs::File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?;
        // Giving it a name needs this view of it.
        let file = fs::File::from(file);
        fs::metadata(path_of(&file)).is_ok().then_some(file)
    }

    fn path_of(file: &fs::File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }

    /// A name cannot be given while another file has it. Then the file gets another name first, which takes
    /// the place of the old one at once.
    pub(super) fn link(file: &fs::File, target: &Path, folder: &Path) -> io::Result<()> {
        let name = |new: &Path| linkat(CWD, path_of(file), CWD, new, AtFlags::SYMLINK_FOLLOW);
        match name(target) {
            Err(rustix::io::Errno::EXIST) => {}
            done => return Ok(done?),
        }
        let mut builder = tempfile::Builder::new();
        let aside = builder.prefix(".deepnmf-").make_in(folder, |path| Ok(name(path)?))?;
        aside.into_temp_path().persist(target).map_err(|e| e.error)
    }
}
