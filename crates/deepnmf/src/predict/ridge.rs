//! Ridge regression to indicators of classes, with the ridge that leaves the least leave-one-out error.
//!
//! With the labelled samples `A` (`r x l`, about their mean) and indicators `B` (`c x l`, about theirs),
//!
//! ```text
//! W = B A^T (A A^T + a I)^-1,       e_j = (b_j - W a_j) / (1 - t_j),       t_j = a_j^T (A A^T + a I)^-1 a_j + 1 / l
//! ```
//!
//! where `e_j` is the error of sample `j` by the machine that was learnt from all others. One eigendecomposition of
//! `A A^T` serves all ridges.

use super::{Decided, decide};
use crate::error::Result;
use crate::matrix::{Matrix, Parts, gram_of_rows, product, symmetric_eigen};

/// Ridges that are tried, as shares of the mean eigenvalue of the labelled samples.
const RIDGES: [f64; 10] = [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0];

/// A linear machine.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// `c x r`.
    pub(super) weights: Matrix<f64>,
    pub(super) bias: Vec<f64>,
    /// The squared leave-one-out error relative to that of guessing the shares of the classes.
    pub(super) squared_error: f64,
    /// The share of samples that leave-one-out gets wrong.
    pub(super) wrong: f64,
    /// The squared leave-one-out error of each sample.
    pub(super) errors: Vec<f64>,
    /// The same of guessing the shares of the classes.
    pub(super) guesses: Vec<f64>,
}

impl Machine {
    /// What it says of the columns of `y`.
    pub(super) fn decide(&self, y: &Matrix<f64>) -> Decided {
        decide(&self.weights, &self.bias, y)
    }
}

/// The machine for samples `a` (a column each) of these classes, of which there are `classes`.
pub(super) fn ridge(a: &Matrix<f64>, of: &[usize], classes: usize) -> Result<Machine> {
    let (r, count) = (a.rows(), a.cols() as f64);
    let mean: Vec<f64> = a.row_sums().into_iter().map(|sum| sum / count).collect();
    let mut shares = vec![0.0; classes];
    for class in of {
        shares[*class] += 1.0 / count;
    }
    let centred = Matrix::from_fn(r, a.cols(), |i, j| a[(i, j)] - mean[i]);
    let target =
        Matrix::from_fn(classes, a.cols(), |c, j| f64::from(u8::from(of[j] == c)) - shares[c]);
    let mut gram = Matrix::zeros(r, r);
    gram_of_rows(&mut gram, &centred, Parts::whole(a.cols()))?;
    let (values, vectors) = symmetric_eigen(&gram)?;
    let turned = product(vectors.t(), centred.view());
    let cross = product(target.view(), turned.t());
    let unit = values.iter().map(|v| v.max(0.0)).sum::<f64>() / r.max(1) as f64;
    let guesses: Vec<f64> =
        target.columns().map(|b| b.iter().map(|v| v * v).sum::<f64>()).collect();
    let all: f64 = guesses.iter().sum();
    let mut best: Option<Machine> = None;
    for share in RIDGES {
        let weaken: Vec<f64> = values
            .iter()
            .map(|v| 1.0 / (v.max(0.0) + (share * unit).max(f64::MIN_POSITIVE)))
            .collect();
        let weights = Matrix::from_fn(classes, r, |c, i| cross[(c, i)] * weaken[i]);
        let fitted = product(weights.view(), turned.view());
        let (mut errors, mut wrong) = (Vec::with_capacity(a.cols()), 0.0);
        for j in 0..a.cols() {
            let column = turned.col(j).iter().zip(&weaken);
            let leverage = column.map(|(v, w)| v * v * w).sum::<f64>() + 1.0 / count;
            let left = (1.0 - leverage).max(1e-6);
            let error = |c: usize| (target[(c, j)] - fitted[(c, j)]) / left;
            errors.push((0..classes).map(|c| error(c).powi(2)).sum::<f64>());
            let score = |c: usize| target[(c, j)] - error(c) + shares[c];
            let found =
                (1..classes).fold(0, |best, c| if score(c) > score(best) { c } else { best });
            wrong += f64::from(u8::from(found != of[j]));
        }
        let squared_error = if all > 0.0 { errors.iter().sum::<f64>() / all } else { 1.0 };
        if best.as_ref().is_none_or(|best| squared_error < best.squared_error) {
            let weights = product(weights.view(), vectors.t());
            let at_mean = product(weights.view(), Matrix::from_fn(r, 1, |i, _| mean[i]).view());
            let bias = shares.iter().zip(at_mean.as_slice()).map(|(s, m)| s - m).collect();
            let (wrong, guesses) = (wrong / count, guesses.clone());
            best = Some(Machine { weights, bias, squared_error, wrong, errors, guesses });
        }
    }
    Ok(best.unwrap_or_else(|| unreachable!("ridges are tried")))
}
