//! The steps of a chain, and how they are written.

use std::fmt::{self, Display};
use std::str::FromStr;

use deepnmf::{Matrix, Scalar};
use serde::{Deserialize, Serialize};

use super::counts::counts_per;
use super::igo;
use super::resize::resize_samples;
use super::scale::{Moments, Range};
use super::tfidf::Idf;
use super::{Normalize, Prepare, log1p};
use crate::image_shape::parse_size;
use crate::{Columns, DataError, Dataset, DatasetOf, ImageShape};

/// One step, with what it has learnt from the data it was fitted to.
///
/// A step is written as its name, `resize=32x32` with the size and `counts-per=10000` with the sum:
///
/// ```
/// use deepnmf_data::preprocess::Step;
/// let step: Step = "min-max".parse()?;
/// assert_eq!(step, Step::MinMax(None));
/// assert_eq!("resize=32x30".parse::<Step>()?.to_string(), "resize=32x30");
/// # Ok::<(), deepnmf_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Step {
    /// Every sample to Euclidean norm 1.
    Unit,
    /// Every value `v` to `ln(1 + v)`.
    Log1p,
    /// Every feature to mean 0 and variance 1.
    Standardize(Option<Moments>),
    /// Every feature to the range from 0 to 1.
    MinMax(Option<Range>),
    /// Every count times the inverse document frequency of its word (feature).
    TfIdf(Option<Idf>),
    /// Every sample to the same sum: counts per so many, whatever was counted of a sample in all (its library size).
    CountsPer {
        /// The sum.
        total: f64,
    },
    /// Image gradient orientations: the cosine of every pixel's gradient angle, then the sine, over
    /// the root of the number of pixels; twice as many features as before.
    Igo(Option<ImageShape>),
    /// Every picture to another size.
    Resize {
        /// The new width in pixels.
        width: usize,
        /// The new height in pixels.
        height: usize,
        /// The old size.
        #[serde(default)]
        from: Option<ImageShape>,
    },
}

impl Step {
    /// The name of the step.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Log1p => "log1p",
            Self::Standardize(_) => "standardize",
            Self::MinMax(_) => "min-max",
            Self::TfIdf(_) => "tf-idf",
            Self::CountsPer { .. } => "counts-per",
            Self::Igo(_) => "igo",
            Self::Resize { .. } => "resize",
        }
    }

    /// Learns from the data what the step needs.
    pub(super) fn fit<X: Prepare>(&mut self, data: &DatasetOf<X>) -> Result<(), DataError> {
        let x = data.x.data();
        match self {
            Self::Unit | Self::Log1p | Self::CountsPer { .. } => {}
            Self::Standardize(moments) => *moments = Some(Moments::of(x)?),
            Self::MinMax(range) => *range = Some(Range::of(x)?),
            Self::TfIdf(idf) => *idf = Some(Idf::of(x)?),
            Self::Igo(shape) => *shape = Some(picture("igo", data)?),
            Self::Resize { from, .. } => *from = Some(picture("resize", data)?),
        }
        Ok(())
    }

    /// Takes the step with dense data.
    pub(super) fn apply_dense<T: Scalar>(&self, data: &mut Dataset<T>) -> Result<(), DataError> {
        let name = self.name();
        if matches!(self, Self::Igo(_) | Self::Resize { .. }) && data.x.has_nan() {
            return Err(refuse(name, "needs pictures of which no pixel is missing: leave it out"));
        }
        match self {
            Self::Unit => Normalize::Unit.apply(&mut data.x),
            Self::Log1p => log1p(&mut data.x),
            Self::Standardize(moments) => fitted(name, moments.as_ref())?.apply(&mut data.x),
            Self::MinMax(range) => fitted(name, range.as_ref())?.apply(&mut data.x),
            Self::TfIdf(idf) => fitted(name, idf.as_ref())?.apply(&mut data.x),
            Self::CountsPer { total } => counts_per(&mut data.x, *total),
            Self::Igo(shape) => {
                let shape = checked(name, *fitted(name, shape.as_ref())?, data)?;
                data.x = igo::gradients(&data.x, shape)?;
                (data.feature_names, data.image_shape) = (None, None);
                Ok(())
            }
            Self::Resize { width, height, from } => {
                let from = checked(name, *fitted(name, from.as_ref())?, data)?;
                let to = ImageShape { width: *width, height: *height, order: from.order };
                data.x = resize_samples(&data.x, from, to)?;
                (data.feature_names, data.image_shape) = (None, Some(to));
                Ok(())
            }
        }
    }
}

