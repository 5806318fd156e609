//! Learning the machines of all attributes, one after the other.

use std::collections::BTreeMap;

use super::chosen::{Chosen, MOST_SAMPLES, Samples, is_chosen};
use super::descent::descend;
use super::ridge::Machine;
use super::spaces::{Space, size_of, spaces};
use super::{Decided, Left, Predictor, PredictorInfo};
use crate::error::Result;
use crate::graph::{Labels, classes_of_all_parts};
use crate::matrix::{DataMatrix, Matrix, PartColumns, Scalar, product, scale};
use crate::models::{Attributes, Model};

/// A difference of this many standard errors is none of chance.
const CERTAIN: f64 = 2.0;

/// A combination of classes counts its mean as one more sample.
const PRIOR: f64 = 1.0;

/// More combinations of classes are not told apart.
const MOST_CELLS: usize = 4096;

/// Machines for all attributes of which two classes are known, in the order in which they are to be used. All
/// parts of `x` call it together.
pub(crate) fn learn<T: Scalar>(
    model: &Model<T>,
    x: &dyn DataMatrix<T>,
    attributes: &Attributes<'_>,
) -> Result<Vec<Predictor<T>>> {
    let parts = x.parts();
    let mut labelled: Vec<(usize, &Labels, Vec<u32>)> = Vec::new();
    for (attribute, labels) in attributes.iter().enumerate() {
        let Some(labels) = labels else { continue };
        let classes = classes_of_all_parts(labels, parts)?;
        if classes.len() > 1 {
            labelled.push((attribute, labels, classes));
        }
    }
    if labelled.is_empty() {
        return Ok(vec![]);
    }
    let chosen = Chosen::of(x, &labelled.iter().map(|(_, labels, _)| *labels).collect::<Vec<_>>())?;
    let of_chosen = chosen.parts(parts);
    let own = match &chosen.data {
        Samples::Sparse(x) => model.coordinates(x)?,
        Samples::Dense(x) => model.coordinates(&PartColumns::new(x.view(), of_chosen))?,
    };
    let mut plain = of_chosen.gather(&own)?;
    let mut unlearnt = Vec::new();
    for (attribute, labels, classes) in labelled {
        let known = chosen.known(labels, &classes, parts)?;
        unlearnt.push(Unlearnt { attribute, classes, known });
    }
    // Squares of features in an extreme unit would be out of range.
    let unit = size_of(&plain);
    if unit == 0.0 {
        return Ok(vec![]);
    }
    scale(&mut plain, 1.0 / unit);
    let spaces = spaces(&model.factors, &plain)?;
    let learnt = learn_all(&spaces, &mut Left::new(plain), unlearnt)?;
    let learnt: Vec<Predictor<T>> = learnt.into_iter().map(|l| l.predictor.in_unit(unit)).collect();
    let usable = learnt.iter().all(Predictor::is_finite);
    Ok(if usable { learnt } else { vec![] })
}

/// A sample whose class is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    pub(crate) column: usize,
    pub(crate) class: usize,
}

/// An attribute without a machine.
pub(crate) struct Unlearnt {
    pub(crate) attribute: usize,
    /// The codes of its classes, ascending.
    pub(crate) classes: Vec<u32>,
    pub(crate) known: Vec<Known>,
}

/// A machine, and what it says of the samples that it was learnt from.
pub(crate) struct Learnt {
    pub(crate) predictor: Predictor<f64>,
    /// The class of each sample: the given one, or what the machine says.
    pub(crate) decided: Decided,
    /// The share of the samples' scatter that is between its classes.
    pub(crate) explained: f64,
    /// Whether it is better than guessing, by more than chance.
    certain: bool,
}

