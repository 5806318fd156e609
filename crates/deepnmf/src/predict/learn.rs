//! Learning the machines of all attributes.

use std::ops::ControlFlow;

use super::ridge::{Machine, ridge};
use super::{Predictor, PredictorInfo};
use crate::activation::Activation;
use crate::error::Result;
use crate::graph::{Labels, classes_of_all_parts};
use crate::matrix::{
    DataMatrix, Matrix, PartColumns, Parts, Scalar, Sparse, Whitening, gram_of_columns,
    gram_of_rows, product, scale, symmetric_eigen,
};
use crate::models::{Attributes, Factors, Model};
use crate::project::Projection;

/// The most samples that are learnt from, evenly spaced among all. Machines have a few hundred weights.
const MOST_SAMPLES: usize = 20_000;

/// From which component on spaces fade out where they are softly whitened, as shares of their size.
const FADES: [f64; 2] = [0.2, 0.4];

/// Machines for all attributes of which two classes are known, in the order in which they are to be used. All
/// parts of `x` call it together.
pub(crate) fn learn<T: Scalar>(
    model: &Model<T>,
    x: &dyn DataMatrix<T>,
    attributes: &Attributes<'_>,
) -> Result<Vec<Predictor<T>>> {
    let parts = x.parts();
    let mut left = Vec::new();
    for (attribute, labels) in attributes.iter().enumerate() {
        let Some(labels) = labels else { continue };
        let classes = classes_of_all_parts(labels, parts)?;
        if classes.len() > 1 {
            left.push(Unlearnt { attribute, labels, classes });
        }
    }
    if left.is_empty() {
        return Ok(vec![]);
    }
    let chosen = Chosen::of(x, &left)?;
    let mut plain = match &chosen.data {
        Samples::Sparse(x) => model.project(x, 1, Projection::Basis)?,
        Samples::Dense(x) => {
            let own = PartColumns::new(x.view(), chosen.parts(parts));
            model.project(&own, 1, Projection::Basis)?
        }
    }
    .cast::<f64>();
    let parts = chosen.parts(parts);
    // Squares of features in an extreme unit would be out of range.
    let unit = size_of(&plain, parts)?;
    if unit == 0.0 {
        return Ok(vec![]);
    }
    scale(&mut plain, 1.0 / unit);
    let spaces = spaces(&model.factors, &plain, parts)?;
    let mut rest = plain.clone();
    let mut learnt: Vec<Predictor<T>> = vec![];
    while !left.is_empty() {
        // The one whose predicted classes make up most of the samples is learnt first, and removed for the others.
        let mut first: Option<Candidate<T>> = None;
        for (place, unlearnt) in left.iter().enumerate() {
            let views = if learnt.is_empty() { vec![&plain] } else { vec![&plain, &rest] };
            let Some(best) =
                best_machine(&spaces, &views, &chosen.known(unlearnt), unlearnt, parts)?
            else {
                return Ok(vec![]);
            };
            let mut predictor = of_machine::<T>(unlearnt, &best);
            let mut decided = predictor.decide(views[usize::from(best.after_others)]);
            for Known { column, class } in chosen.known(unlearnt) {
                decided[column].0 = class;
            }
            let means = class_means(&rest, &decided, unlearnt.classes.len(), parts)?;
            let explained = explained(&rest, &decided, &means, &spaces[0].map, parts)?;
            predictor.means = means.cast();
            if first.as_ref().is_none_or(|first| explained > first.explained) {
                first = Some(Candidate { place, explained, predictor, decided });
            }
        }
        let Some(Candidate { place, predictor, decided, .. }) = first else { break };
        left.remove(place);
        predictor.remove(&mut rest, &decided);
        learnt.push(predictor);
    }
    for predictor in &mut learnt {
        scale(&mut predictor.means, unit);
        let biases = predictor.weights.cols() - 1;
        let per_unit = T::from_f64(1.0 / unit);
        for i in 0..biases {
            predictor.weights.col_mut(i).iter_mut().for_each(|w| *w *= per_unit);
        }
    }
    let finite = |m: &Matrix<T>| m.as_slice().iter().all(|v| v.finite());
    let usable = learnt.iter().all(|p| finite(&p.weights) && finite(&p.means));
    Ok(if usable { learnt } else { vec![] })
}

/// The power of two next to the largest entry of all parts, or zero.
fn size_of(a: &Matrix<f64>, parts: Parts<'_>) -> Result<f64> {
    let mut largest = [a.as_slice().iter().fold(0.0f64, |most, v| most.max(v.abs()))];
    parts.max(&mut largest)?;
    Ok(if largest[0].is_normal() { largest[0].log2().floor().exp2() } else { 0.0 })
}

/// An attribute without a machine.
struct Unlearnt<'a> {
    attribute: usize,
    labels: &'a Labels,
    /// The codes of its classes on all parts, ascending.
    classes: Vec<u32>,
}

