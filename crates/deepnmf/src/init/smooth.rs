//! The decomposition behind the minimum of `|X - P|^2 + Tr(P L P^T)` over matrices `P` of rank `k`.
//!
//! With `M = I + L` the objective is `|P M^1/2 - X M^-1/2|^2` and a constant, so `P M^1/2` is the truncated singular
//! value decomposition `U S V^T` of `X M^-1/2` (Eckart & Young), and
//!
//! ```text
//! P = U (S V^T M^-1/2),        X M^-1 X^T = U S^2 U^T,        S V^T M^-1/2 = U^T X M^-1
//! ```
//!
//! No root of `M` is ever formed: the eigenvectors `U` of `X M^-1 X^T` and one more solution with `M` are all it
//! takes. `M^-1` has no negative entry where `W` has none, and nor has `M^-1/2`. So for non-negative data the rows of
//! `V^T M^-1/2` span a positive vector as those of `V^T` do, and the shift of `svd.rs` reaches the minimum with
//! non-negative features: the best model with this penalty is known in closed form too.
//!
//! The product `P` leaves open in which coordinates features are returned, and these decide what is near to what. Without
//! a graph they are whitened by the scatter `Y Y^T` of the samples `Y = U^T X`. With one, by
//!
//! ```text
//! Y Y^T + Y L Y^T / f        f: the share of samples that have an edge
//! ```
//!
//! so that directions in which connected samples differ count less, also for samples that were not in the fit: what
//! Fisher's discriminant does with the scatter within classes, and `lambda` says how much of it.

use super::Begin;
use crate::error::Result;
use crate::graph::{Graph, smoothed, times_laplacian};
use crate::matrix::{
    DataMatrix, Matrix, PartColumns, Parts, Scalar, Whitening, add_scaled, gram_of_columns,
    gram_of_rows, product, scale, symmetric_eigen,
};
use crate::rng::{Purpose, normal_columns};

/// Up to so many features `X M^-1 X^T` is formed, beyond a subspace is iterated.
const GRAM_LIMIT: usize = 2048;

/// Features whose smoothed rows are kept at once.
const ROWS: usize = 64;

/// Vectors beyond those asked for, which make the iteration converge.
const OVERSAMPLING: usize = 10;

/// The most rounds of the iteration; each takes two products with the data.
const MOST_ROUNDS: usize = 40;

/// The iteration ends when it captures no more than this share in addition.
const TOLERANCE: f64 = 1e-9;

/// Rows that span the minimum.
pub(super) struct Smoothed<T> {
    /// One for each component that is more than rounding, the largest first.
    pub(super) rows: Matrix<T>,
    /// Their inner products in the metric `M`.
    pub(super) gram: Matrix<f64>,
}

/// The rows of the minimum of rank `k`, in the coordinates that the scale asks for. All parts of `x` call it
/// together.
pub(super) fn smooth_rows<T: Scalar>(
    x: &dyn DataMatrix<T>,
    graph: &dyn Graph<T>,
    k: usize,
    begin: Begin,
) -> Result<Smoothed<T>> {
    let Eigen { values, vectors } = if x.shape().0 <= GRAM_LIMIT {
        by_gram(x, graph)?
    } else {
        by_iteration(x, graph, k, begin.seed)?
    };
    // Squares lose half of the digits.
    let rounding = T::EPSILON.to_f64() * (x.shape().0 as f64).sqrt() * values[0].max(0.0);
    let rank = values.iter().take(k).take_while(|v| **v > rounding && **v > 0.0).count();
    let u = Matrix::from_fn(x.shape().0, rank, |i, r| T::from_f64(vectors[(i, r)]));
    let mut image = Matrix::zeros(rank, x.shape().1);
    x.tr_mul(&u, &mut image)?;
    let (squares, axes) = symmetric_eigen(&scatter(&image, graph)?)?;
    let sizes: Vec<f64> = squares.iter().map(|square| square.max(0.0).sqrt()).collect();
    let shares = begin.shares(&sizes);
    let turn = Matrix::from_fn(rank, rank, |r, i| {
        if sizes[r] > 0.0 { axes[(i, r)] * shares[r] / sizes[r] } else { 0.0 }
    });
    // U^T X M^-1 X^T U is the diagonal matrix of the eigenvalues.
    let weighted = Matrix::from_fn(rank, rank, |r, i| turn[(r, i)] * values[i]);
    let gram = product(weighted.view(), turn.t());
    let rows = smoothed(graph, &product(turn.cast::<T>().view(), image.view()))?;
    Ok(Smoothed { rows, gram })
}

