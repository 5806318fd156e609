//! How a fit went: its numbers, and notices.

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::driver::{FitSession, Run};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::matrix::{
    DataMatrix, Fingerprint, Scalar, SvdMethod, Watched, check_data, truncated_svd,
    truncation_error,
};
use crate::stop::StopReason;

/// Something a user should know about a fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "kebab-case")]
pub enum Notice {
    /// A layer is larger than the one below it.
    IncreasingLayers {
        /// The layer, counted from 1.
        layer: usize,
        /// Its number of components.
        components: usize,
        /// That of the layer below.
        below: usize,
    },
    /// The linear model has collapsed to the rank of its top layer.
    RankCollapse {
        /// Components of the first layer.
        first: usize,
        /// Components of the last layer, and now the rank of `Z_1`.
        last: usize,
    },
    /// The bases above the first layer are not of full rank, so the fast form does not apply.
    LiteralForm,
    /// The row space of the data holds no positive vector.
    NoPositiveVector {
        /// The layer, counted from 1.
        layer: usize,
    },
    /// A part that nobody has asked for was found.
    PartFound {
        /// The part, counted from 1.
        part: usize,
        /// Its clusters.
        clusters: usize,
        /// By how much it lowers the objective, in percent of what it would in samples without structure.
        gain: usize,
        /// How far its clusters are the same for other samples, in percent.
        agreement: usize,
    },
    /// The search for neighbours has missed many of the nearest samples.
    NeighboursMissed {
        /// The layer, counted from 1.
        layer: usize,
        /// How many of a hundred it has found, by its own estimate.
        found: usize,
    },
    /// The fit was stopped before its initialization was done; random features took its place.
    InitializationCutShort {
        /// The part of the fit.
        stage: String,
    },
    /// The objective rose by more than rounding.
    Rose {
        /// The part of the fit.
        stage: String,
        /// What to change.
        advice: String,
    },
    /// The reconstruction error exceeds the norm of the data.
    AboveNorm {
        /// What to change.
        advice: String,
    },
    /// Features beside the printed graph penalty have shrunk away, and with them its effect.
    Shrank {
        /// The part of the fit.
        stage: String,
    },
    /// One factor alone has a penalty, which it escapes by shrinking.
    PenaltyEscaped {
        /// The factor without one.
        free: String,
    },
    /// Penalties have made every feature zero.
    NothingLeft,
    /// Checkpoints could not be written. The fit went on without.
    NoCheckpoint {
        /// Why not.
        why: String,
    },
    /// Numbers of the factors were too small for the number type and became zero.
    Underflow {
        /// How many.
        entries: usize,
    },
}

/// Who finds fewer of the nearest samples says so: below what an approximate search promises.
const SHARE_PROMISED: f64 = 0.98;

impl Notice {
    /// What to say of the search that a layer's graph comes from.
    pub(crate) fn of_search<T: Scalar>(layer: usize, graph: &dyn Graph<T>) -> Option<Self> {
        let share = graph.share_found();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 100
        let found = (100.0 * share) as usize;
        (share < SHARE_PROMISED).then_some(Self::NeighboursMissed { layer, found })
    }
}