/// Learns all attributes: the one whose classes make up most of the samples first, and each is taken off for the next.
/// One that is no better than guessing comes last, and nothing is taken off by it.
pub(crate) fn learn_all(
    spaces: &[Space],
    left: &mut Left,
    mut unlearnt: Vec<Unlearnt>,
) -> Result<Vec<Learnt>> {
    let mut learnt = vec![];
    while !unlearnt.is_empty() && !spaces.is_empty() {
        let cells = left.cells_of_their_own();
        left.take_cells(&cells);
        let mut first: Option<(usize, Learnt)> = None;
        for (place, attribute) in unlearnt.iter().enumerate() {
            let candidate = learn_one(spaces, left, attribute)?;
            let rank = |l: &Learnt| (l.certain, l.explained);
            if first.as_ref().is_none_or(|(_, first)| rank(&candidate) > rank(first)) {
                first = Some((place, candidate));
            }
        }
        let Some((place, mut next)) = first else { break };
        unlearnt.remove(place);
        (next.predictor.info.cells, next.predictor.cells) = (cells.codes, cells.means);
        if next.certain {
            left.take(&next.decided, &next.predictor.means);
        }
        learnt.push(next);
    }
    Ok(learnt)
}

/// The same from some of the samples, evenly spaced, and those with labels.
pub(crate) fn learn_evenly(
    spaces: &[Space],
    left: &Left,
    unlearnt: &[Unlearnt],
) -> Result<Vec<Learnt>> {
    let n = left.codes().len();
    let mut labelled = vec![false; n];
    unlearnt.iter().flat_map(|of| &of.known).for_each(|known| labelled[known.column] = true);
    let all_labelled = labelled.iter().filter(|labelled| **labelled).count() <= MOST_SAMPLES;
    let columns: Vec<usize> =
        (0..n).filter(|j| is_chosen(*j, n, MOST_SAMPLES, all_labelled && labelled[*j])).collect();
    let some = unlearnt.iter().map(|Unlearnt { attribute, classes, known }| Unlearnt {
        attribute: *attribute,
        classes: classes.clone(),
        known: known
            .iter()
            .filter_map(|known| {
                let column = columns.binary_search(&known.column).ok()?;
                Some(Known { column, ..*known })
            })
            .collect(),
    });
    learn_all(spaces, &mut left.of_columns(&columns), some.collect())
}

/// The machine of one attribute, from what others leave over or from the samples as they are.
fn learn_one(spaces: &[Space], left: &Left, unlearnt: &Unlearnt) -> Result<Learnt> {
    let Unlearnt { attribute, classes, known } = unlearnt;
    let count = classes.len();
    let mut after_others = left.taken() > 0;
    let mut best = best_machine(spaces, left.view(after_others), known, count)?;
    if after_others {
        let plain = best_machine(spaces, left.view(false), known, count)?;
        let gain: Vec<f64> =
            best.machine.errors.iter().zip(&plain.machine.errors).map(|(r, p)| r - p).collect();
        // Leave-one-out errors of few labels differ by chance, and what is left over is the better bet.
        if is_certainly_positive(&gain) {
            (best, after_others) = (plain, false);
        }
    }
    let Best { space, mut machine } = best;
    let certain = is_better_than_guessing(&machine, known, count);
    let y = left.view(after_others);
    let mut decided = machine.decide(y);
    for known in known {
        decided[known.column].0 = known.class;
    }
    if 2 * known.len() < y.cols() {
        machine = descend(&spaces[0].map, y, known, machine, &mut decided)?;
    }
    let means = class_means(left.view(true), &decided, count);
    let explained = explained(left.view(true), &decided, &means, &spaces[0].map);
    let (weights, bias) = (&machine.weights, &machine.bias);
    let k = weights.cols();
    let predictor = Predictor {
        info: PredictorInfo {
            attribute: *attribute,
            classes: classes.clone(),
            layer: spaces[space].layer,
            after_others,
            error: machine.wrong,
            removed: certain,
            cells: vec![],
            before_parts: false,
        },
        weights: Matrix::from_fn(
            count,
            k + 1,
            |c, i| {
                if i < k { weights[(c, i)] } else { bias[c] }
            },
        ),
        means,
        cells: Matrix::zeros(k, 0),
    };
    Ok(Learnt { predictor, decided, explained, certain })
}

/// A machine and the place of the space in which it works.
struct Best {
    space: usize,
    machine: Machine,
}

/// The machine with the least leave-one-out error over all spaces.
fn best_machine(
    spaces: &[Space],
    y: &Matrix<f64>,
    known: &[Known],
    classes: usize,
) -> Result<Best> {
    let mut best = Best { space: 0, machine: spaces[0].machine(y, known, classes)? };
    for (space, of) in spaces.iter().enumerate().skip(1) {
        let machine = of.machine(y, known, classes)?;
        if machine.squared_error < best.machine.squared_error {
            best = Best { space, machine };
        }
    }
    Ok(best)
}

