//! From trials to curves, and from curves to a number.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use deepnmf::Matrix;
use serde::{Deserialize, Serialize};

use crate::held_out::Trial;
use crate::spectrum::Spectrum;
use crate::stability::agreements;

/// What is known of one number of components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The number of components.
    pub size: usize,
    /// The loss of entries held out, as a share of that of the feature means: its mean over the masks.
    pub held_out: f64,
    /// Its standard deviation over the masks.
    pub deviation: f64,
    /// The mean cosine of components that two fits have in common, over all pairs of fits; none with fewer than two.
    pub stability: Option<f64>,
    /// Its standard deviation over the pairs.
    pub stability_deviation: Option<f64>,
    /// Mean seconds of a fit.
    pub seconds: f64,
}

/// How many components the data have, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The recommended number; 0 where no fit tells held-out entries better than the mean of each feature.
    pub chosen: usize,
    /// The number with the least held-out loss.
    pub best: usize,
    /// Whether the loss was still falling at the largest number that was allowed.
    pub at_the_limit: bool,
    /// Why, in a sentence or two.
    pub reason: String,
    /// What is known of each number that was tried.
    pub curve: Vec<Point>,
    /// Singular values beside those of noise, where they were computed.
    pub spectrum: Option<Spectrum>,
}

/// The trials of each number of components, mask after mask.
#[derive(Debug, Default)]
pub(crate) struct Trials(BTreeMap<usize, Vec<(Trial, Matrix<f64>)>>);

impl Trials {
    pub(crate) fn add(&mut self, trial: Trial, directions: Matrix<f64>) {
        let of_size = self.0.entry(trial.task.size).or_default();
        of_size.push((trial, directions));
        of_size.sort_by_key(|(trial, _)| trial.task.mask);
    }

    /// The numbers of components that were tried, rising.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.0.keys().copied().collect()
    }

    /// The relative losses of a size, mask after mask. No components are the feature means.
    fn losses(&self, size: usize) -> Vec<f64> {
        let masks = self.0.values().next().map_or(0, Vec::len);
        let of =
            |trials: &Vec<(Trial, _)>| trials.iter().map(|(trial, _)| trial.relative()).collect();
        self.0.get(&size).map_or(vec![1.0; masks], of)
    }

    /// The size with the least mean loss among those that were tried; the smallest of several.
    pub(crate) fn best(&self) -> Option<usize> {
        let loss = |size: usize| mean(&self.losses(size));
        self.0
            .keys()
            .copied()
            .reduce(|best, size| if loss(size) < loss(best) { size } else { best })
    }

    /// The smallest size whose loss lies within one standard error of the least. All sizes see the same masks, so it is the
    /// error of the difference that counts, mask by mask.
    pub(crate) fn chosen(&self) -> (usize, usize) {
        let tried = self.best().unwrap_or(0);
        let least = self.losses(tried);
        let best = if mean(&least) < 1.0 { tried } else { 0 };
        let least = self.losses(best);
        let as_good = |size: &usize| {
            let losses = self.losses(*size);
            let more: Vec<f64> = losses.iter().zip(&least).map(|(a, b)| a - b).collect();
            mean(&more) <= standard_error(&more)
        };
        let sizes = std::iter::once(0).chain(self.0.keys().copied());
        (sizes.filter(|size| *size < best).find(as_good).unwrap_or(best), best)
    }

    fn curve(&self) -> Vec<Point> {
        let point = |(size, trials): (&usize, &Vec<(Trial, Matrix<f64>)>)| {
            let losses = self.losses(*size);
            let bases: Vec<Matrix<f64>> = trials.iter().map(|(_, basis)| basis.clone()).collect();
            let agreements = agreements(&bases);
            let seconds: Vec<f64> = trials.iter().map(|(trial, _)| trial.seconds).collect();
            let known = !agreements.is_empty();
            Point {
                size: *size,
                held_out: mean(&losses),
                deviation: deviation(&losses),
                stability: known.then(|| mean(&agreements)),
                stability_deviation: known.then(|| deviation(&agreements)),
                seconds: mean(&seconds),
            }
        };
        self.0.iter().map(point).collect()
    }

    /// The answer, where sizes up to `most` were allowed.
    pub(crate) fn answer(&self, most: usize, spectrum: Option<Spectrum>) -> Choice {
        let (chosen, best) = self.chosen();
        let curve = self.curve();
        let at_the_limit = best > 0 && best == most;
        let reason = reason(chosen, best, at_the_limit, &curve, spectrum.as_ref());
        Choice { chosen, best, at_the_limit, reason, curve, spectrum }
    }
}

