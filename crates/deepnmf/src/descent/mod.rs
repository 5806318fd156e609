//! Descent on smooth objectives over blocks of variables, some of which must not be negative.
//!
//! Every method here finds its own step sizes and keeps the best point it has seen, so that the
//! value it reports never rises. That alone says little of a gradient: the first two also keep a list of
//! the slopes at which they found no way down, which only rounding may cause.

mod accelerated;
mod adam;
mod lbfgs;
#[cfg(test)]
mod tests;

pub(crate) use accelerated::Accelerated;
pub(crate) use adam::Adam;
pub(crate) use lbfgs::Lbfgs;

use crate::checkpoint::{Restored, StateWriter};
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar};

/// A point: one matrix per block of variables.
pub(crate) type Point<T> = Vec<Matrix<T>>;

/// A smooth function of a point.
pub(crate) trait Objective<T: Scalar> {
    /// Its value and gradient, over the samples of all parts.
    fn evaluate(&mut self, point: &Point<T>) -> Result<Evaluated<T>>;

    /// Whether a block holds features: its entries must not be negative, and its columns are the samples
    /// of this part. All other blocks are the same on all parts.
    fn is_features(&self, block: usize) -> bool;

    /// The parts that the columns of features are spread over.
    fn parts(&self) -> Parts<'_>;

    /// The inner product of two points.
    fn inner(&self, a: &Point<T>, b: &Point<T>) -> Result<f64> {
        let (mut same, mut spread) = (0.0, 0.0);
        for (block, (a, b)) in a.iter().zip(b).enumerate() {
            *(if self.is_features(block) { &mut spread } else { &mut same }) += a.inner(b);
        }
        Ok(same + self.parts().sum_of(spread)?)
    }

    /// The inner product of two values of one block.
    fn block_inner(&self, block: usize, a: &Matrix<T>, b: &Matrix<T>) -> Result<f64> {
        let own = a.inner(b);
        if self.is_features(block) { self.parts().sum_of(own) } else { Ok(own) }
    }

    /// Writes a point to a checkpoint.
    fn save(&self, name: &str, point: &Point<T>, state: &mut StateWriter<'_>) {
        state.list(name, point, |block| self.is_features(block));
    }

    /// Reads it back.
    fn restored(&self, name: &str, state: &Restored<'_>) -> Result<Point<T>> {
        state.list(name, |block| self.is_features(block))
    }

    /// The length of a point.
    fn norm(&self, a: &Point<T>) -> Result<f64> {
        Ok(self.inner(a, a)?.sqrt())
    }
}

/// A value and a gradient.
#[derive(Debug, Clone)]
pub(crate) struct Evaluated<T> {
    pub(crate) value: f64,
    pub(crate) gradient: Point<T>,
}

/// How steep a slope is: by what share of its value an objective would fall if the point moved by its
/// own length and the slope stayed.
fn steepness(gradient_norm: f64, point_norm: f64, value: f64) -> f64 {
    gradient_norm * point_norm / value.max(f64::MIN_POSITIVE)
}

fn difference<T: Scalar>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    let mut out = a.clone();
    out.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(a, b)| *a -= *b);
    out
}

fn differences<T: Scalar>(a: &Point<T>, b: &Point<T>) -> Point<T> {
    a.iter().zip(b).map(|(a, b)| difference(a, b)).collect()
}

/// Replaces negative entries by zero.
fn clip<T: Scalar>(block: &mut Matrix<T>) {
    block.as_mut_slice().iter_mut().for_each(|v| *v = v.larger(T::ZERO));
}
