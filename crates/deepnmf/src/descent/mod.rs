//! Descent on smooth objectives over blocks of variables, some of which must not be negative.
//!
//! Every method here finds its own step sizes and keeps the best point it has seen, so that the
//! value it reports never rises.

mod accelerated;
mod adam;
mod lbfgs;
#[cfg(test)]
mod tests;

pub(crate) use accelerated::Accelerated;
pub(crate) use adam::Adam;
pub(crate) use lbfgs::Lbfgs;

use crate::error::Result;
use crate::matrix::{Matrix, Scalar};

/// A point: one matrix per block of variables.
pub(crate) type Point<T> = Vec<Matrix<T>>;

/// A smooth function of a point.
pub(crate) trait Objective<T: Scalar> {
    /// Its value and gradient.
    fn evaluate(&mut self, point: &Point<T>) -> Result<Evaluated<T>>;

    /// Whether the entries of a block must not be negative.
    fn non_negative(&self, block: usize) -> bool;
}

/// A value and a gradient.
#[derive(Debug, Clone)]
pub(crate) struct Evaluated<T> {
    pub(crate) value: f64,
    pub(crate) gradient: Point<T>,
}

/// The inner product of two points.
fn inner<T: Scalar>(a: &Point<T>, b: &Point<T>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.inner(b)).sum()
}

fn norm<T: Scalar>(a: &Point<T>) -> f64 {
    inner(a, a).sqrt()
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
