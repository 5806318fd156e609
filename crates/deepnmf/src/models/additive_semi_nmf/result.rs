//! What a fit makes of its memberships, and what to read in it.

use std::ops::Range;

use super::coordinates::{Coordinates, Directions, most_coordinates};
use super::descent::{Found, inverse_of, weigh_out};
use super::labelled::{Taught, Turned};
use super::layers::{one_layer_up, upper_bases};
use super::memberships::{Memberships, rows_of};
use crate::error::{Error, Result};
use crate::matrix::{Centred, DataMatrix, Matrix, Scalar, product};
use crate::models::{Factors, Metric, Model};
use crate::predict::Predictor;
use crate::project::unit_of;

/// What a fit has found, of all parts.
pub(super) struct Whole {
    /// The clusters of each part, in layer 1 and in those above.
    pub(super) sizes: Vec<Vec<usize>>,
    /// The parts of the sum that was fitted, ascending.
    pub(super) summed: Vec<usize>,
    pub(super) samples: Coordinates,
    pub(super) found: Found,
    /// The parts with labels that come before it, and those that come after.
    pub(super) before: Taught,
    pub(super) after: Taught,
}

impl Whole {
    /// The factors: `Z` by least squares, as `mod.rs` fixes it, first of the sum, then of the parts that come after, for
    /// what the sum leaves over; the metric `t U W^T`, whose columns are at most of unit length; and the machines. All
    /// parts of the data call it together.
    pub(super) fn factors<T: Scalar>(
        self,
        x: &dyn DataMatrix<T>,
        directions: &Directions<T>,
    ) -> Result<(Factors<T>, Vec<Predictor<T>>)> {
        let Self { sizes: in_layers, summed, samples, found, before, after } = self;
        let upper = upper_bases(&in_layers, &summed, &found);
        let sizes = in_layers[0].clone();
        let Found { memberships, state } = found;
        let (p, own) = (x.shape().0, x.parts().range());
        let h_sum: Matrix<T> = memberships.one_hot(own.clone());
        let z_sum = centres(x, &directions.mean, &memberships, None)?;
        let of_after = after_memberships(&sizes, &after, samples.samples());
        let mut columns = Stacked::new(&sizes, p, own.len());
        columns.put(&summed, &z_sum, &h_sum);
        if let Some(others) = &of_after {
            let z = centres(x, &directions.mean, others, Some((&z_sum, &memberships)))?;
            columns.put(&after.parts(), &z, &others.one_hot(own));
        }
        let Stacked { mut z, h, .. } = columns;
        for a in 0..sizes[0] {
            let mean = directions.mean.iter();
            z.col_mut(a).iter_mut().zip(mean).for_each(|(z, mean)| *z += mean.to_f64());
        }
        let (u, t) = (directions.u.cast::<f64>(), samples.floor.sqrt());
        let (d, width) = (u.cols(), most_coordinates(&sizes, p, samples.samples()));
        let width = width.unwrap_or(d);
        let mut map = Matrix::zeros(p, width);
        let mut machines = vec![];
        if d > 0 {
            let turned = product(u.view(), state.w.t());
            for j in 0..turned.cols() {
                let column = map.col_mut(j).iter_mut().zip(turned.col(j));
                column.for_each(|(m, v)| *m = T::from_f64(t * v));
            }
            let mean = Matrix::from_fn(p, 1, |i, _| directions.mean[i].to_f64());
            let centres = product(map.cast::<f64>().t(), z.cast::<T>().cast::<f64>().view());
            let (t, mean) = (t / unit_of(&centres), product(u.t(), mean.view()));
            let turned = Turned::new(&state.w, t, mean, width)?;
            let all = before.machines.into_iter().chain(after.machines);
            machines = all.map(|machine| turned.machine(machine)).collect();
        }
        let (mut bases, mut features): (Vec<Matrix<T>>, _) = (vec![z.cast()], vec![h]);
        for (z, sizes) in upper.iter().zip(in_layers.windows(2)) {
            let z = z.cast();
            features.push(one_layer_up(&features[features.len() - 1], &z, &sizes[0], &sizes[1]));
            bases.push(z);
        }
        let metric = Some(Metric { parts: sizes, map });
        Ok((Factors { metric, ..Factors::new(bases, features) }, machines))
    }
}

