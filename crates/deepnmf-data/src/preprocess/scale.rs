//! Features brought to a common scale.

use std::ops::ControlFlow;

use deepnmf::{DataMatrix, Matrix, Scalar};
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
    /// Those of the features of `x`, over the samples of all parts.
    pub(super) fn of<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Self, DataError> {
        let (p, n) = (x.shape().0, x.parts().total() as f64);
        let (mut mean, mut held) = (vec![0.0; p], vec![0.0; p]);
        let is_sparse = x.sparse_blocks(&mut |_, x| {
            x.for_each(|feature, _, v| {
                mean[feature] += v.to_f64() / n;
                held[feature] += 1.0;
            });
            Ok(())
        })?;
        if is_sparse {
            return Self::of_sparse(x, mean, held);
        }
        each_column(x, &mut |column| {
            mean.iter_mut().zip(column).for_each(|(m, v)| *m += v / n);
        })?;
        x.parts().sum(&mut mean)?;
        if mean.iter().any(|m| m.is_nan()) {
            return Self::of_observed(x);
        }
        // A second pass, since the difference of two large sums would cancel.
        let mut variance = vec![0.0; p];
        each_column(x, &mut |column| {
            for ((s, m), v) in variance.iter_mut().zip(&mean).zip(column) {
                *s += (v - m).powi(2) / n;
            }
        })?;
        x.parts().sum(&mut variance)?;
        Ok(Self::new(mean, &variance))
    }

    /// The same of the entries that are not missing.
    fn of_observed<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Self, DataError> {
        let (p, parts) = (x.shape().0, x.parts());
        let (mut mean, mut counts) = (vec![0.0; p], vec![0.0; p]);
        each_column(x, &mut |column| {
            for ((mean, count), v) in mean.iter_mut().zip(&mut counts).zip(column) {
                if !v.is_nan() {
                    *mean += v;
                    *count += 1.0;
                }
            }
        })?;
        parts.sum(&mut mean)?;
        parts.sum(&mut counts)?;
        let over_counts = |sums: &mut Vec<f64>| {
            sums.iter_mut().zip(&counts).for_each(|(sum, count)| *sum /= count.max(1.0));
        };
        over_counts(&mut mean);
        let mut variance = vec![0.0; p];
        each_column(x, &mut |column| {
            for ((s, m), v) in variance.iter_mut().zip(&mean).zip(column) {
                if !v.is_nan() {
                    *s += (v - m).powi(2);
                }
            }
        })?;
        parts.sum(&mut variance)?;
        over_counts(&mut variance);
        Ok(Self::new(mean, &variance))
    }

    /// The same for sparse data, from what this part adds to the means, and how many entries it holds: zeros that are
    /// not held count without being looked at.
    fn of_sparse<T: Scalar>(
        x: &dyn DataMatrix<T>,
        mut mean: Vec<f64>,
        mut held: Vec<f64>,
    ) -> Result<Self, DataError> {
        let (n, parts) = (x.parts().total() as f64, x.parts());
        parts.sum(&mut mean)?;
        let mut variance = vec![0.0; mean.len()];
        x.sparse_blocks(&mut |_, x| {
            x.for_each(|feature, _, v| {
                variance[feature] += (v.to_f64() - mean[feature]).powi(2) / n;
            });
            Ok(())
        })?;
        parts.sum(&mut variance)?;
        parts.sum(&mut held)?;
        for ((variance, mean), held) in variance.iter_mut().zip(&mean).zip(held) {
            *variance += (n - held) * mean * mean / n;
        }
        Ok(Self::new(mean, &variance))
    }

    fn new(mean: Vec<f64>, variance: &[f64]) -> Self {
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
    /// Those of the features of `x`, over the samples of all parts.
    pub(super) fn of<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Self, DataError> {
        let p = x.shape().0;
        let (mut low, mut high) = (vec![f64::INFINITY; p], vec![f64::NEG_INFINITY; p]);
        let mut held = vec![0; p];
        let is_sparse = x.sparse_blocks(&mut |_, x| {
            x.for_each(|feature, _, v| {
                low[feature] = low[feature].min(v.to_f64());
                high[feature] = high[feature].max(v.to_f64());
                held[feature] += 1;
            });
            Ok(())
        })?;
        if is_sparse {
            // Where an entry is not held there is a zero.
            for (feature, _) in held.iter().enumerate().filter(|(_, held)| **held < x.shape().1) {
                (low[feature], high[feature]) = (low[feature].min(0.0), high[feature].max(0.0));
            }
        } else {
            each_column(x, &mut |column| {
                for ((low, high), v) in low.iter_mut().zip(&mut high).zip(column) {
                    *low = low.min(v);
                    *high = high.max(v);
                }
            })?;
        }
        x.parts().min(&mut low)?;
        x.parts().max(&mut high)?;
        Ok(Self { low, high })
    }

    /// The width of the range of every feature; 1 where it would be 0.
    pub(super) fn widths(&self) -> Vec<f64> {
        let width = |(low, high): (&f64, &f64)| if high > low { high - low } else { 1.0 };
        self.low.iter().zip(&self.high).map(width).collect()
    }

    /// New data may lie outside of the range of those it was fitted to, and then stay outside of 0
    /// to 1.
    pub(super) fn apply<T: Scalar>(&self, x: &mut Matrix<T>) -> Result<(), DataError> {
        rescale("min-max", x, &self.low, &self.widths())
    }
}

/// Shows the samples of `x` one after the other.
pub(super) fn each_column<T: Scalar>(
    x: &dyn DataMatrix<T>,
    see: &mut dyn FnMut(&mut dyn Iterator<Item = f64>),
) -> Result<(), DataError> {
    x.blocks(&mut |_, block| {
        (0..block.cols()).for_each(|j| see(&mut block.col(j).map(Scalar::to_f64)));
        ControlFlow::Continue(())
    })?;
    Ok(())
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
