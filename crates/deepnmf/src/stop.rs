//! When to stop, and why it stopped.

use std::fmt::{Display, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Rounding in single precision can make a loop that has come to rest rise by less than this.
const ROUNDING: f64 = 1.0 + 1e-4;

/// A rise by less than this is none: samples have a mean squared length of about one, so that such an error is the
/// rounding of an exact fit.
const NOTHING: f64 = 1e-7;

/// When a loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// The paper's `kappa`: stop once `E_{i-1} - E_i <= kappa * max(1, E_{i-1})`, where `E` is
    /// the reconstruction error (the Frobenius norm, not its square). The 1 is meant for samples of unit
    /// length, as the paper has them. A fit sees any data in the unit in which their mean squared length is
    /// about 1, so it stops at the same iteration whatever they are measured in.
    pub kappa: f64,
    /// The most iterations of each loop.
    pub max_iterations: usize,
    /// The most seconds of the whole fit; none by default.
    pub max_seconds: Option<f64>,
}

impl Default for StopRule {
    /// The paper's settings.
    fn default() -> Self {
        Self { kappa: 1e-6, max_iterations: 1000, max_seconds: None }
    }
}

impl StopRule {
    pub(crate) fn check(&self) -> Result<()> {
        if !(self.kappa >= 0.0 && self.kappa.is_finite()) {
            let accepted = "it must be a number of at least 0 (1e-6 is the paper's)";
            return Err(Error::parameter("kappa", self.kappa, accepted));
        }
        match self.max_seconds {
            Some(seconds) if Duration::try_from_secs_f64(seconds).is_err() => {
                let accepted = "it must be a number of seconds of at least 0";
                Err(Error::parameter("the time budget", seconds, accepted))
            }
            _ => Ok(()),
        }
    }

    /// Whether an iteration that took the error from `before` to `after` was the last worth it, and what
    /// to call that.
    pub(crate) fn last(&self, before: f64, after: f64) -> Option<StopReason> {
        let last = before - after <= self.kappa * before.max(1.0);
        let rose = after > before * ROUNDING && after - before > NOTHING;
        let reason = if rose { StopReason::Rose } else { StopReason::Converged };
        last.then_some(reason)
    }
}

/// Why a loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The error fell by no more than `kappa * max(1, E)`.
    Converged,
    /// The most iterations allowed were done.
    MaxIterations,
    /// The time budget was used up.
    TimeBudget,
    /// Somebody asked it to stop; the result is the best so far.
    Cancelled,
    /// The objective rose by more than rounding can explain.
    Rose,
    /// It came to rest where there is no minimum: with an error above the norm of the data, so that no model at all
    /// would be better, or with features that have shrunk away.
    Diverged,
}

impl StopReason {
    /// Whether somebody, or the clock, ended it before it was done.
    pub(crate) fn is_early(self) -> bool {
        matches!(self, Self::Cancelled | Self::TimeBudget)
    }
}

impl Display for StopReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::MaxIterations => "reached the most iterations allowed",
            Self::TimeBudget => "used up its time",
            Self::Cancelled => "was interrupted",
            Self::Rose => "stopped because the objective rose",
            Self::Diverged => "did not converge: there is no minimum where it came to rest",
        })
    }
}

/// Who may stop a fit, and when its time is up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    pub(crate) cancel: CancelToken,
    pub(crate) deadline: Option<Instant>,
}

impl Watch {
    /// Why to stop now, if there is a reason.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        if self.cancel.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        let out_of_time = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        out_of_time.then_some(StopReason::TimeBudget)
    }

    /// The same as an error.
    pub(crate) fn check(&self) -> Result<()> {
        self.reason().map_or(Ok(()), |reason| Err(Error::Interrupted(reason)))
    }
}

/// A switch that stops a fit after the iteration at hand; clones share it.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A switch that nobody has pressed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the fit to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
