//! Block descent with momentum.
//!
//! A sweep over all blocks begins ahead of where the last one ended; if it ends higher, it is taken
//! back and made again from where it was (after Ang & Gillis 2019). So the objective never rises.

use crate::driver::Algorithm;
use crate::error::Result;
use crate::matrix::{Matrix, Scalar};

/// How far ahead a sweep begins at first, as a share of the last one's way.
const FIRST_MOMENTUM: f64 = 0.5;

/// By how much that share grows after a good sweep and shrinks after a bad one.
const GROWTH: f64 = 1.05;
const SHRINKAGE: f64 = 0.5;

/// Something that is lowered block by block.
pub(crate) trait Sweeps {
    /// All blocks.
    type Point: Clone;

    /// One sweep over all blocks; returns the objective at its end.
    fn sweep(&self, point: &mut Self::Point) -> Result<f64>;

    /// `now + momentum (now - before)`, brought back to where points may be.
    fn ahead(&self, now: &Self::Point, before: &Self::Point, momentum: f64) -> Self::Point;
}

/// The descent under way.
pub(crate) struct Extrapolated<S: Sweeps> {
    sweeps: S,
    pub(crate) point: S::Point,
    value: f64,
    before: Option<S::Point>,
    momentum: f64,
}

impl<S: Sweeps> Extrapolated<S> {
    /// Begins at a point with this objective.
    pub(crate) fn new(sweeps: S, point: S::Point, value: f64) -> Self {
        Self { sweeps, point, value, before: None, momentum: FIRST_MOMENTUM }
    }
}

impl<S: Sweeps> Algorithm for Extrapolated<S> {
    fn error(&self) -> f64 {
        (2.0 * self.value).sqrt()
    }

    fn step(&mut self) -> Result<()> {
        if let Some(before) = &self.before {
            let mut ahead = self.sweeps.ahead(&self.point, before, self.momentum);
            let value = self.sweeps.sweep(&mut ahead)?;
            if value <= self.value {
                self.momentum = (self.momentum * GROWTH).min(1.0);
                self.before = Some(std::mem::replace(&mut self.point, ahead));
                self.value = value;
                return Ok(());
            }
            self.momentum *= SHRINKAGE;
        }
        let mut plain = self.point.clone();
        let value = self.sweeps.sweep(&mut plain)?;
        // Rounding may make a converged sweep end a little higher.
        if value <= self.value {
            self.before = Some(std::mem::replace(&mut self.point, plain));
            self.value = value;
        }
        Ok(())
    }
}

/// `a + momentum (a - b)`.
pub(crate) fn extrapolated<T: Scalar>(a: &Matrix<T>, b: &Matrix<T>, momentum: f64) -> Matrix<T> {
    let (mut ahead, momentum) = (a.clone(), T::from_f64(momentum));
    let both = ahead.as_mut_slice().iter_mut().zip(b.as_slice());
    both.for_each(|(a, b)| *a += momentum * (*a - *b));
    ahead
}

/// The same with negative entries set to zero.
pub(crate) fn extrapolated_above_zero<T: Scalar>(
    a: &Matrix<T>,
    b: &Matrix<T>,
    momentum: f64,
) -> Matrix<T> {
    let mut ahead = extrapolated(a, b, momentum);
    ahead.as_mut_slice().iter_mut().for_each(|v| *v = v.larger(T::ZERO));
    ahead
}
