//! Where samples come from and how they are read, for every command.

use std::path::PathBuf;

use clap::ValueEnum;
use deepnmf_data::preprocess::ZeroSamples;
use deepnmf_data::{Header, ImageShape, Missing};

use super::values::{image_shape, size};

/// Where samples come from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DataArgs {
    /// Data file, folder of pictures, builtin:faces[:KEY=VALUE,...], or - for standard input (CSV,
    /// TSV or NPY). The samples of several files follow each other
    #[arg(required = true)]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// How a file or folder is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ReadArgs {
    /// Which entries are missing; fits and projections then leave them out. nan: NaN, NA and empty cells; zeros: zeros,
    /// so that of sparse data only the entries that are held count
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) missing: Option<MissingName>,
    /// Variable that holds the samples [default: fea or X, or the only table]
    #[arg(long, value_name = "NAME")]
    pub(crate) data_key: Option<String>,
    /// Labels: a variable beside the samples [default: gnd or Y], or columns of a table, by name or
    /// number, with commas between them
    #[arg(long, value_name = "NAME")]
    pub(crate) labels_key: Option<String>,
    /// Labels in a text file of their own, a column per attribute
    #[arg(long, value_name = "FILE")]
    pub(crate) labels_file: Option<PathBuf>,
    /// Column of the labels file that names the samples [default: row by row]
    #[arg(long, value_name = "COLUMN", requires = "labels_file")]
    pub(crate) labels_by: Option<String>,
    /// Whether the first line of a text file names its columns. auto: if a field is no number, or if
    /// the fields are 0,1,2,... or 1,2,3,...
    #[arg(long, value_enum, default_value_t = HeaderName::Auto)]
    pub(crate) header: HeaderName,
    /// Only these columns of a table are features, by name or number (counted from 1)
    #[arg(long, value_delimiter = ',', value_name = "COLUMN,...")]
    pub(crate) columns: Vec<String>,
    /// Columns of a table to leave out, by name or number
    #[arg(long, value_delimiter = ',', value_name = "COLUMN,...")]
    pub(crate) drop: Vec<String>,
    /// Column of a table that names the samples [default: a first one without a name]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) names_key: Option<String>,
    /// Names of the features, one a line, for data without names
    #[arg(long, value_name = "FILE")]
    pub(crate) feature_names: Option<PathBuf>,
    /// Size of the pictures that the rows of a file are, which igo and resize need, such as 32x32.
    /// Pixels run along the rows of a picture; MATLAB files mostly hold pictures column by column:
    /// write 32x32:column-major then
    #[arg(long, value_name = "WIDTHxHEIGHT[:column-major]", value_parser = image_shape)]
    pub(crate) image: Option<ImageShape>,
    /// How names of pictures hold labels, such as {identity}_{pose}_{expression}_{eyes}_2
    #[arg(long)]
    pub(crate) pattern: Option<String>,
    /// Size that the pictures of a folder are brought to, such as 32x32
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub(crate) resize: Option<(usize, usize)>,
}

/// Which entries are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingName {
    Nan,
    Zeros,
}

impl From<MissingName> for Missing {
    fn from(name: MissingName) -> Self {
        match name {
            MissingName::Nan => Self::Nan,
            MissingName::Zeros => Self::Zeros,
        }
    }
}

/// Whether the first line names the columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HeaderName {
    #[default]
    Auto,
    Yes,
    No,
}

impl From<HeaderName> for Header {
    fn from(name: HeaderName) -> Self {
        match name {
            HeaderName::Auto => Self::Auto,
            HeaderName::Yes => Self::Yes,
            HeaderName::No => Self::No,
        }
    }
}

impl DataArgs {
    /// The files, as messages name them.
    pub(crate) fn shown(&self) -> String {
        let names: Vec<_> = self.data.iter().map(|path| path.display().to_string()).collect();
        names.join(", ")
    }
}

/// What is done with samples that are zero in every feature.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ZeroArgs {
    /// Samples that are zero in every feature, which cannot be scaled to unit norm: error refuses them,
    /// keep leaves them (and their features) zero, drop removes them with their labels and names
    #[arg(long, value_enum, default_value_t = ZeroName::Error, value_name = "HOW")]
    pub(crate) zero_samples: ZeroName,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ZeroName {
    #[default]
    Error,
    Keep,
    Drop,
}

impl From<ZeroName> for ZeroSamples {
    fn from(name: ZeroName) -> Self {
        match name {
            ZeroName::Error => Self::Error,
            ZeroName::Keep => Self::Keep,
            ZeroName::Drop => Self::Drop,
        }
    }
}
