//! What can go wrong with data, in one sentence that names the culprit and what would work.

mod cell;
mod fault;

use std::io;
use std::path::PathBuf;

pub use self::cell::Cell;
pub(crate) use self::cell::shown;
pub use self::fault::Fault;

/// The files [`load`](crate::load) takes, as error messages name them.
pub(crate) const ACCEPTED: &str =
    ".npy, .npz, .mat (MATLAB), .mtx (Matrix Market), .h5ad, .parquet, .csv, .tsv or .txt";

/// Everything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file was opened, but what it holds cannot be used.
    #[error("{path}: {fault}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
    /// There is no file of this name.
    #[error("there is no file {path}: give the path of a {ACCEPTED} file", path = path.display())]
    Missing {
        /// The path that leads nowhere.
        path: PathBuf,
    },
    /// The path leads to something that is not a regular file.
    #[error("{path} is {found}, not a file: give the path of a {wanted}", path = path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it leads to.
        found: &'static str,
        /// What it should lead to.
        wanted: String,
    },
    /// The system refuses to read or write.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A table cannot be written under this name.
    #[error("cannot write {path}: {why}", path = path.display())]
    OutputFormat {
        /// The file.
        path: PathBuf,
        /// Why not, and what would work.
        why: String,
    },
    /// Labels from a second file do not fit the data.
    #[error("{path}: {fault}", path = path.display())]
    Labels {
        /// The label file.
        path: PathBuf,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
    /// A step of preprocessing cannot be taken with these data.
    #[error("the step {step} {why}")]
    Step {
        /// The step.
        step: &'static str,
        /// What is wrong with the data for it, and what would work.
        why: String,
    },
    /// No step of preprocessing of this name.
    #[error(
        "there is no step {name:?}: use unit, standardize, min-max, log1p, tf-idf, counts-per=10000, igo \
         or resize=WIDTHxHEIGHT"
    )]
    UnknownStep {
        /// The name asked for.
        name: String,
    },
    /// Text that is no shape of a picture.
    #[error(
        "{text:?} is no shape of a picture: write a width and a height in pixels, such as 32x32, or \
         32x32:column-major where pictures are stored column by column"
    )]
    ImageShape {
        /// The text.
        text: String,
    },
    /// Sparse data that cannot be made dense.
    #[error("the data are sparse, and with their zeros they do not fit: {why}")]
    Dense {
        /// Why not, and what would work.
        why: String,
    },
    /// Samples that do not exist were asked for.
    #[error("there is no sample {index}: there are {samples}, counted from 0")]
    NoSample {
        /// The index asked for.
        index: usize,
        /// How many samples there are.
        samples: usize,
    },
    /// Samples of several files do not go together.
    #[error("{second} does not go with {first}: {why}")]
    Concat {
        /// The first file.
        first: String,
        /// The file that does not fit it.
        second: String,
        /// What differs, and what would work.
        why: String,
    },
    /// Samples cannot be split as asked.
    #[error("the samples cannot be split: {why}")]
    Split {
        /// Why not, and what would work.
        why: String,
    },
    /// Samples without a single number other than zero, all of which were to be dropped.
    #[error("all {samples} samples are zero: none is left if they are dropped")]
    AllZero {
        /// How many samples there are.
        samples: usize,
    },
    /// The data cannot be read, or another part of them has failed.
    #[error(transparent)]
    Samples(#[from] deepnmf::Error),
    /// A sample that cannot be scaled to norm 1.
    #[error(
        "sample {sample} (counted from 1) is {what} and cannot be scaled to norm 1: \
         remove it, or use {zeros}--normalize none",
        zeros = if *what == DataError::ALL_ZERO { "--zero-samples keep or drop, or " } else { "" }
    )]
    NoUnitNorm {
        /// The sample (column of `X`), counted from 1.
        sample: usize,
        /// Why it cannot be scaled.
        what: &'static str,
    },
}

impl DataError {
    /// Why a sample that is zero in every feature cannot be scaled to norm 1.
    pub const ALL_ZERO: &str = "all zero";
}