impl Step {
    /// Takes the step back for numbers `x` that belong between those after it; `before` and `after` have the entries
    /// that are known.
    pub(super) fn undo<T: Scalar>(
        &self,
        before: &Matrix<T>,
        after: &Matrix<T>,
        x: &mut Matrix<T>,
    ) -> Result<(), DataError> {
        let name = self.name();
        let mut each = |of: &dyn Fn(usize, usize, f64) -> f64| {
            for j in 0..x.cols() {
                for (i, v) in x.col_mut(j).iter_mut().enumerate() {
                    *v = T::from_f64(of(i, j, v.to_f64()));
                }
            }
        };
        match self {
            Self::Unit | Self::CountsPer { .. } => {
                let largest = |x: &Matrix<T>, j: usize| {
                    x.col(j).iter().fold(0.0, |most: f64, v| most.max(v.to_f64().abs()))
                };
                let factor = |j| match largest(after, j) {
                    scaled if scaled > 0.0 => largest(before, j) / scaled,
                    _ => 1.0,
                };
                let factors: Vec<f64> = (0..before.cols()).map(factor).collect();
                each(&|_, j, v| v * factors[j]);
            }
            Self::Log1p => each(&|_, _, v| v.exp_m1()),
            Self::Standardize(moments) => {
                let Moments { mean, deviation } = fitted(name, moments.as_ref())?;
                each(&|i, _, v| v * deviation[i] + mean[i]);
            }
            Self::MinMax(range) => {
                let range = fitted(name, range.as_ref())?;
                let widths = range.widths();
                each(&|i, _, v| v * widths[i] + range.low[i]);
            }
            Self::TfIdf(idf) => {
                let weights = &fitted(name, idf.as_ref())?.weights;
                each(&|i, _, v| v / weights[i]);
            }
            Self::Igo(_) | Self::Resize { .. } => {
                return Err(refuse(name, "makes other features, so that nothing can be filled in"));
            }
        }
        Ok(())
    }
}

/// What a step does not accept.
pub(super) fn refuse(step: &'static str, why: impl Into<String>) -> DataError {
    DataError::Step { step, why: why.into() }
}

/// Checks that the data have as many features as those the step was fitted to.
pub(super) fn check_features(
    step: &'static str,
    fitted: usize,
    found: usize,
) -> Result<(), DataError> {
    if fitted == found {
        return Ok(());
    }
    let why = format!("was fitted to {fitted} features, but the data have {found}: use the same");
    Err(refuse(step, why))
}

pub(super) fn fitted<'s, S>(step: &'static str, state: Option<&'s S>) -> Result<&'s S, DataError> {
    state.ok_or_else(|| refuse(step, "has not been fitted: call fit_apply first"))
}

/// The shape of the pictures that the samples are.
fn picture<X: Columns>(step: &'static str, data: &DatasetOf<X>) -> Result<ImageShape, DataError> {
    let shape = data.image_shape.ok_or_else(|| {
        let why = "needs pictures, but nothing says how wide and high the samples are: say it with \
                   --image, such as --image 32x32";
        refuse(step, why)
    })?;
    checked(step, shape, data)
}

fn checked<X: Columns>(
    step: &'static str,
    shape: ImageShape,
    data: &DatasetOf<X>,
) -> Result<ImageShape, DataError> {
    let ImageShape { width, height, .. } = shape;
    if shape.pixels() == Some(data.features()) {
        return Ok(shape);
    }
    let found = data.features();
    Err(refuse(step, format!("needs pictures of {width} x {height} pixels, not {found} features")))
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resize { width, height, .. } => write!(f, "resize={width}x{height}"),
            Self::CountsPer { total } => write!(f, "counts-per={total}"),
            step => f.write_str(step.name()),
        }
    }
}

impl FromStr for Step {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        if let Some(size) = text.strip_prefix("resize=") {
            return parse_size(size)
                .map(|(width, height)| Self::Resize { width, height, from: None })
                .ok_or_else(|| {
                    refuse("resize", format!("cannot have the size {size:?}: write resize=32x30"))
                });
        }
        if let Some(total) = text.strip_prefix("counts-per=") {
            let number = total.parse().ok().filter(|total: &f64| *total > 0.0 && total.is_finite());
            let wrong = || format!("cannot have the sum {total:?}: write counts-per=10000");
            return number
                .map(|total| Self::CountsPer { total })
                .ok_or_else(|| refuse("counts-per", wrong()));
        }
        Ok(match text {
            "unit" => Self::Unit,
            "log1p" => Self::Log1p,
            "standardize" => Self::Standardize(None),
            "min-max" => Self::MinMax(None),
            "tf-idf" => Self::TfIdf(None),
            "igo" => Self::Igo(None),
            _ => return Err(DataError::UnknownStep { name: text.into() }),
        })
    }
}
