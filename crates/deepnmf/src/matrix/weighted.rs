//! Data whose samples have weights.
//!
//! A fit that minimises `sum_j w_j |x_j - Z h_j|^2` is a plain one of other data: with `x~_j = sqrt(w_j) x_j` and
//! `h~_j = sqrt(w_j) h_j` the sum is `|X~ - Z H~|^2`, and `h~_j >= 0` as `h_j >= 0`. The Kullback-Leibler divergence is
//! homogeneous of degree one, so there the factor is `w_j` itself. Rules see `X~` and `H~` and know of no weights; what is
//! left are initializations, which think of samples as they are, and means over samples
//! ([`DataMatrix::weights`]).

use std::ops::ControlFlow;

use super::data::{Visit, VisitSparse};
use super::{DataMatrix, Entry, Fingerprint, Matrix, Parts, Scalar, Sparse};
use crate::error::{Error, Result};
use crate::objective::Divergence;

/// The weights of the samples of one part, and what samples and features are multiplied by for them.
#[derive(Debug, Clone)]
pub struct SampleWeights {
    values: Vec<f64>,
    factors: Vec<f64>,
    /// The sum of the weights of all parts.
    total: f64,
}

impl SampleWeights {
    /// *Together*: the weights `values` of the samples of this part, for a loss in this divergence.
    ///
    /// # Errors
    /// If there is not one for each sample, or one is not a number above 0.
    pub(crate) fn new(values: &[f64], divergence: Divergence, parts: Parts<'_>) -> Result<Self> {
        if values.len() != parts.samples() {
            return Err(Error::Shape {
                what: "the weights of samples".into(),
                found: format!("{} of them", values.len()),
                expected: format!("one for each of the {} samples", parts.samples()),
            });
        }
        if let Some(j) = values.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            let name = format!("the weight of sample {}", parts.range().start + j + 1);
            let accepted = "weights must be above zero, leave samples that do not count out";
            return Err(Error::parameter(name, values[j], accepted));
        }
        let factors = match divergence {
            Divergence::Frobenius => values.iter().map(|w| w.sqrt()).collect(),
            Divergence::KullbackLeibler => values.to_vec(),
        };
        let total = parts.sum_of(values.iter().sum())?;
        if !total.is_finite() {
            let accepted = "it must be a number, divide all weights by a constant";
            return Err(Error::parameter("the sum of the weights of samples", total, accepted));
        }
        Ok(Self { values: values.to_vec(), factors, total })
    }

    /// The weights.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// What the samples are multiplied by, and their features.
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// The sum of the weights of all parts.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The same with the roots of the weights for factors, which initializations take.
    fn rooted(&self) -> Self {
        let factors = self.values.iter().map(|w| w.sqrt()).collect();
        Self { factors, ..self.clone() }
    }

    /// Multiplies the features of each sample by its factor.
    pub(crate) fn put_on<T: Scalar>(&self, h: &mut Matrix<T>) {
        times_factors(h, &self.factors, |f| f);
    }

    /// Divides the features of each sample by its factor.
    pub(crate) fn take_off<T: Scalar>(&self, h: &mut Matrix<T>) {
        times_factors(h, &self.factors, |f| 1.0 / f);
    }
}

/// The sum of the weights of all samples: their number where they have none.
pub(crate) fn total_weight<T: Scalar>(x: &(impl DataMatrix<T> + ?Sized)) -> f64 {
    x.weights().map_or(x.parts().total() as f64, SampleWeights::total)
}

/// The weight of a sample of this part: one where samples have none.
pub(crate) fn weight_of(weights: Option<&SampleWeights>, sample: usize) -> f64 {
    weights.map_or(1.0, |weights| weights.values[sample])
}

