//! Nesterov's accelerated projected gradient with backtracking and restart, for all blocks at once
//! or for one after the other.
//!
//! The step of a block is `t |x| / |g|`, with the lengths of the block's variables and gradient at
//! the last restart: the blocks of a factorization differ in scale by orders of magnitude, and this
//! makes `t` a number without unit that backtracking finds. A step that fails the descent lemma is
//! made shorter; one that leads upwards all the same is taken back and the momentum forgotten.

use super::{Evaluated, Objective, Point, clip, difference, steepness};
use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{Matrix, Scalar, add_scaled};

/// Shortenings of a step before it is given up.
const HALVINGS: usize = 40;

/// By how much a step may grow from one iteration to the next.
const GROWTH: f64 = 1.2;

/// The first `t`: a step of this share of the variables' own length.
const FIRST_STEP: f64 = 1e-2;

/// The descent under way.
pub(crate) struct Accelerated<O, T> {
    pub(crate) objective: O,
    pub(crate) point: Point<T>,
    at: Evaluated<T>,
    groups: Vec<Group<T>>,
    /// How steep it was where no step without momentum went down.
    pub(crate) given_up: Vec<f64>,
}

/// Blocks that move together.
struct Group<T> {
    blocks: Vec<usize>,
    /// Where each block was before its last step, once it has made one since the restart.
    before: Option<Point<T>>,
    /// What each block's `t` is multiplied by.
    scales: Vec<f64>,
    t: f64,
    momentum: f64,
}

impl<T: Scalar, O: Objective<T>> Accelerated<O, T> {
    /// All blocks at once if `joint`, otherwise one after the other.
    pub(crate) fn new(mut objective: O, point: Point<T>, joint: bool) -> Result<Self> {
        let at = objective.evaluate(&point)?;
        let blocks: Vec<usize> = (0..point.len()).collect();
        let groups =
            if joint { vec![blocks] } else { blocks.into_iter().map(|b| vec![b]).collect() };
        let groups = groups.into_iter().map(Group::new).collect();
        Ok(Self { objective, point, at, groups, given_up: vec![] })
    }

    /// One accelerated step of a group.
    fn advance(&mut self, g: usize) -> Result<()> {
        if self.groups[g].before.is_none() {
            self.groups[g].restart(&self.objective, &self.point, &self.at)?;
        }
        let ahead = self.extrapolated(g);
        let at_ahead = match &ahead {
            Some(point) => self.objective.evaluate(point)?,
            None => self.at.clone(),
        };
        let plain = ahead.is_none();
        let from = ahead.unwrap_or_else(|| self.point.clone());
        let lower = self.descend(g, &from, &at_ahead)?.filter(|(_, at)| at.value <= self.at.value);
        let Some((point, at)) = lower else {
            if plain {
                self.give_up(g)?;
            }
            self.groups[g].before = None; // too much momentum: begin anew from where we are
            return Ok(());
        };
        let group = &mut self.groups[g];
        group.before = Some(group.blocks.iter().map(|b| self.point[*b].clone()).collect());
        group.momentum = f64::midpoint(1.0, (1.0 + 4.0 * group.momentum * group.momentum).sqrt());
        group.t *= GROWTH;
        (self.point, self.at) = (point, at);
        Ok(())
    }

    /// Notes how steep it is for a group that found no way down.
    fn give_up(&mut self, g: usize) -> Result<()> {
        let (mut slope, mut length) = (0.0, 0.0);
        for b in &self.groups[g].blocks {
            let (point, mut gradient) = (&self.point[*b], self.at.gradient[*b].clone());
            if self.objective.is_features(*b) {
                // At the bound only what leads away from it counts.
                let both = gradient.as_mut_slice().iter_mut().zip(point.as_slice());
                both.filter(|(g, x)| **x <= T::ZERO && **g > T::ZERO)
                    .for_each(|(g, _)| *g = T::ZERO);
            }
            slope += self.objective.block_inner(*b, &gradient, &gradient)?;
            length += self.objective.block_inner(*b, point, point)?;
        }
        self.given_up.push(steepness(slope.sqrt(), length.sqrt(), self.at.value));
        Ok(())
    }

