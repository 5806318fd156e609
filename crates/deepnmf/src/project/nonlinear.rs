//! Features of new samples in a nonlinear model.
//!
//! * Method 1 goes up layer by layer: `h_1 = Z_1^+ x`, `h_i = Z_i^+ g^-1(h_{i-1})`, with what lies
//!   outside of the range of `g` brought into it first.
//! * Method 2 minimises `|x - Z_1 g(Z_2 ... g(Z_l h))|` over `h >= 0` by accelerated projected
//!   gradients. The problem is not convex: the answer is a local minimum near where it begins, which
//!   is the best of what non-negative least squares give layer by layer, of the mean features of the
//!   training set, and of the features of that training sample whose reconstruction is nearest. So
//!   the training set does not come back with a larger error than the fit had. Each sample has a
//!   step size and a momentum of its own, so its features do not depend on the samples it comes with.
//!   Neighbours add `lambda |Phi_i (h_i - m_i)|^2` for some layers `i` (`joint.rs`).

#[cfg(test)]
#[path = "nonlinear_tests.rs"]
mod tests;

use rayon::prelude::*;

use crate::activation::Activation;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, dot, mul_block, product};
use crate::models::Factors;
use crate::update::BasisProducts;

/// Samples that one task handles.
const BLOCK: usize = 256;

/// The most steps of a sample.
const MOST_STEPS: usize = 500;

/// A sample is done once an accepted step gains less than this share of its squared length, or less than that
/// share of what is left of it. The first is rounding; the second keeps a projection from taking longer than
/// the fit: the loss is flat, and a sample could gain a little for hundreds of steps.
const NEGLIGIBLE: f64 = 1e-8;
const LITTLE: f64 = 1e-3;

/// The most training samples that new ones are compared with; of more, some at even distances.
const MOST_TRAINED: usize = 4096;

/// The first step, as a share of the features' own length.
const FIRST_STEP: f64 = 1e-2;

/// By how much a step may grow from one to the next.
const GROWTH: f64 = 1.2;

/// Method 1.
pub(super) fn by_inverses<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: &Factors<T>,
    layer: usize,
) -> Result<Matrix<T>> {
    factors.z[1..layer].iter().try_fold(super::by_basis(x, &factors.z[0])?, |h, z| {
        super::by_basis(&factors.activation.invert(&h), z)
    })
}

/// By how much samples are drawn to the mean features of their neighbours in a layer.
pub(super) struct Pull<T> {
    /// `Phi_i^T Phi_i`.
    pub(super) gram: Matrix<T>,
    /// `m_i` of each sample.
    pub(super) means: Matrix<T>,
    /// `lambda` for each sample that has neighbours, else zero.
    pub(super) weights: Vec<T>,
}

/// Method 2; `pulls` are those of layers from this one down.
pub(super) fn by_descent<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: &Factors<T>,
    layer: usize,
    pulls: &[Option<Pull<T>>],
) -> Result<Matrix<T>> {
    let mut h = layer_by_layer(x, factors, layer)?;
    let z = &factors.z[0];
    let BasisProducts { phi_t_x: target, phi_t_phi: gram } = BasisProducts::of(x, z)?;
    let chain = Chain { z: &factors.z[1..layer], g: factors.activation, gram, pulls };
    let lengths = x.sample_norms_sq()?;
    let (k, k1) = (h.rows(), z.cols());
    let trained = factors.h.get(layer - 1).map(|h| Trained::of(&chain, h));
    h.as_mut_slice()
        .par_chunks_mut(BLOCK * k)
        .zip(target.as_slice().par_chunks(BLOCK * k1))
        .zip(lengths.par_chunks(BLOCK))
        .enumerate()
        .try_for_each(|(block, ((h, target), lengths))| {
            let columns = block * BLOCK..block * BLOCK + lengths.len();
            let aim = Aim { target: target.to_vec(), columns: columns.collect() };
            let mut samples = Samples::new(&chain, aim, lengths, h);
            if let Some(trained) = &trained {
                samples.begin_from(&trained.mean.repeat(lengths.len()), h);
                samples.begin_from(&trained.nearest(target, lengths.len()), h);
            }
            samples.settle(h, x)
        })?;
    Ok(h)
}

