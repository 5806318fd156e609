//! What can go wrong, and what would help.

/// Everything that can go wrong in this crate. Each message names the culprit and what would work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// Data that the core refuses: empty, or with an entry that is no finite number.
    #[error(transparent)]
    Data(#[from] deepnmf::Error),
    /// Two things that should be of one length are not.
    #[error(
        "{left} has {left_count} entries, but {right} has {right_count}: one per sample is needed"
    )]
    Lengths {
        /// The first thing.
        left: &'static str,
        /// Its length.
        left_count: usize,
        /// The second thing.
        right: &'static str,
        /// Its length.
        right_count: usize,
    },
    /// Nothing to judge.
    #[error("{what}: at least {needed} needed, but there are {found}")]
    TooFew {
        /// What there is too little of.
        what: &'static str,
        /// How many are needed.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// More clusters than samples.
    #[error("{clusters} clusters were asked of {samples} samples: ask for at most {samples}")]
    TooManyClusters {
        /// The clusters asked for.
        clusters: usize,
        /// The samples there are.
        samples: usize,
    },
    /// A parameter outside its range.
    #[error("{name} is {value}: {accepted}")]
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// The value given.
        value: String,
        /// What would be accepted.
        accepted: String,
    },
    /// Finite numbers whose squares are not.
    #[error(
        "the features are too large for {dtype}, their squares overflow: divide them by a constant"
    )]
    Overflow {
        /// The number type.
        dtype: deepnmf::Dtype,
    },
    /// A table of classes and clusters that would not fit into memory.
    #[error(
        "a table of {rows} classes and {columns} clusters is too large to match: are these labels?"
    )]
    TableTooLarge {
        /// The number of classes.
        rows: usize,
        /// The number of clusters.
        columns: usize,
    },
    /// Features that are the same for all samples cannot be whitened.
    #[error("the features do not vary, so they cannot be whitened: choose another scaling")]
    NoVariance,
    /// A statistic that is not a number.
    #[error("{what}, entry {position} (counted from 1) is {value}: a finite number is needed")]
    NotFinite {
        /// Which numbers.
        what: &'static str,
        /// Which of them, counted from 1.
        position: usize,
        /// What stands there.
        value: f64,
    },
}

impl EvalError {
    pub(crate) fn parameter(
        name: &'static str,
        value: impl std::fmt::Display,
        accepted: impl Into<String>,
    ) -> Self {
        Self::Parameter { name, value: value.to_string(), accepted: accepted.into() }
    }
}

/// A result whose error is [`EvalError`].
pub type Result<T> = std::result::Result<T, EvalError>;

/// Something and how many entries it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    pub(crate) what: &'static str,
    pub(crate) count: usize,
}

/// `count` entries of `what`.
pub(crate) fn counted(what: &'static str, count: usize) -> Counted {
    Counted { what, count }
}

/// Refuses two things of different lengths.
pub(crate) fn check_lengths(left: Counted, right: Counted) -> Result<()> {
    if left.count == right.count {
        return Ok(());
    }
    Err(EvalError::Lengths {
        left: left.what,
        left_count: left.count,
        right: right.what,
        right_count: right.count,
    })
}
