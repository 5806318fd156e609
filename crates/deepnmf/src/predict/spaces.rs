//! The spaces in which machines may work: `q = map y`, where `y` are the coordinates of samples that a model has.

use super::learn::Known;
use super::ridge::{Machine, ridge};
use crate::activation::Activation;
use crate::error::Result;
use crate::matrix::{
    Matrix, Parts, Scalar, Whitening, gram_of_columns, gram_of_rows, product, scale,
    symmetric_eigen,
};
use crate::models::Factors;

/// From which component on spaces fade out where they are softly whitened, as shares of their size.
const FADES: [f64; 2] = [0.2, 0.4];

/// A space in which a machine may work: `q = map y`, where the samples are uncorrelated.
pub(crate) struct Space {
    pub(super) layer: usize,
    /// `r x k_1`.
    pub(super) map: Matrix<f64>,
}

impl Space {
    /// Those of coordinates that are orthonormal already.
    pub(crate) fn as_it_is(y: &Matrix<f64>) -> Result<Vec<Self>> {
        if y.rows() == 0 { Ok(vec![]) } else { softened(1, &Matrix::identity(y.rows()), y) }
    }

    /// The machine for known samples, with weights for `y` itself.
    pub(super) fn machine(
        &self,
        y: &Matrix<f64>,
        known: &[Known],
        classes: usize,
    ) -> Result<Machine> {
        let labelled = Matrix::from_fn(y.rows(), known.len(), |i, j| y[(i, known[j].column)]);
        let q = product(self.map.view(), labelled.view());
        let of: Vec<usize> = known.iter().map(|known| known.class).collect();
        let machine = ridge(&q, &of, classes)?;
        Ok(Machine { weights: product(machine.weights.view(), self.map.view()), ..machine })
    }
}

/// The spaces of all layers, as the data are and softly whitened; of nonlinear models and those that read features
/// the space of the first layer alone.
pub(super) fn spaces<T: Scalar>(factors: &Factors<T>, y: &Matrix<f64>) -> Result<Vec<Space>> {
    let k = y.rows();
    let mut z = factors.z[0].cast::<f64>();
    let unit = size_of(&z);
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
        spaces.extend(softened(layer, &map, y)?);
    }
    Ok(spaces)
}

/// A space turned such that the samples are uncorrelated there, and the same softly whitened.
pub(super) fn softened(layer: usize, map: &Matrix<f64>, y: &Matrix<f64>) -> Result<Vec<Space>> {
    let q = product(map.view(), about_mean(y).0.view());
    let mut scatter = Matrix::zeros(q.rows(), q.rows());
    gram_of_rows(&mut scatter, &q, Parts::whole(q.cols()))?;
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

/// The power of two next to the largest entry, or zero.
pub(crate) fn size_of(a: &Matrix<f64>) -> f64 {
    let largest = a.as_slice().iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if largest.is_normal() { largest.log2().floor().exp2() } else { 0.0 }
}

/// Columns about their mean, and that mean.
pub(super) fn about_mean(y: &Matrix<f64>) -> (Matrix<f64>, Vec<f64>) {
    let count = y.cols().max(1) as f64;
    let mean: Vec<f64> = y.row_sums().into_iter().map(|sum| sum / count).collect();
    (Matrix::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - mean[i]), mean)
}