/// A machine and where it works.
struct Best {
    after_others: bool,
    layer: usize,
    machine: Machine,
}

/// An attribute that may be learnt next.
struct Candidate<T> {
    place: usize,
    explained: f64,
    predictor: Predictor<T>,
    decided: Vec<(usize, f64)>,
}

/// The machine with the least leave-one-out error, over all spaces and views: the samples as they are, and what
/// others leave over.
fn best_machine(
    spaces: &[Space],
    views: &[&Matrix<f64>],
    known: &[Known],
    unlearnt: &Unlearnt<'_>,
    parts: Parts<'_>,
) -> Result<Option<Best>> {
    let mut best: Option<Best> = None;
    for space in spaces {
        for (view, y) in views.iter().enumerate() {
            let machine = space.machine(y, known, unlearnt.classes.len(), parts)?;
            let better = |best: &Best| machine.squared_error < best.machine.squared_error;
            if best.as_ref().is_none_or(better) {
                best = Some(Best { after_others: view > 0, layer: space.layer, machine });
            }
        }
    }
    Ok(best)
}

/// The share of the samples' scatter that is between classes, beyond that of as many classes at random.
fn explained(
    y: &Matrix<f64>,
    decided: &[(usize, f64)],
    means: &Matrix<f64>,
    map: &Matrix<f64>,
    parts: Parts<'_>,
) -> Result<f64> {
    let mut sums = y.row_sums();
    parts.sum(&mut sums)?;
    let count = parts.total().max(2) as f64;
    let centred = |values: &Matrix<f64>| {
        let about =
            Matrix::from_fn(y.rows(), values.cols(), |i, j| values[(i, j)] - sums[i] / count);
        product(map.view(), about.view())
    };
    let (all, of_classes) = (centred(y), centred(means));
    let length = |class: usize| of_classes.col(class).iter().map(|v| v * v).sum::<f64>();
    let lengths: Vec<f64> = (0..means.cols()).map(length).collect();
    let mut both = [decided.iter().map(|(class, _)| lengths[*class]).sum::<f64>(), all.norm_sq()];
    parts.sum(&mut both)?;
    let random = (means.cols() as f64 - 1.0) / (count - 1.0);
    Ok(if both[1] > 0.0 { both[0] / both[1] - random } else { 0.0 })
}

/// A chosen sample whose class is known.
struct Known {
    column: usize,
    class: usize,
}

fn of_machine<T: Scalar>(
    Unlearnt { attribute, classes, .. }: &Unlearnt<'_>,
    &Best { after_others, layer, ref machine }: &Best,
) -> Predictor<T> {
    let Machine { weights, bias, wrong, .. } = machine;
    let (count, k) = weights.shape();
    Predictor {
        info: PredictorInfo {
            attribute: *attribute,
            classes: classes.clone(),
            layer,
            after_others,
            error: *wrong,
        },
        weights: Matrix::from_fn(count, k + 1, |c, i| {
            T::from_f64(if i < k { weights[(c, i)] } else { bias[c] })
        }),
        means: Matrix::zeros(k, count),
    }
}

