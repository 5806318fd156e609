//! One fit to the entries that are left, and how well it tells those that were held out.

use std::ops::ControlFlow;

use deepnmf::matrix::{Incomplete, dot};
use deepnmf::{
    CancelToken, DataMatrix, Divergence, Error, Factorization, FitSession, Matrix, Model, Result,
    Scalar, Settings, Sparse, StopReason,
};
use serde::{Deserialize, Serialize};

use crate::masks::{some_of, speckles};

/// The share of the feature's mean in what is told of a count: a model may expect none of what was counted, which has an
/// infinite divergence.
const SHARE_OF_MEAN: f64 = 0.01;

/// What is to be fitted: one number of components, one mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The number of components.
    pub size: usize,
    /// Which mask, counted from 0.
    pub mask: usize,
}

/// How well a fit did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// What was fitted.
    #[serde(flatten)]
    pub task: Task,
    /// The mean loss of the entries that were held out.
    pub held_out: f64,
    /// The same of a model that knows nothing but the mean of each feature.
    pub of_means: f64,
    /// How many were held out.
    pub entries: usize,
    /// Iterations of the fit.
    pub iterations: usize,
    /// Seconds that it took.
    pub seconds: f64,
}

impl Trial {
    /// The loss of the entries that were held out, as a share of that of the means: 1 and more is no better than no
    /// structure at all.
    pub fn relative(&self) -> f64 {
        if self.of_means > 0.0 { self.held_out / self.of_means } else { 1.0 }
    }
}

/// Entries of the data that a fit does not see.
pub(crate) struct HeldOut<'a, T: Scalar> {
    x: Incomplete<'a, T>,
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
    means: Vec<f64>,
}

impl<T: Scalar> HeldOut<'_, T> {
    /// Hides a share of the entries.
    pub(crate) fn new(
        x: &dyn DataMatrix<T>,
        share: f64,
        seed: u64,
        mask: usize,
    ) -> Result<HeldOut<'static, T>> {
        if let Some(known) = x.incomplete() {
            return HeldOut::of_observed(known, share, seed, mask);
        }
        let places = speckles(x.shape(), share, seed, mask as u64);
        let values = entries_at(x, &places)?;
        let means = means_of_others(x, &places, &values)?;
        Ok(HeldOut { x: Incomplete::with_holes(x, &places)?, places, values, means })
    }

    /// Hides a share of the observed entries.
    fn of_observed(
        known: &Incomplete<'_, T>,
        share: f64,
        seed: u64,
        mask: usize,
    ) -> Result<HeldOut<'static, T>> {
        let ((p, n), entries) = (known.shape(), known.observed());
        let all: Vec<(usize, usize)> = entries.iter().map(|(i, j, _)| (*i, *j)).collect();
        let hidden = some_of(&all, (p, n), share, seed, mask as u64);
        let (mut left, mut places, mut values) = (vec![], vec![], vec![]);
        let (mut sums, mut counts) = (vec![0.0; p], vec![0.0f64; p]);
        for ((i, j, v), hidden) in entries.into_iter().zip(hidden) {
            if hidden {
                places.push((i, j));
                values.push(v.to_f64());
            } else {
                left.push((i, j, v));
                sums[i] += v.to_f64();
                counts[i] += 1.0;
            }
        }
        let means = sums.iter().zip(&counts).map(|(sum, count)| sum / count.max(1.0)).collect();
        let x = if known.is_sparse() {
            Incomplete::of_held(&Sparse::from_entries((p, n), &left)?)
        } else {
            let mut dense = Matrix::from_fn(p, n, |_, _| T::from_f64(f64::NAN));
            for (i, j, v) in left {
                dense[(i, j)] = v;
            }
            Incomplete::from_nan(dense)?
        };
        Ok(HeldOut { x, places, values, means })
    }

    /// Fits a model to the others. Returns how well it tells those that are hidden, and its basis.
    pub(crate) fn fit(
        &self,
        settings: &Settings,
        task: Task,
        cancel: &CancelToken,
    ) -> Result<(Trial, Matrix<T>)> {
        let mut session = FitSession::new().stopped_by(cancel.clone());
        let model = settings.fit_in(&self.x, &[], &mut session)?;
        if model.summary.runs.iter().any(|run| run.stop == StopReason::Cancelled) {
            return Err(Error::Interrupted(StopReason::Cancelled));
        }
        let (told, divergence) = (self.told_by(&model)?, settings.divergence());
        let mean = |at: usize| self.means[self.places[at].0];
        let mixed = |at: usize| match divergence {
            Divergence::Frobenius => told[at],
            Divergence::KullbackLeibler => told[at] + SHARE_OF_MEAN * (mean(at) - told[at]),
        };
        let trial = Trial {
            task,
            held_out: self.mean_loss(divergence, mixed),
            of_means: self.mean_loss(divergence, mean),
            entries: self.places.len(),
            iterations: model.summary.iterations,
            seconds: model.summary.seconds,
        };
        Ok((trial, model.factors.basis(model.factors.depth())?))
    }

    /// What a model makes of the hidden entries.
    fn told_by(&self, model: &Model<T>) -> Result<Vec<f64>> {
        let factors = &model.factors;
        let h = factors.decode(factors.depth(), factors.top_features())?;
        let turned = factors.z[0].t().to_matrix();
        let told = |place: &(usize, usize)| dot(turned.col(place.0), h.col(place.1));
        Ok(self.places.iter().map(told).collect())
    }

    /// The mean loss of the hidden entries, given what is told of them. Counts of features of which nothing is left can be told
    /// by nobody: they are left out.
    fn mean_loss(&self, divergence: Divergence, told: impl Fn(usize) -> f64) -> f64 {
        let can_be_told = |(at, x): &(usize, &f64)| {
            divergence == Divergence::Frobenius
                || **x == 0.0
                || self.means[self.places[*at].0] > 0.0
        };
        let entries = self.values.iter().enumerate().filter(can_be_told);
        let losses = entries.map(|(at, x)| divergence.of_entry(*x, told(at)));
        losses.sum::<f64>() / self.values.len().max(1) as f64
    }
}

