//! Which samples machines are learnt from.

use std::ops::ControlFlow;

use super::learn::Known;
use crate::error::Result;
use crate::graph::Labels;
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, Sparse};

/// The most samples that are learnt from, evenly spaced among all. Machines have a few hundred weights.
pub(super) const MOST_SAMPLES: usize = 20_000;

/// Numbers that they take at most where they are dense, unless they are few. Sparse ones take less, but the same samples
/// have the same machines however they are held.
const MOST_NUMBERS: usize = 1 << 27;
const FEW_SAMPLES: usize = 2000;

/// The most samples of so many features that are learnt from.
fn most_samples(features: usize) -> usize {
    (MOST_NUMBERS / features.max(1)).clamp(FEW_SAMPLES, MOST_SAMPLES)
}

/// Whether a sample, by its number among all, is one of so many at most that are learnt from.
pub(super) fn is_chosen(number: usize, total: usize, most: usize, wanted: bool) -> bool {
    wanted || number.is_multiple_of(total.div_ceil(most).max(1))
}

/// Samples in memory.
pub(super) enum Samples<T: Scalar> {
    Dense(Matrix<T>),
    Sparse(Sparse<'static, T>),
}

/// The samples that are learnt from, those of this part.
pub(super) struct Chosen<T: Scalar> {
    pub(super) data: Samples<T>,
    /// Which samples of this part they are.
    samples: Vec<usize>,
    /// The place of the first among those of all parts, and how many there are on all.
    first: usize,
    total: usize,
}

impl<T: Scalar> Chosen<T> {
    pub(super) fn of(x: &dyn DataMatrix<T>, attributes: &[&Labels]) -> Result<Self> {
        let parts = x.parts();
        let labelled = |j: usize| attributes.iter().any(|labels| labels[j].is_some());
        let count = (0..parts.samples()).filter(|j| labelled(*j)).count() as f64;
        let most = most_samples(x.shape().0);
        let all_labelled = parts.sum_of(count)? <= most as f64;
        let (start, total) = (parts.range().start, parts.total());
        let wanted = |j: usize| is_chosen(start + j, total, most, all_labelled && labelled(j));
        let samples: Vec<usize> = (0..parts.samples()).filter(|j| wanted(*j)).collect();
        let counts = parts.of_each_part(samples.len() as f64)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // counts
        let sum = |counts: &[f64]| counts.iter().sum::<f64>() as usize;
        let (first, total) = (sum(&counts[..parts.rank()]), sum(&counts));
        if let Some(x) = x.sparse().filter(|_| parts.is_whole()) {
            let data = Samples::Sparse(x.select(&samples));
            return Ok(Self { data, samples, first, total });
        }
        let mut data = Matrix::zeros(x.shape().0, samples.len());
        let mut next = 0;
        x.blocks(&mut |start, block| {
            while next < samples.len() && samples[next] < start + block.cols() {
                block.columns(samples[next] - start, 1).copy_into(data.col_mut(next));
                next += 1;
            }
            ControlFlow::Continue(())
        })?;
        Ok(Self { data: Samples::Dense(data), samples, first, total })
    }

    /// The parts that the chosen samples are spread over.
    pub(super) fn parts<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        parts.of_fewer(self.first, self.samples.len(), self.total)
    }

    /// The chosen samples of all parts that have a label, and their classes. All parts call it together.
    pub(super) fn known(
        &self,
        labels: &Labels,
        classes: &[u32],
        parts: Parts<'_>,
    ) -> Result<Vec<Known>> {
        known_of(self.samples.iter().map(|j| labels[*j]), classes, self.parts(parts))
    }
}

/// Which of the samples of all parts have a label, and their classes, given the labels of this part. All parts call it
/// together.
pub(crate) fn known_of(
    labels: impl Iterator<Item = Option<u32>>,
    classes: &[u32],
    parts: Parts<'_>,
) -> Result<Vec<Known>> {
    // A place among the classes, or -1: places cross as numbers.
    let place = |label: Option<u32>| classes.binary_search(&label?).ok();
    let own: Vec<f64> =
        labels.map(|label| place(label).map_or(-1.0, |place| place as f64)).collect();
    let all = parts.gather(&Matrix::from_vec(1, own.len(), own)?)?;
    let known = all.as_slice().iter().enumerate().filter(|(_, place)| **place >= 0.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a place
    Ok(known.map(|(column, place)| Known { column, class: *place as usize }).collect())
}
