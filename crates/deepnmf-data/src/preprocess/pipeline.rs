//! A chain of steps that is recorded with a model and done again to new data.

use std::fmt::{self, Display};
use std::str::FromStr;

use deepnmf::matrix::Entry;
use deepnmf::{Matrix, Scalar};
use serde::{Deserialize, Serialize};

use super::zeros::{Watch, ZeroSamples, Zeros};
use super::{Prepare, Step};
use crate::{DataError, Dataset, DatasetOf};

/// Steps in their order. As JSON it is an array: a step that has learnt nothing is its name, any
/// other an object with what it has learnt.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf_data::Dataset;
/// use deepnmf_data::preprocess::Pipeline;
///
/// let mut pipeline: Pipeline = "min-max,unit".parse()?;
/// let mut train = Dataset::new(Matrix::from_vec(2, 2, vec![0.0, 8.0, 4.0, 6.0])?);
/// pipeline.fit_apply(&mut train)?;
/// assert_eq!(train.x.col(1), &[1.0, 0.0]);
///
/// let stored = serde_json::to_string(&pipeline)?;
/// let again: Pipeline = serde_json::from_str(&stored)?;
/// let mut test = Dataset::new(Matrix::from_vec(2, 1, vec![2.0, 6.0])?);
/// again.apply(&mut test)?;
/// assert_eq!(test.x.col(0), &[1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pipeline {
    pub(super) steps: Vec<Step>,
}

impl Pipeline {
    /// A chain of these steps.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether nothing is done.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Fits every step to what those before it have made of the data, and takes it.
    ///
    /// # Errors
    /// If a step cannot be taken with these data, which are then as the steps before have left
    /// them.
    pub fn fit_apply<X: Prepare>(&mut self, data: &mut DatasetOf<X>) -> Result<(), DataError> {
        self.fit_apply_with(data, ZeroSamples::Error).map(drop)
    }

    /// The same; says what is done with samples that are zero, and returns which ones were.
    ///
    /// # Errors
    /// As [`fit_apply`](Self::fit_apply), and if no sample is left.
    pub fn fit_apply_with<X: Prepare>(
        &mut self,
        data: &mut DatasetOf<X>,
        zeros: ZeroSamples,
    ) -> Result<Zeros, DataError> {
        let may_lack = data.x.has_nan();
        let mut watch = Watch::new(zeros, data)?;
        for step in &mut self.steps {
            step.fit(data)?;
            watch.apply(step, data)?;
        }
        still_finite(data, may_lack).map(|()| watch.finish())
    }

    /// Does to new data what was done to those the chain was fitted to.
    ///
    /// # Errors
    /// If a step has not been fitted or does not fit the data, which are then as the steps before
    /// have left them.
    pub fn apply<X: Prepare>(&self, data: &mut DatasetOf<X>) -> Result<(), DataError> {
        self.apply_with(data, ZeroSamples::Error).map(drop)
    }

    /// The same; says what is done with samples that are zero, and returns which ones were.
    ///
    /// # Errors
    /// As [`apply`](Self::apply), and if no sample is left.
    pub fn apply_with<X: Prepare>(
        &self,
        data: &mut DatasetOf<X>,
        zeros: ZeroSamples,
    ) -> Result<Zeros, DataError> {
        let may_lack = data.x.has_nan();
        let mut watch = Watch::new(zeros, data)?;
        self.steps.iter().try_for_each(|step| watch.apply(step, data))?;
        still_finite(data, may_lack).map(|()| watch.finish())
    }
}

impl Pipeline {
    /// The samples as they were read, with their missing entries (NaN) replaced by what `filled` has there, after the
    /// steps are undone. Observed entries keep their bits.
    ///
    /// # Errors
    /// If a step makes other features, or does not fit the data.
    pub fn fill_in<T: Scalar>(
        &self,
        raw: &Dataset<T>,
        mut filled: Matrix<T>,
    ) -> Result<Matrix<T>, DataError> {
        let mut stages = vec![raw.clone()];
        for step in &self.steps {
            let mut next = stages[stages.len() - 1].clone();
            Matrix::take(&mut next, step)?;
            stages.push(next);
        }
        for (step, both) in self.steps.iter().zip(stages.windows(2)).rev() {
            step.undo(&both[0].x, &both[1].x, &mut filled)?;
        }
        for (v, known) in filled.as_mut_slice().iter_mut().zip(raw.x.as_slice()) {
            if !known.to_f64().is_nan() {
                *v = *known;
            }
        }
        Ok(filled)
    }
}

/// Data at the edge of what numbers can be, or a doctored model file, may overflow.
fn still_finite<X: Prepare>(data: &DatasetOf<X>, may_lack: bool) -> Result<(), DataError> {
    match data.x.data().find_entry(&|v| !(v.finite() || may_lack && v.to_f64().is_nan()))? {
        None => Ok(()),
        Some(Entry { sample, .. }) => Err(DataError::Step {
            step: "chain",
            why: format!("makes sample {} (counted from 1) infinite: scale the data", sample + 1),
        }),
    }
}

impl Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("none");
        }
        for (i, step) in self.steps.iter().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for Pipeline {
    type Err = DataError;

    /// Reads names with commas between them, or `none`.
    fn from_str(text: &str) -> Result<Self, DataError> {
        if text.trim().is_empty() || text.trim() == "none" {
            return Ok(Self::default());
        }
        let steps = text.split(',').map(|step| step.trim().parse());
        Ok(Self { steps: steps.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
