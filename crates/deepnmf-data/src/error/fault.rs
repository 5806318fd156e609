//! What is wrong with the contents of a file.

use std::io;
use std::path::{Path, PathBuf};

use deepnmf::Dtype;

use super::cell::quoted_name;
use super::{ACCEPTED, Cell, DataError};
use crate::image_shape::sizes_of;

/// What is wrong with the contents of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The system failed while the file was being read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// No byte at all.
    #[error("the file is empty: {ACCEPTED} with at least one sample is needed")]
    EmptyFile,
    /// Neither the content nor the extension tells the format.
    #[error("the format is not known: {ACCEPTED} is accepted")]
    UnknownFormat,
    /// A format that is recognised, but cannot be read.
    #[error("this is {format}, which is not supported yet: {instead}")]
    Unsupported {
        /// The format.
        format: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// A format that this build of the program leaves out.
    #[error(
        "this is {format}, which this program was built without: build it with the feature \
         {feature:?}, or {instead}"
    )]
    CompiledOut {
        /// The format.
        format: &'static str,
        /// The feature that was left out.
        feature: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// The extension promises a format that the content is not.
    #[error("the name ends in {extension}, but the content is not {format}: {instead}")]
    WrongContent {
        /// The extension.
        extension: &'static str,
        /// The format it stands for.
        format: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// More than the memory that samples may take, in a format that can only be read all at once.
    #[error(
        "the samples take {bytes} bytes, but only {most} may be used for them, and this file can only be read \
         all at once: allow more memory, or write the table as .npy, .npz or .h5ad, which are read piece by piece"
    )]
    Budget {
        /// What they take at least.
        bytes: u64,
        /// What they may take.
        most: u64,
    },
    /// No room for a temporary file.
    #[error(
        "the samples exceed the memory they may take, and the temporary folder {folder} cannot take them ({source}): \
         set TMPDIR to a folder with more room, or allow more memory",
        folder = folder.display()
    )]
    Scratch {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An option that has no meaning for this format.
    #[error("{option} does not apply to {format}: leave it out")]
    UselessOption {
        /// The option.
        option: &'static str,
        /// The format, and why it has no use for the option.
        format: &'static str,
    },
    /// The bytes contradict each other, or some are missing.
    #[error("the file is damaged or cut short ({what}): save or copy it again")]
    Damaged {
        /// What does not fit.
        what: String,
    },
    /// The data do not fit into memory.
    #[error("the data need {bytes} bytes of memory, more than there is: load fewer samples")]
    Memory {
        /// The bytes needed.
        bytes: u64,
    },
    /// An array whose type cannot stand for numbers.
    #[error("the array holds {found}: convert it to floating-point or whole numbers")]
    ArrayType {
        /// The type.
        found: String,
    },
    /// An array that is not a table.
    #[error(
        "the array has shape {shape}, but a table of samples x features is needed: \
         reshape it, for example with x.reshape({example})"
    )]
    NotATable {
        /// The shape, as Python writes it.
        shape: String,
        /// Arguments of `reshape` that make a table of it.
        example: &'static str,
    },
    /// A table without rows or without columns.
    #[error(
        "the table is empty ({samples} samples of {features} features): \
         at least one of each is needed"
    )]
    EmptyTable {
        /// Rows of the file.
        samples: usize,
        /// Columns of the file.
        features: usize,
    },
    /// A value that is not a number, or infinite.
    #[error(
        "sample {sample}, feature {feature}{name} is {value} (row and column of the table, \
         counted from 1): remove the sample, put a number there, or declare it missing with --missing nan",
        name = quoted_name(name.as_deref())
    )]
    NotFinite {
        /// The row of the table, counted from 1 and without the header.
        sample: usize,
        /// The column of the table, counted from 1.
        feature: usize,
        /// The column's name.
        name: Option<String>,
        /// What stands there.
        value: f64,
    },
    /// A number that the chosen type cannot hold.
    #[error(
        "sample {sample}, feature {feature}{name} is {value:e} (row and column of the table, \
         counted from 1), too large for {dtype}: load the data as f64",
        name = quoted_name(name.as_deref())
    )]
    TooLarge {
        /// The row of the table, counted from 1 and without the header.
        sample: usize,
        /// The column of the table, counted from 1.
        feature: usize,
        /// The column's name.
        name: Option<String>,
        /// What stands there.
        value: f64,
        /// The type that cannot hold it.
        dtype: Dtype,
    },
    /// A line with more or fewer fields than the first.
    #[error(
        "line {line} has {found} fields, but the first line has {expected}: \
         give every line the same number of fields, separated by {delimiter}"
    )]
    Ragged {
        /// The line, counted from 1.
        line: u64,
        /// Its number of fields.
        found: usize,
        /// The first line's number of fields.
        expected: usize,
        /// What separates fields.
        delimiter: &'static str,
    },
    /// A line with nothing in it, between others.
    #[error(
        "line {line} is blank: remove it, or put the sample there that is missing, so that samples and \
         labels keep to the same rows"
    )]
    BlankLine {
        /// The line, counted from 1.
        line: u64,
    },
    /// A header that gives two columns the same name.
    #[error(
        "the header names several columns {names}: give every column a name of its own, or say \
         --header no if the first line is a sample"
    )]
    DuplicateColumns {
        /// The names.
        names: String,
    },
    /// A field that should be a number.
    #[error("{cell} holds {text:?}, which is not a number: {advice}")]
    NotANumber {
        /// The field.
        cell: Cell,
        /// What stands there.
        text: String,
        /// What to do.
        advice: String,
    },
    /// A field with nothing in it.
    #[error(
        "{cell} is a missing value: put a number there, remove the sample, or declare it missing with --missing nan"
    )]
    MissingValue {
        /// The field.
        cell: Cell,
    },
    /// A label that is not text.
    #[error("{cell} is not UTF-8 text: save the file as UTF-8")]
    NotText {
        /// The field.
        cell: Cell,
    },
    /// No column of this name or number.
    #[error("there is no column {wanted:?}: give {flag} a number from 1 to {columns}{names}")]
    NoColumn {
        /// The name or number asked for.
        wanted: String,
        /// The option that asked for it.
        flag: &'static str,
        /// How many columns there are.
        columns: usize,
        /// What to say about the names there are.
        names: String,
    },
    /// No variable of this name.
    #[error("there is no variable {wanted:?}: the file holds {present}")]
    NoVariable {
        /// The name asked for.
        wanted: String,
        /// The variables there are, with their shapes.
        present: String,
    },
    /// A variable that is of no use here.
    #[error("the variable {name:?} is {found}, but {needed} is needed: the file holds {present}")]
    WrongVariable {
        /// Its name.
        name: String,
        /// What it is.
        found: String,
        /// What it should be.
        needed: String,
        /// The variables there are, with their shapes.
        present: String,
    },
    /// Nothing says which variable holds the data.
    #[error(
        "no variable is named {usual} and {count} others could be the data: \
         name a numeric table with --data-key; the file holds {present}"
    )]
    WhichVariable {
        /// What data are usually called in such a file.
        usual: &'static str,
        /// How many numeric tables there are.
        count: usize,
        /// The variables there are, with their shapes.
        present: String,
    },
    /// A column that holds neither numbers nor labels that were asked for.
    #[error(
        "column {name:?} holds {found}, which are no numbers: if they are labels, use --labels-key \
         {name}; if they name the samples, --names-key {name}; otherwise --drop {name}"
    )]
    NotANumberColumn {
        /// Its name.
        name: String,
        /// What it holds.
        found: String,
    },
    /// A picture that is not as large as the first.
    #[error(
        "{path} has {width} x {height} pixels, but {first} has {first_width} x {first_height}: \
         resize them with --resize, for example --resize {first_width}x{first_height}",
        path = path.display(), first = first.display()
    )]
    PictureSize {
        /// The picture.
        path: PathBuf,
        /// Its width in pixels.
        width: usize,
        /// Its height in pixels.
        height: usize,
        /// The first picture.
        first: PathBuf,
        /// Its width in pixels.
        first_width: usize,
        /// Its height in pixels.
        first_height: usize,
    },
    /// Samples that cannot be pictures of the size they are said to have.
    #[error(
        "the samples have {features} features, but pictures of {width} x {height} have another \
         number of pixels: {advice}",
        advice = sizes_of(*features)
    )]
    ImageSize {
        /// The features of a sample.
        features: usize,
        /// The width asked for.
        width: usize,
        /// The height asked for.
        height: usize,
    },
    /// A folder without a single picture that is wanted.
    #[error(
        "the folder holds no picture{which}: put PGM, PNG, JPEG, TIFF or BMP files there{hint}"
    )]
    NoPictures {
        /// Which ones were looked for.
        which: String,
        /// What else to try.
        hint: &'static str,
    },
    /// A pattern for file names that cannot be used.
    #[error(
        "{pattern:?} is no pattern for file names ({why}): write attributes in braces with text \
         between them, such as {{identity}}_{{pose}}"
    )]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A label file with another number of rows than there are samples.
    #[error(
        "there are {rows} rows of labels for {samples} samples: give every sample its row, \
         or join by a column of names"
    )]
    LabelRows {
        /// Rows of the label file.
        rows: usize,
        /// Samples of the data.
        samples: usize,
    },
    /// Labels cannot be joined by name.
    #[error("labels cannot be joined by name: {why}")]
    LabelNames {
        /// What is missing or given twice, and what would work.
        why: String,
    },
    /// Names of features that cannot be used.
    #[error("the features cannot be named: {why}")]
    FeatureNames {
        /// What is wrong with the names, and what would work.
        why: String,
    },
    /// A label that is not a whole number.
    #[error(
        "the label of sample {sample} in variable {name:?} is {value}: \
         labels are whole numbers, or NaN where they are missing"
    )]
    LabelNotWhole {
        /// The variable.
        name: String,
        /// The sample, counted from 1.
        sample: usize,
        /// What stands there.
        value: f64,
    },
}

impl Fault {
    /// Bytes that contradict each other.
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    /// Says which file is at fault.
    pub(crate) fn in_file(self, path: &Path) -> DataError {
        let path = path.to_path_buf();
        match self {
            Self::Read(source) => DataError::Io { action: "read", path, source },
            fault => DataError::File { path, fault: Box::new(fault) },
        }
    }
}