/// The entries in some places, which rise sample after sample.
fn entries_at<T: Scalar>(x: &dyn DataMatrix<T>, places: &[(usize, usize)]) -> Result<Vec<f64>> {
    let mut values = vec![0.0; places.len()];
    let mut at = 0;
    let is_sparse = x.sparse_blocks(&mut |start, x| {
        x.by_sample().for_each(|feature, sample, v| {
            let here = (start + sample, feature);
            while places.get(at).is_some_and(|(i, j)| (*j, *i) < here) {
                at += 1; // a zero that is not held
            }
            if places.get(at) == Some(&(feature, start + sample)) {
                values[at] = v.to_f64();
            }
        });
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |start, block| {
            while let Some((feature, sample)) =
                places.get(at).filter(|(_, sample)| *sample < start + block.cols())
            {
                values[at] = block.get(*feature, sample - start).to_f64();
                at += 1;
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(values)
}

/// The mean of each feature over the entries that are left.
fn means_of_others<T: Scalar>(
    x: &dyn DataMatrix<T>,
    places: &[(usize, usize)],
    values: &[f64],
) -> Result<Vec<f64>> {
    let (p, n) = x.shape();
    let ones = Matrix::from_fn(1, n, |_, _| 1.0);
    let mut sums = Matrix::zeros(p, 1);
    x.wide_mul_tr(&ones, &mut sums)?;
    let (mut sums, mut counts) = (sums.into_vec(), vec![n as f64; p]);
    for ((feature, _), value) in places.iter().zip(values) {
        sums[*feature] -= value;
        counts[*feature] -= 1.0;
    }
    Ok(sums.iter().zip(&counts).map(|(sum, count)| sum / count.max(1.0)).collect())
}

#[cfg(test)]
mod tests {
    use deepnmf::{Nmf, Sparse};

    use super::*;

    #[test]
    fn the_loss_is_that_of_the_definition() {
        let x = Matrix::from_fn(9, 30, |i, j| ((i * 7 + j * 5) % 11) as f64);
        let (settings, task) = (Nmf::new(2).into(), Task { size: 2, mask: 1 });
        let places = speckles((9, 30), 0.2, 3, 1);
        let hidden = HeldOut::new(&x, 0.2, 3, 1).unwrap();
        let (trial, _) = hidden.fit(&settings, task, &CancelToken::new()).unwrap();
        let model = settings.fit(
            &Incomplete::with_holes(&x, &places).unwrap(),
            &[],
            &mut FitSession::new(),
        );
        let told = model.unwrap().factors;
        let told = told.reconstruct(1, &told.h[0]).unwrap();
        let (mut of_model, mut of_means) = (0.0, 0.0);
        for &(i, j) in &places {
            let others: Vec<f64> = (0..30)
                .filter(|other| !places.contains(&(i, *other)))
                .map(|other| x[(i, other)])
                .collect();
            let mean = others.iter().sum::<f64>() / others.len() as f64;
            of_model += (x[(i, j)] - told[(i, j)]).powi(2) / places.len() as f64;
            of_means += (x[(i, j)] - mean).powi(2) / places.len() as f64;
        }
        assert_eq!(trial.entries, places.len());
        assert!((trial.held_out - of_model).abs() < 1e-9 * of_model, "{trial:?} {of_model}");
        assert!((trial.of_means - of_means).abs() < 1e-9 * of_means, "{trial:?} {of_means}");
        let sparse = HeldOut::new(&Sparse::from_dense(&x), 0.2, 3, 1).unwrap();
        assert_eq!(sparse.values, hidden.values);
    }

    #[test]
    fn the_loss_of_counts_is_their_divergence() {
        // Sums of two components, some of them zero.
        let x = Matrix::from_fn(9, 30, |i, j| (i * (j % 5) + (8 - i) * (j % 3)) as f64);
        let settings = Nmf::new(2).divergence(Divergence::KullbackLeibler).into();
        let task = Task { size: 2, mask: 0 };
        for x in [&x as &dyn DataMatrix<f64>, &Sparse::from_dense(&x)] {
            let hidden = HeldOut::new(x, 0.2, 3, 0).unwrap();
            let (trial, _) = hidden.fit(&settings, task, &CancelToken::new()).unwrap();
            let mean = |at: usize| hidden.means[hidden.places[at].0];
            let of_means: f64 = (hidden.values.iter().enumerate())
                .map(|(at, x)| if *x > 0.0 { x * (x / mean(at)).ln() } else { 0.0 } - x + mean(at))
                .sum();
            let of_means = of_means / hidden.values.len() as f64;
            assert!((trial.of_means / of_means - 1.0).abs() < 1e-9, "{trial:?} {of_means}");
            assert!(trial.held_out < 0.1 * trial.of_means, "{trial:?}");
        }
    }
}
