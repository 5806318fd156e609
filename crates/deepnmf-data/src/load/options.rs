//! What a caller may say about how data are to be read.

use std::path::PathBuf;

use super::csv::Delimiter;
use super::detect::Format;
use super::label_file;
use crate::error::{DataError, Fault};
use crate::{Columns, DatasetOf, ImageShape};

/// Where in a file the data and their labels are, if not in the usual place.
///
/// ```
/// use deepnmf_data::{ImageOptions, LoadOptions};
/// let faces = LoadOptions {
///     images: ImageOptions { pattern: Some("{identity}_{pose}_2".into()), resize: None },
///     ..LoadOptions::default()
/// };
/// assert!(faces.labels_key.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// The variable that holds the data. Otherwise it is `fea`, `X`, or the only numeric table of a
    /// `.mat` file; `X`, `data`, or the only table of an `.npz` or HDF5 file; `X` of an `.h5ad`
    /// file, where `layers/counts` or `raw/X` is another.
    pub data_key: Option<String>,
    /// In a `.mat`, `.npz` or HDF5 file: the variable that holds the labels; otherwise the usual
    /// names (`gnd` beside `fea`, `Y` or `y` beside `X`, ...) are taken if there is one label per
    /// sample. In an `.h5ad` file: the column of `obs`; otherwise all that can be labels. In a text
    /// or Parquet file: the name of the column that holds labels of any kind; in a text file also
    /// its number counted from 1; several have commas between them.
    pub labels_key: Option<String>,
    /// The picture that every sample of a file is; folders of pictures know theirs. The samples stay
    /// as they are, whatever the order of their pixels.
    pub image_shape: Option<ImageShape>,
    /// What the columns of a text or Parquet file hold.
    pub table: TableOptions,
    /// A text file with the names of the features, one a line, for data without names.
    pub feature_names: Option<PathBuf>,
    /// How a folder of pictures is read.
    pub images: ImageOptions,
    /// Labels in a file of their own.
    pub labels_file: Option<LabelFile>,
    /// Whether entries may be missing: empty cells, `NA` and NaN are read as NaN. Not in sparse tables; a
    /// dense one is then read into memory.
    pub missing: bool,
    /// Bytes that the samples may take in memory. A larger table stays in its file and is read a block at a time
    /// ([`InFile`](crate::InFile)), if that is a `.npy` or HDF5 file, or what SciPy writes without compression by sample; of
    /// other formats it is copied into a temporary file first. Larger MATLAB files below v7.3 are refused.
    pub memory: Option<u64>,
    /// Whether tables that can stay in their file do so, whatever they take.
    pub leave_in_file: bool,
}

/// What the columns of a text or Parquet file hold, if not features. A column is given by its name or,
/// in a text file, its number counted from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Whether the first line of a text file names the columns.
    pub header: Header,
    /// The columns that are features; all that are nothing else if there are none.
    pub columns: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// The column that names the samples.
    pub names_key: Option<String>,
}

/// Whether the first line of a text file names its columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Header {
    /// Its fields tell.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not: it is a sample.
    No,
}

/// How a folder of pictures becomes samples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageOptions {
    /// Width and height that every picture is brought to. Without it all must have the same.
    pub resize: Option<(usize, usize)>,
    /// How file names (without their extension) hold the labels: `{identity}_{pose}` reads two
    /// attributes. Files whose name does not fit are left out. Without a pattern the names of
    /// sub-folders are the labels, under the name `folder`.
    pub pattern: Option<String>,
}

/// A text file (`.csv`, `.tsv`, `.txt`) with a header, whose columns are attributes of the samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFile {
    /// The file.
    pub path: PathBuf,
    /// How its rows find their samples.
    pub by: JoinBy,
}

impl LabelFile {
    /// Adds every column of the file as an attribute; one of the same name is replaced.
    ///
    /// # Errors
    /// If the file cannot be read or does not fit the samples.
    pub fn join<X: Columns>(&self, data: &mut DatasetOf<X>) -> Result<(), DataError> {
        label_file::join(data, self)
    }
}

/// How labels find their samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JoinBy {
    /// The first row belongs to the first sample, and so on.
    Row,
    /// This column holds the names of samples: file names of pictures, the index of `AnnData`'s
    /// `obs`. A sample without a row has no labels; a row without a sample is passed over.
    Name(String),
}

impl LoadOptions {
    /// Bytes that a table may take in memory which could also stay in its file.
    pub(super) fn most_in_memory(&self) -> Option<u64> {
        if self.leave_in_file { Some(0) } else { self.memory }
    }

    /// An option that would be passed over in silence is a mistake worth a word.
    pub(super) fn refuse_useless(&self, format: Format) -> Result<(), Fault> {
        let useless = |option, format| Err(Fault::UselessOption { option, format });
        if self.images != ImageOptions::default() {
            let option = if self.images.resize.is_some() { "--resize" } else { "--pattern" };
            return useless(option, "a file, which is no folder of pictures");
        }
        match format {
            Format::Text(_) | Format::Parquet => {}
            _ => {
                if let Some(option) = self.table.given() {
                    return useless(option, "a file that is no .csv, .tsv, .txt or .parquet");
                }
            }
        }
        match format {
            Format::Parquet if self.table.header != Header::Auto => {
                useless("--header", "a Parquet file, which names its columns")
            }
            Format::Npy if self.data_key.is_some() => {
                useless("--data-key", "a .npy file, which holds one array without a name")
            }
            Format::Npy if self.labels_key.is_some() => {
                useless("--labels-key", "a .npy file, which holds one array and no labels")
            }
            Format::Market if self.data_key.is_some() => {
                useless("--data-key", "a Matrix Market file, which holds one table without a name")
            }
            Format::Market if self.labels_key.is_some() => {
                useless("--labels-key", "a Matrix Market file, which holds no labels")
            }
            Format::Text(_) if self.data_key.is_some() => {
                useless("--data-key", "a text file, which holds one table without a name")
            }
            Format::Parquet if self.data_key.is_some() => {
                useless("--data-key", "a Parquet file, which holds one table without a name")
            }
            _ => Ok(()),
        }
    }

    /// The shape of the samples of a file, if it was told and fits their number of features.
    pub(super) fn checked_shape(&self, features: usize) -> Result<Option<ImageShape>, Fault> {
        match self.image_shape {
            Some(shape) if shape.pixels() != Some(features) => {
                let ImageShape { width, height, .. } = shape;
                Err(Fault::ImageSize { features, width, height })
            }
            shape => Ok(shape),
        }
    }
}

impl TableOptions {
    /// The first of these options that was given, as the program calls it.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--header", self.header != Header::Auto),
            ("--columns", !self.columns.is_empty()),
            ("--drop", !self.drop.is_empty()),
            ("--names-key", self.names_key.is_some()),
        ];
        options.into_iter().find_map(|(option, given)| given.then_some(option))
    }
}

/// How fields are separated in a text file, from its extension and first bytes.
pub(super) fn delimiter(extension: &str, head: &[u8]) -> Option<Delimiter> {
    match extension {
        "tsv" => Some(Delimiter::Tab),
        "csv" => Some(Delimiter::sniff(head).unwrap_or(Delimiter::Comma)),
        // What `numpy.savetxt` writes unless told otherwise is separated by spaces.
        "txt" => Some(Delimiter::sniff(head).unwrap_or(Delimiter::Spaces)),
        _ => None,
    }
}