/// `Y Y^T + Y L Y^T / f`.
fn scatter<T: Scalar>(y: &Matrix<T>, graph: &dyn Graph<T>) -> Result<Matrix<f64>> {
    let parts = graph.parts();
    let connected = graph.degrees().iter().filter(|d| **d > T::ZERO).count() as f64;
    let share = parts.sum_of(connected)? / parts.total().max(1) as f64;
    let mut scatter = inner(&times_laplacian(graph, y)?, y, parts)?;
    if share > 0.0 {
        scale(&mut scatter, 1.0 / share);
    }
    let mut all = Matrix::zeros(y.rows(), y.rows());
    gram_of_rows(&mut all, y, parts)?;
    add_scaled(&mut scatter, 1.0, &all);
    Ok(scatter)
}

/// Eigenvalues of `X M^-1 X^T`, largest first, and their vectors.
struct Eigen {
    values: Vec<f64>,
    vectors: Matrix<f64>,
}

fn by_gram<T: Scalar>(x: &dyn DataMatrix<T>, graph: &dyn Graph<T>) -> Result<Eigen> {
    let (p, n) = x.shape();
    let mut gram = Matrix::<f64>::zeros(p, p);
    for start in (0..p).step_by(ROWS) {
        let count = ROWS.min(p - start);
        let chosen =
            Matrix::from_fn(p, count, |i, r| if i == start + r { T::ONE } else { T::ZERO });
        let (mut rows, mut products) = (Matrix::zeros(count, n), Matrix::zeros(p, count));
        x.tr_mul(&chosen, &mut rows)?;
        x.mul_tr(&smoothed(graph, &rows)?, &mut products)?;
        for r in 0..count {
            let column = gram.col_mut(start + r).iter_mut().zip(products.col(r));
            column.for_each(|(gram, product)| *gram = product.to_f64());
        }
        x.go_on()?;
    }
    let (values, vectors) = symmetric_eigen(&symmetric(&gram))?;
    Ok(Eigen { values, vectors })
}

/// Subspace iteration with the values of Ritz.
fn by_iteration<T: Scalar>(
    x: &dyn DataMatrix<T>,
    graph: &dyn Graph<T>,
    k: usize,
    seed: u64,
) -> Result<Eigen> {
    let (p, n) = x.shape();
    let size = (k + OVERSAMPLING).min(p);
    let mut basis = orthonormal(&normal_columns::<T>(p, 0..size, seed, Purpose::Start))?;
    let mut found = Eigen { values: vec![0.0], vectors: Matrix::zeros(p, 1) };
    for _ in 0..MOST_ROUNDS {
        let mut image = Matrix::zeros(basis.cols(), n);
        x.tr_mul(&basis, &mut image)?;
        let smooth = smoothed(graph, &image)?;
        let (values, turn) = symmetric_eigen(&inner(&smooth, &image, x.parts())?)?;
        let captured = |values: &[f64]| values.iter().take(k).sum::<f64>();
        let (before, now) = (captured(&found.values), captured(&values));
        found = Eigen { values, vectors: product(basis.cast::<f64>().view(), turn.view()) };
        if now - before <= TOLERANCE * now {
            break;
        }
        let mut next = Matrix::zeros(p, basis.cols());
        x.mul_tr(&smooth, &mut next)?;
        basis = orthonormal(&next)?;
    }
    Ok(found)
}

/// `A B^T` over the samples of all parts, symmetric but for rounding.
fn inner<T: Scalar>(a: &Matrix<T>, b: &Matrix<T>, parts: Parts<'_>) -> Result<Matrix<f64>> {
    let mut products = Matrix::zeros(a.rows(), b.rows());
    PartColumns::new(a.view(), parts).mul_tr(b, &mut products)?;
    Ok(symmetric(&products.cast()))
}

fn symmetric(a: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| f64::midpoint(a[(i, j)], a[(j, i)]))
}

/// An orthonormal basis of the columns.
fn orthonormal<T: Scalar>(a: &Matrix<T>) -> Result<Matrix<T>> {
    let a = a.cast::<f64>();
    let mut gram = Matrix::zeros(a.cols(), a.cols());
    gram_of_columns(&mut gram, &a);
    let w = Whitening::of::<f64>(&gram)?.w;
    Ok(product(a.view(), w.t()).cast())
}