impl Display for Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::IncreasingLayers { layer, components, below } => write!(
                f,
                "layer {layer} has {components} components but the layer below only {below}: \
                 it cannot hold more information, usually layers shrink"
            ),
            Self::RankCollapse { first, last } => write!(
                f,
                "Z_1 has {first} columns but, after fine-tuning a linear model, rank {last}: its \
                 top layer is a Semi-NMF of {last} components, which the layers below only initialize"
            ),
            Self::LiteralForm => write!(
                f,
                "the bases of the upper layers have dependent columns, so Algorithm 1 was run \
                 step by step, which is slower"
            ),
            Self::NoPositiveVector { layer } => write!(
                f,
                "no positive vector lies in the row space of layer {layer}'s input, so its \
                 optimal initialization falls back to the one of rank k - 1"
            ),
            Self::PartFound { part, clusters, gain, agreement } => write!(
                f,
                "part {part} has {clusters} clusters: it explains {:.1} times as much as in samples without structure, \
                 and its clusters agree to {agreement}% between random four fifths of the samples",
                *gain as f64 / 100.0
            ),
            Self::NeighboursMissed { layer, found } => write!(
                f,
                "the search for the neighbours of layer {layer} has found about {found}% of the nearest samples, \
                 and others that are nearly as near: an exact search finds all, in time that grows with the square \
                 of the number of samples"
            ),
            Self::InitializationCutShort { stage } => write!(
                f,
                "{stage} was stopped during its initialization, so random features took its place"
            ),
            Self::Rose { stage, advice } => {
                write!(f, "the objective rose during {stage}, so it did not converge: {advice}")
            }
            Self::AboveNorm { advice } => write!(
                f,
                "the reconstruction error exceeds the norm of the data, zeros would be better: {advice}"
            ),
            Self::Shrank { stage } => write!(
                f,
                "features have shrunk to less than a hundredth during {stage}, and the basis has grown: the \
                 printed graph penalty has no minimum and no effect there, use the variant scale-free"
            ),
            Self::PenaltyEscaped { free } => write!(
                f,
                "{free} has no penalty, so it can grow while the other factor shrinks, and the penalty has no minimum: \
                 give both factors one"
            ),
            Self::NothingLeft => {
                write!(f, "the penalties are so large that every feature is zero: use smaller ones")
            }
            Self::NoCheckpoint { why } => {
                write!(f, "checkpoints could not all be written, the fit went on without: {why}")
            }
            Self::Underflow { entries } => write!(
                f,
                "{entries} numbers of the factors are too small for the number type and became zero: \
                 multiply the data by a constant, or use f64"
            ),
        }
    }
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of features `p`.
    pub features: usize,
    /// The number of samples `n`.
    pub samples: usize,
    /// The entries of the data that were missing. Errors are over the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: usize,
    /// What tells them from others; unknown in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The reconstruction error `|X - Z_1 g(Z_2 ... g(Z_m H_m))|_F`, or the root of twice the Kullback-Leibler
    /// divergence ([`Settings::divergence`](super::Settings::divergence)).
    pub error: f64,
    /// The same relative to `|X|_F`, or to the error of the best model with one component.
    pub relative_error: f64,
    /// The smallest error that any linear factorization of the top layer's rank can have. Unknown where entries are
    /// missing: no decomposition has it then.
    pub svd_bound: Option<f64>,
    /// By how much the error exceeds the bound: `error / svd_bound - 1`. Nonlinear models can go
    /// below it.
    pub gap: Option<f64>,
    /// Why the last loop over the top layer ended.
    pub stop: StopReason,
    /// Iterations of that loop.
    pub iterations: usize,
    /// Its errors, at the start and after each iteration: the root of twice its objective.
    pub history: Vec<f64>,
    /// The second of that loop at which each of them was known.
    #[serde(default)]
    pub clock: Vec<f64>,
    /// Seconds of the whole fit; 0 in a model file, where equal fits are equal bytes.
    #[serde(default)]
    pub seconds: f64,
    /// Every loop of the fit in order.
    pub runs: Vec<Run>,
    /// What a user should know.
    pub notices: Vec<Notice>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Summary {
    /// How many entries were observed.
    pub fn observed(&self) -> usize {
        self.features.saturating_mul(self.samples).saturating_sub(self.missing)
    }

    /// The same without what a clock has said: equal fits have equal ones.
    #[must_use]
    pub fn without_times(&self) -> Self {
        let mut summary = Self { seconds: 0.0, clock: vec![], ..self.clone() };
        for run in &mut summary.runs {
            (run.seconds, run.clock) = (0.0, vec![]);
        }
        summary
    }
}

/// Features that are this much smaller than they began have shrunk away.
const SHRUNK: f64 = 1e-2;

/// Says so where the features of a run with the printed graph penalty have shrunk away, from one squared norm to
/// another: it has not come to a minimum.
pub(crate) fn blame_shrinking(run: &mut Run, before: f64, after: f64) -> Option<Notice> {
    if after >= SHRUNK * SHRUNK * before {
        return None;
    }
    if run.stop == StopReason::Converged {
        run.stop = StopReason::Diverged;
    }
    Some(Notice::Shrank { stage: run.stage.to_string() })
}

