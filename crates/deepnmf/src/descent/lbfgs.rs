//! L-BFGS with bounds, by two-metric projection (Bertsekas 1982; Schmidt et al. 2009).
//!
//! Variables that are zero and would become negative are left where they are; the others move along
//! the direction of limited-memory BFGS, cut off at zero. A step is halved until the objective falls
//! by a fair share of what the gradient promises (Armijo).

use std::collections::VecDeque;

use super::{Evaluated, Objective, Point, clip, differences, steepness};
use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{Scalar, add_scaled, scale};

/// Steps remembered. More cost memory and help little.
const MEMORY: usize = 10;

/// The share of the promised descent that a step must keep.
const FAIR_SHARE: f64 = 1e-4;

/// Halvings of a step before its direction is given up.
const HALVINGS: usize = 25;

/// The length of the first step, whose scale nothing is known about, as a share of the point's.
const FIRST_STEP: f64 = 1e-2;

/// The descent under way.
pub(crate) struct Lbfgs<O, T> {
    pub(crate) objective: O,
    pub(crate) point: Point<T>,
    at: Evaluated<T>,
    pairs: VecDeque<Pair<T>>,
    /// How steep it was where no step went down.
    pub(crate) given_up: Vec<f64>,
}

/// A step and the change of the gradient along it.
struct Pair<T> {
    step: Point<T>,
    change: Point<T>,
}

/// A pair as the recursion uses it.
struct Used<'a, T> {
    pair: &'a Pair<T>,
    /// The change, over the variables that are not held.
    change: Point<T>,
    curvature: f64,
    along: f64,
}

impl<T: Scalar, O: Objective<T>> Lbfgs<O, T> {
    pub(crate) fn new(mut objective: O, point: Point<T>) -> Result<Self> {
        let at = objective.evaluate(&point)?;
        Ok(Self { objective, point, at, pairs: VecDeque::new(), given_up: vec![] })
    }

    /// Sets the entries of `v` to zero where the variable is held at its bound.
    fn hold(&self, v: &mut Point<T>) {
        for (block, v) in v.iter_mut().enumerate() {
            if self.objective.is_features(block) {
                let here = self.point[block].as_slice().iter();
                let here = here.zip(self.at.gradient[block].as_slice());
                for (v, (x, g)) in v.as_mut_slice().iter_mut().zip(here) {
                    if *x <= T::ZERO && *g > T::ZERO {
                        *v = T::ZERO;
                    }
                }
            }
        }
    }

    /// `-B^-1 g` by the two-loop recursion, over the variables that are not held.
    fn direction(&self) -> Result<Point<T>> {
        let mut q = self.at.gradient.clone();
        self.hold(&mut q);
        let mut used: Vec<Used<'_, T>> = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let mut change = pair.change.clone();
            self.hold(&mut change);
            let curvature = self.objective.inner(&pair.step, &change)?;
            if curvature <= 0.0 {
                continue;
            }
            let along = self.objective.inner(&pair.step, &q)? / curvature;
            add_all(&mut q, -along, &change);
            used.push(Used { pair, change, curvature, along });
        }
        if let Some(Used { pair, change, curvature, .. }) = used.first() {
            // Blocks differ in scale by orders of magnitude, so each has a guess of its own.
            let common = curvature / self.objective.inner(change, change)?;
            for (block, q) in q.iter_mut().enumerate() {
                let change = &change[block];
                let own = self.objective.block_inner(block, &pair.step[block], change)?
                    / self.objective.block_inner(block, change, change)?;
                scale(q, if own.is_normal() && own > 0.0 { own } else { common });
            }
        }
        for Used { pair, change, curvature, along } in used.iter().rev() {
            let back = self.objective.inner(change, &q)? / curvature;
            let mut step = pair.step.clone();
            self.hold(&mut step);
            add_all(&mut q, along - back, &step);
        }
        scale_all(&mut q, -1.0);
        Ok(q)
    }

    /// The point at `length` along `direction`, cut off at zero.
    fn moved(&self, direction: &Point<T>, length: f64) -> Point<T> {
        let mut point = self.point.clone();
        for (block, (x, d)) in point.iter_mut().zip(direction).enumerate() {
            add_scaled(x, length, d);
            if self.objective.is_features(block) {
                clip(x);
            }
        }
        point
    }

    /// Walks along `direction` and says whether that went down.
    fn walk(&mut self, direction: &Point<T>, first_length: f64) -> Result<bool> {
        let mut length = first_length;
        for _ in 0..HALVINGS {
            let point = self.moved(direction, length);
            let step = differences(&point, &self.point);
            let promised = self.objective.inner(&self.at.gradient, &step)?;
            if promised >= 0.0 {
                return Ok(false);
            }
            let at = self.objective.evaluate(&point)?;
            // An infinite value fails this test and makes the step shorter.
            if at.value <= self.at.value + FAIR_SHARE * promised {
                self.remember(step, &at)?;
                (self.point, self.at) = (point, at);
                return Ok(true);
            }
            length *= 0.5;
        }
        Ok(false)
    }

    fn remember(&mut self, step: Point<T>, at: &Evaluated<T>) -> Result<()> {
        let change = differences(&at.gradient, &self.at.gradient);
        let objective = &self.objective;
        // Rounding in the gradients must not pass for curvature.
        let rounding = T::EPSILON.to_f64() * objective.norm(&step)? * objective.norm(&change)?;
        if objective.inner(&step, &change)? > rounding {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back(Pair { step, change });
        }
        Ok(())
    }
}

impl<T: Scalar, O: Objective<T>> Algorithm for Lbfgs<O, T> {
    fn error(&self) -> f64 {
        (2.0 * self.at.value).sqrt()
    }

    /// After it has forgotten a misleading past, it needs some steps to gain speed again.
    fn patience(&self) -> usize {
        5
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        self.objective.save("point", &self.point, state);
        state.count("pairs", self.pairs.len());
        for (i, Pair { step, change }) in self.pairs.iter().enumerate() {
            self.objective.save(&format!("step {i}"), step, state);
            self.objective.save(&format!("change {i}"), change, state);
        }
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.point = self.objective.restored("point", state)?;
        // Both follow from the point alone.
        self.at = self.objective.evaluate(&self.point)?;
        let pairs = state.count("pairs")?;
        let pair = |i| {
            let step = self.objective.restored(&format!("step {i}"), state)?;
            let change = self.objective.restored(&format!("change {i}"), state)?;
            Ok(Pair { step, change })
        };
        self.pairs = (0..pairs).map(pair).collect::<Result<_>>()?;
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        if !self.pairs.is_empty() {
            let direction = self.direction()?;
            if self.walk(&direction, 1.0)? {
                return Ok(());
            }
            self.pairs.clear();
        }
        let downhill = self.direction()?;
        let length = self.objective.norm(&downhill)?;
        if length > 0.0 {
            // A point at the origin has no scale of its own.
            let scale = self.objective.norm(&self.point)?.max(T::EPSILON.to_f64());
            if !self.walk(&downhill, FIRST_STEP * scale / length)? {
                self.given_up.push(steepness(length, scale, self.at.value));
            }
        }
        Ok(())
    }
}

fn add_all<T: Scalar>(a: &mut Point<T>, factor: f64, b: &Point<T>) {
    a.iter_mut().zip(b).for_each(|(a, b)| add_scaled(a, factor, b));
}

fn scale_all<T: Scalar>(a: &mut Point<T>, factor: f64) {
    for block in a {
        scale(block, factor);
    }
}
