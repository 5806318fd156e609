//! Reads data files for `deepnmf` and writes its results.
//!
//! In files a sample is a **row**, in memory a **column** of the `p x n` matrix. Whatever a file
//! holds, reading it ends in a finite, non-empty matrix or in one sentence that says what is wrong
//! with it; it never panics, and never takes memory for more than the file really holds.
//!
//! ```
//! use deepnmf_data::{LoadOptions, load};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("flowers.csv");
//! std::fs::write(&path, "length,width,kind\n5.1,3.5,setosa\n6.2,2.9,versicolor\n")?;
//!
//! let options = LoadOptions { labels_key: Some("kind".into()), ..LoadOptions::default() };
//! let flowers = load::<f64>(&path, &options)?;
//! assert_eq!(flowers.x.col(1), &[6.2, 2.9]);
//! assert_eq!(flowers.attributes[0].classes(), ["setosa", "versicolor"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod builtin;
mod dataset;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
mod image_shape;
mod in_file;
mod load;
pub mod picture;
pub mod preprocess;
mod values;
mod write;

pub use dataset::{Attribute, Dataset, DatasetOf};
pub use error::{Cell, DataError, Fault};
pub use image_shape::{DisplayHints, ImageShape, PixelOrder};
pub use in_file::InFile;
pub use load::{
    Header, ImageOptions, JoinBy, LabelFile, LoadOptions, TableOptions, load, load_any,
    load_any_from, load_from,
};
pub use values::{AnyDataset, Columns, Missing, Values};
pub use write::{Cells, Table, TableFormat, write_npy};
