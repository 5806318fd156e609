//! Many runs in a few numbers, and whether two methods really differ.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::error::{EvalError, Result, check_lengths, counted};

/// What several runs have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many numbers.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their sample deviation (divided by `count - 1`); nothing for a single number.
    pub deviation: Option<f64>,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// Mean, sample deviation and range.
///
/// ```
/// let spread = deepnmf_eval::stats::spread(&[1.0, 3.0])?;
/// assert_eq!((spread.mean, spread.deviation), (2.0, Some(2f64.sqrt())));
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
///
/// # Errors
/// If there is no number, or one that is not finite.
pub fn spread(values: &[f64]) -> Result<Spread> {
    refuse_not_finite("the results", values)?;
    if values.is_empty() {
        return Err(EvalError::TooFew { what: "results", needed: 1, found: 0 });
    }
    let count = values.len();
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Ok(Spread {
        count,
        mean,
        deviation: (count > 1).then(|| (squares / (count as f64 - 1.0)).sqrt()),
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

/// Each value divided first, so that no sum overflows.
fn mean(values: &[f64]) -> f64 {
    values.iter().map(|v| v / values.len() as f64).sum()
}

/// The place of the run of least inertia, the first of them if several; an inertia that is not a
/// number never wins.
pub fn best_by_inertia(inertias: &[f64]) -> Option<usize> {
    let numbers = inertias.iter().enumerate().filter(|(_, inertia)| !inertia.is_nan());
    numbers.min_by(|a, b| a.1.total_cmp(b.1)).map(|(place, _)| place)
}

/// The area under a curve through `(x, y)` points by the trapezoid rule, divided by the range of
/// `x`: the mean height. The paper's "AUC" is that of AC over the number of components.
///
/// ```
/// let area = deepnmf_eval::stats::area_under_curve(&[(20.0, 0.5), (40.0, 0.7), (60.0, 0.7)])?;
/// assert!((area - 0.65).abs() < 1e-15);
/// # Ok::<(), deepnmf_eval::EvalError>(())
/// ```
///
/// # Errors
/// If there are fewer than two points, two points with one `x`, or a coordinate that is not
/// finite.
pub fn area_under_curve(points: &[(f64, f64)]) -> Result<f64> {
    if points.len() < 2 {
        return Err(EvalError::TooFew {
            what: "points of a curve",
            needed: 2,
            found: points.len(),
        });
    }
    let mut points = points.to_vec();
    refuse_not_finite("the curve's x", &points.iter().map(|p| p.0).collect::<Vec<_>>())?;
    refuse_not_finite("the curve's y", &points.iter().map(|p| p.1).collect::<Vec<_>>())?;
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let twice = points.windows(2).find(|pair| pair[0].0 >= pair[1].0);
    if let Some(pair) = twice {
        return Err(EvalError::parameter("the curve's x", pair[0].0, "each may appear only once"));
    }
    let range = points[points.len() - 1].0 - points[0].0;
    let part =
        |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0) / range * f64::midpoint(pair[0].1, pair[1].1);
    Ok(points.windows(2).map(part).sum())
}

/// Whether two methods differ, run by run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedTest {
    /// How many pairs.
    pub pairs: usize,
    /// The mean of the first less the second.
    pub mean_difference: f64,
    /// The outcome of the test.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What a paired t-test says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// The differences vary, as the test supposes.
    Tested {
        /// Student's t, with `pairs - 1` degrees of freedom.
        t: f64,
        /// The chance of a `t` as far from 0 or farther if the methods did not differ (two-sided).
        p: f64,
        /// Cohen's d for paired samples: the mean difference in units of its deviation.
        effect_size: f64,
    },
    /// The methods gave equal results in every run: there is no difference to test.
    Identical,
    /// The difference is the same in every run. It has no deviation, so `t` would be infinite;
    /// most often it means that the runs do not vary at all.
    ConstantDifference,
}

impl PairedTest {
    /// One sentence about the outcome.
    pub fn explain(&self) -> String {
        let Self { pairs, mean_difference: mean, verdict } = self;
        match verdict {
            Verdict::Tested { t, p, effect_size } => format!(
                "mean difference {mean:.4} over {pairs} pairs: t = {t:.3}, p = {p:.3e}, d = {effect_size:.2}"
            ),
            Verdict::Identical => format!("equal in all {pairs} runs, so there is nothing to test"),
            Verdict::ConstantDifference => format!(
                "the difference is {mean:.4} in all {pairs} runs: it does not vary, so no t-test applies"
            ),
        }
    }
}

/// The two-sided paired t-test of two methods on the same runs.
///
/// # Errors
/// If the lists differ in length, hold fewer than two runs, or a number that is not finite.
pub fn paired_t_test(first: &[f64], second: &[f64]) -> Result<PairedTest> {
    check_lengths(
        counted("the first method", first.len()),
        counted("the second method", second.len()),
    )?;
    refuse_not_finite("the first method", first)?;
    refuse_not_finite("the second method", second)?;
    if first.len() < 2 {
        return Err(EvalError::TooFew { what: "pairs of runs", needed: 2, found: first.len() });
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let all = spread(&differences)?;
    let deviation = all.deviation.unwrap_or(0.0);
    let largest = first.iter().chain(second).fold(0.0, |m: f64, v| m.max(v.abs()));
    let verdict = if differences.iter().all(|d| *d == 0.0) {
        Verdict::Identical
    } else if deviation <= 4.0 * f64::EPSILON * largest {
        Verdict::ConstantDifference
    } else {
        let effect_size = all.mean / deviation;
        let t = effect_size * (all.count as f64).sqrt();
        Verdict::Tested { t, p: two_sided(t, all.count as f64 - 1.0), effect_size }
    };
    Ok(PairedTest { pairs: all.count, mean_difference: all.mean, verdict })
}

/// The chance of a Student's t at least as far from 0.
fn two_sided(t: f64, freedom: f64) -> f64 {
    // The degrees of freedom are 1 or more, which the distribution accepts.
    StudentsT::new(0.0, 1.0, freedom)
        .map_or(1.0, |student| (2.0 * student.cdf(-t.abs())).clamp(0.0, 1.0))
}

fn refuse_not_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(place) => {
            Err(EvalError::NotFinite { what, position: place + 1, value: values[place] })
        }
    }
}

#[cfg(test)]
mod tests;
