//! What is done to data before they are factorized.

mod counts;
mod igo;
mod lazy;
mod pipeline;
mod prepare;
pub(crate) mod resize;
mod scale;
mod split;
mod step;
mod tfidf;
mod zeros;

use std::fmt::{self, Display};

pub use self::lazy::Lazy;
pub use self::pipeline::Pipeline;
pub use self::prepare::Prepare;
pub(crate) use self::prepare::{divided, take_keeping_zeros};
pub use self::scale::{Moments, Range};
pub use self::split::{Split, keep_labels};
pub use self::step::Step;
pub use self::tfidf::Idf;
pub use self::zeros::{ZeroSamples, Zeros};

use deepnmf::matrix::{Entry, dot};
use deepnmf::{DataMatrix, Dtype, Matrix, Scalar};
use serde::{Deserialize, Serialize};

use crate::DataError;

/// How samples are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalize {
    /// Not at all.
    None,
    /// Every sample to Euclidean norm 1.
    Unit,
}

impl Display for Normalize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Unit => "unit",
        })
    }
}

impl Normalize {
    /// Scales the samples (columns) of `x`, or leaves `x` as it is if one of them cannot be scaled.
    ///
    /// ```
    /// use deepnmf::Matrix;
    /// use deepnmf_data::preprocess::Normalize;
    /// let mut x = Matrix::from_vec(2, 1, vec![3.0, 4.0])?;
    /// Normalize::Unit.apply(&mut x)?;
    /// assert_eq!(x.col(0), &[0.6, 0.8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a sample is zero in every feature, or not finite.
    pub fn apply<T: Scalar>(&self, x: &mut Matrix<T>) -> Result<(), DataError> {
        match self {
            Self::None => Ok(()),
            Self::Unit => unit(x),
        }
    }
}

/// A norm in two factors, `largest` and `rest`: their product alone might overflow.
#[derive(Debug, Clone, Copy)]
struct Norm {
    largest: f64,
    rest: f64,
}

impl Norm {
    /// Divides a whole sample by it.
    fn divide_all<T: Scalar>(self, sample: &mut [T]) {
        let norm = self.largest * self.rest;
        if !SAFE.contains(&norm) {
            each(sample, |v| self.divide(v));
        } else if T::DTYPE == Dtype::F32 {
            // A product of `f64` has the digits of an `f32`, and is much faster than a division. Where samples come from a
            // file, this is most of the work.
            let inverse = 1.0 / norm;
            each(sample, |v| v * inverse);
        } else {
            each(sample, |v| v / norm);
        }
    }

    /// `v` divided by the norm.
    fn divide(self, v: f64) -> f64 {
        v / self.largest / self.rest
    }
}

/// Changes every number.
fn each<T: Scalar>(sample: &mut [T], change: impl Fn(f64) -> f64) {
    for v in sample {
        *v = T::from_f64(change(v.to_f64()));
    }
}

fn unit<T: Scalar>(x: &mut Matrix<T>) -> Result<(), DataError> {
    let norms = x
        .columns()
        .enumerate()
        .map(|(sample, column)| {
            norm(column).map_err(|what| DataError::NoUnitNorm { sample: sample + 1, what })
        })
        .collect::<Result<Vec<_>, _>>()?;
    for (sample, norm) in norms.iter().enumerate() {
        norm.divide_all(x.col_mut(sample));
    }
    Ok(())
}

/// Within these limits a norm is a number whose square and inverse are so as well, with all their digits.
const SAFE: std::ops::Range<f64> = 1e-100..1e100;

fn norm<T: Scalar>(sample: &[T]) -> Result<Norm, &'static str> {
    let length = dot(sample, sample).sqrt();
    if SAFE.contains(&length) {
        return Ok(Norm { largest: length, rest: 1.0 });
    }
    // NaN is an entry that is missing; who has not declared any refuses it later.
    let observed = || sample.iter().map(|v| v.to_f64()).filter(|v| !v.is_nan());
    if !observed().all(f64::is_finite) {
        return Err("not finite");
    }
    if observed().next().is_none() && !sample.is_empty() {
        return Err("missing in every feature");
    }
    let largest = observed().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return Err(DataError::ALL_ZERO);
    }
    // Relative to the largest entry no square overflows, and those that vanish do not count.
    let squares: f64 = observed().map(|v| (v / largest).powi(2)).sum();
    Ok(Norm { largest, rest: squares.sqrt() })
}

/// The logarithm of every value plus 1; nothing is changed if one has none.
fn log1p<T: Scalar>(x: &mut Matrix<T>) -> Result<(), DataError> {
    check_log1p(x)?;
    for sample in 0..x.cols() {
        for v in x.col_mut(sample) {
            *v = T::from_f64(v.to_f64().ln_1p());
        }
    }
    Ok(())
}

/// Refuses values that have no logarithm once 1 is added.
fn check_log1p<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<(), DataError> {
    let Some(Entry { sample, feature, value }) = x.find_entry(&|v| v.to_f64() <= -1.0)? else {
        return Ok(());
    };
    let why = format!(
        "needs values above -1, but feature {} of sample {} (counted from 1) is {value}: leave the \
         step out",
        feature + 1,
        sample + 1,
    );
    Err(step::refuse("log1p", why))
}

#[cfg(test)]
mod missing_tests;
#[cfg(test)]
mod tests;