/// Method 1 with non-negative least squares in every layer, roughly.
fn layer_by_layer<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: &Factors<T>,
    layer: usize,
) -> Result<Matrix<T>> {
    factors.z[1..layer].iter().try_fold(super::about_non_negative(x, &factors.z[0])?, |h, z| {
        super::about_non_negative(&factors.activation.invert(&h), z)
    })
}

fn mean_features<T: Scalar>(h: &Matrix<T>) -> Vec<T> {
    h.row_sums().into_iter().map(|sum| T::from_f64(sum / h.cols() as f64)).collect()
}

/// What all samples share.
struct Chain<'a, T> {
    /// `Z_2 .. Z_l`.
    z: &'a [Matrix<T>],
    g: Activation,
    /// `Z_1^T Z_1`.
    gram: Matrix<T>,
    /// What draws samples to others, from the top layer down.
    pulls: &'a [Option<Pull<T>>],
}

/// What some samples are to come near to.
struct Aim<T> {
    /// `Z_1^T x` of each.
    target: Vec<T>,
    /// Which samples they are among all.
    columns: Vec<usize>,
}

impl<T: Scalar> Aim<T> {
    fn samples(&self) -> usize {
        self.columns.len()
    }

    /// That of some of them.
    fn of_some(&self, active: &[usize]) -> Self {
        let k1 = self.target.len() / self.samples();
        Self {
            target: gathered(&self.target, active, k1),
            columns: active.iter().map(|j| self.columns[*j]).collect(),
        }
    }
}

/// The training set as far as it says where to begin.
struct Trained<T> {
    mean: Vec<T>,
    h: Matrix<T>,
    /// What `h` stands for in layer 1.
    signal: Matrix<T>,
    /// `|Z_1 signal|^2 / 2` of each sample.
    halves: Vec<f64>,
}

impl<T: Scalar> Trained<T> {
    fn of(chain: &Chain<'_, T>, features: &Matrix<T>) -> Self {
        let (k, n) = features.shape();
        let kept = n.min(MOST_TRAINED);
        let h = Matrix::from_fn(k, kept, |i, j| features[(i, j * n / kept)]);
        let up = |h: Matrix<T>, z: &Matrix<T>| chain.g.apply(&product(z.view(), h.view()));
        let signal = chain.z.iter().rev().fold(h.clone(), up);
        let shadow = product(chain.gram.view(), signal.view());
        let halves = signal.columns().zip(shadow.columns()).map(|(a, b)| 0.5 * dot(a, b)).collect();
        Self { mean: mean_features(features), h, signal, halves }
    }

    /// The features of the sample whose reconstruction is nearest, for each of `n` targets. Distances are
    /// those of reconstructions, from products that are at hand, so no search over samples serves.
    fn nearest(&self, target: &[T], n: usize) -> Vec<T> {
        let target = matrix(target.to_vec(), n);
        let mut alike = Matrix::zeros(self.signal.cols(), n);
        mul_block(alike.as_mut_slice(), self.signal.t(), target.view());
        let mut nearest = Vec::with_capacity(n * self.h.rows());
        for alike in alike.columns() {
            let value = |j: usize| self.halves[j] - alike[j].to_f64();
            let best = (0..alike.len()).fold(0, |a, b| if value(b) < value(a) { b } else { a });
            nearest.extend_from_slice(self.h.col(best));
        }
        nearest
    }
}

/// Some samples at work.
struct Samples<'a, T> {
    chain: &'a Chain<'a, T>,
    aim: Aim<T>,
    lengths: &'a [f64],
    each: Vec<Sample>,
    before: Vec<T>,
}

#[derive(Clone)]
struct Sample {
    value: f64,
    step: f64,
    momentum: f64,
    done: bool,
}

impl<'a, T: Scalar> Samples<'a, T> {
    fn new(chain: &'a Chain<'a, T>, aim: Aim<T>, lengths: &'a [f64], h: &[T]) -> Self {
        let each =
            vec![Sample { value: 0.0, step: 0.0, momentum: 1.0, done: false }; lengths.len()];
        Self { chain, aim, lengths, each, before: h.to_vec() }
    }

    /// Replaces the features of every sample that those of `start` explain better.
    fn begin_from(&mut self, start: &[T], h: &mut [T]) {
        let k = h.len() / self.each.len();
        let values = |h: &[T]| self.chain.forward(h, &self.aim).values;
        let (given, started) = (values(h), values(start));
        for (j, (given, started)) in given.into_iter().zip(started).enumerate() {
            if started < given {
                let column = j * k..(j + 1) * k;
                h[column.clone()].copy_from_slice(&start[column]);
            }
        }
        self.before.copy_from_slice(h);
    }

