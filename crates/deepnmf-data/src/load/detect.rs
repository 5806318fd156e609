//! Tells formats apart by their first bytes, and only text by its extension.

use super::csv::Delimiter;
use super::options::delimiter;
use super::{market, mat, npy, npz};
use crate::error::Fault;

/// The first bytes of every file packed with gzip.
pub(super) const GZIP: &[u8] = b"\x1f\x8b";

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Mat,
    Hdf5 { matlab: bool },
    Parquet,
    Market,
    Text(Delimiter),
}

impl Format {
    /// Whether its tables may be larger than memory.
    pub(super) fn stays_in_file(self) -> bool {
        !matches!(self, Self::Mat)
    }

    /// What to say where this build lacks the reader of a format.
    pub(super) fn compiled_out(self) -> Fault {
        let (format, feature, instead) = match self {
            Self::Hdf5 { matlab: true } => {
                ("a MATLAB v7.3 (HDF5) file", "hdf5", "write it with save -v7 in MATLAB")
            }
            Self::Hdf5 { matlab: false } => ("an HDF5 file", "hdf5", "write the table as .npy"),
            Self::Parquet => ("a Parquet file", "parquet", "write the table as .csv"),
            Self::Npy | Self::Npz | Self::Mat | Self::Market | Self::Text(_) => {
                return Fault::UnknownFormat;
            }
        };
        Fault::CompiledOut { format, feature, instead }
    }
}

/// The format of a file that starts with `head`.
pub(super) fn detect(head: &[u8], extension: &str) -> Result<Format, Fault> {
    if head.is_empty() {
        return Err(Fault::EmptyFile);
    }
    if let Some(format) = by_content(head) {
        return Ok(format);
    }
    if let Some(fault) = unsupported(head) {
        return Err(fault);
    }
    if let Some((extension, format, instead)) = promised(extension) {
        return Err(Fault::WrongContent { extension, format, instead });
    }
    delimiter(extension, head).map(Format::Text).ok_or(Fault::UnknownFormat)
}

/// Whether a file is of some format that is no table of text.
pub(super) fn is_binary(head: &[u8]) -> bool {
    by_content(head).is_some() || unsupported(head).is_some()
}

fn by_content(head: &[u8]) -> Option<Format> {
    const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";
    // The signature may stand behind a block of the user's own, whose size is a power of two.
    let blocks = [0, 512, 1024, 2048, 4096, 8192];
    let is_hdf5 = blocks.iter().any(|&at| head.get(at..).is_some_and(|h| h.starts_with(HDF5)));
    if head.starts_with(npy::MAGIC) {
        Some(Format::Npy)
    } else if npz::is_zip(head) {
        Some(Format::Npz)
    } else if mat::is_version_7_3(head) {
        // Goes before version 5, whose header differs in one digit.
        Some(Format::Hdf5 { matlab: true })
    } else if is_hdf5 {
        Some(Format::Hdf5 { matlab: false })
    } else if mat::is_version_5(head) {
        Some(Format::Mat)
    } else if head.starts_with(market::BANNER) {
        Some(Format::Market)
    } else {
        head.starts_with(b"PAR1").then_some(Format::Parquet)
    }
}

/// Formats that would otherwise be taken for damaged files or text.
fn unsupported(head: &[u8]) -> Option<Fault> {
    let pictures: [&[u8]; 6] = [b"\x89PNG", b"\xff\xd8\xff", b"BM", b"II*\0", b"MM\0*", b"P5"];
    let (format, instead) = if head.starts_with(GZIP) {
        ("a gzip archive within another", "unpack it with gunzip first")
    } else if pictures.iter().any(|start| head.starts_with(start)) && str::from_utf8(head).is_err()
    {
        ("a single picture", "give the folder that holds the pictures")
    } else if head.starts_with(b"PARE") {
        ("an encrypted Parquet file", "write it without encryption")
    } else {
        return None;
    };
    Some(Fault::Unsupported { format, instead })
}

/// The format that an extension promises: its name, the format, how to write it.
fn promised(extension: &str) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match extension {
        "npy" => (".npy", "a NumPy array", "write it with numpy.save"),
        "npz" => (".npz", "an archive of NumPy arrays", "write it with numpy.savez"),
        "mat" => (".mat", "a MATLAB file", "write it with save -v7 in MATLAB"),
        "mtx" => (".mtx", "a Matrix Market file", "write it with scipy.io.mmwrite"),
        "h5ad" => (".h5ad", "an AnnData file", "write it with write_h5ad in Python"),
        "parquet" => (".parquet", "a Parquet file", "write it with to_parquet in Python"),
        _ => return None,
    })
}
