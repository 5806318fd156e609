//! Dual coordinate descent (Hsieh et al., ICML 2008) for one class against the rest.
//!
//! The dual of the squared hinge is
//!
//! ```text
//! min over a >= 0   1/2 |w|^2 + sum_j a_j^2 / (4 C) - sum_j a_j,   w = sum_j a_j y_j x_j
//! ```
//!
//! One coordinate at a time has the closed form `a_j <- max(0, a_j - g_j / q_j)` with
//! `g_j = y_j w^T x_j - 1 + a_j / (2 C)` and `q_j = |x_j|^2 + 1 / (2 C)`. Samples that sit at zero
//! with a gradient well above all violations are set aside (shrinking) until the rest has
//! converged; a last pass over all of them decides.

use deepnmf::matrix::dot;
use deepnmf::rng::shuffle;
use deepnmf::{Dtype, Matrix};
use rand_chacha::ChaCha8Rng;

use crate::error::{EvalError, Result};

/// The samples and what all classes share about them.
pub(super) struct Problem<'a> {
    x: &'a Matrix<f64>,
    /// `1 / (2 C)`
    ridge: f64,
    curvature: Vec<f64>,
}

/// The separating plane of one class.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    pub(super) weights: Vec<f64>,
    pub(super) intercept: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    /// The multipliers of the samples; their signs are those of the classes.
    #[cfg_attr(not(test), allow(dead_code))] // tests compute the duality gap from them
    pub(super) multipliers: Vec<f64>,
}

impl Solution {
    /// The plane of the other of two classes.
    pub(super) fn mirrored(&self) -> Self {
        let weights = self.weights.iter().map(|w| -w).collect();
        Self { weights, intercept: -self.intercept, ..self.clone() }
    }
}

impl<'a> Problem<'a> {
    pub(super) fn new(x: &'a Matrix<f64>, c: f64) -> Result<Self> {
        let ridge = 0.5 / c;
        let curvature: Vec<f64> = x.columns().map(|x| dot(x, x) + 1.0 + ridge).collect();
        if !curvature.iter().sum::<f64>().is_finite() {
            return Err(EvalError::Overflow { dtype: Dtype::F64 });
        }
        Ok(Self { x, ridge, curvature })
    }

    pub(super) fn solve(
        &self,
        positive: &[bool],
        tolerance: f64,
        max_iterations: usize,
        mut rng: ChaCha8Rng,
    ) -> Solution {
        let n = self.x.cols();
        let mut descent = Descent {
            problem: self,
            signs: positive.iter().map(|p| if *p { 1.0 } else { -1.0 }).collect(),
            multipliers: vec![0.0; n],
            weights: vec![0.0; self.x.rows()],
            intercept: 0.0,
        };
        let mut active: Vec<usize> = (0..n).collect();
        let mut threshold = f64::INFINITY;
        let (mut iterations, mut converged) = (0, false);
        while iterations < max_iterations && !converged {
            iterations += 1;
            shuffle(&mut active, &mut rng);
            let seen = descent.pass(&mut active, threshold);
            if seen.largest - seen.smallest > tolerance {
                // Nothing that violated its condition in this pass is set aside in the next one.
                threshold = if seen.largest > 0.0 { seen.largest } else { f64::INFINITY };
            } else if active.len() == n {
                converged = true;
            } else {
                active = (0..n).collect();
                threshold = f64::INFINITY;
            }
        }
        let Descent { multipliers, weights, intercept, .. } = descent;
        Solution { weights, intercept, iterations, converged, multipliers }
    }
}

/// The range of the projected gradients met in one pass.
struct Seen {
    largest: f64,
    smallest: f64,
}

struct Descent<'a> {
    problem: &'a Problem<'a>,
    signs: Vec<f64>,
    multipliers: Vec<f64>,
    weights: Vec<f64>,
    intercept: f64,
}

impl Descent<'_> {
    /// Visits the active samples once, and sets aside those that need no more visits.
    fn pass(&mut self, active: &mut Vec<usize>, threshold: f64) -> Seen {
        let mut seen = Seen { largest: f64::NEG_INFINITY, smallest: f64::INFINITY };
        active.retain(|&j| {
            let gradient = self.gradient(j);
            let at_bound = self.multipliers[j] == 0.0;
            if at_bound && gradient > threshold {
                return false;
            }
            let projected = if at_bound { gradient.min(0.0) } else { gradient };
            seen.largest = seen.largest.max(projected);
            seen.smallest = seen.smallest.min(projected);
            if projected.abs() > SMALLEST_STEP {
                self.step(j, gradient);
            }
            true
        });
        seen
    }

    fn gradient(&self, j: usize) -> f64 {
        let value = dot(&self.weights, self.problem.x.col(j)) + self.intercept;
        self.signs[j] * value - 1.0 + self.problem.ridge * self.multipliers[j]
    }

    /// The best value of one multiplier while all others stay.
    fn step(&mut self, j: usize, gradient: f64) {
        let old = self.multipliers[j];
        let new = (old - gradient / self.problem.curvature[j]).max(0.0);
        self.multipliers[j] = new;
        let change = (new - old) * self.signs[j];
        self.intercept += change;
        for (w, x) in self.weights.iter_mut().zip(self.problem.x.col(j)) {
            *w += change * x;
        }
    }
}

/// A gradient this small moves nothing but last digits.
const SMALLEST_STEP: f64 = 1e-15;
