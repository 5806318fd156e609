//! Takes the files that are wanted out of an archive.
//!
//! An archive is foreign: only the last part of a path becomes a name, and a path that leads
//! elsewhere, a link, or more bytes than allowed end the work. The folder appears whole or not at
//! all.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

use super::{FetchError, stored};

/// The folder that an archive becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpack {
    /// What the folder is called.
    pub folder: &'static str,
    /// How the names of the files end that are wanted.
    pub ending: &'static str,
    /// The most bytes that may come out of the archive.
    pub most_bytes: u64,
}

/// The most files a folder may get.
const MOST_FILES: usize = 100_000;

/// The most bytes of one file, which is held in memory.
const LARGEST_FILE: u64 = 64 << 20;

/// Unpacks a ZIP archive or a gzipped tar archive, and such tar archives in a ZIP archive.
pub(super) fn unpack(archive: &Path, wanted: &Unpack, target: &Path) -> Result<(), FetchError> {
    let beside = target.parent().unwrap_or(Path::new(""));
    let failed = |source| stored(beside, source);
    let workshop = tempfile::Builder::new().prefix(".unpacking").tempdir_in(beside);
    let workshop = workshop.map_err(failed)?;
    let folder = workshop.path().join(wanted.folder);
    fs::create_dir(&folder).map_err(failed)?;
    let meter = Meter { left: Cell::new(wanted.most_bytes), over: Cell::new(false) };
    Unpacking { archive, wanted, folder: &folder, meter: &meter, files: 0 }.run()?;
    match fs::rename(&folder, target) {
        // Another process may have been faster; then both have unpacked the same.
        Err(source) if !target.is_dir() => Err(stored(target, source)),
        _ => Ok(()),
    }
}

struct Unpacking<'a> {
    archive: &'a Path,
    wanted: &'a Unpack,
    folder: &'a Path,
    meter: &'a Meter,
    files: usize,
}

impl<'a> Unpacking<'a> {
    fn run(&mut self) -> Result<(), FetchError> {
        let (file, head) = self.open().map_err(|source| stored(self.archive, source))?;
        match head.as_slice() {
            b"PK" => self.zip(file)?,
            [0x1f, 0x8b] => self.tar_gz(file)?,
            _ => return Err(self.refused("it is neither a ZIP nor a gzipped tar archive")),
        }
        match self.files {
            0 => Err(self.refused(format!("it holds no {} files", self.wanted.ending))),
            _ => Ok(()),
        }
    }

    /// The archive and its first two bytes.
    fn open(&self) -> io::Result<(BufReader<File>, Vec<u8>)> {
        let mut file = BufReader::new(File::open(self.archive)?);
        let mut head = Vec::new();
        file.by_ref().take(2).read_to_end(&mut head)?;
        file.rewind()?;
        Ok((file, head))
    }

    fn zip(&mut self, file: BufReader<File>) -> Result<(), FetchError> {
        let mut archive = ZipArchive::new(file).map_err(|error| self.broken(error))?;
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(|error| self.broken(error))?;
            let name = self.last_part(&String::from_utf8_lossy(entry.name_raw()))?;
            if entry.is_symlink() {
                return Err(self.refused(format!("{name:?} is a link")));
            }
            if entry.is_dir() {
                continue;
            }
            let content = self.metered(entry);
            if name.ends_with(".tar.gz") {
                self.tar_gz(content)?;
            } else {
                self.take(&name, content)?;
            }
        }
        Ok(())
    }

    fn tar_gz(&mut self, packed: impl Read) -> Result<(), FetchError> {
        // Metered as it comes out: what is passed over has to be unpacked as well.
        let mut archive = tar::Archive::new(self.metered(MultiGzDecoder::new(packed)));
        for entry in archive.entries().map_err(|error| self.broken(error))? {
            let mut entry = entry.map_err(|error| self.broken(error))?;
            let kind = entry.header().entry_type();
            let name = self.last_part(&String::from_utf8_lossy(&entry.path_bytes()))?;
            if kind.is_file() {
                self.take(&name, &mut entry)?;
            } else if !kind.is_dir() && !kind.is_pax_global_extensions() {
                return Err(self.refused(format!("{name:?} is a link or device")));
            }
        }
        Ok(())
    }

    /// Writes a file if it is wanted.
    fn take(&mut self, name: &str, content: impl Read) -> Result<(), FetchError> {
        if !name.ends_with(self.wanted.ending) || name.starts_with('.') {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let read = content.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.broken(error))?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(self.refused(format!("{name:?} has more than {LARGEST_FILE} bytes")));
        }
        let path = self.folder.join(name);
        // The same picture may be in several archives within one.
        match fs::read(&path) {
            Ok(before) if before == bytes => return Ok(()),
            Ok(_) => return Err(self.refused(format!("it holds two different files {name:?}"))),
            Err(_) => self.files += 1,
        }
        if self.files > MOST_FILES {
            return Err(self.refused(format!("it holds more than {MOST_FILES} files")));
        }
        fs::write(&path, bytes).map_err(|source| stored(&path, source))
    }

    /// The name of a file, without the folders it is in.
    fn last_part(&self, path: &str) -> Result<String, FetchError> {
        let parts = || path.split(['/', '\\']);
        if path.starts_with(['/', '\\']) || path.contains([':', '\0']) || parts().any(|p| p == "..")
        {
            return Err(self.refused(format!("the path {path:?} leads out of the folder")));
        }
        Ok(parts().next_back().unwrap_or_default().to_owned())
    }

    fn metered<R: Read>(&self, inner: R) -> Metered<'a, R> {
        Metered { inner, meter: self.meter }
    }

    fn refused(&self, why: impl Into<String>) -> FetchError {
        FetchError::Archive { path: self.archive.into(), why: why.into() }
    }

    fn broken(&self, error: impl Into<io::Error>) -> FetchError {
        if self.meter.over.get() {
            let what = format!("what comes out of {}", self.archive.display());
            return FetchError::TooLarge { what, most: self.wanted.most_bytes };
        }
        self.refused(format!("it is damaged: {}", error.into()))
    }
}

/// How many bytes may still come out.
struct Meter {
    left: Cell<u64>,
    over: Cell<bool>,
}

/// Ends in an error once the meter has run out.
struct Metered<'m, R> {
    inner: R,
    meter: &'m Meter,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Some(left) = self.meter.left.get().checked_sub(count as u64) else {
            self.meter.over.set(true);
            return Err(io::Error::other("too many bytes"));
        };
        self.meter.left.set(left);
        Ok(count)
    }
}

/// The folder with unpacked files among these, if there is one.
pub(super) fn unpacked(wanted: &Unpack, places: &[PathBuf]) -> Option<PathBuf> {
    let holds_some = |folder: &&PathBuf| {
        fs::read_dir(folder).is_ok_and(|files| {
            files.flatten().any(|f| f.file_name().to_string_lossy().ends_with(wanted.ending))
        })
    };
    places.iter().find(holds_some).cloned()
}
