//! Coordinate descent for the Kullback-Leibler divergence, in the entries that are not zero (`kl_rule.rs` has the step).
//!
//! The columns of `H` are independent: each has the entries of its sample. Those of `Z^T` are too, with the entries of a
//! feature and `H` in the place of `Z`. So both are *lists* of entries, of which every place (a feature, or a sample)
//! has a column of `k` numbers in the other factor:
//!
//! ```text
//! sum over the entries of  x log(x / y) - x + y,  and y elsewhere,    y = factor^T column at the place of the entry
//! ```
//!
//! `y` is formed at the entries of a list alone. A sweep costs two passes over `k` times the entries. A column whose first
//! sweep has brought a coordinate to zero leaves it there until the next call; it ends with the first sweep that moves
//! less than three tenths of what its first one did. All of it is carried out in `f64`, whatever the data are made of.

use std::ops::Range;

use rayon::prelude::*;

use super::Penalty;
use super::blocks::vectorised;
use super::kl_entries::Sums;
use super::kl_rule::{Slopes, next};
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar, Sparse};
use crate::objective::kl_term;

/// Entries worked on side by side; lists are filled up to a multiple of it.
const LANES: usize = 4;

/// A reconstruction at an entry that is not zero is at least this, in the unit in which fits see data: then nothing
/// divides by zero, squares of reciprocals stay numbers, and the steps do not depend on it (`kl_rule.rs`).
pub(super) const FLOOR: f64 = 1e-100;

/// Numbers of the other factor that a list copies at once; a longer list copies those of one component at a time.
const COPIED: usize = 1 << 18;

/// A later sweep that moves less than this share of the first one is the last.
const LITTLE: f64 = 0.3;

/// Sweeps after which a column that is to be at its minimum has come to rest.
const MANY: usize = 2000;

/// Sweeps after which a reconstruction that was carried along is formed anew.
const REFRESHED: usize = 16;

/// It is at rest once a sweep moves less than this share of it.
const REST: f64 = 1e-10;

/// How hard a call works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As a part of an alternation: at most so many sweeps.
    Sweeps(usize),
    /// Until the columns are at their minimum.
    Minimum,
}

/// Columns that are to fit lists of entries.
pub(crate) struct KlProblem<'a, T: Scalar> {
    /// A list for each column.
    pub(crate) entries: &'a Sparse<'a, T>,
    /// The other factor: a column of `k` numbers for each place.
    pub(crate) factor: &'a Matrix<T>,
    /// The sums of its rows over the places that a list sees, of all parts.
    pub(crate) sums: &'a Sums,
    /// What keeps the columns small or sparse.
    pub(crate) penalty: Penalty,
    /// Coordinates that stay as they are.
    pub(crate) fixed: Range<usize>,
    /// What samples were multiplied by.
    pub(crate) factors: SampleFactors<'a>,
}