/// What a fit has to tell, from which its summary is made.
#[derive(Default)]
pub(crate) struct Record {
    /// Every loop in order.
    pub(crate) runs: Vec<Run>,
    /// Which of the runs decided the top layer.
    pub(crate) main_run: usize,
    pub(crate) notices: Vec<Notice>,
    /// The reconstruction error, where the history is that of another objective.
    pub(crate) error: Option<f64>,
    /// What the error is relative to, where that is not the norm of the data.
    pub(crate) least: Option<f64>,
    /// The leading singular values of the data, where they are known.
    pub(crate) singular_values: Option<Vec<f64>>,
}

/// The bound that errors are compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// The components of the top layer.
    pub(crate) components: usize,
    pub(crate) seed: u64,
}

impl Record {
    /// The record of a fit with one loop.
    pub(crate) fn of(run: Run) -> Self {
        Self { runs: vec![run], ..Self::default() }
    }

    /// The summary of a fit to `x`, with the bound if one is wanted.
    pub(crate) fn sum_up<T: Scalar>(
        self,
        x: &dyn DataMatrix<T>,
        bound: Option<Bound>,
        session: &FitSession<'_>,
    ) -> Result<Summary> {
        let x_norm_sq = x.norm_sq()?;
        let watched = Watched::new(x, session.last_watch());
        let known = self.singular_values.as_deref();
        // Singular values bound the error over all entries, and no decomposition has those of the observed ones.
        let bound = bound.filter(|_| !x.is_incomplete());
        let bound = bound.map(|bound| svd_bound(&watched, x_norm_sq, bound, known)).transpose();
        // Who has stopped the fit does not wait for a bound.
        let svd_bound = match bound {
            Err(Error::Interrupted(_)) => None,
            other => other?,
        };
        let run = &self.runs[self.main_run];
        let error = self.error.unwrap_or(run.history[run.history.len() - 1]);
        let norm = self.least.unwrap_or(x_norm_sq.sqrt());
        Ok(Summary {
            features: x.shape().0,
            samples: x.parts().total(),
            missing: x.missing(),
            fingerprint: None,
            error,
            relative_error: if norm > 0.0 { error / norm } else { 0.0 },
            svd_bound,
            gap: gap(error, svd_bound, norm),
            stop: run.stop,
            iterations: run.iterations,
            history: run.history.clone(),
            clock: run.clock.clone(),
            seconds: session.seconds(),
            notices: self.notices,
            runs: self.runs,
        })
    }
}

/// By how much an error exceeds the bound; a bound that is rounding alone is nothing to compare with.
pub(super) fn gap(error: f64, svd_bound: Option<f64>, norm: f64) -> Option<f64> {
    svd_bound.filter(|bound| *bound > 1e-7 * norm).map(|bound| error / bound - 1.0)
}

/// A difference of squares below this share of them has lost too many digits.
const CANCELLED: f64 = 1e-9;

/// The error of the best approximation of rank `k` (Eckart & Young), from singular values that
/// are at hand or computed here.
fn svd_bound<T: Scalar>(
    x: &dyn DataMatrix<T>,
    x_norm_sq: f64,
    Bound { components, seed }: Bound,
    singular_values: Option<&[f64]>,
) -> Result<f64> {
    let (p, n) = (x.shape().0, x.parts().total());
    let k = components.min(p).min(n);
    let computed;
    let values = match singular_values {
        Some(values) if values.len() >= k => values,
        _ => {
            computed = truncated_svd(x, k, SvdMethod::Auto, seed)?.s;
            &computed
        }
    };
    let captured: f64 = values[..k].iter().map(|s| s * s).sum();
    let rest = x_norm_sq - captured;
    if k == p.min(n) {
        return Ok(0.0);
    }
    if rest < CANCELLED * x_norm_sq {
        return truncation_error(x, k, seed);
    }
    Ok(rest.sqrt())
}

/// The smallest error `|X - A B|_F` that any `A` (`p x k`) and `B` (`k x n`) can have.
///
/// # Errors
/// If the data are empty or not finite, or `k` is 0.
pub fn smallest_error<T: Scalar>(x: &dyn DataMatrix<T>, k: usize, seed: u64) -> Result<f64> {
    check_data(x)?;
    if x.is_incomplete() {
        let accepted =
            "the bound is that of complete data: no decomposition has it where some are missing";
        return Err(Error::parameter("the number of missing entries", x.missing(), accepted));
    }
    if k == 0 {
        return Err(Error::parameter("the number of components", k, "at least 1 is needed"));
    }
    svd_bound(x, x.norm_sq()?, Bound { components: k, seed }, None)
}
