//! Reads a data file: finds out its format, hands it to that format's reader, names it in errors.

mod csv;
mod mat;
mod npy;
mod number;

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use deepnmf::Scalar;

use self::csv::Delimiter;
use crate::error::{ACCEPTED, DataError, Fault};
use crate::{Attribute, Dataset};

/// Where in a file the data and their labels are, if not in the usual place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// In a `.mat` file: the variable that holds the data. Otherwise it is `fea`, `X`, or the only
    /// numeric table.
    pub data_key: Option<String>,
    /// In a `.mat` file: the variable that holds the labels; otherwise `gnd` beside `fea` and `Y`
    /// beside `X` are taken if they are one whole number per sample. In a text file: the name, or
    /// the number counted from 1, of the column that holds labels of any kind.
    pub labels_key: Option<String>,
}

/// Reads samples from a file whose rows they are, in any format this crate knows.
///
/// The content decides on the format; the extension only where the content does not (text).
///
/// - `.npy`: real numbers of any type, byte order and memory order, two dimensions.
/// - `.mat`: MATLAB v5 to v7, compressed or not.
/// - `.csv`, `.tsv`, `.txt`: one sample a line, with a header or without. The first line is a header
///   if a field in it (other than that of a `labels_key` given as a number) is not a number.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds anything but a finite table of numbers with at
/// least one sample and one feature.
pub fn load<T: Scalar>(path: &Path, options: &LoadOptions) -> Result<Dataset<T>, DataError> {
    let (file, length) = open(path)?;
    read(file, length, &extension(path), options).map_err(|fault| fault.in_file(path))
}

fn open(path: &Path) -> Result<(File, u64), DataError> {
    let failed = |source: io::Error| {
        let path = path.to_path_buf();
        match source.kind() {
            ErrorKind::NotFound => DataError::Missing { path },
            _ => DataError::Io { action: "read", path, source },
        }
    };
    // Asked before opening: opening a pipe would wait for its other end.
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(DataError::NotAFile {
            path: path.to_path_buf(),
            found: if found.is_dir() { "a folder" } else { "a device or pipe" },
            wanted: format!("{ACCEPTED} file"),
        });
    }
    Ok((File::open(path).map_err(failed)?, found.len()))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Reads any format from a file of `length` bytes.
fn read<T: Scalar>(
    mut file: impl Read + Seek,
    length: u64,
    extension: &str,
    options: &LoadOptions,
) -> Result<Dataset<T>, Fault> {
    const HEAD: u64 = 64 * 1024; // enough for every signature and for the first line of most tables
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    file.rewind()?;
    let format = detect(&head, extension)?;
    refuse_useless(&format, options)?;
    match format {
        Format::Npy => npy::read(BufReader::new(file), length).map(Dataset::new),
        Format::Mat => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            mat::read(&bytes, options)
        }
        Format::Text(delimiter) => csv::read(file, delimiter, options.labels_key.as_deref()),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Format {
    Npy,
    Mat,
    Text(Delimiter),
}

fn detect(head: &[u8], extension: &str) -> Result<Format, Fault> {
    if head.is_empty() {
        return Err(Fault::EmptyFile);
    }
    if head.starts_with(npy::MAGIC) {
        return Ok(Format::Npy);
    }
    if mat::is_version_5(head) {
        return Ok(Format::Mat);
    }
    if let Some(fault) = unsupported(head) {
        return Err(fault);
    }
    match extension {
        "npy" => Err(Fault::WrongContent {
            extension: ".npy",
            format: "a NumPy array",
            instead: "write it with numpy.save",
        }),
        "mat" => Err(Fault::WrongContent {
            extension: ".mat",
            format: "a MATLAB v5 to v7 file",
            instead: "write it with save -v7 in MATLAB",
        }),
        "tsv" => Ok(Format::Text(Delimiter::Tab)),
        "csv" => Ok(Format::Text(Delimiter::sniff(head).unwrap_or(Delimiter::Comma))),
        // What `numpy.savetxt` writes unless told otherwise is separated by spaces.
        "txt" => Ok(Format::Text(Delimiter::sniff(head).unwrap_or(Delimiter::Spaces))),
        _ => Err(Fault::UnknownFormat),
    }
}

/// Formats that would otherwise be taken for damaged files or text.
fn unsupported(head: &[u8]) -> Option<Fault> {
    let (format, instead) = if mat::is_version_7_3(head) {
        ("a MATLAB v7.3 (HDF5) file", "write it with save -v7 in MATLAB, or as .npy")
    } else if head.starts_with(b"\x89HDF") {
        ("an HDF5 file", "write the table as .npy or .csv")
    } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        ("a ZIP archive (.npz or .xlsx)", "write one array with numpy.save as .npy, or a .csv")
    } else if head.starts_with(b"\x1f\x8b") {
        ("a gzip archive", "unpack it with gunzip first")
    } else {
        return None;
    };
    Some(Fault::Unsupported { format, instead })
}

/// An option that would be passed over in silence is a mistake worth a word.
fn refuse_useless(format: &Format, options: &LoadOptions) -> Result<(), Fault> {
    let useless = |option, format| Err(Fault::UselessOption { option, format });
    match format {
        Format::Npy if options.data_key.is_some() => {
            useless("--data-key", "a .npy file, which holds one array without a name")
        }
        Format::Npy if options.labels_key.is_some() => {
            useless("--labels-key", "a .npy file, which holds one array and no labels")
        }
        Format::Text(_) if options.data_key.is_some() => {
            useless("--data-key", "a text file, which holds one table without a name")
        }
        _ => Ok(()),
    }
}

/// Data with the labels found beside them.
fn with_labels<T: Scalar>(x: deepnmf::Matrix<T>, labels: Option<Attribute>) -> Dataset<T> {
    Dataset { attributes: labels.into_iter().collect(), ..Dataset::new(x) }
}

#[cfg(test)]
mod test_files;
#[cfg(test)]
mod tests;
