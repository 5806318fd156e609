//! Where samples come from and how they are read, for every command.

use std::path::PathBuf;

use deepnmf_data::ImageShape;

use super::values::{image_shape, size};

/// Where samples come from.
#[derive(Debug, clap::Args)]
pub(crate) struct DataArgs {
    /// Data file, folder of pictures, or builtin:faces[:KEY=VALUE,...]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// How a file or folder is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ReadArgs {
    /// Variable that holds the samples [default: fea or X, or the only table]
    #[arg(long, value_name = "NAME")]
    pub(crate) data_key: Option<String>,
    /// Labels: a variable beside the samples [default: gnd or Y], or a column of a table
    #[arg(long, value_name = "NAME")]
    pub(crate) labels_key: Option<String>,
    /// Labels in a text file of their own, a column per attribute
    #[arg(long, value_name = "FILE")]
    pub(crate) labels_file: Option<PathBuf>,
    /// Column of the labels file that names the samples [default: row by row]
    #[arg(long, value_name = "COLUMN", requires = "labels_file")]
    pub(crate) labels_by: Option<String>,
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