    /// The point that momentum leads to, if it leads anywhere.
    fn extrapolated(&self, g: usize) -> Option<Point<T>> {
        let group = &self.groups[g];
        let next = f64::midpoint(1.0, (1.0 + 4.0 * group.momentum * group.momentum).sqrt());
        let beta = (group.momentum - 1.0) / next;
        if beta <= 0.0 {
            return None;
        }
        let mut point = self.point.clone();
        for (b, before) in group.blocks.iter().zip(group.before.as_ref()?) {
            let step = difference(&self.point[*b], before);
            add_scaled(&mut point[*b], beta, &step);
            if self.objective.is_features(*b) {
                clip(&mut point[*b]);
            }
        }
        Some(point)
    }

    /// A projected gradient step from `from` that keeps the descent lemma.
    fn descend(
        &mut self,
        g: usize,
        from: &Point<T>,
        at: &Evaluated<T>,
    ) -> Result<Option<(Point<T>, Evaluated<T>)>> {
        for _ in 0..HALVINGS {
            let group = &self.groups[g];
            let mut point = from.clone();
            let mut model = at.value;
            for (b, scale) in group.blocks.iter().zip(&group.scales) {
                let step = group.t * scale;
                add_scaled(&mut point[*b], -step, &at.gradient[*b]);
                if self.objective.is_features(*b) {
                    clip(&mut point[*b]);
                }
                let moved = difference(&point[*b], &from[*b]);
                model += self.objective.block_inner(*b, &at.gradient[*b], &moved)?
                    + self.objective.block_inner(*b, &moved, &moved)? / (2.0 * step);
            }
            let there = self.objective.evaluate(&point)?;
            if there.value <= model {
                return Ok(Some((point, there)));
            }
            self.groups[g].t *= 0.5;
        }
        Ok(None)
    }
}

impl<T: Scalar, O: Objective<T>> Algorithm for Accelerated<O, T> {
    fn error(&self) -> f64 {
        (2.0 * self.at.value).sqrt()
    }

    /// A restart gains nothing in its own iteration.
    fn patience(&self) -> usize {
        3
    }

    fn step(&mut self) -> Result<()> {
        (0..self.groups.len()).try_for_each(|g| self.advance(g))
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        self.objective.save("point", &self.point, state);
        for (g, group) in self.groups.iter().enumerate() {
            let named = |what: &str| format!("{what} {g}");
            let before = group.before.as_deref().unwrap_or(&[]);
            state.list(&named("before"), before, |i| self.objective.is_features(group.blocks[i]));
            let scales = Matrix::from_fn(group.scales.len(), 1, |i, _| group.scales[i]);
            state.matrix(&named("scales"), &scales);
            state.number(&named("t"), group.t);
            state.number(&named("momentum"), group.momentum);
        }
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.point = self.objective.restored("point", state)?;
        // Both follow from the point alone.
        self.at = self.objective.evaluate(&self.point)?;
        for (g, group) in self.groups.iter_mut().enumerate() {
            let named = |what: &str| format!("{what} {g}");
            let is_features = |i: usize| self.objective.is_features(group.blocks[i]);
            let before: Point<T> = state.list(&named("before"), is_features)?;
            group.before = (!before.is_empty()).then_some(before);
            group.scales = state.matrix::<f64>(&named("scales"))?.into_vec();
            group.t = state.number(&named("t"))?;
            group.momentum = state.number(&named("momentum"))?;
        }
        Ok(())
    }
}

impl<T: Scalar> Group<T> {
    fn new(blocks: Vec<usize>) -> Self {
        let scales = vec![0.0; blocks.len()];
        Self { blocks, before: None, scales, t: FIRST_STEP, momentum: 1.0 }
    }

    fn restart<O: Objective<T>>(
        &mut self,
        objective: &O,
        point: &Point<T>,
        at: &Evaluated<T>,
    ) -> Result<()> {
        for (b, scale) in self.blocks.iter().zip(&mut self.scales) {
            let length = |m: &Matrix<T>| Ok(objective.block_inner(*b, m, m)?.sqrt());
            let gradient: f64 = length(&at.gradient[*b])?;
            let ratio = length(&point[*b])? / gradient;
            let new = if ratio.is_normal() { ratio } else { 1.0 };
            // What `t` has learnt belongs to the old scales.
            if self.blocks.len() == 1 && *scale > 0.0 {
                self.t *= *scale / new;
            }
            *scale = new;
        }
        self.before = Some(self.blocks.iter().map(|b| point[*b].clone()).collect());
        self.momentum = 1.0;
        Ok(())
    }
}
