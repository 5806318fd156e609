//! The one owner of iterations: an algorithm is a step and an error, everything else is here.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::matrix::Parts;
use crate::observe::{Event, Observer, Stage};
use crate::stop::{CancelToken, StopReason, StopRule};

/// Something that can be iterated.
pub(crate) trait Algorithm {
    /// The reconstruction error as things stand, or the root of twice another objective.
    fn error(&self) -> f64;
    /// Iterations over which the error is compared to tell whether it still falls.
    fn patience(&self) -> usize {
        1
    }

    /// One iteration. Whatever it leaves behind must be usable, for it may be the last.
    fn step(&mut self) -> Result<()>;
}

/// What a loop did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The part of the fit.
    #[serde(flatten)]
    pub stage: Stage,
    /// Iterations done.
    pub iterations: usize,
    /// Why it ended.
    pub stop: StopReason,
    /// Seconds taken, the start included.
    pub seconds: f64,
    /// The reconstruction error, or the root of twice another objective, at the start and after
    /// each iteration.
    pub history: Vec<f64>,
    /// The second, counted from the beginning of the loop, at which each of them was known.
    #[serde(default)]
    pub clock: Vec<f64>,
}

impl Run {
    /// The iteration and the second in which the error was first at or below `error`.
    pub fn reached(&self, error: f64) -> Option<(usize, f64)> {
        let iteration = self.history.iter().position(|e| *e <= error)?;
        Some((iteration, *self.clock.get(iteration)?))
    }
}

/// One fit as its caller sees it: who watches, who may stop it, and the clock.
///
/// ```
/// use deepnmf::{Event, Factorization, FitSession, Matrix, SemiNmf};
/// let x = Matrix::from_fn(4, 6, |i, j| ((i + 1) * (j + 2) % 5) as f64);
/// let mut iterations = 0;
/// let mut count = |event: &Event| iterations += usize::from(matches!(event, Event::Iteration { .. }));
/// let fit = SemiNmf::new(2).fit_in(&x, &[], &mut FitSession::new().observed_by(&mut count))?;
/// assert!(iterations > 0);
/// # Ok::<(), deepnmf::Error>(())
/// ```
pub struct FitSession<'a> {
    cancel: CancelToken,
    observer: Option<&'a mut dyn Observer>,
    started: Instant,
}

impl Default for FitSession<'_> {
    fn default() -> Self {
        Self { cancel: CancelToken::new(), observer: None, started: Instant::now() }
    }
}

impl<'a> FitSession<'a> {
    /// A fit that nobody watches or stops.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells `observer` of every iteration.
    #[must_use]
    pub fn observed_by(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Stops when `cancel` says so.
    #[must_use]
    pub fn stopped_by(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Seconds since this session was made.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    pub(crate) fn tell(&mut self, event: Event) {
        if let Some(observer) = &mut self.observer {
            observer.on_event(&event);
        }
    }

    /// Prepares an algorithm for data in these parts and iterates it until `rule` says stop.
    pub(crate) fn run<A: Algorithm>(
        &mut self,
        stage: Stage,
        rule: &StopRule,
        parts: Parts<'_>,
        prepare: impl FnOnce() -> Result<A>,
    ) -> Result<(A, Run)> {
        let begun = Instant::now();
        self.tell(Event::Starting { stage });
        let mut algorithm = prepare()?;
        let mut history = vec![finite(algorithm.error(), stage, 0)?];
        let mut clock = vec![begun.elapsed().as_secs_f64()];
        let stop = loop {
            let iteration = history.len() - 1;
            let error = history[iteration];
            let max_iterations = rule.max_iterations;
            self.tell(Event::Iteration { stage, iteration, max_iterations, error });
            let reason = self.reason_to_stop(rule, &history, algorithm.patience(), parts)?;
            if let Some(reason) = reason {
                break reason;
            }
            algorithm.step()?;
            history.push(finite(algorithm.error(), stage, iteration + 1)?);
            clock.push(begun.elapsed().as_secs_f64());
        };
        let seconds = begun.elapsed().as_secs_f64();
        let iterations = history.len() - 1;
        Ok((algorithm, Run { stage, iterations, stop, seconds, history, clock }))
    }

    /// All parts come to the same answer: whatever one of them is told, or finds on its clock, holds for
    /// all.
    fn reason_to_stop(
        &self,
        rule: &StopRule,
        history: &[f64],
        patience: usize,
        parts: Parts<'_>,
    ) -> Result<Option<StopReason>> {
        let before = history.len().checked_sub(1 + patience).map(|i| history[i]);
        let now = history[history.len() - 1];
        let budget = rule.max_seconds.map_or(Duration::MAX, Duration::from_secs_f64);
        let own = [self.cancel.is_cancelled(), self.started.elapsed() >= budget];
        let mut of_any_part = own.map(|said| f64::from(u8::from(said)));
        parts.max(&mut of_any_part)?;
        let [cancelled, out_of_time] = of_any_part.map(|said| said > 0.0);
        Ok(match before {
            _ if cancelled => Some(StopReason::Cancelled),
            Some(before) if rule.converged(before, now) => Some(StopReason::Converged),
            _ if history.len() > rule.max_iterations => Some(StopReason::MaxIterations),
            _ if out_of_time => Some(StopReason::TimeBudget),
            _ => None,
        })
    }
}

fn finite(error: f64, stage: Stage, iteration: usize) -> Result<f64> {
    if error.is_finite() {
        return Ok(error);
    }
    Err(Error::Numerical(format!(
        "the error became {error} in iteration {iteration} of {stage}: \
         rescale the data (for instance to unit norm) or use f64"
    )))
}
