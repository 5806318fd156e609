//! Features brought to a common scale.

use deepnmf::{Matrix, Scalar};
use serde::{Deserialize, Serialize};

use super::step::check_features;
use crate::DataError;

/// Mean and deviation of every feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The mean over the samples.
    pub mean: Vec<f64>,
    /// The standard deviation (the root of the mean squared distance from the mean); 1 where it
    /// would be 0, so that a constant feature becomes 0.
    pub deviation: Vec<f64>,
}

impl Moments {
    /// Those of the rows of `x`.
    pub(super) fn of<T: Scalar>(x: &Matrix<T>) -> Self {
        let n = x.cols() as f64;
        let mut mean = vec![0.0; x.rows()];
        for column in x.columns() {
            mean.iter_mut().zip(column).for_each(|(m, v)| *m += v.to_f64() / n);
        }
        // A second pass, since the difference of two large sums would cancel.
        let mut variance = vec![0.0; x.rows()];
        for column in x.columns() {
            for ((s, m), v) in variance.iter_mut().zip(&mean).zip(column) {
                *s += (v.to_f64() - m).powi(2) / n;
            }
        }
        let deviation = variance.iter().zip(&mean).map(|(&s, &m)| {
            // What rounding leaves of a constant feature is no deviation.
            let deviation = s.sqrt();
            if deviation > m.abs() * 1e-15 { deviation } else { 1.0 }
        });
        Self { deviation: deviation.collect(), mean }
    }

    pub(super) fn apply<T: Scalar>(&self, x: &mut Matrix<T>) -> Result<(), DataError> {
        rescale("standardize", x, &self.mean, &self.deviation)
    }
}

/// The smallest and largest value of every feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The smallest value.
    pub low: Vec<f64>,
    /// The largest value.
    pub high: Vec<f64>,
}

impl Range {
    /// Those of the rows of `x`.
    pub(super) fn of<T: Scalar>(x: &Matrix<T>) -> Self {
        let mut low = vec![f64::INFINITY; x.rows()];
        let mut high = vec![f64::NEG_INFINITY; x.rows()];
        for column in x.columns() {
            for ((low, high), v) in low.iter_mut().zip(&mut high).zip(column) {
                *low = low.min(v.to_f64());
                *high = high.max(v.to_f64());
            }
        }
        Self { low, high }
    }

    /// New data may lie outside of the range of those it was fitted to, and then stay outside of 0
    /// to 1.
    pub(super) fn apply<T: Scalar>(&self, x: &mut Matrix<T>) -> Result<(), DataError> {
        let width = self.low.iter().zip(&self.high).map(|(low, high)| {
            let width = high - low;
            if width > 0.0 { width } else { 1.0 }
        });
        rescale("min-max", x, &self.low, &width.collect::<Vec<_>>())
    }
}

/// Subtracts from and divides every feature.
fn rescale<T: Scalar>(
    step: &'static str,
    x: &mut Matrix<T>,
    origin: &[f64],
    width: &[f64],
) -> Result<(), DataError> {
    // Two lists from a model file may differ in length.
    check_features(step, origin.len(), width.len())?;
    check_features(step, origin.len(), x.rows())?;
    for sample in 0..x.cols() {
        for ((v, origin), width) in x.col_mut(sample).iter_mut().zip(origin).zip(width) {
            *v = T::from_f64((v.to_f64() - origin) / width);
        }
    }
    Ok(())
}
