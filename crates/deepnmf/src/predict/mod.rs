//! Classes of attributes for samples that have no label.
//!
//! Each attribute whose labels a model has learnt from gets a linear machine on the coordinates `y` of samples: the
//! features of the model's first layer by its basis, `y = Z_1^+ x`. It begins as ridge regression to indicators of the
//! classes (`ridge.rs`). Everything that could be chosen is chosen by leave-one-out errors on the given labels: the
//! ridge, the layer in whose space the machine works, and how softly that is whitened (`spaces.rs`). Where most samples
//! have no label, they have their say after that (`descent.rs`).
//!
//! **Removing an attribute helps the others.** Identity makes up most of a face. Once it is predicted, the mean of its
//! class is taken off every sample, labelled or not, and what is left shows pose more clearly. So attributes are
//! learnt one after the other, each from what the earlier ones leave over, unless the samples as they are have less
//! leave-one-out error by more than chance. The one whose predicted classes make up most of the samples comes first.
//! (The most certain one would not do: with one or two labels of each class leave-one-out says nothing of identity.)
//! What is no better than guessing comes last, and is not taken off.
//!
//! Attributes do not simply add up: a smile looks different in each pose. So after two attributes what samples of the
//! same combination of classes have in common is taken off, too.

mod chosen;
mod descent;
mod learn;
mod ridge;
mod spaces;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use chosen::known_of;
pub(crate) use learn::{Learnt, Unlearnt, class_means, explained, learn, learn_evenly};
pub(crate) use spaces::{Space, size_of};

use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Scalar, scale};
use crate::models::Model;
use crate::project::{Chosen, Projection};

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
    /// The share of labelled samples that it gets wrong when it has not seen them (leave-one-out), before samples
    /// without labels have their say.
    pub error: f64,
    /// Whether its classes are taken off for the attributes after it.
    #[serde(default = "yes")]
    pub removed: bool,
    /// The numbers of the combinations of classes of the attributes before it whose means are taken off, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<u64>,
    /// Whether it comes before the parts that are found without labels, in models with parts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_parts: bool,
}

/// What files say that were written when every attribute was taken off.
fn yes() -> bool {
    true
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
    /// What is taken off samples of each combination of classes before it decides.
    pub(crate) cells: Matrix<T>,
}

/// The place of the class of each sample, and its margin.
pub(crate) type Decided = Vec<(usize, f64)>;

