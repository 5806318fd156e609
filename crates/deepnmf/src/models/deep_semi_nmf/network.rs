//! The losses of deep models and their gradients.
//!
//! With `A_i = Z_i H^_i`, `H^_{i-1} = g(A_i)` and `H^_j = H_j`, the signal that layer `j` sends down
//! to the first is `K_j = H^_1`. The losses are
//!
//! ```text
//! paper:  |X - Z_1 K_m|^2 / 2
//! data:   sum_j w_j |X - Z_1 K_j|^2 / 2
//! layer:  w_1 |X - Z_1 H_1|^2 / 2 + sum_{i>1} w_i |H_{i-1} - g(Z_i H_i)|^2 / 2
//! ```
//!
//! plus a ridge on the bases, an l1 norm on the features that are variables and, for a layer with a
//! graph, `Tr(Phi_i H^_i L_i H^_i^T Phi_i^T) / 2` with `Phi_i = Z_1 ... Z_i`, or the printed
//! `Tr(H^_i L_i H^_i^T) / 2` (with `H_i` instead in the last two losses). `Z_1` appears in them
//! only through least squares: it can be a variable like all others, or follow from them (the gradient
//! with respect to them is then the one with `Z_1` held at its optimum).

use crate::activation::Activation;
use crate::descent::{Evaluated, Objective, Point};
use crate::error::Result;
use crate::graph::times_laplacian;
use crate::matrix::{
    DataMatrix, Matrix, PartColumns, Parts, Scalar, Whitening, add_mul, add_scaled,
    gram_of_columns, gram_of_rows, mul, product, scale,
};
use crate::models::Factors;
use crate::models::factors::chain;
use crate::objective::Fitted;
use crate::update::BasisProducts;

use super::fit::Goal;
use super::params::Loss;

/// The least ridge on an eliminated `Z_1`, as a share of the mean squared length of the first
/// layer's features. It keeps the least squares problem well conditioned, also in `f32`, and with it
/// the gradient smooth.
const FLOOR: f64 = 3e-5;

/// A loss as a function of the bases and features that are its variables: `Z_1` unless it is
/// eliminated, `Z_2 .. Z_m`, then the features (only `H_m` in the paper's loss).
pub(super) struct Network<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    depth: usize,
    activation: Activation,
    goal: Goal<'a, T>,
    /// `Z_1` if it follows from the others.
    eliminated: Option<Eliminated<T>>,
}

struct Eliminated<T> {
    z: Matrix<T>,
    x_kt: Matrix<T>,
    /// The least ridge.
    floor: f64,
}

/// What layer `j` sends down to the first.
struct Signal<T> {
    layer: usize,
    weight: f64,
    /// `A_j .. A_2`.
    before: Vec<Matrix<T>>,
    /// `H^_{j-1} .. H^_1`.
    after: Vec<Matrix<T>>,
    /// `K K^T`.
    gram: Matrix<f64>,
}

impl<'a, T: Scalar> Network<'a, T> {
    /// The loss of a model with these factors, with `Z_1` eliminated or not.
    pub(super) fn new(
        x: &'a dyn DataMatrix<T>,
        factors: &Factors<T>,
        goal: Goal<'a, T>,
        eliminate: bool,
    ) -> Result<Self> {
        let (x_norm_sq, parts) = (x.norm_sq()?, x.parts());
        let k = factors.z[0].cols();
        let mean_square = parts.sum_of(factors.h[0].norm_sq())? / k as f64;
        let eliminated = eliminate.then(|| Eliminated {
            z: factors.z[0].clone(),
            x_kt: Matrix::zeros(x.shape().0, k),
            floor: FLOOR * mean_square,
        });
        Ok(Self {
            x,
            x_norm_sq,
            depth: factors.depth(),
            activation: factors.activation,
            goal: goal.for_samples_of(x_norm_sq / parts.total() as f64),
            eliminated,
        })
    }

