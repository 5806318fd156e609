//! Runs cells, several at a time with one thread each, and records every one as it ends.
//!
//! One thread a cell makes better use of several cores than several threads a cell do, and no
//! result depends on it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use deepnmf::CancelToken;

use crate::cell::Cell;
use crate::error::{PaperError, Result};
use crate::exhibit;
use crate::experiments::Study;
use crate::record::{Machine, Outcome};
use crate::store::Store;
use crate::time_left::TimeLeft;

/// How far an experiment has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The experiment.
    pub experiment: &'static str,
    /// Its finished cells, those of earlier runs included.
    pub done: usize,
    /// All its cells.
    pub total: usize,
    /// The cell that has just ended.
    pub cell: String,
    /// How many seconds all that was asked for will still take.
    pub seconds_left: f64,
}

/// Somebody who watches experiments run.
pub trait Watch: Sync {
    /// Called whenever a cell has ended.
    fn progress(&self, progress: &Progress);

    /// Called when something is begun that is no cell.
    fn doing(&self, _what: &str) {}
}

/// What all experiments of a run share.
pub(crate) struct Runner<'a> {
    pub(crate) store: Mutex<Store>,
    pub(crate) time_left: Mutex<TimeLeft>,
    pub(crate) workers: usize,
    pub(crate) cancel: CancelToken,
    pub(crate) watch: &'a dyn Watch,
}

/// How to carry out one cell.
pub(crate) type Work<'a> = dyn Fn(&Cell, &CancelToken) -> Result<Outcome> + Sync + 'a;

impl Runner<'_> {
    /// Runs the cells that have no record yet, the longest first, until all are done or somebody
    /// stops it. Returns the failures.
    pub(crate) fn run(&self, cells: &[Cell], work: &Work<'_>) -> Result<Vec<String>> {
        let mut open: Vec<&Cell> =
            cells.iter().filter(|cell| cell.found_in(&lock(&self.store)).is_none()).collect();
        open.sort_by(|a, b| b.expected.total_cmp(&a.expected));
        let done = AtomicUsize::new(cells.len() - open.len());
        let next = AtomicUsize::new(0);
        let failures = Mutex::new(Vec::new());
        let machine = Machine::this();
        let one_worker = || -> Result<()> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
            loop {
                let taken = open.get(next.fetch_add(1, Ordering::Relaxed));
                let Some(cell) = taken.filter(|_| !self.cancel.is_cancelled()) else {
                    return Ok(());
                };
                let begun = Instant::now();
                let outcome = pool.install(|| work(cell, &self.cancel));
                // What was interrupted is no result.
                if self.cancel.is_cancelled() {
                    return Ok(());
                }
                let seconds = begun.elapsed().as_secs_f64();
                let outcome = outcome.map_err(|error| error.to_string());
                if let Err(why) = &outcome {
                    lock(&failures).push(format!("{}: {why}", cell.describe()));
                }
                lock(&self.store).add(cell.record(outcome, seconds, &machine))?;
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                self.tell(cell, Tally { done, total: cells.len() }, seconds);
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..self.workers.max(1)).map(|_| scope.spawn(one_worker)).collect();
            let ended = |worker: ScopedJoinHandle<'_, Result<()>>| {
                worker.join().unwrap_or(Err(PaperError::Panicked))
            };
            workers.into_iter().try_for_each(ended)
        })?;
        Ok(failures.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes the pages of the exhibited models that are not there yet. Returns the failures.
    pub(crate) fn exhibit(
        &self,
        study: &dyn Study,
        cells: &[Cell],
        out: &Path,
    ) -> Result<Vec<String>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.workers.max(1)).build()?;
        let mut failures = Vec::new();
        for cell in study.exhibited(cells) {
            if self.cancel.is_cancelled() || exhibit::is_done(cell, out, &lock(&self.store)) {
                continue;
            }
            let name = cell.describe();
            self.watch.doing(&format!("a page of {name}"));
            let mut tell = |what: &str| self.watch.doing(&format!("a page of {name}: {what}"));
            let page = || exhibit::write(study, cell, out, &self.cancel, &mut tell);
            match pool.install(page) {
                Ok(None) => {}
                Ok(Some(record)) => lock(&self.store).add(record)?,
                Err(why) => failures.push(format!("a page of {name}: {why}")),
            }
        }
        Ok(failures)
    }

    fn tell(&self, cell: &Cell, Tally { done, total }: Tally, seconds: f64) {
        let mut time_left = lock(&self.time_left);
        time_left.finished(cell, seconds);
        let seconds_left = time_left.seconds(self.workers);
        drop(time_left);
        let (experiment, cell) = (cell.experiment.name(), cell.describe());
        self.watch.progress(&Progress { experiment, done, total, cell, seconds_left });
    }
}

/// How many cells are finished, and of how many.
struct Tally {
    done: usize,
    total: usize,
}

/// Locks, whatever another thread has come to.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
