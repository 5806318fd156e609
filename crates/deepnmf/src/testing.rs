//! What several tests need: random matrices and slow, literal arithmetic.

use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{Matrix, MatrixView, Parts, Scalar};
use crate::rng::{Purpose, normal_columns};

/// Standard normal numbers.
pub(crate) fn normal<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Matrix<T> {
    normal_columns(rows, 0..cols, seed, Purpose::Start)
}

/// Absolute values of standard normal numbers.
pub(crate) fn positive<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Matrix<T> {
    normal::<T>(rows, cols, seed).map(Scalar::magnitude)
}

/// The same samples in the unit in which fits see data, so that objectives with a penalty are those of the
/// factors as they are returned.
pub(crate) fn in_common_unit<T: Scalar>(mut x: Matrix<T>) -> Matrix<T> {
    let exponent = crate::matrix::unit_exponent(&x).unwrap();
    crate::matrix::scale_by_power(&mut x, exponent);
    x
}

/// The product of two matrices by its definition.
pub(crate) fn literal_product<T: Scalar>(
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
) -> Matrix<f64> {
    assert_eq!(a.cols(), b.rows());
    Matrix::from_fn(a.rows(), b.cols(), |i, j| {
        (0..a.cols()).map(|l| a.get(i, l).to_f64() * b.get(l, j).to_f64()).sum()
    })
}

/// `a - b`.
pub(crate) fn difference(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    assert_eq!(a.shape(), b.shape());
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)])
}

/// The largest difference of two matrices relative to the largest entry of the second.
pub(crate) fn distance<T: Scalar, U: Scalar>(a: &Matrix<T>, b: &Matrix<U>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let largest = |m: &mut dyn Iterator<Item = f64>| m.fold(0.0f64, |l, v| l.max(v.abs()));
    let off =
        largest(&mut a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a.to_f64() - b.to_f64()));
    off / largest(&mut b.as_slice().iter().map(|b| b.to_f64())).max(f64::MIN_POSITIVE)
}

/// `|X - Phi H|_F` by its definition.
pub(crate) fn literal_error<T: Scalar>(x: &Matrix<T>, phi: &Matrix<T>, h: &Matrix<T>) -> f64 {
    difference(&x.cast(), &literal_product(phi.view(), h.view())).norm_sq().sqrt()
}

/// How far `h` is from the optimality conditions of `min |X - Phi H|` over `H >= 0`, relative to
/// the largest entry of `b`: descent left at zero entries, slope left at positive ones.
pub(crate) fn optimality<T: Scalar>(gram: &Matrix<f64>, b: &Matrix<f64>, h: &Matrix<T>) -> f64 {
    let slope = difference(b, &literal_product(gram.view(), h.cast::<f64>().view()));
    let scale = b.as_slice().iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let off = |(s, h): (&f64, &T)| if h.to_f64() > 0.0 { s.abs() } else { s.max(0.0) };
    assert!(h.as_slice().iter().all(|h| *h >= T::ZERO), "a feature is negative");
    slope.as_slice().iter().zip(h.as_slice()).map(off).fold(0.0, f64::max) / scale
}

/// Any graph, written out: what every other one must equal.
pub(crate) struct DenseGraph {
    w: Matrix<f64>,
    degrees: Vec<f64>,
}

impl DenseGraph {
    pub(crate) fn new(w: Matrix<f64>) -> Self {
        let degrees = w.columns().map(|weights| weights.iter().map(|w| w.abs()).sum()).collect();
        Self { w, degrees }
    }

    /// `lambda` times the graph that connects samples of the same class.
    pub(crate) fn of_labels(lambda: f64, labels: &[Option<u32>]) -> Self {
        let same = |j: usize, l: usize| labels[j].is_some() && labels[j] == labels[l];
        let weight = |j, l| if same(j, l) { lambda } else { 0.0 };
        Self::new(Matrix::from_fn(labels.len(), labels.len(), weight))
    }

    /// `sum_jl |w_jl| |h_j - sign(w_jl) h_l|^2 / 2`.
    pub(crate) fn literal_penalty(&self, h: &Matrix<f64>) -> f64 {
        let n = self.degrees.len();
        let pair = |j: usize, l: usize| {
            let w = self.w[(j, l)];
            let away = h.col(j).iter().zip(h.col(l)).map(|(a, b)| (a - w.signum() * b).powi(2));
            w.abs() * away.sum::<f64>() / 2.0
        };
        (0..n).map(|j| (0..n).map(|l| pair(j, l)).sum::<f64>()).sum()
    }
}

impl Graph<f64> for DenseGraph {
    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.degrees.len())
    }

    fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        let product = literal_product(h.view(), self.w.view());
        let both = out.as_mut_slice().iter_mut().zip(product.as_slice());
        both.for_each(|(out, product)| *out += factor * product);
        Ok(())
    }

    fn is_positive(&self) -> bool {
        false // not that anybody knows
    }
}