fn reason(
    chosen: usize,
    best: usize,
    at_the_limit: bool,
    curve: &[Point],
    spectrum: Option<&Spectrum>,
) -> String {
    let point = |size| curve.iter().find(|point| point.size == size);
    let loss = |size| point(size).map_or(1.0, |point| point.held_out);
    let mut reason = match (chosen, best) {
        (0, 0) => {
            "no structure beyond noise: no number of components tells held-out entries better than the mean of each \
             feature does"
                .to_owned()
        }
        (0, _) => format!(
            "no structure beyond noise: {best} components tell held-out entries better than the mean of each feature, \
             but by less than a standard error (loss {:.4} of that of the means)",
            loss(best)
        ),
        (1, 1) => format!(
            "one component tells held-out entries best: its loss is {:.4} of that of the mean of each feature",
            loss(1)
        ),
        (_, _) if chosen == best => format!(
            "{chosen} components tell held-out entries best: their loss is {:.4} of that of the mean of each feature",
            loss(chosen)
        ),
        _ => format!(
            "{chosen} is the smallest number of components within a standard error of the best, {best}: the loss of \
             held-out entries is {:.4} and {:.4} of that of the mean of each feature",
            loss(chosen),
            loss(best)
        ),
    };
    if at_the_limit {
        reason += "; it is the largest number that was allowed, and more may be better";
    }
    if let Some(stability) = point(chosen).and_then(|point| point.stability) {
        let _ = write!(reason, "; components of two fits agree by {stability:.2} (1 is the same)");
    }
    if let Some(spectrum) = spectrum {
        let (above, known) = (spectrum.above_noise(), spectrum.values.len());
        let at_least = if above == known && above > 0 { "at least " } else { "" };
        let _ =
            write!(reason, "; {at_least}{above} directions of the centred data stand out of noise");
    }
    reason
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard deviation of a sample; 0 of one value.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (squares / values.len().saturating_sub(1).max(1) as f64).sqrt()
}

fn standard_error(values: &[f64]) -> f64 {
    deviation(values) / (values.len().max(1) as f64).sqrt()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::held_out::Task;

    /// Trials with these relative losses, a list of masks for each size.
    pub(crate) fn trials(losses: &[(usize, &[f64])]) -> Trials {
        let mut all = Trials::default();
        for (size, of_masks) in losses {
            for (mask, loss) in of_masks.iter().enumerate() {
                let task = Task { size: *size, mask };
                let (held_out, of_means, entries) = (2.0 * loss, 2.0, 10);
                let trial =
                    Trial { task, held_out, of_means, entries, iterations: 1, seconds: 1.0 };
                all.add(trial, Matrix::identity(*size));
            }
        }
        all
    }

    #[test]
    fn the_smallest_size_as_good_as_the_best_is_chosen() {
        // The masks differ far more than the sizes do, and alike for all of them.
        let found = trials(&[
            (1, &[0.5, 0.8, 0.6]),
            (2, &[0.201, 0.501, 0.299]),
            (3, &[0.200, 0.502, 0.299]),
            (4, &[0.21, 0.52, 0.31]),
        ]);
        assert_eq!(found.best(), Some(2));
        assert_eq!(found.chosen(), (2, 2));
        let noisy = trials(&[(1, &[0.30, 0.33, 0.31]), (2, &[0.29, 0.34, 0.30])]);
        assert_eq!(noisy.chosen(), (1, 2));
        let clear = trials(&[(1, &[0.30, 0.33, 0.31]), (2, &[0.28, 0.31, 0.29])]);
        assert_eq!(clear.chosen(), (2, 2));
    }

    #[test]
    fn no_structure_is_an_answer() {
        let worse = trials(&[(1, &[1.1, 1.05]), (2, &[1.2, 1.15])]);
        let answer = worse.answer(5, None);
        assert_eq!((answer.chosen, answer.best), (0, 0));
        assert!(answer.reason.starts_with("no structure beyond noise"), "{}", answer.reason);
        let hardly = trials(&[(1, &[0.99, 1.005]), (2, &[1.2, 1.15])]);
        let answer = hardly.answer(5, None);
        assert_eq!((answer.chosen, answer.best), (0, 1));
        assert!(answer.reason.contains("less than a standard error"), "{}", answer.reason);
    }

    #[test]
    fn a_loss_that_falls_to_the_end_is_said() {
        let falling = trials(&[(1, &[0.9, 0.91]), (2, &[0.5, 0.51]), (3, &[0.2, 0.21])]);
        let answer = falling.answer(3, None);
        assert!(answer.at_the_limit && answer.chosen == 3);
        assert!(answer.reason.contains("more may be better"), "{}", answer.reason);
        assert!(!falling.answer(4, None).at_the_limit);
        assert_eq!(answer.curve[2].stability, Some(1.0));
    }
}
