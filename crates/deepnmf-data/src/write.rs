//! Writes results: either the whole file is there afterwards, or what was there before.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use deepnmf::{Dtype, Matrix, Scalar};
use tempfile::NamedTempFile;

use crate::DataError;

/// Writes a matrix as `.npy`: the `n` columns of `samples_as_rows` become the rows of a C-ordered
/// array of shape `(n, p)`, which NumPy sees as samples x features.
///
/// # Errors
/// If the file cannot be written; a file that was there before is then still there, unchanged.
pub fn write_npy<T: Scalar>(path: &Path, samples_as_rows: &Matrix<T>) -> Result<(), DataError> {
    let (features, samples) = samples_as_rows.shape();
    write_atomically(path, |file| {
        file.write_all(&npy_header(T::DTYPE, samples, features))?;
        write_little_endian(file, samples_as_rows.as_slice())
    })
}

/// Writes a file as a whole or not at all: what `write` writes goes to a temporary file in the
/// same folder, which takes the place of `path` only once it is safely on disk.
///
/// # Errors
/// If `write` fails, the folder cannot be written to, or `path` is no regular file; what was there
/// before is then still there, unchanged.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), DataError> {
    let failed = |source| DataError::Io {
        action: "write",
        path: path.to_path_buf(),
        source,
    };
    // Renaming onto a link would replace the link; the file it leads to is meant.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return Err(DataError::NotAFile {
            path: path.to_path_buf(),
            found: if target.is_dir() {
                "a folder"
            } else {
                "a device or pipe"
            },
            wanted: "file to write".into(),
        });
    }
    let temporary = fill_temporary(&folder_of(&target), write).map_err(failed)?;
    if let Some(before) = before {
        temporary
            .as_file()
            .set_permissions(before.permissions())
            .map_err(failed)?;
    }
    temporary.persist(&target).map_err(|e| failed(e.error))?;
    sync_folder(&folder_of(&target));
    Ok(())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn fill_temporary(
    folder: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".deepnmf-");
    // The default, readable by the owner alone, is for secrets; the umask still applies to this.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    let mut buffer = BufWriter::new(temporary.as_file_mut());
    write(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Makes the renaming itself last. The file is complete either way, so a system that cannot sync
/// folders is no reason to fail.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// The header of version 1.0, padded as NumPy does so that the numbers start at a multiple of 64.
fn npy_header(dtype: Dtype, samples: usize, features: usize) -> Vec<u8> {
    const PREFIX: usize = 10;
    let descr = match dtype {
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
    };
    let mut text = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({samples}, {features}), }}"
    );
    while !(PREFIX + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX); // about 118: two numbers and words
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(length.to_le_bytes());
    header.extend(text.bytes());
    header
}

fn write_little_endian<T: Scalar>(file: &mut dyn Write, numbers: &[T]) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return file.write_all(bytemuck::cast_slice(numbers));
    }
    for number in numbers {
        let mut bytes = bytemuck::bytes_of(number).to_vec();
        bytes.reverse();
        file.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
