//! How many parts, and how large: one part after the other, while what is left has structure.
//!
//! For each size `k` of a grid one part of `k` clusters is found in what the parts so far leave over, and judged twice:
//!
//! ```text
//! q = gain / gain of samples without structure        gain: by how much the part lowers J
//! a = agreement of the clusters of two halves         adjusted Rand index over the samples that both have
//! ```
//!
//! Samples without structure have the same principal coordinates, each in an order of its own: the variances stay, and
//! nothing else. The halves are random four fifths of the samples. A size counts if `q > 1.25` and `a >= 0.7`, and the
//! one with the largest `(q - 1) a` is taken. If none counts, there are no more parts: no structure beyond noise is an
//! answer.

use rayon::prelude::*;

use super::coordinates::Coordinates;
use super::descent::{Found, State};
use super::memberships::Memberships;
use super::propose::{Wanted, features_for, left_over, propose};
use super::starts::start;
use crate::error::Result;
use crate::matrix::{Matrix, Parts, gram_of_rows, product, symmetric_eigen};
use crate::rng::{Purpose, numbered_stream, shuffle};

/// The sizes that are tried, as far as clusters have eight samples on average.
const SIZES: [usize; 16] = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
const FEWEST: usize = 8;
/// More parts are not looked for.
const MOST_PARTS: usize = 4;
/// Sets of samples without structure, and pairs of halves.
const NULLS: usize = 2;
const PAIRS: usize = 4;
/// What a size must reach.
const LEAST_RATIO: f64 = 1.25;
const LEAST_AGREEMENT: f64 = 0.7;
/// Random numbers of searches for parts begin there.
const FIRST_NUMBER: u64 = 1 << 40;

/// Why a part has its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reason {
    pub(super) clusters: usize,
    /// `q`.
    pub(super) ratio: f64,
    /// `a`.
    pub(super) agreement: f64,
}

impl Reason {
    fn worth(&self) -> f64 {
        (self.ratio - 1.0) * self.agreement
    }
}