/// The sum of each row over the samples of this part, each of which counts as often as its weight says.
pub(crate) fn weighted_row_sums<T: Scalar>(
    h: &Matrix<T>,
    weights: Option<&SampleWeights>,
) -> Vec<f64> {
    let Some(weights) = weights else { return h.row_sums() };
    let mut sums = vec![0.0; h.rows()];
    for (column, weight) in h.columns().zip(&weights.values) {
        sums.iter_mut().zip(column).for_each(|(sum, v)| *sum += v.to_f64() * weight);
    }
    sums
}

/// Multiplies each column by a number of its own.
fn times_factors<T: Scalar>(a: &mut Matrix<T>, factors: &[f64], of: impl Fn(f64) -> f64) {
    let rows = a.rows().max(1);
    for (column, factor) in a.as_mut_slice().chunks_exact_mut(rows).zip(factors) {
        let factor = of(*factor);
        for v in column {
            *v = T::from_f64(v.to_f64() * factor);
        }
    }
}

/// `X~`: samples times factors, without a copy of them.
pub(crate) struct Weighted<'a, T> {
    x: &'a dyn DataMatrix<T>,
    by: Vec<f64>,
    weights: SampleWeights,
}

impl<'a, T: Scalar> Weighted<'a, T> {
    /// Samples as they are, times the factors of these weights.
    pub(crate) fn new(x: &'a dyn DataMatrix<T>, weights: &SampleWeights) -> Self {
        Self { x, by: weights.factors.clone(), weights: weights.clone() }
    }

    /// Samples that were multiplied by the factors of these weights, with the roots of the weights for factors.
    pub(crate) fn rooted(x: &'a dyn DataMatrix<T>, weights: &SampleWeights) -> Self {
        let rooted = weights.rooted();
        let by = rooted.factors.iter().zip(&weights.factors).map(|(root, f)| root / f).collect();
        Self { x, by, weights: rooted }
    }

    fn times_own<A: Scalar>(&self, out: &mut Matrix<A>) {
        times_factors(out, &self.by, |f| f);
    }

    fn times_own_copied<A: Scalar>(&self, h: &Matrix<A>) -> Matrix<A> {
        let mut h = h.clone();
        self.times_own(&mut h);
        h
    }
}

impl<T: Scalar> DataMatrix<T> for Weighted<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }

    fn weights(&self) -> Option<&SampleWeights> {
        Some(&self.weights)
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.x.tr_mul(z, out)?;
        self.times_own(out);
        Ok(())
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.x.mul_tr(&self.times_own_copied(h), out)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.x.wide_tr_mul(z, out)?;
        self.times_own(out);
        Ok(())
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.x.wide_mul_tr(&self.times_own_copied(h), out)
    }

    /// A copy of the values; their places stay where they are.
    fn sparse(&self) -> Option<Sparse<'_, T>> {
        Some(self.x.sparse()?.times_of_samples(&self.by))
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> Result<bool> {
        self.x.sparse_blocks(&mut |start, x| {
            let by = &self.by[start..start + x.shape().1];
            visit(start, &x.view().times_of_samples(by))
        })
    }

    fn entries_held(&self) -> Option<usize> {
        self.x.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.x.blocks(&mut |start, block| -> ControlFlow<()> {
            let mut copy = block.to_matrix();
            times_factors(&mut copy, &self.by[start..start + block.cols()], |f| f);
            visit(start, copy.view())
        })
    }

    fn norm_sq(&self) -> Result<f64> {
        self.parts().sum_of(self.sample_norms_sq()?.iter().sum())
    }

    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        let norms = self.x.sample_norms_sq()?;
        Ok(norms.into_iter().zip(&self.by).map(|(norm, f)| norm * f * f).collect())
    }

    /// The value found is the one that stands in the data.
    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        self.x.find_entry(wanted)
    }

    /// Weights are no part of the samples.
    fn fingerprint(&self) -> Result<Fingerprint> {
        self.x.fingerprint()
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }

    fn missing(&self) -> usize {
        self.x.missing()
    }

    fn is_incomplete(&self) -> bool {
        self.x.is_incomplete()
    }

    fn go_on(&self) -> Result<()> {
        self.x.go_on()
    }
}
