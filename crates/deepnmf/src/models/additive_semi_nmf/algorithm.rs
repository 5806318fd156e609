//! The loop: proposals for one part after the other, each taken if it lowers the objective.
//!
//! It begins with the best of some starts (`starts.rs`). A step has five proposals for one part: three find clusters
//! anew, as many as wanted first, three times and five times as many (`propose.rs`); two cut clusters of the part and
//! merge others, all of them and a random half (`cut.rs`). Steps for all parts without gain are the last.

use rayon::prelude::*;

use super::coordinates::Coordinates;
use super::cut::{cut_and_merge, drawn};
use super::descent::{Found, State, TO_REST, descend};
use super::memberships::Memberships;
use super::propose::{Wanted, features_for, propose};
use super::starts::best_start;
use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::rng::{Purpose, below, numbered_stream};

/// A proposal for one part.
#[derive(Clone, Copy)]
enum Proposal {
    /// Finds clusters anew, so many times as many first.
    Anew(usize),
    /// Cuts one of so many of its clusters.
    Cut(usize),
}

/// The proposals of a step.
const PROPOSALS: [Proposal; 5] =
    [Proposal::Anew(1), Proposal::Anew(3), Proposal::Anew(5), Proposal::Cut(1), Proposal::Cut(2)];

/// The numbers of starts are below, those of proposals behind.
const FIRST_PROPOSAL: u64 = 1 << 20;

/// An objective that is lower by less than this for each coordinate is the same but for rounding.
const SAME: f64 = 1e-9;

/// The fit under way.
pub(super) struct AdditiveLoop {
    samples: Coordinates,
    sizes: Vec<usize>,
    /// The parts whose clusters are to be found.
    free: Vec<usize>,
    seed: u64,
    found: Found,
    /// Steps so far.
    steps: usize,
    /// Whether somebody has stopped it before it began.
    pub(super) cut_short: bool,
}

impl AdditiveLoop {
    /// Begins with the best of all starts, or at random if somebody stops them. `known` has the clusters of the parts that
    /// are known, and one of the others.
    pub(super) fn new(
        samples: Coordinates,
        sizes: &[usize],
        known: &Memberships,
        seed: u64,
        go_on: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Self> {
        let (sizes, free) = (sizes.to_vec(), known.free());
        let started = match samples.dimension() {
            0 => go_on().and_then(|()| {
                let alike = Memberships { sizes: sizes.clone(), ..known.clone() };
                descend(&samples, alike, 0)
            }),
            _ => best_start(&samples, &sizes, known, seed, go_on),
        };
        let (found, cut_short) = match started {
            Err(Error::Interrupted(_)) => {
                (descend(&samples, at_random(&sizes, known, seed), 0)?, true)
            }
            other => (other?, false),
        };
        Ok(Self { samples, sizes, free, seed, found, steps: 0, cut_short })
    }

    /// What was found, and in which coordinates. The largest cluster of each part is the first.
    pub(super) fn into_found(self) -> Result<(Coordinates, Found)> {
        let rounds = if self.cut_short { 0 } else { TO_REST };
        let found = descend(&self.samples, self.found.memberships.in_order(), rounds)?;
        Ok((self.samples, found))
    }

    /// `J`.
    #[cfg(test)]
    pub(super) fn objective(&self) -> f64 {
        self.found.state.objective
    }
}

/// Memberships drawn at random, but for those that are known.
fn at_random(sizes: &[usize], known: &Memberships, seed: u64) -> Memberships {
    let mut rng = numbered_stream(seed, Purpose::Proposals, FIRST_PROPOSAL - 1);
    let labels = known.labels.iter().enumerate().map(|(i, label)| {
        let (part, drawn) = (i % sizes.len(), below(&mut rng, sizes[i % sizes.len()]));
        if known.held[part] { *label } else { drawn }
    });
    Memberships { sizes: sizes.to_vec(), labels: labels.collect(), held: known.held.clone() }
}

impl Algorithm for AdditiveLoop {
    /// `exp(J / 2d)`.
    fn error(&self) -> f64 {
        match self.samples.dimension() {
            0 => 0.0,
            d => (self.found.state.objective / (2 * d) as f64).exp(),
        }
    }

    /// A step for each part.
    fn patience(&self) -> usize {
        self.free.len()
    }

    fn step(&mut self) -> Result<()> {
        if self.samples.dimension() == 0 {
            return Ok(());
        }
        let part = self.free[self.steps % self.free.len()];
        let number = |i: usize| FIRST_PROPOSAL + (self.steps * PROPOSALS.len() + i) as u64;
        let (size, seed, now) = (self.sizes[part], self.seed, &self.found);
        // A step is short, and not left half done.
        let from = &now.memberships;
        let features = features_for(&self.samples, from, (part, size), seed, &|| Ok(()))?;
        let found = |(i, proposal): (usize, &Proposal)| match *proposal {
            Proposal::Anew(more) => {
                let wanted = Wanted { part, size, more, number: number(i), seed };
                propose(&self.samples, from, &features, wanted, &|| Ok(()))
            }
            Proposal::Cut(share) => {
                let mut rng = numbered_stream(seed, Purpose::Proposals, number(i));
                let cut = drawn(size, size.div_ceil(share), &mut rng);
                cut_and_merge(&self.samples, now, part, &cut)
            }
        };
        let proposed: Vec<Found> =
            PROPOSALS.par_iter().enumerate().map(found).collect::<Result<_>>()?;
        let least_gain = SAME * self.samples.dimension() as f64;
        for found in proposed {
            if found.state.objective < self.found.state.objective - least_gain {
                self.found = found;
            }
        }
        self.steps += 1;
        Ok(())
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        let Memberships { sizes, labels, .. } = &self.found.memberships;
        let width = sizes.len();
        let labels = Matrix::<f64>::from_fn(width, self.samples.samples(), |i, j| {
            labels[j * width + i] as f64
        });
        state.matrix("labels", &labels);
        state.count("steps", self.steps);
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        let labels: Matrix<f64> = state.matrix("labels")?;
        let allowed = |(i, label): (usize, &f64)| {
            (0.0..self.sizes[i % self.sizes.len()] as f64).contains(label)
        };
        let fits = labels.shape() == (self.sizes.len(), self.samples.samples());
        if !fits || !labels.as_slice().iter().enumerate().all(allowed) {
            let text = "a checkpoint does not fit this fit: it has other clusters";
            return Err(Error::Numerical(text.into()));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clusters, exactly
        let labels = labels.as_slice().iter().map(|label| *label as usize).collect();
        let held = self.found.memberships.held.clone();
        let memberships = Memberships { sizes: self.sizes.clone(), labels, held };
        self.steps = state.count("steps")?;
        let state = State::of(&self.samples, &memberships)?;
        self.found = Found { memberships, state };
        Ok(())
    }
}