/// The parts that these samples have; none if they have no structure.
pub(super) fn choose_parts(
    samples: &Coordinates,
    seed: u64,
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Vec<Reason>> {
    let mut reasons: Vec<Reason> = vec![];
    let mut left = samples.y.clone();
    while reasons.len() < MOST_PARTS {
        let round = reasons.len() as u64;
        let Some(best) = best_size(&principal(&left, samples.floor)?, seed, round, go_on)? else {
            break;
        };
        reasons.push(best);
        let sizes: Vec<usize> = reasons.iter().map(|reason| reason.clusters).collect();
        let order: Vec<usize> = (0..sizes.len()).collect();
        let none = Memberships::together(vec![1; sizes.len()], samples.samples());
        let first = features_for(samples, &none, (0, sizes[0]), seed, &|| go_on())?;
        let wanted = |part: usize| {
            let number = FIRST_NUMBER - 1 - part as u64;
            Wanted { part, size: sizes[part], more: 3, number, seed }
        };
        if let Some(Found { memberships, state }) =
            start(samples, &none, &first, &order, wanted, &|| go_on())?
        {
            left = left_over(samples, &memberships, &state);
        }
    }
    Ok(reasons)
}

/// The size that is most worth having, if one is.
fn best_size(
    samples: &Coordinates,
    seed: u64,
    round: u64,
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Option<Reason>> {
    let n = samples.samples();
    if samples.dimension() == 0 {
        return Ok(None);
    }
    let number = |what: u64| FIRST_NUMBER + (round << 20) + what;
    let nulls = (0..NULLS as u64).map(|i| without_structure(samples, seed, number(i)));
    let nulls: Vec<Coordinates> = nulls.collect::<Result<_>>()?;
    let halves: Vec<[Half; 2]> = (0..PAIRS as u64)
        .map(|i| [0, 1].map(|side| Half::of(samples, seed, number(100 + 2 * i + side))))
        .collect();
    let sizes: Vec<usize> = SIZES.into_iter().filter(|k| k * FEWEST <= n).collect();
    let judged = sizes.par_iter().map(|&clusters| {
        go_on()?;
        let task = number(1000 + 100 * clusters as u64);
        let one =
            |samples: &Coordinates, i: u64| one_part(samples, clusters, (seed, task + i), go_on);
        let gain = one(samples, 0)?.gain;
        let mut without = 0.0;
        for (i, null) in (1..).zip(&nulls) {
            without += one(null, i)?.gain / NULLS as f64;
        }
        let ratio = if without > 0.0 { gain / without } else { 0.0 };
        let mut agreement = 0.0;
        if ratio > LEAST_RATIO {
            for (i, [first, second]) in (0..).zip(&halves) {
                let labels = [
                    one(&first.samples(samples)?, 10 + 2 * i)?.labels,
                    one(&second.samples(samples)?, 11 + 2 * i)?.labels,
                ];
                agreement += first.agreement(second, &labels) / PAIRS as f64;
            }
        }
        Ok(Reason { clusters, ratio, agreement })
    });
    let judged: Vec<Reason> = judged.collect::<Result<_>>()?;
    let counts = |r: &Reason| r.ratio > LEAST_RATIO && r.agreement >= LEAST_AGREEMENT;
    let better =
        |best: Reason, other: Reason| if other.worth() > best.worth() { other } else { best };
    Ok(judged.into_iter().filter(counts).reduce(better))
}

/// One part of some samples.
struct OnePart {
    gain: f64,
    labels: Vec<usize>,
}

fn one_part(
    samples: &Coordinates,
    clusters: usize,
    (seed, number): (u64, u64),
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<OnePart> {
    let none = Memberships::together(vec![1], samples.samples());
    let before = State::of(samples, &none)?.objective;
    let wanted = Wanted { part: 0, size: clusters, more: 1, number, seed };
    let features = features_for(samples, &none, (0, clusters), seed, &|| go_on())?;
    let Found { memberships, state } = propose(samples, &none, &features, wanted, &|| go_on())?;
    Ok(OnePart { gain: before - state.objective, labels: memberships.labels })
}

/// Samples in their own principal coordinates.
fn principal(left: &Matrix<f64>, floor: f64) -> Result<Coordinates> {
    let mut scatter = Matrix::zeros(left.rows(), left.rows());
    gram_of_rows(&mut scatter, left, Parts::whole(left.cols()))?;
    let (_, axes) = symmetric_eigen(&scatter)?;
    Coordinates::new(product(axes.t(), left.view()), floor.sqrt())
}

/// The same coordinates, each in an order of its own.
fn without_structure(samples: &Coordinates, seed: u64, number: u64) -> Result<Coordinates> {
    let (d, n) = samples.y.shape();
    let mut rng = numbered_stream(seed, Purpose::Proposals, number);
    let orders: Vec<Vec<usize>> = (0..d)
        .map(|_| {
            let mut order: Vec<usize> = (0..n).collect();
            shuffle(&mut order, &mut rng);
            order
        })
        .collect();
    let y = Matrix::from_fn(d, n, |i, j| samples.y[(i, orders[i][j])]);
    Coordinates::new(y, samples.floor.sqrt())
}

/// Four fifths of the samples, in their order.
struct Half {
    members: Vec<usize>,
}

impl Half {
    fn of(samples: &Coordinates, seed: u64, number: u64) -> Self {
        let n = samples.samples();
        let mut members: Vec<usize> = (0..n).collect();
        shuffle(&mut members, &mut numbered_stream(seed, Purpose::Proposals, number));
        members.truncate((4 * n).div_ceil(5));
        members.sort_unstable();
        Self { members }
    }

    fn samples(&self, all: &Coordinates) -> Result<Coordinates> {
        let count = self.members.len().max(1) as f64;
        let mean = |i: usize| self.members.iter().map(|j| all.y[(i, *j)]).sum::<f64>() / count;
        let means: Vec<f64> = (0..all.dimension()).map(mean).collect();
        let y = Matrix::from_fn(all.dimension(), self.members.len(), |i, j| {
            all.y[(i, self.members[j])] - means[i]
        });
        Coordinates::new(y, all.floor.sqrt())
    }

    /// The adjusted Rand index of the clusters of two, over the samples that both have.
    fn agreement(&self, other: &Self, [own, others]: &[Vec<usize>; 2]) -> f64 {
        let shared = self.members.iter().zip(own).filter_map(|(sample, label)| {
            let place = other.members.binary_search(sample).ok()?;
            Some((*label, others[place]))
        });
        adjusted_rand(&shared.collect::<Vec<_>>())
    }
}

/// The adjusted Rand index of two partitions, given as pairs of labels.
fn adjusted_rand(pairs: &[(usize, usize)]) -> f64 {
    let rows = pairs.iter().map(|(a, _)| a + 1).max().unwrap_or(0);
    let columns = pairs.iter().map(|(_, b)| b + 1).max().unwrap_or(0);
    let mut table = Matrix::<f64>::zeros(rows, columns);
    for (a, b) in pairs {
        table[(*a, *b)] += 1.0;
    }
    let of_two = |count: f64| count * (count - 1.0) / 2.0;
    let both: f64 = table.as_slice().iter().map(|count| of_two(*count)).sum();
    let row = |a: usize| (0..columns).map(|b| table[(a, b)]).sum::<f64>();
    let in_rows: f64 = (0..rows).map(|a| of_two(row(a))).sum();
    let in_columns: f64 = table.columns().map(|c| of_two(c.iter().sum())).sum();
    let all = of_two(pairs.len() as f64);
    let expected = if all > 0.0 { in_rows * in_columns / all } else { 0.0 };
    let most = f64::midpoint(in_rows, in_columns);
    if most > expected { (both - expected) / (most - expected) } else { 1.0 }
}
