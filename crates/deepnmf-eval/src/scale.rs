//! How features are scaled before they are evaluated. It matters as much as the method, so it is an
//! explicit setting, and part of every result.

use std::fmt::{self, Display};
use std::str::FromStr;

use deepnmf::matrix::{SvdMethod, check_data, dot, product, truncated_svd};
use deepnmf::{Matrix, Scalar};
use serde::{Deserialize, Serialize};

use crate::error::{EvalError, Result, check_lengths, counted};
use crate::instances::Instances;
use crate::numbers::{centred, mean_sample};

/// A scaling of features.
///
/// ```
/// use deepnmf_eval::Scaling;
/// assert_eq!("unit-samples".parse::<Scaling>()?, Scaling::UnitSamples);
/// assert_eq!(Scaling::Whitened.to_string(), "whitened");
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// As they are.
    #[default]
    None,
    /// Every sample (column) to norm 1; a zero sample stays zero.
    UnitSamples,
    /// Every feature (row) to norm 1 over the samples; a zero feature stays zero.
    UnitRows,
    /// Centred, rotated to their principal axes, each of variance 1. Directions without variance
    /// are left out.
    Whitened,
}

impl Scaling {
    /// All scalings.
    pub const ALL: [Self; 4] = [Self::None, Self::UnitSamples, Self::UnitRows, Self::Whitened];

    /// Learns the scaling from the samples (columns) of `x`.
    ///
    /// # Errors
    /// If a feature is not finite, or, for whitening, if no feature varies.
    pub fn fit<T: Instances>(self, x: &Matrix<T>) -> Result<Scaler<T>> {
        T::scaler(self, x)
    }

    pub(crate) fn fit_here<T: Scalar>(self, x: &Matrix<T>) -> Result<Scaler<T>> {
        check_data(x)?;
        let how = match self {
            Self::None => How::None,
            Self::UnitSamples => How::UnitSamples,
            Self::UnitRows => How::Rows(row_norms(x)),
            Self::Whitened => whitening(x)?,
        };
        Ok(Scaler { features: x.rows(), how })
    }

    /// The scaled samples of `x`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn apply<T: Instances>(self, x: &Matrix<T>) -> Result<Matrix<T>> {
        self.fit(x)?.apply(x)
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::UnitSamples => "unit-samples",
            Self::UnitRows => "unit-rows",
            Self::Whitened => "whitened",
        }
    }
}

impl Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scaling {
    type Err = EvalError;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|scaling| scaling.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            EvalError::parameter("the scaling", name, format!("one of {names} is needed"))
        })
    }
}

/// A scaling learned from some samples, to be applied to them and to others.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaler<T> {
    features: usize,
    how: How<T>,
}

#[derive(Debug, Clone, PartialEq)]
enum How<T> {
    None,
    UnitSamples,
    Rows(Vec<f64>),
    Whiten { mean: Vec<f64>, axes: Matrix<T> },
}

impl<T: Scalar> Scaler<T> {
    /// The scaled samples of `x`.
    ///
    /// # Errors
    /// If the samples have other features than those learned from, or a feature is not finite.
    pub fn apply(&self, x: &Matrix<T>) -> Result<Matrix<T>>
    where
        T: Instances,
    {
        T::scaled(self, x)
    }

    pub(crate) fn apply_here(&self, x: &Matrix<T>) -> Result<Matrix<T>> {
        check_data(x)?;
        check_lengths(
            counted("a sample", x.rows()),
            counted("a sample learned from", self.features),
        )?;
        let scaled = match &self.how {
            How::None => x.clone(),
            How::UnitSamples => {
                let mut x = x.clone();
                (0..x.cols()).for_each(|j| unit(x.col_mut(j)));
                x
            }
            How::Rows(norms) => Matrix::from_fn(x.rows(), x.cols(), |i, j| {
                let norm = if norms[i] > 0.0 { norms[i] } else { 1.0 };
                T::from_f64(x[(i, j)].to_f64() / norm)
            }),
            How::Whiten { mean, axes } => product(axes.t(), centred(x, mean).view()),
        };
        Ok(scaled)
    }
}

/// Divides by the norm, in two steps: the squares of large entries would overflow.
fn unit<T: Scalar>(sample: &mut [T]) {
    let largest = sample.iter().fold(0.0, |m: f64, v| m.max(v.to_f64().abs()));
    if largest == 0.0 {
        return;
    }
    let rest = sample.iter().map(|v| (v.to_f64() / largest).powi(2)).sum::<f64>().sqrt();
    for v in sample {
        *v = T::from_f64(v.to_f64() / largest / rest);
    }
}

fn row_norms<T: Scalar>(x: &Matrix<T>) -> Vec<f64> {
    let turned = x.t().to_matrix();
    turned.columns().map(|row| dot(row, row).sqrt()).collect()
}

/// With the centred samples `U S V^T`, the axes `U / S` times the root of `n - 1` lead to
/// variances of 1.
fn whitening<T: Scalar>(x: &Matrix<T>) -> Result<How<T>> {
    let mean = mean_sample(x);
    let centred = centred(x, &mean);
    if centred.norm_sq() == 0.0 {
        return Err(EvalError::NoVariance);
    }
    let size = x.rows().min(x.cols());
    let svd = truncated_svd(&centred, size, SvdMethod::Exact, 0)?;
    // Rounding in the data's own type makes up directions of about this length.
    let smallest = svd.s[0] * T::EPSILON.to_f64() * x.rows().max(x.cols()) as f64;
    let rank = svd.s.iter().filter(|s| **s > smallest).count();
    if rank == 0 {
        return Err(EvalError::NoVariance);
    }
    let root = (x.cols() as f64 - 1.0).sqrt();
    let axes = Matrix::from_fn(x.rows(), rank, |i, r| {
        T::from_f64(svd.u[(i, r)].to_f64() * root / svd.s[r])
    });
    Ok(How::Whiten { mean, axes })
}

#[cfg(test)]
mod tests;
