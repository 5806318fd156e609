//! What can go wrong, and what would help.

use std::io;
use std::path::PathBuf;

/// Why an experiment cannot be run or reported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperError {
    /// A fit that went wrong.
    #[error(transparent)]
    Model(#[from] deepnmf::Error),
    /// Data that cannot be read.
    #[error(transparent)]
    Data(#[from] deepnmf_data::DataError),
    /// Built-in data that cannot be made.
    #[error(transparent)]
    Builtin(#[from] deepnmf_data::builtin::BuiltinError),
    /// Features that cannot be judged.
    #[error(transparent)]
    Eval(#[from] deepnmf_eval::EvalError),
    /// A page that explores a model and cannot be made.
    #[error(transparent)]
    Report(#[from] deepnmf_report::ReportError),
    /// A set of pictures without the labels that an experiment needs.
    #[error(
        "{path} has no labels {wanted:?}: file names must hold them, by default as {pattern} \
         (another pattern can be given), or, for identity alone, a folder for each person",
        path = path.display()
    )]
    NoLabels {
        /// The folder.
        path: PathBuf,
        /// The attribute that is missing.
        wanted: &'static str,
        /// The pattern of names that was tried.
        pattern: String,
    },
    /// Data that an experiment cannot do without.
    #[error("{0}")]
    Missing(String),
    /// A folder that was named but holds nothing known.
    #[error(
        "{folder} holds none of PIE_pose27.mat, cmu-faces/, xm2vts/ and multi-pie/: name the folder \
         that does, or get the public ones with `deepnmf datasets fetch pie-pose27` and \
         `deepnmf datasets fetch cmu-faces`",
        folder = folder.display()
    )]
    NothingThere {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that cannot be read or written.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Io {
        /// `read`, `write` or `make`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A record that is none.
    #[error(
        "{path}, line {line} is no record of this program ({reason}): move the file away, or name \
         another folder",
        path = path.display()
    )]
    Record {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A cell that ended in a way that no cell should; what is on standard error says where.
    #[error("a fit panicked: what was finished is kept, please report the message above")]
    Panicked,
    /// Threads that cannot be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// A result of this crate.
pub type Result<T, E = PaperError> = std::result::Result<T, E>;

pub(crate) fn io_error(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> PaperError {
    let path = path.into();
    move |source| PaperError::Io { action, path, source }
}
