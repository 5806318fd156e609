//! The one owner of iterations: an algorithm is a step and an error, everything else is here.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoints, Identity, Keeper, Reached, Restored, StateWriter};
use crate::error::{Error, Result};
use crate::matrix::Parts;
use crate::observe::{Event, Observer, Stage};
use crate::stop::{CancelToken, StopReason, StopRule, Watch};

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

    /// Hands over all that the next steps depend on and that a new algorithm of the same kind, prepared from
    /// the same data and settings, would not find by itself. Matrices with a column for each sample of this part are
    /// features, all others the same on all parts.
    fn save(&self, state: &mut StateWriter<'_>);

    /// Takes over what [`save`](Self::save) has handed over. From here on, every step has the bits it would
    /// have had.
    fn restore(&mut self, state: &Restored<'_>) -> Result<()>;
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
    #[serde(default)]
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
    watch: Watch,
    observer: Option<&'a mut dyn Observer>,
    started: Instant,
    /// What one unit of the data that loops see is in the unit of the caller's data.
    pub(crate) unit: f64,
    keeper: Option<Keeper>,
}

impl Default for FitSession<'_> {
    fn default() -> Self {
        Self {
            watch: Watch::default(),
            observer: None,
            started: Instant::now(),
            unit: 1.0,
            keeper: None,
        }
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
        self.watch.cancel = cancel;
        self
    }

    /// Writes checkpoints, and goes on where earlier ones ended if they are to be resumed.
    #[must_use]
    pub fn checkpointed(mut self, checkpoints: Checkpoints) -> Self {
        self.keeper = Some(Keeper::new(checkpoints));
        self
    }

    /// Whether checkpoints are written.
    pub(crate) fn is_checkpointed(&self) -> bool {
        self.keeper.is_some()
    }

    /// Tells the checkpoints which fit begins.
    pub(crate) fn begin_fit(&mut self, identity: &Identity, parts: Parts<'_>) -> Result<()> {
        self.keeper.as_mut().map_or(Ok(()), |keeper| keeper.begin(identity, parts))
    }

    /// Why checkpoints could not be written, if that was so.
    pub(crate) fn trouble_with_checkpoints(&mut self) -> Option<String> {
        self.keeper.as_mut().and_then(Keeper::trouble)
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

    /// Who may stop the fit, for what takes long outside of a loop. From here on the time budget is that of
    /// `rule`.
    pub(crate) fn watch(&mut self, rule: &StopRule) -> Watch {
        let budget = rule.max_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self.watch.deadline = budget.and_then(|budget| self.started.checked_add(budget));
        self.watch.clone()
    }

    /// The same with the time budget of the last loop.
    pub(crate) fn last_watch(&self) -> &Watch {
        &self.watch
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
        let watch = self.watch(rule);
        self.tell(Event::Starting { stage });
        let mut algorithm = prepare()?;
        let mut reached = Reached {
            stage,
            history: vec![finite(algorithm.error(), stage, 0)?],
            clock: vec![begun.elapsed().as_secs_f64()],
            stop: None,
        };
        let mut keeper = self.keeper.take_if(|keeper| keeper.is_at_work());
        let mut before = 0.0; // what an interrupted fit has taken
        if let Some((earlier, state)) =
            keeper.as_mut().map_or(Ok(None), |k| k.take_up(stage, parts))?
        {
            algorithm.restore(&state)?;
            before = earlier.clock[earlier.clock.len() - 1];
            reached = earlier;
        }
        let stop = loop {
            if let Some(stop) = reached.stop {
                break stop;
            }
            let iteration = reached.history.len() - 1;
            let error = reached.history[iteration] * self.unit;
            let max_iterations = rule.max_iterations;
            self.tell(Event::Iteration { stage, iteration, max_iterations, error });
            let told = agreed(&watch, parts)?;
            let patience = algorithm.patience();
            reached.stop = told.or_else(|| reason_to_stop(rule, &reached.history, patience));
            if let (Some(_), Some(keeper)) = (reached.stop, &mut keeper) {
                keeper.end(&algorithm, &reached, parts)?;
            }
            if reached.stop.is_none() {
                algorithm.step()?;
                reached.history.push(finite(algorithm.error(), stage, iteration + 1)?);
                reached.clock.push(before + begun.elapsed().as_secs_f64());
                if let Some(keeper) = &mut keeper {
                    keeper.keep(&algorithm, &reached, parts)?;
                }
            }
        };
        if keeper.is_some() {
            self.keeper = keeper;
        }
        let Reached { history, clock, .. } = reached;
        let seconds = begun.elapsed().as_secs_f64();
        let iterations = history.len() - 1;
        Ok((algorithm, Run { stage, iterations, stop, seconds, history, clock }))
    }
}

/// What somebody or the clock says. All parts come to the same answer: whatever one of them is told, or finds
/// on its clock, holds for all.
fn agreed(watch: &Watch, parts: Parts<'_>) -> Result<Option<StopReason>> {
    let own = watch.reason();
    let said = |reason| f64::from(u8::from(own == Some(reason)));
    let mut of_any_part = [said(StopReason::Cancelled), said(StopReason::TimeBudget)];
    parts.max(&mut of_any_part)?;
    Ok(match of_any_part.map(|said| said > 0.0) {
        [true, _] => Some(StopReason::Cancelled),
        [_, true] => Some(StopReason::TimeBudget),
        _ => None,
    })
}

/// What the errors so far say.
fn reason_to_stop(rule: &StopRule, history: &[f64], patience: usize) -> Option<StopReason> {
    let now = history[history.len() - 1];
    let before = history.len().checked_sub(1 + patience).map(|i| history[i]);
    let last = before.and_then(|before| rule.last(before, now));
    last.or_else(|| (history.len() > rule.max_iterations).then_some(StopReason::MaxIterations))
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
