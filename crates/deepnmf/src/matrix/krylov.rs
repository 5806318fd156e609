//! The randomized decomposition: block Lanczos from random samples (Halko, Martinsson & Tropp 2011; Musco & Musco
//! 2015), which stops on a residual, not after a fixed number of rounds.
//!
//! With `A = X X^T`, a round multiplies the newest block `Q_j` of an orthonormal basis `Q` by `A` and splits the
//! product:
//!
//! ```text
//! A Q_j = Q (Q^T A Q_j) + W                  Q_{j+1}: an orthonormal basis of W
//! T = Q^T A Q,   T y = theta y               u = Q y,   s = sqrt(theta)
//! A u - theta u = W y_j                      y_j: the entries of y that belong to the newest block
//! ```
//!
//! All blocks together contain what subspace iteration keeps of the last one, and find the singular values of a flat
//! spectrum in a tenth of the rounds. Where the basis has taken its room, its leading vectors `u` take its place; what
//! `A` makes of them stays in the span of them and of the next block, so nothing else changes.

use super::product::product;
use super::svd::{Svd, inverse_or_zero, orthonormal_columns, symmetric_eigen};
use super::{DataMatrix, Matrix};
use crate::error::Result;
use crate::rng;

/// Columns of the basis, at most, but for three blocks: the eigenvectors of `T` take their cube.
const MOST_COLUMNS: usize = 480;

/// Columns of a block beside those that are wanted.
const SPARE: usize = 10;

/// The basis takes no more numbers than this share of dense data has, and than this, but for three blocks. Zeros count:
/// the same data have the same decomposition, however they are held.
const SHARE_OF_DATA: usize = 4;
const MOST_NUMBERS: usize = 1 << 24;

/// The `k` leading triplets, in so many rounds at most; all parts of `x` call it together.
pub(super) fn randomized_svd(
    x: &dyn DataMatrix<f64>,
    k: usize,
    tolerance: f64,
    most_rounds: usize,
    seed: u64,
) -> Result<Svd<f64>> {
    let (p, parts) = (x.shape().0, x.parts());
    let full = p.min(parts.total());
    let width = (k + SPARE).min(full);
    let share = (parts.total() / SHARE_OF_DATA).min(MOST_NUMBERS / p).min(MOST_COLUMNS);
    let room = share.max(3 * width).min(full);
    let mut b = rng::normal_columns(width, parts.range(), seed, rng::Purpose::Svd);
    let mut image = Matrix::zeros(p, width);
    x.mul_tr(&b, &mut image)?;
    let mut block = orthonormal_columns(image.clone())?;
    let mut basis = Basis::empty(p);
    for round in 1.. {
        if b.rows() != block.cols() {
            b = Matrix::zeros(block.cols(), parts.samples());
            image = Matrix::zeros(p, block.cols());
        }
        x.tr_mul(&block, &mut b)?;
        x.mul_tr(&b, &mut image)?;
        let newest = block.cols();
        basis.extend(&block, &image);
        let left = basis.left_over(&image);
        let (squares, vectors) = symmetric_eigen(&basis.t)?;
        let accuracy = worst_residual(&left, &squares[..k], &vectors, newest);
        if accuracy <= tolerance || round == most_rounds || basis.columns() == full {
            let u = product(basis.q.view(), vectors.view_columns(0..k));
            let s: Vec<f64> = squares[..k].iter().map(|v| v.max(0.0).sqrt()).collect();
            return Ok(Svd { v: right_vectors(x, &u, &s)?, u, s, accuracy });
        }
        if basis.columns() + width > room {
            basis.keep(width, &squares, &vectors);
        }
        // Projected once more at unit length: what was little beside the basis has lost digits.
        block = orthonormal_columns(basis.left_over(&orthonormal_columns(left)?))?;
        block = block.view_columns(0..width.min(full - basis.columns())).to_matrix();
    }
    unreachable!("the loop returns in its last round")
}

/// `X^T U diag(1 / s)`.
fn right_vectors(x: &dyn DataMatrix<f64>, u: &Matrix<f64>, s: &[f64]) -> Result<Matrix<f64>> {
    let (k, n) = (u.cols(), x.shape().1);
    let mut along = Matrix::zeros(k, n);
    x.tr_mul(u, &mut along)?;
    let inverse: Vec<f64> = s.iter().map(|s| inverse_or_zero(*s)).collect();
    Ok(Matrix::from_fn(n, k, |j, i| along[(i, j)] * inverse[i]))
}

/// The largest `|X v - s u|` relative to the largest singular value.
fn worst_residual(
    left: &Matrix<f64>,
    squares: &[f64],
    vectors: &Matrix<f64>,
    newest: usize,
) -> f64 {
    let largest = squares.first().map_or(0.0, |s| s.max(0.0).sqrt());
    let first = vectors.rows() - newest;
    let of_newest = Matrix::from_fn(newest, squares.len(), |r, i| vectors[(first + r, i)]);
    let residuals = product(left.view(), of_newest.view());
    let residual = |(i, square): (usize, &f64)| {
        let s = square.max(0.0).sqrt();
        let distance = residuals.col(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        if s > f64::EPSILON * largest { distance / (s * largest) } else { 0.0 }
    };
    squares.iter().enumerate().map(residual).fold(0.0, f64::max)
}

/// An orthonormal basis `Q`, and `T = Q^T A Q`.
struct Basis {
    q: Matrix<f64>,
    t: Matrix<f64>,
}

impl Basis {
    fn empty(p: usize) -> Self {
        Self { q: Matrix::zeros(p, 0), t: Matrix::zeros(0, 0) }
    }

    fn columns(&self) -> usize {
        self.q.cols()
    }

    /// Takes in a block, whose product with `A` is `image`.
    fn extend(&mut self, block: &Matrix<f64>, image: &Matrix<f64>) {
        let (before, m) = (self.columns(), self.columns() + block.cols());
        self.q = Matrix::from_fn(block.rows(), m, |i, j| match j.checked_sub(before) {
            None => self.q[(i, j)],
            Some(j) => block[(i, j)],
        });
        let cross = product(self.q.t(), image.view());
        self.t =
            Matrix::from_fn(m, m, |i, j| match (i.checked_sub(before), j.checked_sub(before)) {
                (None, None) => self.t[(i, j)],
                (None, Some(c)) => cross[(i, c)],
                (Some(r), None) => cross[(j, r)],
                // Symmetric but for rounding.
                (Some(r), Some(c)) => f64::midpoint(cross[(i, c)], cross[(j, r)]),
            });
    }

    /// What is not in the span of the basis.
    fn left_over(&self, image: &Matrix<f64>) -> Matrix<f64> {
        let inside = product(self.q.view(), product(self.q.t(), image.view()).view());
        let both = image.as_slice().iter().zip(inside.as_slice());
        let left = both.map(|(image, inside)| image - inside).collect();
        Matrix::from_vec(image.rows(), image.cols(), left).unwrap_or_else(|_| image.clone())
    }

    /// Keeps the leading vectors alone.
    fn keep(&mut self, count: usize, squares: &[f64], vectors: &Matrix<f64>) {
        self.q = product(self.q.view(), vectors.view_columns(0..count));
        self.t = Matrix::from_fn(count, count, |i, j| if i == j { squares[i] } else { 0.0 });
    }
}