    fn settle(mut self, h: &mut [T], x: &dyn DataMatrix<T>) -> Result<()> {
        let k = h.len() / self.each.len();
        let Evaluated { values, gradient } = self.chain.evaluate(h, &self.aim);
        for (j, sample) in self.each.iter_mut().enumerate() {
            let column = j * k..(j + 1) * k;
            let length = |v: &[T]| dot(v, v).sqrt();
            let ratio = length(&h[column.clone()]) / length(&gradient[column]);
            sample.value = values[j];
            sample.step = FIRST_STEP * if ratio.is_normal() { ratio } else { 1.0 };
        }
        for _ in 0..MOST_STEPS {
            let active: Vec<usize> = (0..self.each.len()).filter(|j| !self.each[*j].done).collect();
            if active.is_empty() {
                break;
            }
            x.go_on()?;
            self.advance(&active, h, k);
        }
        Ok(())
    }

    /// One step of the samples that are not done; the others cost nothing.
    fn advance(&mut self, active: &[usize], h: &mut [T], k: usize) {
        let aim = self.aim.of_some(active);
        let mut ahead: Vec<T> = gathered(h, active, k);
        for (a, j) in ahead.chunks_exact_mut(k).zip(active) {
            let momentum = self.each[*j].momentum;
            let beta = T::from_f64((momentum - 1.0) / next_momentum(momentum));
            for (a, before) in a.iter_mut().zip(&self.before[j * k..(j + 1) * k]) {
                *a = (*a + beta * (*a - *before)).larger(T::ZERO);
            }
        }
        let Evaluated { values, gradient } = self.chain.evaluate(&ahead, &aim);
        let mut there = ahead.clone();
        for ((there, g), j) in there.chunks_exact_mut(k).zip(gradient.chunks_exact(k)).zip(active) {
            let step = T::from_f64(self.each[*j].step);
            there.iter_mut().zip(g).for_each(|(v, g)| *v = (*v - step * *g).larger(T::ZERO));
        }
        let values_there = self.chain.forward(&there, &aim).values;
        for (place, &j) in active.iter().enumerate() {
            let here = place * k..(place + 1) * k;
            let (there, ahead) = (&there[here.clone()], &ahead[here.clone()]);
            let model = descent_model(there, ahead, &gradient[here], self.each[j].step);
            let (new, limit) = (values_there[place], NEGLIGIBLE * self.lengths[j]);
            let sample = &mut self.each[j];
            // Rounding in the two values must not pass for a violation.
            if new > values[place] + model + limit * 1e-4 {
                sample.step *= 0.5;
                sample.done = sample.step < f64::MIN_POSITIVE.sqrt();
            } else if new > sample.value {
                sample.done = sample.momentum <= 1.0;
                sample.momentum = 1.0;
            } else {
                let left = (self.lengths[j] + 2.0 * new).max(0.0);
                sample.done = sample.value - new <= limit.max(LITTLE * left / 2.0);
                sample.value = new;
                sample.step *= GROWTH;
                sample.momentum = next_momentum(sample.momentum);
                let column = j * k..(j + 1) * k;
                self.before[column.clone()].copy_from_slice(&h[column.clone()]);
                h[column].copy_from_slice(there);
            }
        }
    }
}

/// Some columns of length `k`, one after the other.
fn gathered<T: Scalar>(all: &[T], columns: &[usize], k: usize) -> Vec<T> {
    columns.iter().flat_map(|j| &all[j * k..(j + 1) * k]).copied().collect()
}

