//! Block descent with momentum.
//!
//! A sweep over all blocks begins ahead of where the last one ended; if it ends higher, it is taken
//! back and made again from where it was (after Ang & Gillis 2019). So the objective never rises.

use crate::checkpoint::{Restored, StateWriter};
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

    /// Writes a point to a checkpoint.
    fn save(name: &str, point: &Self::Point, state: &mut StateWriter<'_>);

    /// Reads it back.
    fn restored(name: &str, state: &Restored<'_>) -> Result<Self::Point>;
}

/// The descent under way.
pub(crate) struct Extrapolated<S: Sweeps> {
    sweeps: S,
    pub(crate) point: S::Point,
    value: f64,
    before: Option<S::Point>,
    momentum: f64,
    /// Sweeps without momentum that ended higher than they began. Theory allows rounding alone to do that.
    pub(crate) rising: Vec<Rise>,
}

/// A sweep that was taken back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rise {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl<S: Sweeps> Extrapolated<S> {
    /// Begins at a point with this objective.
    pub(crate) fn new(sweeps: S, point: S::Point, value: f64) -> Self {
        Self { sweeps, point, value, before: None, momentum: FIRST_MOMENTUM, rising: vec![] }
    }
}

impl<S: Sweeps> Algorithm for Extrapolated<S> {
    fn error(&self) -> f64 {
        (2.0 * self.value).sqrt()
    }

    /// After momentum has failed, the sweep without it gains little, and it takes some more to gain speed
    /// again.
    fn patience(&self) -> usize {
        3
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
        } else {
            self.rising.push(Rise { from: self.value, to: value });
        }
        Ok(())
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        S::save("point", &self.point, state);
        state.number("moved", f64::from(u8::from(self.before.is_some())));
        if let Some(before) = &self.before {
            S::save("before", before, state);
        }
        state.number("value", self.value);
        state.number("momentum", self.momentum);
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.point = S::restored("point", state)?;
        let moved = state.number("moved")? > 0.0;
        self.before = moved.then(|| S::restored("before", state)).transpose()?;
        self.value = state.number("value")?;
        self.momentum = state.number("momentum")?;
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Whether nothing but rounding made sweeps without momentum end higher than they began.
    pub(crate) fn only_rounding(rising: &[Rise]) -> bool {
        rising.iter().all(|rise| rise.to <= rise.from * (1.0 + 1e-10))
    }

    /// Comes to the next of some values with each sweep.
    struct Script(Vec<f64>);

    impl Sweeps for Script {
        type Point = usize;

        fn sweep(&self, point: &mut usize) -> Result<f64> {
            *point += 1;
            Ok(self.0[*point])
        }

        fn ahead(&self, now: &usize, _: &usize, _: f64) -> usize {
            *now
        }

        fn save(name: &str, point: &usize, state: &mut StateWriter<'_>) {
            state.count(name, *point);
        }

        fn restored(name: &str, state: &Restored<'_>) -> Result<usize> {
            state.count(name)
        }
    }

    #[test]
    fn a_sweep_that_ends_higher_is_taken_back_and_counted() {
        let mut descent = Extrapolated::new(Script(vec![3.0, 2.0, 2.5]), 0, 3.0);
        descent.step().unwrap();
        assert!(descent.rising.is_empty());
        descent.step().unwrap();
        assert_eq!((descent.point, descent.error()), (1, 2.0));
        assert_eq!(descent.rising, [Rise { from: 2.0, to: 2.5 }]);
        assert!(!only_rounding(&descent.rising));
    }
}
