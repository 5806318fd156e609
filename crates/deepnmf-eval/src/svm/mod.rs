//! The linear support vector machine: l2-regularised squared hinge, one class against the rest.
//!
//! For each class, with `y` = +1 for its samples and -1 for all others,
//!
//! ```text
//! min over w   1/2 |w|^2 + C sum_j max(0, 1 - y_j w^T x_j)^2
//! ```
//!
//! where `x` has a last feature of 1, so that the intercept is the last weight (and is
//! regularised like the others): what LIBLINEAR does by default and scikit-learn's `LinearSVC`.

mod dual;
#[cfg(test)]
mod tests;

use deepnmf::matrix::{check_data, product};
use deepnmf::rng::generator;
use deepnmf::{Matrix, Scalar};
use rayon::prelude::*;

use crate::error::{EvalError, Result, check_lengths, counted};
use crate::instances::Instances;
use dual::{Problem, Solution};

/// The settings of a linear support vector machine.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf_eval::LinearSvm;
/// let x = Matrix::from_vec(1, 4, vec![-2.0, -1.0, 1.0, 2.0])?;
/// let machine = LinearSvm::new().c(1.0).fit(&x, &[3, 3, 8, 8])?;
/// assert_eq!(machine.predict(&x)?, [3, 3, 8, 8]);
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearSvm {
    c: f64,
    tolerance: f64,
    max_iterations: usize,
    seed: u64,
}

impl Default for LinearSvm {
    fn default() -> Self {
        Self { c: 1.0, tolerance: 1e-4, max_iterations: 1000, seed: 0 }
    }
}

impl LinearSvm {
    /// `C` = 1, tolerance 1e-4 and at most 1000 passes over the samples, as `LinearSVC`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The weight of the errors against that of the regularisation.
    #[must_use]
    pub fn c(self, c: f64) -> Self {
        Self { c, ..self }
    }

    /// The largest violation of the optimality conditions to accept.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The most passes over the samples.
    #[must_use]
    pub fn max_iterations(self, max_iterations: usize) -> Self {
        Self { max_iterations, ..self }
    }

    /// The seed of the order in which samples are visited.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Learns to predict the classes of the samples (columns) of `x`.
    ///
    /// # Errors
    /// If there is not one label per sample, if there are fewer than two classes, if a feature is
    /// not finite or its square overflows, or if a setting is out of range.
    pub fn fit<T: Instances>(&self, x: &Matrix<T>, labels: &[usize]) -> Result<SvmModel> {
        T::svm(self, x, labels)
    }

    pub(crate) fn fit_here<T: Scalar>(&self, x: &Matrix<T>, labels: &[usize]) -> Result<SvmModel> {
        self.check()?;
        check_data(x)?;
        check_lengths(counted("the list of labels", labels.len()), counted("the data", x.cols()))?;
        let mut classes = labels.to_vec();
        classes.sort_unstable();
        classes.dedup();
        if classes.len() < 2 {
            return Err(EvalError::TooFew { what: "classes", needed: 2, found: classes.len() });
        }
        let x = x.cast::<f64>();
        let problem = Problem::new(&x, self.c)?;
        // Two classes are one problem: the second is its mirror image.
        let one_problem = classes.len() == 2;
        let solved: Vec<Solution> = classes[usize::from(one_problem)..]
            .par_iter()
            .enumerate()
            .map(|(task, class)| {
                let positive: Vec<bool> = labels.iter().map(|label| label == class).collect();
                problem.solve(
                    &positive,
                    self.tolerance,
                    self.max_iterations,
                    generator(self.seed, task as u64),
                )
            })
            .collect();
        let solved =
            if one_problem { vec![solved[0].mirrored(), solved[0].clone()] } else { solved };
        Ok(SvmModel::new(classes, &solved, x.rows()))
    }

    fn check(&self) -> Result<()> {
        let positive = |name, value: f64| {
            if value.is_finite() && value > 0.0 {
                return Ok(());
            }
            Err(EvalError::parameter(name, value, "a number above 0 is needed"))
        };
        positive("C", self.c)?;
        positive("the tolerance", self.tolerance)?;
        if self.max_iterations == 0 {
            return Err(EvalError::parameter("the number of iterations", 0, "1 or more"));
        }
        Ok(())
    }
}

/// A trained linear support vector machine.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmModel {
    /// The labels of the classes, in order.
    pub classes: Vec<usize>,
    /// The weights of the features, a column per class.
    pub weights: Matrix<f64>,
    /// The intercept of each class.
    pub intercepts: Vec<f64>,
    /// Passes over the samples, for each class.
    pub iterations: Vec<usize>,
    /// Whether all classes reached the tolerance.
    pub converged: bool,
}

impl SvmModel {
    fn new(classes: Vec<usize>, solved: &[Solution], features: usize) -> Self {
        Self {
            weights: Matrix::from_fn(features, classes.len(), |i, c| solved[c].weights[i]),
            intercepts: solved.iter().map(|s| s.intercept).collect(),
            iterations: solved.iter().map(|s| s.iterations).collect(),
            converged: solved.iter().all(|s| s.converged),
            classes,
        }
    }

    /// The decision value of each sample (column) for each class (row).
    ///
    /// # Errors
    /// If the samples have other features than those learned from, or a feature is not finite.
    pub fn decision_values<T: Instances>(&self, x: &Matrix<T>) -> Result<Matrix<f64>> {
        T::decision_values(self, x)
    }

    pub(crate) fn decision_values_here<T: Scalar>(&self, x: &Matrix<T>) -> Result<Matrix<f64>> {
        check_data(x)?;
        check_lengths(
            counted("a sample", x.rows()),
            counted("a sample learned from", self.weights.rows()),
        )?;
        let mut values = product(self.weights.t(), x.cast::<f64>().view());
        for j in 0..values.cols() {
            for (value, intercept) in values.col_mut(j).iter_mut().zip(&self.intercepts) {
                *value += intercept;
            }
        }
        Ok(values)
    }

    /// The class of each sample: the one of largest decision value, the first of them if several.
    ///
    /// # Errors
    /// As [`decision_values`](Self::decision_values).
    pub fn predict<T: Instances>(&self, x: &Matrix<T>) -> Result<Vec<usize>> {
        let values = self.decision_values(x)?;
        let class = |column: &[f64]| {
            let most = |best: usize, c: usize| if column[c] > column[best] { c } else { best };
            self.classes[(1..column.len()).fold(0, most)]
        };
        Ok(values.columns().map(class).collect())
    }

    /// The share of samples whose class is predicted right.
    ///
    /// # Errors
    /// As [`decision_values`](Self::decision_values), and if there is not one label per sample.
    pub fn accuracy<T: Instances>(&self, x: &Matrix<T>, labels: &[usize]) -> Result<f64> {
        check_lengths(counted("the list of labels", labels.len()), counted("the data", x.cols()))?;
        let right = self.predict(x)?.iter().zip(labels).filter(|(a, b)| a == b).count();
        Ok(right as f64 / labels.len() as f64)
    }
}