/// What the samples of a problem were multiplied by, for their weights. The floor of a reconstruction goes with it, or
/// steps from there would not be those of copies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SampleFactors<'a> {
    /// Nothing.
    One,
    /// Lists are samples.
    OfLists(&'a [f64]),
    /// Places are samples.
    OfPlaces(&'a [f64]),
}

impl<'a, T: Scalar> KlProblem<'a, T> {
    /// A problem in which nothing is penalised, stays or has weights.
    pub(crate) fn new(entries: &'a Sparse<'a, T>, factor: &'a Matrix<T>, sums: &'a Sums) -> Self {
        let (penalty, factors) = (Penalty::NONE, SampleFactors::One);
        Self { entries, factor, sums, penalty, fixed: 0..0, factors }
    }

    /// Lowers the divergence of every column (`k x` lists).
    pub(crate) fn descend(&self, columns: &mut Matrix<T>, effort: Effort) {
        for_each_column(columns, |column, h, list| {
            column.load(self, list, h);
            column.sweeps(self, effort);
            column.store(h);
        });
    }

    /// *Together*: the same for lists that are held in parts: every part has some of the entries of each.
    pub(crate) fn descend_on(
        &self,
        columns: &mut Matrix<T>,
        parts: Parts<'_>,
        sweeps: usize,
    ) -> Result<()> {
        if parts.is_whole() {
            self.descend(columns, Effort::Sweeps(sweeps));
            return Ok(());
        }
        self.descend_together(columns, parts, sweeps)
    }

    /// As [`descend`](Self::descend); returns the divergence of all columns.
    pub(crate) fn descend_measured(&self, columns: &mut Matrix<T>, effort: Effort) -> f64 {
        let values = for_each_column(columns, |column, h, list| {
            column.load(self, list, h);
            column.sweeps(self, effort);
            column.store(h);
            column.divergence(self)
        });
        values.iter().sum()
    }

    /// The divergence of all columns.
    pub(crate) fn divergence(&self, columns: &Matrix<T>) -> f64 {
        let k = columns.rows().max(1);
        let of_list = |column: &mut Column, (list, h): (usize, &[T])| {
            vectorised(|| {
                column.load(self, list, h);
                column.divergence(self)
            })
        };
        let columns = columns.as_slice().par_chunks(k).enumerate().with_min_len(16);
        let values: Vec<f64> = columns.map_init(Column::default, of_list).collect();
        values.iter().sum()
    }

    /// As [`descend`](Self::descend) where every part holds some of the entries of each list: sums are reduced,
    /// component after component, and all parts come to the same columns.
    fn descend_together(
        &self,
        columns: &mut Matrix<T>,
        parts: Parts<'_>,
        sweeps: usize,
    ) -> Result<()> {
        let k = columns.rows();
        let lists: Vec<(usize, &[T])> = columns.as_slice().chunks(k.max(1)).enumerate().collect();
        let mut states: Vec<Column> = lists
            .into_par_iter()
            .map(|(list, h)| {
                let mut column = Column::default();
                column.load_for(self, list, h, false);
                column
            })
            .collect();
        let mut slopes = vec![0.0; 2 * states.len()];
        for sweep in 0..sweeps {
            for r in 0..k {
                let both = states.par_iter_mut().zip(slopes.par_chunks_mut(2));
                both.for_each(|(column, slopes)| {
                    let found = column.is_to_move(self, r, sweep).then(|| column.slopes(self, r));
                    let Slopes { pull, fall } = found.unwrap_or(Slopes { pull: 0.0, fall: 0.0 });
                    slopes.copy_from_slice(&[pull, fall]);
                });
                parts.sum(&mut slopes)?;
                let both = states.par_iter_mut().zip(slopes.par_chunks(2));
                both.for_each(|(column, slopes)| {
                    if column.is_to_move(self, r, sweep) {
                        let slopes = Slopes { pull: slopes[0], fall: slopes[1] };
                        column.go(self, r, slopes);
                    }
                });
            }
            for column in &mut states {
                column.end_sweep(sweep, LITTLE);
            }
            if states.iter().all(|column| column.at_rest) {
                break;
            }
        }
        for (column, h) in states.iter().zip(columns.as_mut_slice().chunks_mut(k.max(1))) {
            column.store(h);
        }
        Ok(())
    }
}

/// Works on all columns, with the widest vectors there are.
fn for_each_column<T: Scalar, R: Send>(
    columns: &mut Matrix<T>,
    work: impl Fn(&mut Column, &mut [T], usize) -> R + Sync + Send,
) -> Vec<R> {
    let k = columns.rows().max(1);
    let columns = columns.as_mut_slice().par_chunks_mut(k).enumerate();
    let one =
        |column: &mut Column, (list, h): (usize, &mut [T])| vectorised(|| work(column, h, list));
    columns.map_init(Column::default, one).collect()
}

/// A column with the entries it is to fit, in `f64`. Lists are filled up with entries that have no effect.
#[derive(Default)]
struct Column {
    list: usize,
    h: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// `1 / y`: it changes less often than it is asked for.
    inverse: Vec<f64>,
    /// The least that `y` may be, where that is not the same everywhere.
    floors: Vec<f64>,
    /// The places of the entries.
    places: Vec<usize>,
    /// What the other factor has there, component after component, or of one component alone.
    b: Vec<f64>,
    whole: bool,
    /// How far the sweep at hand, and the first one, have moved, as a share of the sum of the reconstruction.
    moved: f64,
    first: f64,
    at_rest: bool,
}

impl Column {
    #[inline(always)]
    fn load<T: Scalar>(&mut self, problem: &KlProblem<'_, T>, list: usize, h: &[T]) {
        let starts = problem.entries.starts();
        let count = (starts.get(list + 1) - starts.get(list)).next_multiple_of(LANES);
        self.load_for(problem, list, h, count * h.len() <= COPIED);
    }

    /// Takes the entries of a list; the other factor at all of them if `whole`.
    #[inline(always)]
    fn load_for<T: Scalar>(
        &mut self,
        problem: &KlProblem<'_, T>,
        list: usize,
        h: &[T],
        whole: bool,
    ) {
        let (starts, places) = (problem.entries.starts(), problem.entries.places());
        let range = starts.get(list)..starts.get(list + 1);
        let (k, padded) = (h.len(), range.len().next_multiple_of(LANES));
        self.list = list;
        self.h.clear();
        self.h.extend(h.iter().map(|h| h.to_f64()));
        self.x.clear();
        self.x.extend(problem.entries.values()[range.clone()].iter().map(|x| x.to_f64()));
        self.x.resize(padded, 0.0);
        self.places.clear();
        self.places.extend(range.map(|at| places.get(at)));
        (self.whole, self.at_rest) = (whole, false);
        self.load_floors(problem.factors, padded);
        self.b.clear();
        self.b.resize(if whole { k * padded } else { padded }, 0.0);
        if whole {
            let factor = problem.factor.as_slice();
            for (e, place) in self.places.iter().enumerate() {
                for (r, b) in factor[place * k..][..k].iter().enumerate() {
                    self.b[r * padded + e] = b.to_f64();
                }
            }
        }
        self.reconstruct(problem);
    }

    fn load_floors(&mut self, factors: SampleFactors<'_>, padded: usize) {
        self.floors.clear();
        match factors {
            SampleFactors::One => return,
            SampleFactors::OfLists(of) => self.floors.push(FLOOR * of[self.list]),
            SampleFactors::OfPlaces(of) => {
                self.floors.extend(self.places.iter().map(|place| FLOOR * of[*place]));
            }
        }
        self.floors.resize(padded, self.floors.first().copied().unwrap_or(FLOOR));
    }

    /// `y` and its reciprocals from the column as it is.
    #[inline(always)]
    fn reconstruct<T: Scalar>(&mut self, problem: &KlProblem<'_, T>) {
        self.y.clear();
        self.y.resize(self.x.len(), 0.0);
        for r in 0..self.h.len() {
            if self.h[r] > 0.0 {
                let b = coefficients(&mut self.b, &self.places, self.whole, problem, r);
                self.y.iter_mut().zip(b).for_each(|(y, b)| *y += *b * self.h[r]);
            }
        }
        self.y[self.places.len()..].fill(1.0);
        if self.floors.is_empty() {
            self.y.iter_mut().for_each(|y| *y = larger(*y, FLOOR));
        } else {
            self.y.iter_mut().zip(&self.floors).for_each(|(y, floor)| *y = larger(*y, *floor));
        }
        self.inverse.clear();
        self.inverse.extend(self.y.iter().map(|y| 1.0 / y));
    }

    #[inline(always)]
    fn sweeps<T: Scalar>(&mut self, problem: &KlProblem<'_, T>, effort: Effort) {
        let most = match effort {
            Effort::Sweeps(most) => most,
            Effort::Minimum => MANY,
        };
        for sweep in 0..most {
            // Who is to be at the minimum never leaves a coordinate out, nor adds up the rounding of many steps.
            if sweep % REFRESHED == REFRESHED - 1 {
                self.reconstruct(problem);
            }
            let looked_at = if effort == Effort::Minimum { 0 } else { sweep };
            for r in 0..self.h.len() {
                if self.is_to_move(problem, r, looked_at) {
                    let slopes = self.slopes(problem, r);
                    self.go(problem, r, slopes);
                }
            }
            match effort {
                Effort::Sweeps(_) => self.end_sweep(sweep, LITTLE),
                Effort::Minimum => {
                    let all = self.size(problem);
                    self.first = all;
                    self.end_sweep(1, REST);
                }
            }
            if self.at_rest {
                break;
            }
        }
    }

    /// Whether a sweep is to look at a coordinate.
    #[inline(always)]
    fn is_to_move<T: Scalar>(&self, problem: &KlProblem<'_, T>, r: usize, sweep: usize) -> bool {
        !self.at_rest && (sweep == 0 || self.h[r] > 0.0) && !problem.fixed.contains(&r)
    }

    /// The slopes that the entries give a coordinate.
    #[inline(always)]
    fn slopes<T: Scalar>(&mut self, problem: &KlProblem<'_, T>, r: usize) -> Slopes {
        let b = coefficients(&mut self.b, &self.places, self.whole, problem, r);
        let (mut pull, mut fall) = ([0.0; LANES], [0.0; LANES]);
        let (b, _) = b.as_chunks::<LANES>();
        let (x, _) = self.x.as_chunks::<LANES>();
        let (inverse, _) = self.inverse.as_chunks::<LANES>();
        for ((b, x), inverse) in b.iter().zip(x).zip(inverse) {
            for l in 0..LANES {
                let share = b[l] * inverse[l];
                let weight = x[l] * share;
                pull[l] += weight;
                fall[l] += weight * share;
            }
        }
        let sum = |lanes: [f64; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        Slopes { pull: sum(pull), fall: sum(fall) }
    }

    /// Moves a coordinate. Its coefficients are those that were asked for last.
    #[inline(always)]
    fn go<T: Scalar>(&mut self, problem: &KlProblem<'_, T>, r: usize, slopes: Slopes) {
        let Penalty { l1, l2 } = problem.penalty;
        let a = problem.sums.of(self.list)[r] + l1;
        if a <= 0.0 && l2 <= 0.0 {
            return; // a component of zeros: its features have no effect
        }
        let old = self.h[r];
        let new = T::from_f64(next(old, a, l2, slopes));
        let new = if new < T::FLUSH { 0.0 } else { new.to_f64() };
        let step = new - old;
        self.h[r] = new;
        self.moved += a * step.abs();
        if step.abs() > 0.0 {
            let padded = self.x.len();
            let b = if self.whole { &self.b[r * padded..][..padded] } else { &self.b[..padded] };
            let entries = self.y.iter_mut().zip(&mut self.inverse).zip(b);
            // What the component alone adds is a bound that no rounding takes away.
            let follow = |((y, inverse), b): ((&mut f64, &mut f64), &f64), floor: f64| {
                *y = larger(larger(*y + *b * step, *b * new), floor);
                *inverse = 1.0 / *y;
            };
            if self.floors.is_empty() {
                entries.for_each(|entry| follow(entry, FLOOR));
            } else {
                entries.zip(&self.floors).for_each(|(entry, floor)| follow(entry, *floor));
            }
        }
    }

    /// Whether this was the last sweep.
    #[inline(always)]
    fn end_sweep(&mut self, sweep: usize, little: f64) {
        if sweep == 0 {
            self.first = self.moved;
        }
        self.at_rest |= self.moved <= little * self.first && (sweep > 0 || self.moved <= 0.0);
        self.moved = 0.0;
    }

    /// The sum of the reconstruction over the places that the list sees.
    #[inline(always)]
    fn size<T: Scalar>(&self, problem: &KlProblem<'_, T>) -> f64 {
        self.h.iter().zip(problem.sums.of(self.list)).map(|(h, a)| h * a).sum()
    }

    /// The divergence of the column: observed entries that are not held are zero.
    #[inline(always)]
    fn divergence<T: Scalar>(&self, problem: &KlProblem<'_, T>) -> f64 {
        let held = self.places.len();
        let pairs = || self.x.iter().zip(&self.y).take(held);
        let at_entries: f64 = pairs().map(|(x, y)| kl_term(*x, *y)).sum();
        if held == problem.factor.cols() {
            return at_entries;
        }
        at_entries + (self.size(problem) - pairs().map(|(_, y)| *y).sum::<f64>()).max(0.0)
    }

    fn store<T: Scalar>(&self, h: &mut [T]) {
        h.iter_mut().zip(&self.h).for_each(|(to, h)| *to = T::from_f64(*h));
    }
}

/// What the other factor has at the entries, of one component.
#[inline(always)]
fn coefficients<'b, T: Scalar>(
    b: &'b mut [f64],
    places: &[usize],
    whole: bool,
    problem: &KlProblem<'_, T>,
    r: usize,
) -> &'b [f64] {
    if whole {
        let padded = places.len().next_multiple_of(LANES);
        return &b[r * padded..][..padded];
    }
    let (factor, k) = (problem.factor.as_slice(), problem.factor.rows());
    b.iter_mut().zip(places).for_each(|(b, place)| *b = factor[place * k + r].to_f64());
    b
}

/// The larger of two numbers, in one instruction.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The sums of the rows, over all parts; all parts call it together.
pub(crate) fn sums_of_rows<T: Scalar>(h: &Matrix<T>, parts: Parts<'_>) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; h.rows()];
    for column in h.columns() {
        sums.iter_mut().zip(column).for_each(|(sum, h)| *sum += h.to_f64());
    }
    parts.sum(&mut sums)?;
    Ok(sums)
}
