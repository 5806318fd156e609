//! Features of new samples where samples are sums of parts (`models/additive_semi_nmf`).
//!
//! ```text
//! h_1, h_2, .. = argmin |M^T (x - Z_1 h_1 - Z_2 h_2 - ..)|        h_i: a single one
//! ```
//!
//! all parts at once, in the metric of the fit. So samples of the fit get their own clusters back, and how their
//! features are asked for makes no difference. The clusters of parts with labels are what their machines say: of the
//! sample before the others are chosen, or of what those leave over.

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, Widened, product, scale};
use crate::models::{Choice, Factors, Metric, rows_of};
use crate::predict::{Decided, Left, Predictor, size_of};

/// The clusters of some samples.
pub(crate) struct Chosen {
    /// One of each part for the first sample, then for the second, and so on.
    labels: Vec<usize>,
    /// What each machine says, in their order.
    pub(crate) decided: Vec<Decided>,
}

impl Chosen {
    /// Those of samples `x`.
    pub(crate) fn of<T: Scalar>(
        x: &dyn DataMatrix<T>,
        factors: &Factors<T>,
        Metric { parts, map }: &Metric<T>,
        machines: &[Predictor<T>],
    ) -> Result<Self> {
        let (n, width, map) = (x.shape().1, parts.len(), map.cast::<f64>());
        let mut y = Matrix::zeros(map.cols(), n);
        Widened(x).tr_mul(&map, &mut y)?;
        let mut centres = product(map.t(), factors.z[0].cast::<f64>().view());
        let unit = unit_of(&centres);
        scale(&mut y, 1.0 / unit);
        scale(&mut centres, 1.0 / unit);
        let mut chosen = Self { labels: vec![0; width * n], decided: vec![] };
        let (before, after): (Vec<_>, Vec<_>) =
            machines.iter().partition(|machine| machine.info.before_parts);
        let later: Vec<usize> = after.iter().map(|machine| machine.info.attribute).collect();
        let mut held = vec![false; width];
        let mut left = Left::new(y);
        for machine in before {
            held[machine.info.attribute] = true;
            chosen.pass(machine, &mut left, width);
        }
        let sum = Sum { parts, centres: &centres, later: &later };
        let mut left = Left::new(left.into_plain());
        // The mean of the samples is in the first part.
        if later.contains(&0) {
            left.shift(&mean_of_part(&centres, &factors.h[0], parts[0]));
        }
        sum.choose(left.view(true), &held, &mut chosen.labels);
        for (part, rows) in rows_of(parts).enumerate().filter(|(part, _)| !later.contains(part)) {
            let labels = chosen.labels.iter().skip(part).step_by(width);
            let decided: Decided = labels.map(|label| (*label, 0.0)).collect();
            left.take(&decided, &centres.view_columns(rows).to_matrix());
        }
        for machine in after {
            chosen.pass(machine, &mut left, width);
        }
        Ok(chosen)
    }

    fn pass<T: Scalar>(&mut self, machine: &Predictor<T>, left: &mut Left, width: usize) {
        let decided = left.pass(machine);
        let own = self.labels.iter_mut().skip(machine.info.attribute).step_by(width);
        own.zip(&decided).for_each(|(label, (class, _))| *label = *class);
        self.decided.push(decided);
    }

    /// The memberships, stacked: `k x n`.
    pub(super) fn one_hot<T: Scalar>(&self, parts: &[usize]) -> Matrix<T> {
        let n = self.labels.len() / parts.len();
        let mut h = Matrix::zeros(parts.iter().sum(), n);
        for (j, labels) in self.labels.chunks_exact(parts.len()).enumerate() {
            for (label, rows) in labels.iter().zip(rows_of(parts)) {
                h[(rows.start + label, j)] = T::ONE;
            }
        }
        h
    }
}

/// In which unit machines see what the metric makes of samples, by the centres: it is that of the samples.
pub(crate) fn unit_of(centres: &Matrix<f64>) -> f64 {
    let unit = size_of(centres);
    if unit > 0.0 { unit } else { 1.0 }
}

/// The mean of the centres of the first part over the samples of the fit.
fn mean_of_part<T: Scalar>(centres: &Matrix<f64>, h: &Matrix<T>, size: usize) -> Vec<f64> {
    let counts = &h.row_sums()[..size];
    let total: f64 = counts.iter().sum();
    let entry =
        |i: usize| counts.iter().enumerate().map(|(a, count)| count * centres[(i, a)]).sum::<f64>();
    (0..centres.rows()).map(|i| entry(i) / total.max(1.0)).collect()
}

/// The parts that are chosen together, as the metric sees them.
struct Sum<'a> {
    parts: &'a [usize],
    centres: &'a Matrix<f64>,
    /// The parts that are none of them.
    later: &'a [usize],
}

impl Sum<'_> {
    /// Chooses for samples `y`, given the clusters of parts that are held.
    fn choose(&self, y: &Matrix<f64>, held: &[bool], labels: &mut [usize]) {
        let (width, d) = (self.parts.len(), y.rows());
        let summed: Vec<usize> = (0..width).filter(|part| !self.later.contains(part)).collect();
        let rows: Vec<_> = rows_of(self.parts).collect();
        let places: Vec<usize> = summed.iter().flat_map(|part| rows[*part].clone()).collect();
        let mut centres = Matrix::from_fn(d, places.len(), |i, a| self.centres[(i, places[a])]);
        // About the first centre: the mean of the samples may be far from zero.
        let first = centres.col(0).to_vec();
        let about = |columns: &mut [f64]| {
            for column in columns.chunks_exact_mut(d.max(1)) {
                column.iter_mut().zip(&first).for_each(|(v, first)| *v -= first);
            }
        };
        let mut y = y.clone();
        about(y.as_mut_slice());
        about(&mut centres.as_mut_slice()[..self.parts[summed[0]] * d]);
        let inner = product(centres.t(), centres.view());
        let sizes: Vec<usize> = summed.iter().map(|part| self.parts[*part]).collect();
        let held: Vec<bool> = summed.iter().map(|part| held[*part]).collect();
        let all = labels.chunks_exact(width).flat_map(|all| summed.iter().map(|part| all[*part]));
        let mut chosen: Vec<usize> = all.collect();
        Choice::new(&sizes, &held, &inner).choose(&centres, y.view(), &mut chosen);
        let pairs = labels.chunks_exact_mut(width).zip(chosen.chunks_exact(summed.len()));
        for (all, chosen) in pairs {
            summed.iter().zip(chosen).for_each(|(part, label)| all[*part] = *label);
        }
    }
}
