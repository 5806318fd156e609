//! Adam (Kingma & Ba 2015) on full batches, as the authors' Python code runs it, with negative
//! features cut off at zero.
//!
//! It may go up; the best point is kept, and what is reported is the best value so far.

use super::{Evaluated, Objective, Point, clip};
use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{Matrix, Scalar};

const DECAY: (f64, f64) = (0.9, 0.999);
const SMALL: f64 = 1e-8;

/// The descent under way.
pub(crate) struct Adam<O, T> {
    pub(crate) objective: O,
    /// The best point so far.
    pub(crate) best: Point<T>,
    best_value: f64,
    point: Point<T>,
    at: Evaluated<T>,
    first: Point<T>,
    second: Point<T>,
    step_size: f64,
    steps: i32,
}

impl<T: Scalar, O: Objective<T>> Adam<O, T> {
    pub(crate) fn new(mut objective: O, point: Point<T>, step_size: f64) -> Result<Self> {
        let at = objective.evaluate(&point)?;
        let zeros = || point.iter().map(|m| Matrix::zeros(m.rows(), m.cols())).collect();
        let (first, second) = (zeros(), zeros());
        let (best, best_value) = (point.clone(), at.value);
        Ok(Self { objective, best, best_value, point, at, first, second, step_size, steps: 0 })
    }
}

impl<T: Scalar, O: Objective<T>> Algorithm for Adam<O, T> {
    fn error(&self) -> f64 {
        (2.0 * self.best_value).sqrt()
    }

    /// It swings, so a step without gain means little.
    fn patience(&self) -> usize {
        50
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        let unbiased = |decay: f64| 1.0 - decay.powi(self.steps);
        let (bias1, bias2) = (unbiased(DECAY.0), unbiased(DECAY.1));
        for (block, x) in self.point.iter_mut().enumerate() {
            let moments = self.first[block].as_mut_slice().iter_mut();
            let moments = moments.zip(self.second[block].as_mut_slice());
            let gradient = self.at.gradient[block].as_slice();
            for ((x, g), (m, v)) in x.as_mut_slice().iter_mut().zip(gradient).zip(moments) {
                let g = g.to_f64();
                let m_new = DECAY.0 * m.to_f64() + (1.0 - DECAY.0) * g;
                let v_new = DECAY.1 * v.to_f64() + (1.0 - DECAY.1) * g * g;
                (*m, *v) = (T::from_f64(m_new), T::from_f64(v_new));
                let step = self.step_size * (m_new / bias1) / ((v_new / bias2).sqrt() + SMALL);
                *x = T::from_f64(x.to_f64() - step);
            }
            if self.objective.is_features(block) {
                clip(x);
            }
        }
        self.at = self.objective.evaluate(&self.point)?;
        if self.at.value < self.best_value {
            self.best_value = self.at.value;
            self.best.clone_from(&self.point);
        }
        Ok(())
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        for (name, point) in [
            ("point", &self.point),
            ("best", &self.best),
            ("first", &self.first),
            ("second", &self.second),
        ] {
            self.objective.save(name, point, state);
        }
        state.number("best value", self.best_value);
        state.number("steps", f64::from(self.steps));
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.point = self.objective.restored("point", state)?;
        self.at = self.objective.evaluate(&self.point)?;
        self.best = self.objective.restored("best", state)?;
        self.first = self.objective.restored("first", state)?;
        self.second = self.objective.restored("second", state)?;
        self.best_value = state.number("best value")?;
        #[allow(clippy::cast_possible_truncation)] // a count
        let steps = state.number("steps")? as i32;
        self.steps = steps;
        Ok(())
    }
}