/// Samples in memory.
enum Samples<T: Scalar> {
    Dense(Matrix<T>),
    Sparse(Sparse<'static, T>),
}

/// The samples that are learnt from, those of this part.
struct Chosen<T: Scalar> {
    data: Samples<T>,
    /// Which samples of this part they are.
    samples: Vec<usize>,
    /// The place of the first among those of all parts, and how many there are on all.
    first: usize,
    total: usize,
}

impl<T: Scalar> Chosen<T> {
    fn of(x: &dyn DataMatrix<T>, attributes: &[Unlearnt<'_>]) -> Result<Self> {
        let parts = x.parts();
        let labelled = |j: usize| attributes.iter().any(|of| of.labels[j].is_some());
        let count = (0..parts.samples()).filter(|j| labelled(*j)).count() as f64;
        let all_labelled = parts.sum_of(count)? <= MOST_SAMPLES as f64;
        let stride = parts.total().div_ceil(MOST_SAMPLES).max(1);
        let start = parts.range().start;
        let wanted = |j: usize| (start + j).is_multiple_of(stride) || (all_labelled && labelled(j));
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
    fn parts<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        parts.of_fewer(self.first, self.samples.len(), self.total)
    }

    /// The chosen samples that have a label, and their classes.
    fn known(&self, of: &Unlearnt<'_>) -> Vec<Known> {
        let class = |sample: usize| {
            let code = of.labels[sample]?;
            of.classes.binary_search(&code).ok()
        };
        let columns = self.samples.iter().enumerate();
        columns.filter_map(|(column, j)| Some(Known { column, class: class(*j)? })).collect()
    }
}

/// A space in which a machine may work: `q = map y`, where the samples are uncorrelated.
struct Space {
    layer: usize,
    /// `r x k_1`.
    map: Matrix<f64>,
}

impl Space {
    /// The machine for known samples, with weights for `y` itself.
    fn machine(
        &self,
        y: &Matrix<f64>,
        known: &[Known],
        classes: usize,
        parts: Parts<'_>,
    ) -> Result<Machine> {
        let labelled = Matrix::from_fn(y.rows(), known.len(), |i, j| y[(i, known[j].column)]);
        let q = product(self.map.view(), labelled.view());
        let of: Vec<usize> = known.iter().map(|known| known.class).collect();
        let machine = ridge(&q, &of, classes, parts)?;
        Ok(Machine { weights: product(machine.weights.view(), self.map.view()), ..machine })
    }
}

/// The spaces of all layers, as the data are and softly whitened; of nonlinear models and those that read features
/// the space of the first layer alone.
fn spaces<T: Scalar>(
    factors: &Factors<T>,
    y: &Matrix<f64>,
    parts: Parts<'_>,
) -> Result<Vec<Space>> {
    let k = y.rows();
    let mut z = factors.z[0].cast::<f64>();
    let unit = size_of(&z, Parts::whole(z.cols()))?;
    if unit == 0.0 {
        return Ok(vec![]);
    }
    scale(&mut z, 1.0 / unit);
    let mut gram = Matrix::zeros(k, k);
    gram_of_columns(&mut gram, &z);
    // U = Z W^T is orthonormal, and U^T Z = W G.
    let w = Whitening::of::<f64>(&gram)?.w;
    let orthonormal = product(w.view(), gram.view());
    let linear = factors.activation == Activation::Identity && factors.readings.is_empty();
    let depth = if linear { factors.depth() } else { 1 };
    let mut above = Matrix::identity(k);
    let mut spaces = vec![];
    for layer in 1..=depth {
        let map = if layer == 1 {
            orthonormal.clone()
        } else {
            above = product(above.view(), factors.z[layer - 1].cast::<f64>().view());
            let spanned = product(orthonormal.view(), above.view());
            let mut gram = Matrix::zeros(spanned.cols(), spanned.cols());
            gram_of_columns(&mut gram, &spanned);
            let basis = product(spanned.view(), Whitening::of::<f64>(&gram)?.w.t());
            product(basis.t(), orthonormal.view())
        };
        spaces.extend(softened(layer, &map, y, parts)?);
    }
    Ok(spaces)
}

/// A space turned such that the samples are uncorrelated there, and the same softly whitened.
fn softened(
    layer: usize,
    map: &Matrix<f64>,
    y: &Matrix<f64>,
    parts: Parts<'_>,
) -> Result<Vec<Space>> {
    let mut sums = y.row_sums();
    parts.sum(&mut sums)?;
    let count = parts.total().max(1) as f64;
    let centred = Matrix::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - sums[i] / count);
    let q = product(map.view(), centred.view());
    let mut scatter = Matrix::zeros(q.rows(), q.rows());
    gram_of_rows(&mut scatter, &q, parts)?;
    let (squares, turn) = symmetric_eigen(&scatter)?;
    if squares.is_empty() {
        return Ok(vec![]);
    }
    let map = product(turn.t(), map.view());
    let mut spaces = vec![Space { layer, map: map.clone() }];
    for fade in FADES {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a place
        let place = ((fade * squares.len() as f64).ceil() as usize).clamp(1, squares.len()) - 1;
        let ridge = squares[place].max(0.0);
        // s^2 / (s^2 + t^2) of the whitened sample, of length s before.
        let share = |s: f64| if s > 0.0 { s.sqrt() / (s + ridge) } else { 0.0 };
        let map = Matrix::from_fn(map.rows(), map.cols(), |i, j| share(squares[i]) * map[(i, j)]);
        spaces.push(Space { layer, map });
    }
    Ok(spaces)
}

/// The mean column of each class over all parts; zeros for one that no sample is decided to be of.
fn class_means(
    y: &Matrix<f64>,
    decided: &[(usize, f64)],
    classes: usize,
    parts: Parts<'_>,
) -> Result<Matrix<f64>> {
    let k = y.rows();
    let mut sums = vec![0.0; (k + 1) * classes];
    for (column, (class, _)) in y.columns().zip(decided) {
        let sum = &mut sums[class * (k + 1)..(class + 1) * (k + 1)];
        sum.iter_mut().zip(column).for_each(|(s, v)| *s += v);
        sum[k] += 1.0;
    }
    parts.sum(&mut sums)?;
    Ok(Matrix::from_fn(k, classes, |i, c| {
        let sum = &sums[c * (k + 1)..];
        sum[i] / sum[k].max(1.0)
    }))
}
