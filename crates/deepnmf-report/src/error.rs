//! What can go wrong, and what would help.

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The model, or the core, refuses the data.
    #[error(transparent)]
    Model(#[from] deepnmf::Error),
    /// The features cannot be clustered.
    #[error(transparent)]
    Eval(#[from] deepnmf_eval::EvalError),
    /// A part of the data cannot be taken.
    #[error(transparent)]
    Data(#[from] deepnmf_data::DataError),
    /// The prepared data are not the ones that the draft was made of.
    #[error(
        "the page was begun with {begun} samples, but {found} are to be judged: give the same ones"
    )]
    OtherSamples {
        /// Samples of the draft.
        begun: usize,
        /// Samples to be judged.
        found: usize,
    },
    /// A picture cannot be encoded.
    #[error("a picture of the page cannot be made: {0}")]
    Picture(#[from] png::EncodingError),
    /// The map cannot be drawn in a thread of its own.
    #[error("cannot start a thread: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

pub(crate) type Result<T, E = ReportError> = std::result::Result<T, E>;
