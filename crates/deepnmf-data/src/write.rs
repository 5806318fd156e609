//! Writes results: either the whole file is there afterwards, or what was there before.

mod archive;
mod format;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod table;
mod text;

pub use self::format::TableFormat;
pub use self::npy::write_npy;
pub use self::table::{Cells, Table};