impl<T: Scalar> Chain<'_, T> {
    /// One pass from the features of samples down to the data.
    fn forward(&self, h: &[T], aim: &Aim<T>) -> Forward<T> {
        let n = aim.samples();
        let mut before = Vec::with_capacity(self.z.len());
        let mut signal = matrix(h.to_vec(), n);
        let mut values = vec![0.0; n];
        let mut pulled = vec![self.pull(0, &signal, aim, &mut values)];
        for (level, z) in (1..).zip(self.z.iter().rev()) {
            let mut a = Matrix::zeros(z.rows(), n);
            mul_block(a.as_mut_slice(), z.view(), signal.view());
            signal = a.map(|v| T::from_f64(self.g.value(v.to_f64())));
            pulled.push(self.pull(level, &signal, aim, &mut values));
            before.push(a);
        }
        let mut slope = Matrix::zeros(signal.rows(), n);
        mul_block(slope.as_mut_slice(), self.gram.view(), signal.view());
        let k1 = signal.rows();
        for (j, value) in values.iter_mut().enumerate() {
            let target = &aim.target[j * k1..(j + 1) * k1];
            let (k, slope) = (signal.col(j), slope.col_mut(j));
            *value += 0.5 * dot(k, slope) - dot(k, target);
            slope.iter_mut().zip(target).for_each(|(s, t)| *s -= *t);
        }
        Forward { before, slope, pulled, values }
    }

    /// Adds `lambda |Phi_i (h_i - m_i)|^2 / 2` of the features of a layer, counted from the top and 0, to the values, and
    /// returns its gradient.
    fn pull(
        &self,
        level: usize,
        h: &Matrix<T>,
        aim: &Aim<T>,
        values: &mut [f64],
    ) -> Option<Matrix<T>> {
        let Pull { gram, means, weights } = self.pulls.get(level)?.as_ref()?;
        let away =
            Matrix::from_fn(h.rows(), h.cols(), |i, j| h[(i, j)] - means[(i, aim.columns[j])]);
        let mut slope = Matrix::zeros(h.rows(), h.cols());
        mul_block(slope.as_mut_slice(), gram.view(), away.view());
        for (j, value) in values.iter_mut().enumerate() {
            let weight = weights[aim.columns[j]];
            *value += 0.5 * weight.to_f64() * dot(away.col(j), slope.col(j));
            slope.col_mut(j).iter_mut().for_each(|s| *s *= weight);
        }
        Some(slope)
    }

    /// `(|x - Z_1 g(...)|^2 - |x|^2) / 2` of each sample and what draws it to others, and the gradient.
    fn evaluate(&self, h: &[T], aim: &Aim<T>) -> Evaluated<T> {
        let Forward { before, slope: mut delta, mut pulled, values } = self.forward(h, aim);
        let draw = |delta: &mut Matrix<T>, pull: Option<Option<Matrix<T>>>| {
            if let Some(Some(pull)) = pull {
                delta.as_mut_slice().iter_mut().zip(pull.as_slice()).for_each(|(d, p)| *d += *p);
            }
        };
        draw(&mut delta, pulled.pop());
        for (z, a) in self.z.iter().zip(before.iter().rev()) {
            for (d, a) in delta.as_mut_slice().iter_mut().zip(a.as_slice()) {
                *d *= T::from_f64(self.g.derivative(a.to_f64()));
            }
            let mut down = Matrix::zeros(z.cols(), delta.cols());
            mul_block(down.as_mut_slice(), z.t(), delta.view());
            delta = down;
            draw(&mut delta, pulled.pop());
        }
        Evaluated { values, gradient: delta.into_vec() }
    }
}

/// The value of each sample, and the gradient of all.
struct Evaluated<T> {
    values: Vec<f64>,
    gradient: Vec<T>,
}

/// What a pass from the features down to the data has found.
struct Forward<T> {
    /// The inputs of `g` in each layer from the top.
    before: Vec<Matrix<T>>,
    /// The gradient of the error with respect to the features of layer 1.
    slope: Matrix<T>,
    /// That of what draws samples to others with respect to the features of each layer from the top.
    pulled: Vec<Option<Matrix<T>>>,
    /// The value of each sample.
    values: Vec<f64>,
}

/// What the descent lemma allows a step from `ahead` to `there` to add to the value.
fn descent_model<T: Scalar>(there: &[T], ahead: &[T], gradient: &[T], step: f64) -> f64 {
    let pairs = there.iter().zip(ahead).zip(gradient);
    pairs
        .map(|((there, ahead), g)| {
            let moved = there.to_f64() - ahead.to_f64();
            moved * g.to_f64() + moved * moved / (2.0 * step)
        })
        .sum()
}

fn next_momentum(momentum: f64) -> f64 {
    f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt())
}

fn matrix<T: Scalar>(data: Vec<T>, cols: usize) -> Matrix<T> {
    let rows = data.len() / cols;
    Matrix::from_vec(rows, cols, data).unwrap_or_else(|_| unreachable!("whole columns"))
}
