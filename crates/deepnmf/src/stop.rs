//! When to stop, and why it stopped.

use std::fmt::{Display, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// When a loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// The paper's `kappa`: stop once `E_{i-1} - E_i <= kappa * max(1, E_{i-1})`, where `E` is
    /// the reconstruction error (the Frobenius norm, not its square).
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

    /// Whether an iteration that took the error from `before` to `after` was the last worth it.
    pub(crate) fn converged(&self, before: f64, after: f64) -> bool {
        before - after <= self.kappa * before.max(1.0)
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
}

impl Display for StopReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::MaxIterations => "reached the most iterations allowed",
            Self::TimeBudget => "used up its time",
            Self::Cancelled => "was interrupted",
        })
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
