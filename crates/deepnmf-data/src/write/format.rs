//! Which format a file gets, by the end of its name.

use std::fmt::{self, Display};
use std::path::Path;

use crate::DataError;

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Text with commas between the fields, and a header.
    Csv,
    /// Text with tabs between the fields, and a header.
    Tsv,
    /// NumPy's: one array of numbers, without names.
    Npy,
    /// NumPy's: arrays under names.
    Npz,
    /// Parquet (feature `parquet`).
    Parquet,
}

impl TableFormat {
    /// What [`of`](Self::of) knows, as messages list it.
    pub const KNOWN: &str = ".csv, .tsv, .npy, .npz or .parquet";

    /// The format that the name of a file asks for.
    ///
    /// ```
    /// use deepnmf_data::TableFormat;
    /// assert_eq!(TableFormat::of("h.csv".as_ref())?, TableFormat::Csv);
    /// assert!(TableFormat::of("h.xlsx".as_ref()).is_err());
    /// # Ok::<(), deepnmf_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// If the name ends in none that is known, or this build cannot write the format.
    pub fn of(path: &Path) -> Result<Self, DataError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let refuse = |why: String| Err(DataError::OutputFormat { path: path.to_owned(), why });
        match extension.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("tsv") => Ok(Self::Tsv),
            Some("npy") => Ok(Self::Npy),
            Some("npz") => Ok(Self::Npz),
            Some("parquet") if cfg!(feature = "parquet") => Ok(Self::Parquet),
            Some("parquet") => refuse(
                "this program was built without Parquet: build it with the feature \"parquet\", or \
                 name a file in .csv, .tsv, .npy or .npz"
                    .into(),
            ),
            Some(other) => {
                refuse(format!("tables are not written as .{other}: use {}", Self::KNOWN))
            }
            None => refuse(format!("the name has no extension: use {}", Self::KNOWN)),
        }
    }
}

impl Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csv => ".csv",
            Self::Tsv => ".tsv",
            Self::Npy => ".npy",
            Self::Npz => ".npz",
            Self::Parquet => ".parquet",
        })
    }
}
