//! The samples of a class, in memory of their own.

use super::tiles::{Columns, mul_tiles};
use crate::matrix::{Matrix, MatrixView, Scalar, Sparse};

/// Samples of a class, `p x n_c`.
#[derive(Debug, Clone)]
pub(super) enum Samples<T: Scalar> {
    Dense(Matrix<T>),
    /// By sample.
    Sparse(Sparse<'static, T>),
}

impl<T: Scalar> Samples<T> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Dense(x) => x.cols(),
            Self::Sparse(x) => x.shape().1,
        }
    }

    /// The numbers that they take, of which pairs may take as many without growing the whole.
    pub(super) fn numbers(&self) -> usize {
        match self {
            Self::Dense(x) => x.as_slice().len(),
            Self::Sparse(x) => x.entries(),
        }
    }

    /// For dot products.
    pub(super) fn as_they_are(&self) -> Columns<'_, T> {
        match self {
            Self::Dense(x) => Columns::as_they_are(x),
            Self::Sparse(x) => Columns::sparse(x.view()),
        }
    }

    /// For distances.
    pub(super) fn about_the_mean(&self) -> Columns<'_, T> {
        match self {
            Self::Dense(x) => Columns::about_the_mean(x),
            Self::Sparse(x) => Columns::sparse(x.view()),
        }
    }

    /// Whether no number is negative.
    pub(super) fn is_non_negative(&self) -> bool {
        let values = match self {
            Self::Dense(x) => x.as_slice(),
            Self::Sparse(x) => x.values(),
        };
        values.iter().all(|v| *v >= T::ZERO)
    }

    /// `x_j^T (sum_l x_l)` for every sample.
    pub(super) fn products_with_the_sum(&self) -> Vec<f64> {
        let columns = self.as_they_are();
        let mut sum = vec![0.0; columns.rows()];
        (0..self.count()).for_each(|j| columns.add_column(j, &mut sum));
        match self {
            Self::Dense(x) => {
                let with_sum =
                    |column: &[T]| column.iter().zip(&sum).map(|(v, s)| v.to_f64() * s).sum();
                x.columns().map(with_sum).collect()
            }
            Self::Sparse(x) => {
                let with_sum = |j| x.sample(j).map(|(i, v)| v.to_f64() * sum[i]).sum();
                (0..self.count()).map(with_sum).collect()
            }
        }
    }

    /// `out = H X^T X`.
    pub(super) fn times_gram(&self, h: MatrixView<'_, T>, out: &mut [T]) {
        match self {
            Self::Dense(x) => {
                let mut along = Matrix::zeros(h.rows(), x.rows());
                mul_tiles(along.as_mut_slice(), h, x.t());
                mul_tiles(out, along.view(), x.view());
            }
            Self::Sparse(x) => {
                let (p, n) = x.shape();
                let mut along = Matrix::zeros(p, h.rows());
                let mut products = Matrix::zeros(h.rows(), n);
                x.times_features(&h.to_matrix(), &mut along);
                x.times_basis(&along, &mut products);
                out.copy_from_slice(products.as_slice());
            }
        }
    }
}
