//! Reads data: finds out the format of a file or folder, hands it to that format's reader, names
//! it in errors.

mod choose;
mod csv;
mod detect;
mod feature_names;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(feature = "images")]
mod images;
mod label_file;
mod labels;
mod market;
mod mat;
pub(crate) mod memory;
mod npy;
mod npz;
pub(crate) mod number;
mod number_list;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "images")]
mod pattern;
mod scratch;
mod sparse;
mod table_rows;
mod variables;

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use deepnmf::Scalar;
use flate2::read::MultiGzDecoder;

use self::detect::Format;
pub use self::options::{Header, ImageOptions, JoinBy, LabelFile, LoadOptions, TableOptions};
use crate::error::{ACCEPTED, DataError, Fault};
use crate::{AnyDataset, Attribute, Dataset, DatasetOf, Values};

/// Reads samples from a file whose rows they are, or from a folder whose pictures they are, in any
/// format this crate knows.
///
/// The content decides on the format; the extension only where the content does not (text).
///
/// - `.npy`: real numbers of any type, byte order and memory order, two dimensions.
/// - `.npz`: such arrays under names, packed or not.
///   What `scipy.sparse.save_npz` writes is one sparse table.
/// - `.mat`: MATLAB v5 to v7, compressed or not, and v7.3 (feature `hdf5`), full or sparse.
/// - `.mtx`: Matrix Market, a sample a row; beside `features.tsv` or `genes.tsv` (10x Genomics), and then with
///   `barcodes.tsv`, a sample a column.
/// - `.h5ad`: `AnnData`, dense or sparse; other HDF5 files as tables under names (feature `hdf5`).
/// - `.parquet`: columns of numbers (feature `parquet`).
/// - `.csv`, `.tsv`, `.txt`: one sample a line, with a header or without. The first line is a header
///   if a field in it is not a number, other than in columns that [`LoadOptions`] knows by their number
///   to hold labels or names, or if its fields are 0, 1, 2, ... or 1, 2, 3, ..., as pandas writes them.
///   A first column without a name, or called `sample`, names the samples.
/// - any of these packed with gzip, such as `.csv.gz`.
/// - a folder: grey pictures in PGM, PNG, JPEG, TIFF or BMP, row by row from 0 (black) to 255
///   (feature `images`), or what 10x Genomics writes.
///
/// Sparse tables are made dense; [`load_any`] keeps them as they are.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds anything but a finite table of numbers with at
/// least one sample and one feature.
pub fn load<T: Scalar>(path: &Path, options: &LoadOptions) -> Result<Dataset<T>, DataError> {
    dense(load_any(path, options)?, path)
}

/// The same, with sparse tables kept sparse.
///
/// # Errors
/// As [`load`].
pub fn load_any<T: Scalar>(path: &Path, options: &LoadOptions) -> Result<AnyDataset<T>, DataError> {
    let found = fs::metadata(path).map_err(|source| unreadable(path, source))?;
    let data = if let Some(folder) = market::Folder::at(path) {
        folder.read(options)?
    } else if found.is_dir() {
        load_folder(path, options)?.holding(Values::Dense)
    } else {
        let file = open(path, &found)?;
        let data = read_packed(file, path, options).map_err(|fault| fault.in_file(path))?;
        named(data, path)
    };
    within(&data, options).map_err(|fault| fault.in_file(path))?;
    described(data, options)
}

/// All numbers, if their memory is there and the file accounts for them.
fn dense<T: Scalar>(data: AnyDataset<T>, path: &Path) -> Result<Dataset<T>, DataError> {
    if let Values::Sparse(x) = &data.x {
        let bytes = x.entries().saturating_mul(4) as u64;
        let checked = memory::check_packed(data.samples(), data.features(), bytes);
        checked.map_err(|fault| fault.in_file(path))?;
    }
    data.into_dense()
}

