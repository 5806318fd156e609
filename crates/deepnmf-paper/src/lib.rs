//! The experiments of *A deep matrix factorization method for learning attribute representations*
//! (Trigeorgis, Bousmalis, Zafeiriou & Schuller), section 6: what the paper prints, what comes out
//! here, and whether its claims hold.
//!
//! An [`Experiment`] is planned as cells, each with a key, run and recorded one by one, and reported as a
//! [`Section`] with tables, figures and claims. Every claim has a stated rule that is computed from
//! the records ([`Claim`]); no verdict is written by hand.
//!
//! ```
//! use deepnmf_paper::{CancelToken, Experiment, Options, Progress, Reproduction, Watch};
//!
//! struct Quiet;
//! impl Watch for Quiet {
//!     fn progress(&self, _: &Progress) {}
//! }
//!
//! # let folder = std::env::temp_dir().join("deepnmf-paper-doc");
//! let run = Reproduction::plan(Options {
//!     experiments: vec![Experiment::Reconstruction],
//!     data: Default::default(),
//!     repeats: None,
//!     quick: true,
//!     workers: None,
//! })?;
//! let report = run.run(&folder, &CancelToken::new(), &Quiet)?;
//! assert_eq!(report.sections[0].done, report.sections[0].cells);
//! # Ok::<(), deepnmf_paper::PaperError>(())
//! ```

mod cell;
mod error;
mod exhibit;
mod experiments;
mod figures;
mod method;
mod page;
pub mod printed;
mod record;
mod reproduce;
mod rules;
mod runner;
mod section;
mod sets;
mod store;
mod time_left;

pub use deepnmf::CancelToken;
pub use error::{PaperError, Result};
pub use experiments::Experiment;
pub use method::Method;
pub use record::{
    AccuracyRun, ClusterRun, DataFacts, FeatureSource, FitFacts, Machine, Outcome, Panel, Record,
};
pub use reproduce::{Estimate, Options, Report, Reproduction};
pub use rules::{Claim, Source, Verdict};
pub use runner::{Progress, Watch};
pub use section::{Figure, Section, Table};
pub use sets::DataOptions;
pub use store::Store;