/// Whether the mean of numbers is above zero by more than chance.
fn is_certainly_positive(numbers: &[f64]) -> bool {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|v| (v - mean).powi(2)).sum();
    numbers.len() > 1 && mean > CERTAIN * (squares / (n - 1.0) / n).sqrt()
}

/// Whether a machine is better than guessing on samples whose class has other labels. Where no class has two, nobody
/// can say, and it gets the benefit of the doubt.
fn is_better_than_guessing(machine: &Machine, known: &[Known], classes: usize) -> bool {
    let mut labels = vec![0usize; classes];
    for known in known {
        labels[known.class] += 1;
    }
    let pairs = known.iter().zip(machine.guesses.iter().zip(&machine.errors));
    let gain: Vec<f64> = pairs
        .filter(|(known, _)| labels[known.class] > 1)
        .map(|(_, (guess, error))| guess - error)
        .collect();
    gain.is_empty() || is_certainly_positive(&gain)
}

/// The share of the samples' scatter that is between classes, beyond that of as many classes at random.
pub(crate) fn explained(
    y: &Matrix<f64>,
    decided: &[(usize, f64)],
    means: &Matrix<f64>,
    map: &Matrix<f64>,
) -> f64 {
    let count = y.cols().max(2) as f64;
    let sums = y.row_sums();
    let centred = |values: &Matrix<f64>| {
        let about =
            Matrix::from_fn(y.rows(), values.cols(), |i, j| values[(i, j)] - sums[i] / count);
        product(map.view(), about.view())
    };
    let (all, of_classes) = (centred(y).norm_sq(), centred(means));
    let length = |class: usize| of_classes.col(class).iter().map(|v| v * v).sum::<f64>();
    let lengths: Vec<f64> = (0..means.cols()).map(length).collect();
    let between: f64 = decided.iter().map(|(class, _)| lengths[*class]).sum();
    let random = (means.cols() as f64 - 1.0) / (count - 1.0);
    if all > 0.0 { between / all - random } else { 0.0 }
}

/// The mean column of each class; zeros for one that no sample is decided to be of.
pub(crate) fn class_means(
    y: &Matrix<f64>,
    decided: &[(usize, f64)],
    classes: usize,
) -> Matrix<f64> {
    let mut means = Matrix::zeros(y.rows(), classes);
    let mut counts = vec![0.0f64; classes];
    for (column, (class, _)) in y.columns().zip(decided) {
        means.col_mut(*class).iter_mut().zip(column).for_each(|(m, v)| *m += v);
        counts[*class] += 1.0;
    }
    for (class, count) in counts.into_iter().enumerate() {
        means.col_mut(class).iter_mut().for_each(|m| *m /= count.max(1.0));
    }
    means
}

/// What samples of a combination of classes have in common beyond the means of its classes.
pub(crate) struct Cells {
    /// The numbers of the combinations, ascending.
    pub(super) codes: Vec<u64>,
    /// What is taken off the samples of each.
    pub(super) means: Matrix<f64>,
}

impl Left {
    /// The combinations of classes that at least two samples have, and their means, which count as one sample less. None
    /// before two attributes are taken off: combinations are classes then.
    fn cells_of_their_own(&self) -> Cells {
        let y = self.view(true);
        let mut members: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (column, code) in self.codes().iter().enumerate() {
            members.entry(*code).or_default().push(column);
        }
        members.retain(|_, columns| columns.len() > 1);
        if self.taken() < 2 || !self.is_new() || members.len() > MOST_CELLS {
            members.clear();
        }
        let mut means = Matrix::zeros(y.rows(), members.len());
        for (cell, columns) in members.values().enumerate() {
            let share = 1.0 / (columns.len() as f64 + PRIOR);
            for column in columns {
                let mean = means.col_mut(cell).iter_mut().zip(y.col(*column));
                mean.for_each(|(m, v)| *m += share * v);
            }
        }
        Cells { codes: members.into_keys().collect(), means }
    }
}
