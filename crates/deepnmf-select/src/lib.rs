//! How many components? Answered by what a model tells of entries that it has not seen.
//!
//! Some entries are hidden, spread over all samples and features; models with different numbers of components are fitted
//! to the others, and asked for the hidden ones. Too few components tell them badly, and so do too many, which follow
//! the noise of the entries they see. The fits of several masks show how far the answer can be trusted, and whether they
//! find the same components. That there is nothing to be found is an answer, too: a model is as bad as the mean of each
//! feature then.
//!
//! ```
//! use deepnmf::{Matrix, SemiNmf};
//! use deepnmf_select::{Outcome, Selection};
//!
//! let x = Matrix::from_fn(30, 80, |i, j| {
//!     let noise = (((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0 - 0.5) * 0.05;
//!     f64::from(u8::from(i % 3 == j % 3)) * (1.0 + (j % 5) as f64) + noise
//! });
//! let found = Selection::default().choose(&x, 1..=6, &|task| SemiNmf::new(task.size).into(), &mut |_| (), None)?;
//! let Outcome::Answer(choice) = found else { unreachable!("there are no other workers") };
//! assert_eq!(choice.chosen, 3, "{}", choice.reason);
//! # Ok::<(), deepnmf::Error>(())
//! ```

mod choice;
mod consensus;
mod held_out;
mod layers;
mod masks;
mod picture;
mod records;
mod search;
mod spectrum;
mod stability;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use deepnmf::{CancelToken, DataMatrix, Error, Matrix, Result, Scalar, Settings};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use choice::{Choice, Point};
pub use consensus::Consensus;
pub use held_out::{Task, Trial};
pub use layers::{LayerChoice, LayerSize, Layers};
pub use spectrum::Spectrum;

use choice::Trials;
use held_out::HeldOut;
use records::{About, Records};
use stability::directions;

/// Data of up to so many entries are fitted several at a time, each on one thread.
const SMALL: usize = 2_000_000;

/// Singular values that are looked at beyond the largest number of components tried.
const MORE: usize = 5;

/// How numbers of components are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The share of the entries that are held out.
    pub share: f64,
    /// Masks, and with them fits of each number of components.
    pub masks: usize,
    /// Seed of the masks; the fits have their own.
    pub seed: u64,
    /// A folder for what was found, from which work goes on.
    pub records: Option<PathBuf>,
    /// Which of several processes this one is, counted from 0, and how many there are. They share the folder of records.
    pub worker: Option<(usize, usize)>,
}

impl Default for Selection {
    /// A tenth of the entries, five masks.
    fn default() -> Self {
        Self { share: 0.1, masks: 5, seed: 0, records: None, worker: None }
    }
}

impl Choice {
    /// The curves of one or several layers as a picture, in SVG.
    pub fn picture(layers: &[Self]) -> String {
        picture::svg(layers)
    }
}

/// What there is to tell when all work of this process is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The answer.
    Answer(Choice),
    /// Fits of other workers are missing, so many of those that are known to be needed. When they are there, the same call
    /// goes on.
    Waiting {
        /// How many.
        missing: usize,
    },
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// The fit that is done.
    pub trial: &'a Trial,
    /// How many of the fits that are known to be needed are done.
    pub done: usize,
    /// How many are known to be needed; more may follow.
    pub known: usize,
}

