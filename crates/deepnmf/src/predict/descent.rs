//! What samples without labels add to a machine.
//!
//! A machine says of every sample which class it has; the given labels stay. From there
//!
//! ```text
//! J = log det(R R^T + t^2 I)           R = Y - C H, d x n:  samples about the means of their classes
//! ```
//!
//! is lowered as in Additive Semi-NMF (`models/additive_semi_nmf/descent.rs`): the means and the scatter about them
//! follow from the classes, samples without a label choose the class that is nearest in that metric, and so on until
//! none changes. `Y` are the samples in their `d` leading principal coordinates, 100 at most, and `t` is the smallest of
//! their singular values. So classes become what divides all samples, not only those with labels. The decision is
//! linear, and takes the place of the machine's.

use super::Decided;
use super::learn::{Known, class_means};
use super::ridge::Machine;
use super::spaces::about_mean;
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Whitening, gram_of_rows, product, symmetric_eigen};

/// The most coordinates.
const MOST: usize = 100;

/// Directions of less than this share of the largest singular value have no digits left in sums of squares.
const SMALLEST: f64 = 1e-5;

/// The most rounds. It takes some ten.
const ROUNDS: usize = 100;

/// Lowers `J` for samples `y` from what a machine has decided; `map` takes them to orthonormal coordinates. Returns the
/// machine that decides so.
pub(super) fn descend(
    map: &Matrix<f64>,
    y: &Matrix<f64>,
    known: &[Known],
    machine: Machine,
    decided: &mut Decided,
) -> Result<Machine> {
    let (centred, mean) = about_mean(y);
    let Some(Principal { map, y, floor }) = Principal::of(map, &centred)? else {
        return Ok(machine);
    };
    let classes = machine.bias.len();
    let mut labelled = vec![false; y.cols()];
    for known in known {
        labelled[known.column] = true;
    }
    let mut rule = Rule::of(&y, floor, decided, classes)?;
    for _ in 0..ROUNDS {
        let chosen = rule.choose(&y);
        let mut changed = false;
        for ((own, chosen), labelled) in decided.iter_mut().zip(chosen).zip(&labelled) {
            if !labelled && own.0 != chosen {
                (own.0, changed) = (chosen, true);
            }
        }
        if !changed {
            break;
        }
        rule = Rule::of(&y, floor, decided, classes)?;
    }
    let weights = product(rule.weights.view(), map.view());
    let at_mean = product(weights.view(), Matrix::from_vec(mean.len(), 1, mean)?.view());
    let bias = rule.bias.iter().zip(at_mean.as_slice()).map(|(b, m)| b - m).collect();
    Ok(Machine { weights, bias, ..machine })
}

/// Samples in their leading principal coordinates.
struct Principal {
    /// `d x k_1`.
    map: Matrix<f64>,
    y: Matrix<f64>,
    /// `t^2`.
    floor: f64,
}

impl Principal {
    /// Nothing if all samples are alike.
    fn of(map: &Matrix<f64>, centred: &Matrix<f64>) -> Result<Option<Self>> {
        let q = product(map.view(), centred.view());
        let mut scatter = Matrix::zeros(q.rows(), q.rows());
        gram_of_rows(&mut scatter, &q, Parts::whole(q.cols()))?;
        let (squares, axes) = symmetric_eigen(&scatter)?;
        let least = squares.first().map_or(0.0, |largest| largest.max(0.0) * SMALLEST.powi(2));
        let d = squares.iter().take(MOST).take_while(|square| **square > least).count();
        if d == 0 {
            return Ok(None);
        }
        let axes = axes.view_columns(0..d).to_matrix();
        let (map, y) = (product(axes.t(), map.view()), product(axes.t(), q.view()));
        Ok(Some(Self { map, y, floor: squares[d - 1] }))
    }
}

/// Which class is nearest: that with the largest `w_k y + b_k`.
struct Rule {
    weights: Matrix<f64>,
    bias: Vec<f64>,
}

impl Rule {
    /// `w_k = 2 A^-1 c_k` and `b_k = -c_k^T A^-1 c_k`, in the unit of the mean squared distance between means, so that a
    /// sample at the mean of its class is ahead by about one.
    fn of(y: &Matrix<f64>, floor: f64, decided: &Decided, classes: usize) -> Result<Self> {
        let means = class_means(y, decided, classes);
        let left = Matrix::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - means[(i, decided[j].0)]);
        let mut scatter = Matrix::zeros(y.rows(), y.rows());
        gram_of_rows(&mut scatter, &left, Parts::whole(y.cols()))?;
        (0..y.rows()).for_each(|i| scatter[(i, i)] += floor);
        let turned = product(Whitening::of::<f64>(&scatter)?.inverse.view(), means.view());
        let inner = product(means.t(), turned.view());
        let mut has = vec![false; classes];
        for (class, _) in decided {
            has[*class] = true;
        }
        let pairs = (0..classes).flat_map(|a| (0..a).map(move |b| (a, b)));
        let distances: Vec<f64> = pairs
            .filter(|(a, b)| has[*a] && has[*b])
            .map(|(a, b)| inner[(a, a)] + inner[(b, b)] - 2.0 * inner[(a, b)])
            .collect();
        let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
        let unit = if mean.is_normal() { 1.0 / mean } else { 1.0 };
        // Nobody can be of a class whose mean is unknown.
        let never = -1e6;
        let bias = (0..classes).map(|k| if has[k] { -unit * inner[(k, k)] } else { never });
        let weights = Matrix::from_fn(classes, y.rows(), |k, i| {
            if has[k] { 2.0 * unit * turned[(i, k)] } else { 0.0 }
        });
        Ok(Self { weights, bias: bias.collect() })
    }

    fn choose(&self, y: &Matrix<f64>) -> Vec<usize> {
        let scores = product(self.weights.view(), y.view());
        let best = |scores: &[f64]| {
            let score = |k: usize| scores[k] + self.bias[k];
            (1..scores.len()).fold(0, |best, k| if score(k) > score(best) { k } else { best })
        };
        scores.columns().map(best).collect()
    }
}