/// The places of the best class of each column of `y`, and its margin.
fn decide(weights: &Matrix<f64>, bias: &[f64], y: &Matrix<f64>) -> Decided {
    let decide = |column: &[f64]| {
        let mut best = (0, f64::NEG_INFINITY);
        let mut second = f64::NEG_INFINITY;
        for (class, bias) in bias.iter().enumerate() {
            let products = column.iter().enumerate().map(|(i, v)| weights[(class, i)] * v);
            let score = products.sum::<f64>() + bias;
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

/// Samples on their way through the machines.
pub(crate) struct Left {
    /// Their coordinates.
    plain: Matrix<f64>,
    /// What the classes so far leave over of them.
    rest: Matrix<f64>,
    /// The number of the combination of their classes so far.
    codes: Vec<u64>,
    /// How many attributes are taken off.
    taken: usize,
    /// Whether one was taken off since combinations were.
    new: bool,
}

impl Left {
    pub(crate) fn new(plain: Matrix<f64>) -> Self {
        let (rest, codes) = (plain.clone(), vec![0; plain.cols()]);
        Self { plain, rest, codes, taken: 0, new: false }
    }

    /// The same of some of the samples.
    fn of_columns(&self, columns: &[usize]) -> Self {
        let some = |all: &Matrix<f64>| {
            Matrix::from_fn(all.rows(), columns.len(), |i, j| all[(i, columns[j])])
        };
        let codes = columns.iter().map(|j| self.codes[*j]).collect();
        Self { plain: some(&self.plain), rest: some(&self.rest), codes, ..*self }
    }

    /// What is left over, or the samples as they are.
    pub(crate) fn view(&self, after_others: bool) -> &Matrix<f64> {
        if after_others { &self.rest } else { &self.plain }
    }

    /// The samples as they are.
    pub(crate) fn into_plain(self) -> Matrix<f64> {
        self.plain
    }

    /// Takes the same off every sample.
    pub(crate) fn shift(&mut self, by: &[f64]) {
        let rows = by.len().max(1);
        for column in self.rest.as_mut_slice().chunks_exact_mut(rows) {
            column.iter_mut().zip(by).for_each(|(y, by)| *y -= by);
        }
    }

    fn codes(&self) -> &[u64] {
        &self.codes
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    fn is_new(&self) -> bool {
        self.new
    }

    /// Takes the means of these classes off.
    pub(crate) fn take(&mut self, decided: &[(usize, f64)], means: &Matrix<f64>) {
        let classes = means.cols() as u64;
        for (j, (class, _)) in decided.iter().enumerate() {
            let column = self.rest.col_mut(j).iter_mut().zip(means.col(*class));
            column.for_each(|(y, mean)| *y -= mean);
            self.codes[j] = self.codes[j].wrapping_mul(classes).wrapping_add(*class as u64);
        }
        self.taken += 1;
        self.new = true;
    }

    /// Takes off what samples of a combination of classes have in common.
    fn take_cells(&mut self, learn::Cells { codes, means }: &learn::Cells) {
        for (j, code) in self.codes.iter().enumerate() {
            if let Ok(cell) = codes.binary_search(code) {
                let column = self.rest.col_mut(j).iter_mut().zip(means.col(cell));
                column.for_each(|(y, mean)| *y -= mean);
            }
        }
        self.new = false;
    }

    /// What a machine says, which takes off what it takes off.
    pub(crate) fn pass<T: Scalar>(&mut self, machine: &Predictor<T>) -> Decided {
        let (codes, means) = (machine.info.cells.clone(), machine.cells.cast());
        self.take_cells(&learn::Cells { codes, means });
        let decided = machine.decide(self.view(machine.info.after_others));
        if machine.info.removed {
            self.take(&decided, &machine.means.cast());
        }
        decided
    }
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
    fn decide(&self, y: &Matrix<f64>) -> Decided {
        let weights = self.weights.cast::<f64>();
        let (count, k) = (weights.rows(), weights.cols() - 1);
        let bias: Vec<f64> = (0..count).map(|class| weights[(class, k)]).collect();
        decide(&weights, &bias, y)
    }

    fn is_finite(&self) -> bool {
        let finite = |m: &Matrix<T>| m.as_slice().iter().all(|v| v.finite());
        finite(&self.weights) && finite(&self.means) && finite(&self.cells)
    }
}

impl Predictor<f64> {
    /// The same for coordinates that are so many times as large.
    fn in_unit<T: Scalar>(mut self, unit: f64) -> Predictor<T> {
        for i in 0..self.weights.cols() - 1 {
            self.weights.col_mut(i).iter_mut().for_each(|w| *w /= unit);
        }
        scale(&mut self.means, unit);
        scale(&mut self.cells, unit);
        let (means, cells) = (self.means.cast(), self.cells.cast());
        Predictor { info: self.info, weights: self.weights.cast(), means, cells }
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
        let learnt = |machine: &Predictor<T>| machine.info.attribute == attribute;
        let Some(place) = self.predictors.iter().position(learnt) else {
            let known: Vec<_> =
                self.predictors.iter().map(|p| (p.info.attribute + 1).to_string()).collect();
            let accepted = if known.is_empty() {
                "this model has learnt no attribute: fit one with labels".to_owned()
            } else {
                format!("this model has learnt attribute {}", known.join(", "))
            };
            return Err(Error::parameter("the attribute to predict", attribute + 1, accepted));
        };
        let (machine, decided) = (&self.predictors[place], self.decide(x, place)?);
        let class = |(place, _): &(usize, f64)| machine.info.classes[*place];
        Ok(Prediction {
            classes: decided.iter().map(class).collect(),
            margins: decided.into_iter().map(|(_, margin)| margin).collect(),
        })
    }

    /// What one of the machines says of samples.
    fn decide(&self, x: &dyn DataMatrix<T>, place: usize) -> Result<Decided> {
        let mut decided = if let Some(metric) = &self.factors.metric {
            Chosen::of(x, &self.factors, metric, &self.predictors)?.decided
        } else {
            let mut left = Left::new(self.coordinates(x)?);
            self.predictors[..=place].iter().map(|machine| left.pass(machine)).collect()
        };
        Ok(decided.swap_remove(place))
    }

    /// The coordinates of samples that machines see.
    fn coordinates(&self, x: &dyn DataMatrix<T>) -> Result<Matrix<f64>> {
        Ok(self.project(x, 1, Projection::Basis)?.cast())
    }
}