    /// The variables of this loss, out of the factors of a model.
    pub(super) fn point_of(&self, factors: Factors<T>) -> Point<T> {
        let eliminated = usize::from(self.eliminated.is_some());
        let features = self.first_feature() - 1;
        factors.z.into_iter().skip(eliminated).chain(factors.h.into_iter().skip(features)).collect()
    }

    /// The factors of the model at a point; features that are no variables are computed.
    pub(super) fn factors_at(&mut self, point: &Point<T>) -> Result<Factors<T>> {
        let signals = self.signals(point)?;
        self.solve_first_basis(point, &signals)?;
        let z: Vec<_> = (1..=self.depth).map(|i| self.basis(point, i).clone()).collect();
        let h = match self.goal.loss {
            Loss::Paper => {
                let top = self.features(point, self.depth).clone();
                let mut implied = signals.into_iter().flat_map(|s| s.after).collect::<Vec<_>>();
                implied.reverse();
                implied.push(top);
                implied
            }
            Loss::Layer | Loss::Data => {
                (1..=self.depth).map(|i| self.features(point, i).clone()).collect()
            }
        };
        Ok(Factors { activation: self.activation, ..Factors::new(z, h) })
    }

    /// The first layer whose features are variables.
    fn first_feature(&self) -> usize {
        if self.goal.loss == Loss::Paper { self.depth } else { 1 }
    }

    fn basis_block(&self, layer: usize) -> usize {
        layer - 1 - usize::from(self.eliminated.is_some())
    }

    fn feature_block(&self, layer: usize) -> usize {
        self.basis_block(self.depth + 1) + layer - self.first_feature()
    }

    fn basis<'b>(&'b self, point: &'b Point<T>, layer: usize) -> &'b Matrix<T> {
        match &self.eliminated {
            Some(first) if layer == 1 => &first.z,
            _ => &point[self.basis_block(layer)],
        }
    }

