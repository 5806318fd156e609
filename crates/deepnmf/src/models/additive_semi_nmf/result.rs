//! What a fit makes of its memberships, and what to read in it.

use std::ops::Range;

use super::coordinates::{Coordinates, Directions, most_coordinates};
use super::descent::{Found, inverse_of, weigh_out};
use super::memberships::rows_of;
use crate::error::{Error, Result};
use crate::matrix::{Centred, DataMatrix, Matrix, Scalar, product};
use crate::models::{Factors, Metric, Model};

/// The factors: `Z` by least squares, as `mod.rs` fixes it, and the metric `t U W^T`, whose columns are at most of unit
/// length. All parts of the data call it together.
pub(super) fn factors_of<T: Scalar>(
    x: &dyn DataMatrix<T>,
    Directions { mean, u }: &Directions<T>,
    (samples, Found { memberships, state }): &(Coordinates, Found),
) -> Result<Factors<T>> {
    let (p, k) = (x.shape().0, memberships.clusters());
    let h = memberships.one_hot(x.parts().range());
    let mut sums = Matrix::zeros(p, k);
    Centred::new(x, mean).mul_tr(&h, &mut sums)?;
    let shared = memberships.shared();
    let counts: Vec<f64> = (0..k).map(|a| shared[(a, a)]).collect();
    let inverse = inverse_of(shared, &memberships.sizes)?;
    let mut z = product(sums.cast::<f64>().view(), inverse.view());
    weigh_out(&mut z, &memberships.sizes, &counts);
    for a in 0..memberships.sizes[0] {
        z.col_mut(a).iter_mut().zip(mean).for_each(|(z, mean)| *z += mean.to_f64());
    }
    let d = u.cols();
    let rows = most_coordinates(&memberships.sizes, p, samples.samples()).unwrap_or(d);
    let mut map = Matrix::zeros(p, rows);
    if d > 0 {
        let turned = product(u.cast::<f64>().view(), state.w.t());
        let t = samples.floor.sqrt();
        for j in 0..turned.cols() {
            let column = map.col_mut(j).iter_mut().zip(turned.col(j));
            column.for_each(|(m, v)| *m = T::from_f64(t * v));
        }
    }
    let metric = Metric { parts: memberships.sizes.clone(), map };
    Ok(Factors { metric: Some(metric), ..Factors::new(vec![z.cast()], vec![h]) })
}

impl<T: Scalar> Model<T> {
    /// The components of a part, counted from 1: columns of the basis and rows of the features.
    ///
    /// # Errors
    /// If the model has no such part.
    pub fn part_rows(&self, part: usize) -> Result<Range<usize>> {
        let parts = self.settings.parts();
        let rows = part.checked_sub(1).and_then(|part| rows_of(parts).nth(part));
        rows.ok_or_else(|| {
            let accepted = match parts.len() {
                0 => "this model has no parts, additive-semi-nmf has".to_owned(),
                1 => "this model has part 1 only".to_owned(),
                m => format!("this model has parts 1 to {m}"),
            };
            Error::parameter("the part", part, accepted)
        })
    }

    /// The cluster of each fitted sample in every part, counted from 0: a list for each sample.
    pub fn part_labels(&self) -> Vec<Vec<usize>> {
        self.part_labels_of(self.factors.top_features())
    }

    /// The same for features `h`, such as those of new samples: the largest feature of each part.
    pub fn part_labels_of(&self, h: &Matrix<T>) -> Vec<Vec<usize>> {
        let parts = self.settings.parts();
        let largest = |h: &[T]| {
            let more = |best: usize, i: usize| if h[i] > h[best] { i } else { best };
            (1..h.len()).fold(0, more)
        };
        h.columns().map(|h| rows_of(parts).map(|rows| largest(&h[rows])).collect()).collect()
    }

    /// What one part, counted from 1, adds to the samples with features `h`: `Z_i H_i`. The mean of the fitted samples
    /// is in part 1.
    ///
    /// # Errors
    /// If the model has no such part, or the shape of `h` does not fit it.
    pub fn reconstruct_part(&self, part: usize, h: &Matrix<T>) -> Result<Matrix<T>> {
        let rows = self.part_rows(part)?;
        let mut alone = Matrix::zeros(h.rows(), h.cols());
        for (j, h) in h.columns().enumerate() {
            let kept = rows.start.min(h.len())..rows.end.min(h.len());
            alone.col_mut(j)[kept.clone()].copy_from_slice(&h[kept]);
        }
        self.factors.reconstruct(1, &alone)
    }
}
