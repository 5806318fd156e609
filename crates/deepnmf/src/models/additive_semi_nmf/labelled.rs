//! Parts with labels: their clusters are the classes of an attribute, and machines (`predict/`) say of every sample which
//! one it belongs to.
//!
//! Which comes first, what is found or what is known? As everywhere in `predict/`, what makes up most of the samples. The
//! machines of attributes that explain more of them than any part that is found come before, and their classes are held
//! while parts are found: who knows the people finds the poses. All others come after, and learn from what those parts
//! leave over: who has found the people needs few labels of poses.
//!
//! The clusters of a sample with a label are those that the machine says, too. So the same sample gets the same clusters
//! in the fit and as a new one.

use super::coordinates::Coordinates;
use super::descent::Found;
use super::memberships::{Memberships, rows_of};
use crate::error::{Error, Result};
use crate::graph::classes_of_all_parts;
use crate::matrix::{Matrix, Parts, Scalar, product, pseudo_inverse, scale};
use crate::models::Attributes;
use crate::predict::{
    Decided, Learnt, Left, Predictor, Space, Unlearnt, class_means, explained, known_of,
    learn_evenly,
};

/// The parts that have labels of two classes or more, on all parts of the data, which call it together.
pub(super) fn labelled_parts(
    attributes: &Attributes<'_>,
    parts: Parts<'_>,
) -> Result<Vec<Unlearnt>> {
    let mut labelled = vec![];
    for (part, labels) in attributes.iter().enumerate() {
        let Some(labels) = labels else { continue };
        let classes = classes_of_all_parts(labels, parts)?;
        if classes.len() < 2 {
            let name = format!("the number of classes among the labels of part {}", part + 1);
            let accepted = "labels of two classes at least, or none";
            return Err(Error::parameter(name, classes.len(), accepted));
        }
        let known = known_of(labels.iter().copied(), &classes, parts)?;
        labelled.push(Unlearnt { attribute: part, classes, known });
    }
    Ok(labelled)
}

/// Machines of some parts, and what they say of all samples.
#[derive(Default)]
pub(super) struct Taught {
    pub(super) machines: Vec<Predictor<f64>>,
    /// The class of each sample, for each of them.
    pub(super) classes: Vec<Vec<usize>>,
}

impl Taught {
    /// Those of attributes that make up more of the samples than any of the clusters that were found without them.
    pub(super) fn before(
        samples: &Coordinates,
        found: &Memberships,
        labelled: &[Unlearnt],
    ) -> Result<Self> {
        let map = Matrix::identity(samples.dimension());
        let share = |part: usize| {
            let decided: Decided = found.of_part(part).into_iter().map(|a| (a, 0.0)).collect();
            let means = class_means(&samples.y, &decided, found.sizes[part]);
            explained(&samples.y, &decided, &means, &map)
        };
        let largest = (0..found.sizes.len()).map(share).fold(0.0, f64::max);
        let left = Left::new(samples.y.clone());
        let mut machines = vec![];
        for Learnt { mut predictor, explained, .. } in learn(samples, &left, labelled)? {
            if !predictor.info.removed || explained <= largest {
                break; // those behind explain less
            }
            predictor.info.before_parts = true;
            machines.push(predictor);
        }
        Ok(Self::of(machines, left))
    }

    /// Those of the other attributes, from what these parts leave over.
    pub(super) fn after(
        samples: &Coordinates,
        Found { memberships, state }: &Found,
        labelled: &[Unlearnt],
    ) -> Result<Self> {
        let mut left = Left::new(samples.y.clone());
        for (part, rows) in rows_of(&memberships.sizes).enumerate() {
            let decided: Decided =
                memberships.of_part(part).into_iter().map(|a| (a, 0.0)).collect();
            left.take(&decided, &state.centres.view_columns(rows).to_matrix());
        }
        let learnt = learn(samples, &left, labelled)?;
        Ok(Self::of(learnt.into_iter().map(|l| l.predictor).collect(), left))
    }

    fn of(machines: Vec<Predictor<f64>>, mut left: Left) -> Self {
        let places = |decided: Decided| decided.into_iter().map(|(class, _)| class).collect();
        let classes = machines.iter().map(|machine| places(left.pass(machine))).collect();
        Self { machines, classes }
    }

    /// The parts, in the order of the machines.
    pub(super) fn parts(&self) -> Vec<usize> {
        self.machines.iter().map(|machine| machine.info.attribute).collect()
    }
}

/// Learns from some of the samples, or all.
fn learn(samples: &Coordinates, left: &Left, labelled: &[Unlearnt]) -> Result<Vec<Learnt>> {
    let spaces = Space::as_it_is(&samples.y)?;
    learn_evenly(&spaces, left, labelled)
}

/// The samples that are known before parts are found: classes of parts `held`, one cluster of all others.
pub(super) fn known_before(
    sizes: &[usize],
    summed: &[usize],
    held: &Taught,
    samples: usize,
) -> Memberships {
    let mut known = Memberships::together(vec![1; summed.len()], samples);
    for (part, classes) in held.parts().into_iter().zip(&held.classes) {
        let Some(place) = summed.iter().position(|other| *other == part) else { continue };
        known = known.with_part(place, sizes[part], classes);
        known.held[place] = true;
    }
    known
}

/// How machines for the coordinates `y = U^T (x - m)` become machines for `M^T x` in a unit of its own, `M = t U W^T` and
/// nothing in columns that the metric does not need.
pub(super) struct Turned {
    /// `t W` in that unit.
    to: Matrix<f64>,
    /// Its inverse.
    from: Matrix<f64>,
    /// `U^T m`.
    mean: Matrix<f64>,
    /// The columns of `M`.
    width: usize,
}

impl Turned {
    pub(super) fn new(w: &Matrix<f64>, t: f64, mean: Matrix<f64>, width: usize) -> Result<Self> {
        let mut to = w.clone();
        scale(&mut to, t);
        Ok(Self { from: pseudo_inverse(to.view())?, to, mean, width })
    }

    pub(super) fn machine<T: Scalar>(&self, machine: Predictor<f64>) -> Predictor<T> {
        let Predictor { info, weights, means, cells } = machine;
        let (count, d) = (weights.rows(), weights.cols() - 1);
        let own = weights.view_columns(0..d).to_matrix();
        let turned = product(own.view(), self.from.view());
        let at_mean = product(own.view(), self.mean.view());
        // What is left over of a sample is about the mean, a sample as it is not.
        let about = info.after_others && !info.before_parts;
        let weights = Matrix::from_fn(count, self.width + 1, |c, i| {
            let bias = || weights[(c, d)] - if about { 0.0 } else { at_mean[(c, 0)] };
            T::from_f64(if i == self.width {
                bias()
            } else if i < d {
                turned[(c, i)]
            } else {
                0.0
            })
        });
        let turn = |columns: &Matrix<f64>| {
            let turned = product(self.to.view(), columns.view());
            let entry = |i: usize, j: usize| if i < d { turned[(i, j)] } else { 0.0 };
            Matrix::from_fn(self.width, columns.cols(), |i, j| T::from_f64(entry(i, j)))
        };
        Predictor { weights, means: turn(&means), cells: turn(&cells), info }
    }
}
