//! One page that explores a model: a single HTML file that needs no network.
//!
//! What the page shows is gathered in three steps. A [`Draft`] chooses the samples while they are
//! as they were read, so that pictures can be drawn of them. The caller prepares the data as the
//! model wants them. [`Draft::finish`] then judges every layer and answers with a [`Report`].
//!
//! ```
//! use deepnmf::{DeepSemiNmf, Factorization};
//! use deepnmf_data::builtin::generate;
//! use deepnmf_data::preprocess::Normalize;
//! use deepnmf_report::{Draft, Options};
//!
//! let mut faces = generate::<f64>("faces:identities=3,poses=2,expressions=2,illuminations=2,size=8")?;
//! let draft = Draft::new(&faces, Options::default());
//! Normalize::Unit.apply(&mut faces.x)?;
//! let model = DeepSemiNmf::new([6, 3]).fit(&faces.x)?;
//!
//! let report = draft.finish(&model, &faces, &mut |_| ())?;
//! assert!(report.html().contains("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything is bounded: at most [`Options::samples`] samples are shown and ten thousand judged,
//! whatever the data are, and the page says so.

mod attributes;
mod bases;
mod choice;
mod clusters;
pub mod content;
mod draft;
mod error;
mod features;
mod gather;
mod maps;
mod numbers;
mod page;
mod pictures;
mod predictions;
mod samples;
mod scores;
mod swaps;
mod topics;
mod words;

pub use draft::{Draft, Options, Report};
pub use error::ReportError;
