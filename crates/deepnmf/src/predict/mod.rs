//! Classes of attributes for samples that have no label.
//!
//! Each attribute whose labels a model has learnt from gets a linear machine on the features of the model's first
//! layer by its basis, `y = Z_1^+ x`: ridge regression to indicators of the classes (`ridge.rs`). Everything that
//! could be chosen is chosen by leave-one-out errors on the given labels: the ridge, the layer in whose space the
//! machine works, how softly that is whitened, and whether the attributes that were learnt before are removed first.
//!
//! **Removing an attribute helps the others.** Identity makes up most of a face. Once it is predicted, the mean of its
//! class is taken off every sample, labelled or not, and what is left shows pose more clearly. So attributes are
//! learnt one after the other, each from the samples as they are or from what the earlier ones leave over. The one
//! whose predicted classes make up most of the samples comes first. (The most certain one would not do: with one or two
//! labels of each class leave-one-out says nothing of identity.)

mod learn;
mod ridge;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use learn::learn;

use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Scalar};
use crate::models::Model;
use crate::project::Projection;

/// What is known of a machine beside its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictorInfo {
    /// Which attribute it predicts: its place among those that the model has learnt from, from 0.
    pub attribute: usize,
    /// The codes of its classes.
    pub classes: Vec<u32>,
    /// The layer in whose space it works, counted from 1.
    pub layer: usize,
    /// Whether it works on what the attributes before it leave over.
    pub after_others: bool,
    /// The share of labelled samples that it gets wrong when it has not seen them (leave-one-out).
    pub error: f64,
}

/// A machine that predicts one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictor<T> {
    /// What it predicts, and how well.
    pub info: PredictorInfo,
    /// A row of weights for each class, and its bias last: `c x (k_1 + 1)`.
    pub(crate) weights: Matrix<T>,
    /// What those after it take off samples of each class: `k_1 x c`.
    pub(crate) means: Matrix<T>,
}

/// The classes of samples, and by how much each is ahead of the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The code of each sample's class.
    pub classes: Vec<u32>,
    /// Its score less that of the second; 1 is certain, 0 undecided.
    pub margins: Vec<f64>,
}

impl<T: Scalar> Predictor<T> {
    /// The places of the best class of each column of `y`, and its margin.
    pub(crate) fn decide(&self, y: &Matrix<f64>) -> Vec<(usize, f64)> {
        let (count, k) = (self.weights.rows(), y.rows());
        let decide = |column: &[f64]| {
            let mut best = (0, f64::NEG_INFINITY);
            let mut second = f64::NEG_INFINITY;
            for class in 0..count {
                let products = (0..k).map(|i| self.weights[(class, i)].to_f64() * column[i]);
                let score = products.sum::<f64>() + self.weights[(class, k)].to_f64();
                if score > best.1 {
                    (best, second) = ((class, score), best.1);
                } else {
                    second = second.max(score);
                }
            }
            (best.0, if second.is_finite() { best.1 - second } else { 1.0 })
        };
        y.columns().map(decide).collect()
    }

    /// Takes the means of these classes off the columns of `y`.
    pub(crate) fn remove(&self, y: &mut Matrix<f64>, decided: &[(usize, f64)]) {
        for (j, (class, _)) in decided.iter().enumerate() {
            let means = self.means.col(*class).iter();
            y.col_mut(j).iter_mut().zip(means).for_each(|(y, mean)| *y -= mean.to_f64());
        }
    }
}

impl<T: Scalar> Model<T> {
    /// The classes of an attribute that the model has learnt from, by its place among those given to the fit.
    ///
    /// ```
    /// use deepnmf::{Factorization, Matrix, Wsf};
    /// let x = Matrix::from_fn(8, 40, |i, j| ((i * (j % 2 + 1)) as f64).sin() + 2.0 + 0.01 * (j as f64).cos());
    /// let labels: Vec<Option<u32>> = (0..40).map(|j| (j < 10).then_some(j % 2)).collect();
    /// let model = Wsf::new(3, 1.0).fit_labelled(&x, &[Some(&labels)])?;
    /// let found = model.predict(&x, 0)?;
    /// assert!((0..40).all(|j| found.classes[j] == j as u32 % 2));
    /// # Ok::<(), deepnmf::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the model has learnt nothing of that attribute, or the samples have another number of features.
    pub fn predict(&self, x: &dyn DataMatrix<T>, attribute: usize) -> Result<Prediction> {
        if self.predictors.iter().all(|machine| machine.info.attribute != attribute) {
            let known: Vec<_> =
                self.predictors.iter().map(|p| (p.info.attribute + 1).to_string()).collect();
            let accepted = if known.is_empty() {
                "this model has learnt no attribute: fit one with labels".to_owned()
            } else {
                format!("this model has learnt attribute {}", known.join(", "))
            };
            return Err(Error::parameter("the attribute to predict", attribute + 1, accepted));
        }
        let plain = self.project(x, 1, Projection::Basis)?.cast::<f64>();
        let mut left = plain.clone();
        for machine in &self.predictors {
            let decided = machine.decide(if machine.info.after_others { &left } else { &plain });
            if machine.info.attribute == attribute {
                let class = |(place, _): &(usize, f64)| machine.info.classes[*place];
                return Ok(Prediction {
                    classes: decided.iter().map(class).collect(),
                    margins: decided.into_iter().map(|(_, margin)| margin).collect(),
                });
            }
            machine.remove(&mut left, &decided);
        }
        unreachable!("it is among the machines")
    }
}
