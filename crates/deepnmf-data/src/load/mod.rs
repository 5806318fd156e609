//! Reads data: finds out the format of a file or folder, hands it to that format's reader, names
//! it in errors.

mod choose;
mod csv;
mod detect;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(feature = "images")]
mod images;
mod label_file;
mod labels;
mod mat;
pub(crate) mod memory;
mod npy;
mod npz;
mod number;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "images")]
mod pattern;
mod variables;

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use deepnmf::Scalar;

use self::detect::Format;
pub use self::options::{ImageOptions, JoinBy, LabelFile, LoadOptions};
use crate::error::{ACCEPTED, DataError, Fault};
use crate::{Attribute, Dataset};

/// Reads samples from a file whose rows they are, or from a folder whose pictures they are, in any
/// format this crate knows.
///
/// The content decides on the format; the extension only where the content does not (text).
///
/// - `.npy`: real numbers of any type, byte order and memory order, two dimensions.
/// - `.npz`: such arrays under names, packed or not.
/// - `.mat`: MATLAB v5 to v7, compressed or not, and v7.3 (feature `hdf5`).
/// - `.h5ad`: `AnnData`, dense or sparse; other HDF5 files as tables under names (feature `hdf5`).
/// - `.parquet`: columns of numbers (feature `parquet`).
/// - `.csv`, `.tsv`, `.txt`: one sample a line, with a header or without. The first line is a header
///   if a field in it (other than that of a `labels_key` given as a number) is not a number.
/// - a folder: grey pictures in PGM, PNG, JPEG, TIFF or BMP, row by row from 0 (black) to 255
///   (feature `images`).
///
/// # Errors
/// If the file cannot be read, is damaged, or holds anything but a finite table of numbers with at
/// least one sample and one feature.
pub fn load<T: Scalar>(path: &Path, options: &LoadOptions) -> Result<Dataset<T>, DataError> {
    let found = fs::metadata(path).map_err(|source| unreadable(path, source))?;
    let mut data = if found.is_dir() {
        load_folder(path, options)?
    } else {
        let file = open(path, &found)?;
        read(file, found.len(), &extension(path), options).map_err(|fault| fault.in_file(path))?
    };
    if let Some(file) = &options.labels_file {
        label_file::join(&mut data, file)?;
    }
    Ok(data)
}

#[cfg(feature = "images")]
fn load_folder<T: Scalar>(path: &Path, options: &LoadOptions) -> Result<Dataset<T>, DataError> {
    images::read_folder(path, options)
}

#[cfg(not(feature = "images"))]
fn load_folder<T: Scalar>(path: &Path, _: &LoadOptions) -> Result<Dataset<T>, DataError> {
    let (format, feature) = ("a folder of pictures", "images");
    let instead = "write them as a table of pixels, for example as .npy";
    Err(Fault::CompiledOut { format, feature, instead }.in_file(path))
}

fn unreadable(path: &Path, source: io::Error) -> DataError {
    let path = path.to_path_buf();
    match source.kind() {
        ErrorKind::NotFound => DataError::Missing { path },
        _ => DataError::Io { action: "read", path, source },
    }
}

/// Opens a file. What it is was asked before: opening a pipe would wait for its other end.
fn open(path: &Path, found: &fs::Metadata) -> Result<File, DataError> {
    if !found.is_file() {
        return Err(DataError::NotAFile {
            path: path.to_path_buf(),
            found: if found.is_dir() { "a folder" } else { "a device or pipe" },
            wanted: format!("{ACCEPTED} file"),
        });
    }
    File::open(path).map_err(|source| unreadable(path, source))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Reads any format from a file of `length` bytes.
fn read<T: Scalar>(
    mut file: File,
    length: u64,
    extension: &str,
    options: &LoadOptions,
) -> Result<Dataset<T>, Fault> {
    let format = detect::detect(&head(&mut file)?, extension)?;
    options.refuse_useless(format)?;
    let mut data = match format {
        Format::Npy => npy::read(BufReader::new(file), length).map(Dataset::new),
        Format::Npz => npz::read(file, options),
        Format::Mat => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            mat::read(&bytes, options)
        }
        #[cfg(feature = "hdf5")]
        Format::Hdf5 { matlab } => hdf5::read(hdf5::storage(file)?, matlab, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(file, options),
        Format::Text(delimiter) => csv::read(file, delimiter, options.labels_key.as_deref()),
        #[allow(unreachable_patterns)] // unless some format is left out
        format => Err(format.compiled_out()),
    }?;
    data.image_shape = options.checked_shape(data.features())?;
    Ok(data)
}

/// The first bytes: enough for every signature and for the first line of most tables.
fn head(file: &mut (impl Read + Seek)) -> Result<Vec<u8>, Fault> {
    const HEAD: u64 = 64 * 1024;
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head)
}

/// Data with the labels found beside them.
fn with_labels<T: Scalar>(x: deepnmf::Matrix<T>, labels: Option<Attribute>) -> Dataset<T> {
    Dataset { attributes: labels.into_iter().collect(), ..Dataset::new(x) }
}

#[cfg(test)]
mod test_files;
#[cfg(test)]
mod test_load;
#[cfg(test)]
mod tests;