impl Selection {
    /// Finds out how many of the components allowed the data have. `settings` describes the model of a task, with a seed of its
    /// own for each mask, if it has one; `watch` is told of every fit; `cancel` stops it.
    ///
    /// # Errors
    /// If a fit fails, records cannot be read or written, or a setting is out of its range.
    pub fn choose<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        allowed: RangeInclusive<usize>,
        settings: &(dyn Fn(Task) -> Settings + Sync),
        watch: &mut dyn FnMut(Progress<'_>),
        cancel: Option<CancelToken>,
    ) -> Result<Outcome> {
        self.check(x, &allowed)?;
        let about = || About::of(x, settings(Task { size: 1, mask: 0 }), self.share, self.seed);
        let records = match &self.records {
            Some(folder) => Some(Records::open(folder, &about()?)?),
            None => None,
        };
        let cancel = cancel.unwrap_or_default();
        let (mut trials, mut done) = (Trials::default(), 0);
        loop {
            let sizes = search::next(&trials, &allowed);
            if sizes.is_empty() {
                break;
            }
            let tasks = self.tasks(&sizes);
            let known = done + tasks.len();
            let mut missing = 0;
            let mut own = Vec::new();
            for (at, task) in tasks.iter().enumerate() {
                match records.as_ref().map_or(Ok(None), |records| records.find(*task))? {
                    Some((trial, directions)) => {
                        done += 1;
                        watch(Progress { trial: &trial, done, known });
                        trials.add(trial, directions);
                    }
                    None if self.is_own(at) => own.push(*task),
                    None => missing += 1,
                }
            }
            let (p, n) = x.shape();
            let together = if p * n <= SMALL { rayon::current_num_threads() } else { 1 };
            for some in own.chunks(together.max(1)) {
                let of_task = |task: &Task| self.try_one(x, *task, &settings(*task), &cancel);
                let found: Vec<_> = if let [task] = some {
                    vec![of_task(task)]
                } else {
                    some.par_iter().map(of_task).collect()
                };
                for found in found {
                    let (trial, directions) = found?;
                    if let Some(records) = &records {
                        records.keep(&trial, &directions)?;
                    }
                    done += 1;
                    watch(Progress { trial: &trial, done, known });
                    trials.add(trial, directions);
                }
            }
            if missing > 0 {
                return Ok(Outcome::Waiting { missing });
            }
        }
        let most = trials.sizes().last().copied().unwrap_or(0) + MORE;
        let spectrum = Spectrum::of(x, most, self.seed)?;
        Ok(Outcome::Answer(trials.answer(*allowed.end(), spectrum)))
    }

    /// All fits of some sizes.
    fn tasks(&self, sizes: &[usize]) -> Vec<Task> {
        let sizes: BTreeSet<usize> = sizes.iter().copied().collect();
        let of_size = |size| (0..self.masks).map(move |mask| Task { size, mask });
        sizes.into_iter().flat_map(of_size).collect()
    }

    /// Whether this process does the task with this number in a list that all have.
    fn is_own(&self, at: usize) -> bool {
        self.worker.is_none_or(|(index, total)| at % total == index)
    }

    fn try_one<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        task: Task,
        settings: &Settings,
        cancel: &CancelToken,
    ) -> Result<(Trial, Matrix<f64>)> {
        let hidden = HeldOut::new(x, self.share, self.seed, task.mask)?;
        let (trial, basis) = hidden.fit(settings, task, cancel)?;
        Ok((trial, directions(&basis)))
    }

    fn check<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        allowed: &RangeInclusive<usize>,
    ) -> Result<()> {
        let refuse = |name: &str, value: String, accepted: &str| {
            let (name, accepted) = (name.to_owned(), accepted.to_owned());
            Err(Error::Parameter { name, value, accepted })
        };
        if !(self.share > 0.0 && self.share < 1.0) {
            let accepted = "it must lie between 0 and 1, 0.1 for instance";
            return refuse("the share of entries held out", self.share.to_string(), accepted);
        }
        if self.masks == 0 {
            return refuse(
                "the number of masks",
                "0".into(),
                "it must be at least 1, and 3 tell more",
            );
        }
        if allowed.is_empty() || *allowed.start() == 0 {
            let range = format!("{} to {}", allowed.start(), allowed.end());
            return refuse("the numbers of components", range, "name at least one, from 1 on");
        }
        match self.worker {
            Some((index, total)) if index >= total => {
                let value = format!("{index} of {total}");
                return refuse("the worker", value, "workers are counted from 0");
            }
            Some(_) if self.records.is_none() => {
                let accepted = "workers share what they find: name a folder for it";
                return refuse("the records", "none".into(), accepted);
            }
            _ => {}
        }
        let (p, n) = x.shape();
        if p < 2 || n < 2 {
            let accepted =
                "entries can be held out of data with two samples of two features at least";
            return refuse("the shape of the data", format!("{n} x {p}"), accepted);
        }
        if !x.parts().is_whole() {
            let accepted = "choose sizes in one process, or by workers with an index each";
            return refuse("the number of parts of the data", "2 or more".into(), accepted);
        }
        Ok(())
    }
}