/// The memberships of the parts that come after the sum, if there are any.
fn after_memberships(sizes: &[usize], after: &Taught, samples: usize) -> Option<Memberships> {
    let parts = after.parts();
    let none = Memberships::together(vec![1; parts.len()], samples);
    let put = |all: Memberships, (place, part): (usize, &usize)| {
        all.with_part(place, sizes[*part], &after.classes[place])
    };
    (!parts.is_empty()).then(|| parts.iter().enumerate().fold(none, put))
}

/// The centres of some parts by least squares, for the samples about their mean, or for what a sum leaves over of them.
fn centres<T: Scalar>(
    x: &dyn DataMatrix<T>,
    mean: &[T],
    memberships: &Memberships,
    less: Option<(&Matrix<f64>, &Memberships)>,
) -> Result<Matrix<f64>> {
    let h: Matrix<T> = memberships.one_hot(x.parts().range());
    let mut sums = Matrix::zeros(x.shape().0, memberships.clusters());
    Centred::new(x, mean).mul_tr(&h, &mut sums)?;
    let mut sums = sums.cast::<f64>();
    if let Some((z, sum)) = less {
        let taken = product(z.view(), sum.shared_with(memberships).view());
        sums.as_mut_slice().iter_mut().zip(taken.as_slice()).for_each(|(s, t)| *s -= t);
    }
    let shared = memberships.shared();
    let counts: Vec<f64> = (0..shared.rows()).map(|a| shared[(a, a)]).collect();
    let inverse = inverse_of(shared, &memberships.sizes)?;
    let mut z = product(sums.view(), inverse.view());
    weigh_out(&mut z, &memberships.sizes, &counts);
    Ok(z)
}

/// The factors of all parts, in their order.
struct Stacked<T> {
    rows: Vec<Range<usize>>,
    z: Matrix<f64>,
    h: Matrix<T>,
}

impl<T: Scalar> Stacked<T> {
    fn new(sizes: &[usize], p: usize, samples: usize) -> Self {
        let k = sizes.iter().sum();
        let (z, h) = (Matrix::zeros(p, k), Matrix::zeros(k, samples));
        Self { rows: rows_of(sizes).collect(), z, h }
    }

    /// Puts the factors of some parts, which stand one after the other, to their places.
    fn put(&mut self, parts: &[usize], z: &Matrix<f64>, h: &Matrix<T>) {
        let places = parts.iter().flat_map(|part| self.rows[*part].clone());
        for (from, to) in places.enumerate() {
            self.z.col_mut(to).copy_from_slice(z.col(from));
            (0..h.cols()).for_each(|j| self.h[(to, j)] = h[(from, j)]);
        }
    }
}

impl<T: Scalar> Model<T> {
    /// The components of a part, counted from 1, in the top layer: columns of the basis and rows of the features.
    ///
    /// # Errors
    /// If the model has no such part.
    pub fn part_rows(&self, part: usize) -> Result<Range<usize>> {
        self.part_rows_in(self.factors.depth(), part)
    }

    /// The same in another layer.
    ///
    /// # Errors
    /// If the model has no such layer or part.
    pub fn part_rows_in(&self, layer: usize, part: usize) -> Result<Range<usize>> {
        self.factors.check_layer(layer)?;
        let parts = self.settings.parts_in(layer);
        let rows = part.checked_sub(1).and_then(|part| rows_of(&parts).nth(part));
        rows.ok_or_else(|| {
            let accepted = match parts.len() {
                0 => "this model has no parts, additive-semi-nmf has".to_owned(),
                1 => "this model has part 1 only".to_owned(),
                m => format!("this model has parts 1 to {m}"),
            };
            Error::parameter("the part", part, accepted)
        })
    }

    /// The cluster of each fitted sample in every part of the top layer, counted from 0: a list for each sample.
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
        h.columns().map(|h| rows_of(&parts).map(|rows| largest(&h[rows])).collect()).collect()
    }

    /// What one part, counted from 1, adds to the samples with features `h` of the top layer: `Z_i H_i`. The mean of the fitted samples
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
        self.factors.reconstruct(self.factors.depth(), &alone)
    }
}