/// Reads samples from anything that gives bytes, such as standard input: any format but a folder,
/// text with a header or without. `name` is what messages call it.
///
/// # Errors
/// As [`load`].
pub fn load_from<T: Scalar>(
    bytes: impl Read,
    name: &str,
    options: &LoadOptions,
) -> Result<Dataset<T>, DataError> {
    dense(load_any_from(bytes, name, options)?, Path::new(name))
}

/// The same, with sparse tables kept sparse.
///
/// # Errors
/// As [`load`].
pub fn load_any_from<T: Scalar>(
    mut bytes: impl Read,
    name: &str,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, DataError> {
    // Text has no signature; its first line shows what separates its fields.
    let path = Path::new(name).with_extension("csv");
    let data = stored(&mut bytes).and_then(|(file, _)| read_packed(file, &path, options));
    let data = data.and_then(|data| within(&data, options).map(|()| data));
    let data = data.map_err(|fault| fault.in_file(Path::new(name)))?;
    described(named(data, Path::new(name)), options)
}

/// Samples that stay in a file know what messages call it.
fn named<T: Scalar>(data: AnyDataset<T>, path: &Path) -> AnyDataset<T> {
    data.holding(|x| match x {
        Values::InFile(x) => Values::InFile(x.named(path)),
        other => other,
    })
}

/// Refuses samples that take more memory than they may.
fn within<T: Scalar>(data: &AnyDataset<T>, options: &LoadOptions) -> Result<(), Fault> {
    match (&data.x, options.memory) {
        (Values::InFile(_), _) | (_, None) => Ok(()),
        (x, Some(most)) if x.bytes() <= most => Ok(()),
        (x, Some(most)) => Err(Fault::Budget { bytes: x.bytes(), most }),
    }
}

/// Adds what other files say about the samples and features.
fn described<T: Scalar>(
    mut data: AnyDataset<T>,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, DataError> {
    if let Some(path) = &options.feature_names {
        feature_names::add(&mut data, path)?;
    }
    if let Some(file) = &options.labels_file {
        file.join(&mut data)?;
    }
    Ok(data)
}

/// Bytes on disk, with their number: most formats are read back and forth.
fn stored(bytes: &mut dyn Read) -> Result<(File, u64), Fault> {
    let mut file = tempfile::tempfile()?;
    let length = memory::copy_bounded(bytes, &mut file)
        .map_err(|error| number::cut_short(&error))?
        .ok_or(Fault::Memory { bytes: u64::MAX })?;
    file.rewind()?;
    Ok((file, length))
}

/// Reads a file, unpacked on disk first if it is packed with gzip.
fn read_packed<T: Scalar>(
    mut file: File,
    path: &Path,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, Fault> {
    if !head(&mut file)?.starts_with(detect::GZIP) {
        let length = file.metadata()?.len();
        return read(file, length, &extension(path), options);
    }
    let (unpacked, length) = stored(&mut MultiGzDecoder::new(BufReader::new(file)))?;
    let is_named = extension(path) == "gz";
    let name = if is_named { Path::new(path.file_stem().unwrap_or_default()) } else { path };
    read(unpacked, length, &extension(name), options)
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
) -> Result<AnyDataset<T>, Fault> {
    let format = detect::detect(&head(&mut file)?, extension)?;
    options.refuse_useless(format)?;
    if let Some(most) = options.memory.filter(|most| !format.stays_in_file() && length > *most) {
        return Err(Fault::Budget { bytes: length, most });
    }
    let mut data = match format {
        Format::Npy => {
            npy::read(file, length, options.most_in_memory(), options.missing).map(DatasetOf::new)
        }
        Format::Market => {
            let mut file = BufReader::new(file);
            market::read(&mut file, length, market::Rows::Samples, options.memory)
                .map(DatasetOf::new)
        }
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
        Format::Text(delimiter) => csv::read(file, delimiter, options),
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
fn with_labels<X>(x: X, labels: Option<Attribute>) -> DatasetOf<X> {
    DatasetOf { attributes: labels.into_iter().collect(), ..DatasetOf::new(x) }
}

#[cfg(test)]
pub(crate) mod test_files;
#[cfg(test)]
mod test_load;
#[cfg(test)]
mod tests;
