//! The owned dense matrix: one `Vec`, column after column, no padding.

use std::ops::{Index, IndexMut, Range};

use super::{MatrixView, Scalar};
use crate::error::Error;

/// A dense matrix in one contiguous, column-major `Vec`.
///
/// Samples are columns, as in the paper: data are `p x n`, features `k x n`. A C-ordered array of
/// `samples x features` therefore *is* such a matrix, byte for byte.
///
/// ```
/// use deepnmf::Matrix;
/// let x = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(x[(1, 2)], 6.0);
/// assert_eq!(x.col(1), &[3.0, 4.0]);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Scalar> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { data: vec![T::ZERO; rows * cols], rows, cols }
    }

    /// The identity matrix of order `k`.
    pub fn identity(k: usize) -> Self {
        Self::from_fn(k, k, |i, j| if i == j { T::ONE } else { T::ZERO })
    }

    /// Takes over `data`, which holds the columns one after the other.
    ///
    /// # Errors
    /// If `data` does not hold exactly `rows x cols` numbers.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<T>) -> Result<Self, Error> {
        if rows.checked_mul(cols) != Some(data.len()) {
            return Err(Error::Shape {
                what: "the numbers given for a matrix".into(),
                found: format!("{}", data.len()),
                expected: format!("{rows} x {cols}"),
            });
        }
        Ok(Self { data, rows, cols })
    }

    /// Fills a matrix, column by column, with `entry(row, column)`.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for j in 0..cols {
            data.extend((0..rows).map(|i| entry(i, j)));
        }
        Self { data, rows, cols }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// All numbers, column after column.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All numbers, column after column, to change.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Gives up the numbers, column after column.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// Column `j`.
    pub fn col(&self, j: usize) -> &[T] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// Column `j`, to change.
    pub fn col_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// All columns in order.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.cols).map(|j| self.col(j))
    }

    /// The whole matrix, borrowed.
    pub fn view(&self) -> MatrixView<'_, T> {
        MatrixView::contiguous(&self.data, self.rows, self.cols)
    }

    /// Some neighbouring columns, borrowed.
    pub fn view_columns(&self, range: Range<usize>) -> MatrixView<'_, T> {
        let slice = &self.data[range.start * self.rows..range.end * self.rows];
        MatrixView::contiguous(slice, self.rows, range.len())
    }

    /// The transposed matrix, borrowed.
    pub fn t(&self) -> MatrixView<'_, T> {
        self.view().t()
    }

    /// Every entry in another number type.
    pub fn cast<U: Scalar>(&self) -> Matrix<U> {
        let data = self.data.iter().map(|v| U::from_f64(v.to_f64())).collect();
        Matrix { data, rows: self.rows, cols: self.cols }
    }

    /// Applies `f` to every entry.
    #[must_use]
    pub fn map(&self, f: impl Fn(T) -> T) -> Self {
        Self { data: self.data.iter().map(|&v| f(v)).collect(), rows: self.rows, cols: self.cols }
    }

    /// The sum of all squared entries, in `f64`.
    pub fn norm_sq(&self) -> f64 {
        self.columns().map(|c| dot(c, c)).sum()
    }

    /// The sum of each row, in `f64`.
    pub(crate) fn row_sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows];
        for column in self.columns() {
            sums.iter_mut().zip(column).for_each(|(sum, v)| *sum += v.to_f64());
        }
        sums
    }

    /// The sum of the products of equal entries of two matrices of one shape, in `f64`.
    ///
    /// # Panics
    /// In debug builds, if the shapes differ.
    pub fn inner(&self, other: &Self) -> f64 {
        debug_assert_eq!(self.shape(), other.shape());
        self.columns().zip(other.columns()).map(|(a, b)| dot(a, b)).sum()
    }
}

impl<T: Scalar> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.col(j)[i]
    }
}

impl<T: Scalar> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.col_mut(j)[i]
    }
}

/// `a += factor b`.
pub(crate) fn add_scaled<T: Scalar>(a: &mut Matrix<T>, factor: f64, b: &Matrix<T>) {
    debug_assert_eq!(a.shape(), b.shape());
    let factor = T::from_f64(factor);
    a.data.iter_mut().zip(&b.data).for_each(|(a, b)| *a += factor * *b);
}

/// `a *= factor`.
pub(crate) fn scale<T: Scalar>(a: &mut Matrix<T>, factor: f64) {
    let factor = T::from_f64(factor);
    a.data.iter_mut().for_each(|a| *a *= factor);
}

/// A dot product carried out in `f64`, in a fixed order of additions.
pub fn dot<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    sum_of_pairs(a, b, |a, b| a * b)
}

/// The place of the least number, of equal ones the first.
pub(crate) fn first_least(numbers: &[f64]) -> usize {
    let mut least = [f64::INFINITY; 8];
    let (runs, rest) = numbers.as_chunks::<8>();
    for run in runs {
        for (least, v) in least.iter_mut().zip(run) {
            *least = if v < least { *v } else { *least };
        }
    }
    let least = least.iter().chain(rest).fold(f64::INFINITY, |least, v| least.min(*v));
    numbers.iter().position(|v| *v <= least).unwrap_or(0)
}

/// The sum of `term(a_i, b_i)` in `f64`, in eight partial sums so that it vectorises; the order of
/// additions is fixed.
#[inline(always)]
pub fn sum_of_pairs<T: Scalar>(a: &[T], b: &[T], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0f64; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for l in 0..8 {
            sums[l] += term(a[l].to_f64(), b[l].to_f64());
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| term(a.to_f64(), b.to_f64())).sum();
    sums.iter().sum::<f64>() + rest
}