    fn features<'b>(&self, point: &'b Point<T>, layer: usize) -> &'b Matrix<T> {
        &point[self.feature_block(layer)]
    }

    /// The signals that meet the data.
    fn signals(&self, point: &Point<T>) -> Result<Vec<Signal<T>>> {
        let layers = match self.goal.loss {
            Loss::Paper => self.depth..=self.depth,
            Loss::Layer => 1..=1,
            Loss::Data => 1..=self.depth,
        };
        let weight = |layer: usize| {
            if self.goal.loss == Loss::Paper { 1.0 } else { self.goal.weights[layer - 1] }
        };
        layers.map(|layer| self.signal(point, layer, weight(layer))).collect()
    }

    fn signal(&self, point: &Point<T>, layer: usize, weight: f64) -> Result<Signal<T>> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for i in (2..=layer).rev() {
            let input = after.last().unwrap_or_else(|| self.features(point, layer));
            let a = product(self.basis(point, i).view(), input.view());
            after.push(self.activation.apply(&a));
            before.push(a);
        }
        let arrived = after.last().unwrap_or_else(|| self.features(point, layer));
        let mut gram = Matrix::zeros(arrived.rows(), arrived.rows());
        gram_of_rows(&mut gram, arrived, self.x.parts())?;
        Ok(Signal { layer, weight, before, after, gram })
    }

    /// `K`: the signal as it reaches the first layer.
    fn arrived<'b>(&self, point: &'b Point<T>, signal: &'b Signal<T>) -> &'b Matrix<T> {
        signal.after.last().unwrap_or_else(|| self.features(point, signal.layer))
    }

    /// `Z_1` by least squares over all signals, if it is no variable.
    fn solve_first_basis(&mut self, point: &Point<T>, signals: &[Signal<T>]) -> Result<()> {
        let Some(first) = &self.eliminated else { return Ok(()) };
        let k = first.z.cols();
        let mut gram = Matrix::<f64>::zeros(k, k);
        let mut sum = Matrix::<T>::zeros(k, self.x.shape().1);
        for signal in signals {
            add_scaled(&mut gram, signal.weight, &signal.gram);
            add_scaled(&mut sum, signal.weight, self.arrived(point, signal));
        }
        for i in 0..k {
            gram[(i, i)] += self.goal.ridge.max(first.floor);
        }
        for layer in 1..=self.depth {
            // Tr(Phi C Phi^T) with Phi = Z_1 Q is a ridge Q C Q^T on Z_1.
            let Some(scatter) = self.scatter(layer, self.features_at(point, signals, layer))?
            else {
                continue;
            };
            let above = self.between(point, 2, layer);
            let scatter = scatter.of_rows.cast::<f64>();
            let pulled = match above.map(|above| above.cast::<f64>()) {
                None => scatter,
                Some(q) => product(product(q.view(), scatter.view()).view(), q.t()),
            };
            add_scaled(&mut gram, 1.0, &pulled);
        }
        let Some(first) = &mut self.eliminated else { return Ok(()) };
        let inverse = Whitening::of::<T>(&gram)?.inverse;
        self.x.mul_tr(&sum, &mut first.x_kt)?;
        let mut left = first.x_kt.cast::<f64>();
        let mut z = product(left.view(), inverse.view());
        // The gradient is only as good as this answer is exact: once more, for what is left over.
        scale(&mut gram, -1.0);
        add_mul(&mut left, z.view(), gram.view());
        add_mul(&mut z, left.view(), inverse.view());
        first.z = z.cast();
        Ok(())
    }

    /// The part of the loss that compares signals with the data.
    fn meet_data(
        &self,
        point: &Point<T>,
        signals: &[Signal<T>],
        into: &mut Evaluated<T>,
    ) -> Result<()> {
        let z = self.basis(point, 1);
        let whole = !self.x.is_incomplete();
        let mut products = if whole { Some(BasisProducts::of(self.x, z)?) } else { None };
        for signal in signals {
            let arrived = self.arrived(point, signal);
            // Filled in with this signal, missing entries add nothing to value and slope.
            let left = self.x.fill_in(z, arrived)?;
            let products = match products.as_ref().filter(|_| whole) {
                Some(products) => products,
                None => products.insert(BasisProducts::of(self.x, z)?),
            };
            let fitted = Fitted { phi: z, h: arrived, products };
            let error = match left {
                Some(left) => left.sqrt(),
                None => fitted.error_with(self.x, self.x_norm_sq, &signal.gram)?,
            };
            into.value += signal.weight * error * error / 2.0;
            let mut delta = Matrix::zeros(arrived.rows(), arrived.cols());
            mul(&mut delta, products.phi_t_phi.view(), arrived.view());
            add_scaled(&mut delta, -1.0, &products.phi_t_x);
            scale(&mut delta, signal.weight);
            self.send_back(point, signal, delta, into)?;
            if self.eliminated.is_none() {
                self.first_basis_gradient(point, signal, &mut into.gradient[0])?;
            }
        }
        Ok(())
    }

    /// `dZ_1 += w (Z_1 K K^T - X K^T)`.
    fn first_basis_gradient(
        &self,
        point: &Point<T>,
        signal: &Signal<T>,
        gradient: &mut Matrix<T>,
    ) -> Result<()> {
        let z = self.basis(point, 1);
        let mut x_kt = Matrix::zeros(z.rows(), z.cols());
        self.x.mul_tr(self.arrived(point, signal), &mut x_kt)?;
        add_scaled(gradient, -signal.weight, &x_kt);
        let mut gram = signal.gram.cast::<T>();
        scale(&mut gram, signal.weight);
        add_mul(gradient, z.view(), gram.view());
        Ok(())
    }

    /// `dZ += delta H^T` over the samples of all parts.
    fn add_basis_gradient(
        &self,
        gradient: &mut Matrix<T>,
        delta: &Matrix<T>,
        h: &Matrix<T>,
    ) -> Result<()> {
        let parts = self.x.parts();
        if parts.is_whole() {
            add_mul(gradient, delta.view(), h.t());
            return Ok(());
        }
        let mut sum = product(delta.view(), h.t());
        parts.sum_matrix(&mut sum)?;
        add_scaled(gradient, 1.0, &sum);
        Ok(())
    }

    /// Takes the gradient `delta` with respect to a signal back to what made it.
    fn send_back(
        &self,
        point: &Point<T>,
        signal: &Signal<T>,
        mut delta: Matrix<T>,
        into: &mut Evaluated<T>,
    ) -> Result<()> {
        // A graph regularizes what a signal becomes on its way down only if that is the layer's features.
        let regularized = |layer| self.goal.loss == Loss::Paper || layer == signal.layer;
        if regularized(1) {
            self.regularize(point, 1, self.arrived(point, signal), &mut delta, into)?;
        }
        for i in 2..=signal.layer {
            let place = signal.layer - i; // layers are stored from the top down
            self.activation.chain_rule(&mut delta, &signal.before[place]);
            let input = match place {
                0 => self.features(point, signal.layer),
                _ => &signal.after[place - 1],
            };
            self.add_basis_gradient(&mut into.gradient[self.basis_block(i)], &delta, input)?;
            delta = product(self.basis(point, i).t(), delta.view());
            if regularized(i) {
                self.regularize(point, i, input, &mut delta, into)?;
            }
        }
        add_scaled(&mut into.gradient[self.feature_block(signal.layer)], 1.0, &delta);
        Ok(())
    }

    /// The features of a layer, variables or not.
    fn features_at<'b>(
        &self,
        point: &'b Point<T>,
        signals: &'b [Signal<T>],
        layer: usize,
    ) -> &'b Matrix<T> {
        match self.goal.loss {
            Loss::Paper if layer < self.depth => &signals[0].after[self.depth - 1 - layer],
            _ => self.features(point, layer),
        }
    }

    /// `Z_first ... Z_last`, or nothing for the identity.
    fn between(&self, point: &Point<T>, first: usize, last: usize) -> Option<Matrix<T>> {
        let bases: Vec<_> = (first..=last).map(|i| self.basis(point, i).clone()).collect();
        (!bases.is_empty()).then(|| chain(&bases))
    }

    /// What the scale-free penalty of a layer needs of its features, if it has one.
    fn scatter(&self, layer: usize, h: &Matrix<T>) -> Result<Option<Scatter<T>>> {
        let Some(graph) = self.goal.graphs.of(layer).filter(|_| self.goal.scale_free) else {
            return Ok(None);
        };
        let pull = times_laplacian(graph, h)?;
        let mut of_rows = Matrix::zeros(h.rows(), h.rows());
        PartColumns::new(pull.view(), self.x.parts()).mul_tr(h, &mut of_rows)?;
        Ok(Some(Scatter { pull, of_rows }))
    }

    /// Adds the graph penalty of a layer, its gradient with respect to the features to `delta`, and that with
    /// respect to the bases.
    fn regularize(
        &self,
        point: &Point<T>,
        layer: usize,
        h: &Matrix<T>,
        delta: &mut Matrix<T>,
        into: &mut Evaluated<T>,
    ) -> Result<()> {
        let Some(graph) = self.goal.graphs.of(layer) else { return Ok(()) };
        let Some(Scatter { pull, of_rows }) = self.scatter(layer, h)? else {
            let pull = times_laplacian(graph, h)?;
            into.value += self.x.parts().sum_of(pull.inner(h))? / 2.0;
            add_scaled(delta, 1.0, &pull);
            return Ok(());
        };
        let phi = chain(&(1..=layer).map(|i| self.basis(point, i).clone()).collect::<Vec<_>>());
        let mut gram = Matrix::zeros(phi.cols(), phi.cols());
        gram_of_columns(&mut gram, &phi);
        into.value += gram.inner(&of_rows).max(0.0) / 2.0;
        add_mul(delta, gram.view(), pull.view());
        // dPhi = Phi C, and Phi is a product.
        let slope = product(phi.view(), of_rows.view());
        let first = 1 + usize::from(self.eliminated.is_some());
        for i in first..=layer {
            let mut slope = slope.clone();
            if let Some(below) = self.between(point, 1, i - 1) {
                slope = product(below.t(), slope.view());
            }
            if let Some(above) = self.between(point, i + 1, layer) {
                slope = product(slope.view(), above.t());
            }
            add_scaled(&mut into.gradient[self.basis_block(i)], 1.0, &slope);
        }
        Ok(())
    }

    /// `w |H_{i-1} - g(Z_i H_i)|^2 / 2` for the layers above the first.
    fn meet_layers_below(&self, point: &Point<T>, into: &mut Evaluated<T>) -> Result<()> {
        for i in 2..=self.depth {
            let (z, h, weight) =
                (self.basis(point, i), self.features(point, i), self.goal.weights[i - 1]);
            let a = product(z.view(), h.view());
            let mut delta = self.activation.apply(&a); // g(Z_i H_i) - H_{i-1}
            add_scaled(&mut delta, -1.0, self.features(point, i - 1));
            into.value += weight * self.x.parts().sum_of(delta.norm_sq())? / 2.0;
            scale(&mut delta, weight);
            add_scaled(&mut into.gradient[self.feature_block(i - 1)], -1.0, &delta);
            self.activation.chain_rule(&mut delta, &a);
            self.add_basis_gradient(&mut into.gradient[self.basis_block(i)], &delta, h)?;
            let mut of_features = product(z.t(), delta.view());
            self.regularize(point, i, h, &mut of_features, into)?;
            add_scaled(&mut into.gradient[self.feature_block(i)], 1.0, &of_features);
        }
        Ok(())
    }

    fn penalise(&self, point: &Point<T>, into: &mut Evaluated<T>) -> Result<()> {
        if let Some(first) = &self.eliminated {
            into.value += self.goal.ridge.max(first.floor) * first.z.norm_sq() / 2.0;
        }
        for (block, (variables, gradient)) in point.iter().zip(&mut into.gradient).enumerate() {
            if !self.is_features(block) && self.goal.ridge > 0.0 {
                into.value += self.goal.ridge * variables.norm_sq() / 2.0;
                add_scaled(gradient, self.goal.ridge, variables);
            } else if self.is_features(block) && self.goal.sparsity > 0.0 {
                let sum: f64 = variables.as_slice().iter().map(|v| v.to_f64()).sum();
                into.value += self.goal.sparsity * self.x.parts().sum_of(sum)?;
                let slope = T::from_f64(self.goal.sparsity);
                gradient.as_mut_slice().iter_mut().for_each(|g| *g += slope);
            }
        }
        Ok(())
    }
}

/// `H L` and `H L H^T` of a layer's features.
struct Scatter<T> {
    pull: Matrix<T>,
    of_rows: Matrix<T>,
}

impl<T: Scalar> Objective<T> for Network<'_, T> {
    fn evaluate(&mut self, point: &Point<T>) -> Result<Evaluated<T>> {
        let signals = self.signals(point)?;
        self.solve_first_basis(point, &signals)?;
        let gradient = point.iter().map(|b| Matrix::zeros(b.rows(), b.cols())).collect();
        let mut evaluated = Evaluated { value: 0.0, gradient };
        self.meet_data(point, &signals, &mut evaluated)?;
        if self.goal.loss == Loss::Layer {
            self.meet_layers_below(point, &mut evaluated)?;
        }
        self.penalise(point, &mut evaluated)?;
        Ok(evaluated)
    }

    fn is_features(&self, block: usize) -> bool {
        block >= self.basis_block(self.depth + 1)
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }
}
