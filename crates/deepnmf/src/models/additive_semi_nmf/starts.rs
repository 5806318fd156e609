//! Where the loop begins: the best of some starts, which find one part after the other.
//!
//! The largest part is found first, then the others in any order, each in what those before it leave over. Orders that
//! begin alike share what they have found so far, and of those that have found the same parts the one with the lowest
//! `J` goes on. So there are as many searches as sets of parts and parts that are not among them, not as orders.

use rayon::prelude::*;

use super::coordinates::Coordinates;
use super::descent::Found;
use super::memberships::Memberships;
use super::propose::{Wanted, features_for, propose};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// How many times as many clusters as wanted the starts find first.
const MORE: [usize; 4] = [1, 2, 3, 5];

/// More parts than that have too many orders: they are found in the order of their sizes.
const MOST_PARTS: usize = 4;

/// Parts that a start has found so far.
struct Begun {
    /// Which ones, in this order.
    order: Vec<usize>,
    /// How many times as many clusters it finds first.
    more: usize,
    found: Found,
}

/// The best of all starts, of equally good ones the first. `known` has the clusters of the parts that are known, and
/// one of the others.
pub(super) fn best_start(
    samples: &Coordinates,
    sizes: &[usize],
    known: &Memberships,
    seed: u64,
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Found> {
    let mut falling = known.free();
    falling.sort_by_key(|part| std::cmp::Reverse(sizes[*part])); // stable
    let mut begun: Vec<Begun> = vec![];
    let mut done = 0;
    for place in 0..falling.len() {
        let longer: Vec<(Option<&Begun>, usize, usize)> = if place == 0 {
            MORE.iter().map(|more| (None, falling[0], *more)).collect()
        } else {
            let next = |before: &Begun, part: &usize| match falling.len() {
                parts if parts > MOST_PARTS => *part == falling[place],
                _ => !before.order.contains(part),
            };
            let longer = begun.iter().flat_map(|before| {
                let parts = falling.iter().filter(move |part| next(before, part));
                parts.map(move |part| (Some(before), *part, before.more))
            });
            longer.collect()
        };
        // All begin with the same part of the same samples.
        let of = |part: usize| (part, sizes[part]);
        let first = match place {
            0 => Some(features_for(samples, known, of(falling[0]), seed, go_on)?),
            _ => None,
        };
        let find = |(i, (before, part, more)): (usize, &(Option<&Begun>, usize, usize))| {
            let from = before.map_or(known, |before| &before.found.memberships);
            let own;
            let features = if let Some(first) = &first {
                first
            } else {
                own = features_for(samples, from, of(*part), seed, go_on)?;
                &own
            };
            let (part, size, number) = (*part, sizes[*part], done + i as u64);
            let wanted = Wanted { part, size, more: *more, number, seed };
            let found = propose(samples, from, features, wanted, go_on)?;
            let before = before.map_or(&[][..], |before| &before.order);
            Ok(Begun { order: [before, &[part]].concat(), more: *more, found })
        };
        let found = longer.par_iter().enumerate().map(find).collect::<Result<Vec<Begun>>>()?;
        done += found.len() as u64;
        begun = best_of_each_set(found);
    }
    let better =
        |best: Begun, other: Begun| if other.objective() < best.objective() { other } else { best };
    let best = begun.into_iter().reduce(better).map(|best| best.found);
    best.ok_or_else(|| Error::Numerical("no part could be found: name at least two".into()))
}

/// Of starts alike that have found the same parts, in whatever order, the one with the lowest `J`; of equally good ones the first.
fn best_of_each_set(found: Vec<Begun>) -> Vec<Begun> {
    let mut best: Vec<Begun> = vec![];
    for one in found {
        let same = |other: &Begun| other.more == one.more && other.set() == one.set();
        match best.iter().position(same) {
            Some(place) if one.objective() < best[place].objective() => best[place] = one,
            Some(_) => {}
            None => best.push(one),
        }
    }
    best
}

impl Begun {
    /// Which parts it has found, ascending.
    fn set(&self) -> Vec<usize> {
        let mut set = self.order.clone();
        set.sort_unstable();
        set
    }

    fn objective(&self) -> f64 {
        self.found.state.objective
    }
}

/// Finds part after part, in a given order; `first` are the features for the first of them. What is known from the start
/// has its clusters, other parts have one.
pub(super) fn start(
    samples: &Coordinates,
    known: &Memberships,
    first: &Matrix<f32>,
    order: &[usize],
    wanted: impl Fn(usize) -> Wanted,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Option<Found>> {
    let mut found: Option<Found> = None;
    for part in order {
        let wanted = wanted(*part);
        found = Some(match found {
            None => propose(samples, known, first, wanted, go_on)?,
            Some(Found { memberships: from, .. }) => {
                let of = (wanted.part, wanted.size);
                let features = features_for(samples, &from, of, wanted.seed, go_on)?;
                propose(samples, &from, &features, wanted, go_on)?
            }
        });
    }
    Ok(found)
}
