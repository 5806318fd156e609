//! The borrowed matrix: any slice read with two strides.

use super::{Matrix, Scalar};
use crate::error::Error;

/// A borrowed matrix whose entry `(i, j)` stands at `i * row_stride + j * col_stride`.
///
/// It is how foreign memory comes in without a copy: a C-ordered `samples x features` array is
/// `MatrixView::strided(data, p, n, 1, p)`, a Fortran-ordered one `strided(data, p, n, n, 1)`.
///
/// ```
/// use deepnmf::MatrixView;
/// // Three samples of two features, stored feature by feature.
/// let fortran = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0];
/// let x = MatrixView::strided(&fortran, 2, 3, 3, 1)?;
/// assert_eq!(x.get(1, 2), 30.0);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a, T: Scalar> MatrixView<'a, T> {
    /// Reads `data` with the given strides, counted in numbers, not bytes.
    ///
    /// # Errors
    /// If an entry would lie outside `data`.
    pub fn strided(
        data: &'a [T],
        rows: usize,
        cols: usize,
        row_stride: usize,
        col_stride: usize,
    ) -> Result<Self, Error> {
        let last = || {
            let down = rows.checked_sub(1)?.checked_mul(row_stride)?;
            let across = cols.checked_sub(1)?.checked_mul(col_stride)?;
            down.checked_add(across)
        };
        let empty = rows == 0 || cols == 0;
        if !empty && last().is_none_or(|last| last >= data.len()) {
            return Err(Error::Shape {
                what: format!("a view with strides {row_stride} and {col_stride}"),
                found: format!("{} numbers", data.len()),
                expected: format!("{rows} x {cols}"),
            });
        }
        Ok(Self { data, rows, cols, row_stride, col_stride })
    }

    /// Columns one after the other; the caller has counted the numbers.
    pub(crate) fn contiguous(data: &'a [T], rows: usize, cols: usize) -> Self {
        debug_assert_eq!(data.len(), rows * cols);
        Self { data, rows, cols, row_stride: 1, col_stride: rows }
    }

    /// The numbers, if column stands after column without a gap.
    pub(super) fn as_contiguous(self) -> Option<&'a [T]> {
        let whole = self.row_stride == 1 && self.col_stride == self.rows;
        whole.then(|| &self.data[..self.rows * self.cols])
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

    /// Entry `(i, j)`.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn get(&self, i: usize, j: usize) -> T {
        assert!(i < self.rows && j < self.cols, "no entry ({i}, {j})");
        self.data[i * self.row_stride + j * self.col_stride]
    }

    /// The transposed view.
    #[must_use]
    pub fn t(self) -> Self {
        Self {
            data: self.data,
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    /// Columns `start .. start + count`.
    ///
    /// # Panics
    /// If there are no such columns.
    #[must_use]
    pub fn columns(self, start: usize, count: usize) -> Self {
        assert!(start + count <= self.cols, "no columns {start} to {}", start + count);
        let offset = (start * self.col_stride).min(self.data.len());
        Self { data: &self.data[offset..], cols: count, ..self }
    }

    /// The entries of column `j` from top to bottom.
    pub fn col(self, j: usize) -> impl ExactSizeIterator<Item = T> + 'a {
        let column = self.columns(j, 1);
        (0..column.rows).map(move |i| column.data[i * column.row_stride])
    }

    /// A copy in memory of its own.
    pub fn to_matrix(self) -> Matrix<T> {
        let mut copy = Matrix::zeros(self.rows, self.cols);
        self.copy_into(copy.as_mut_slice());
        copy
    }

    /// Copies the entries, column after column, into `out`.
    pub(crate) fn copy_into(self, out: &mut [T]) {
        // Square tiles keep both sides in cache, whichever of the strides is the short one.
        const TILE: usize = 32;
        for j0 in (0..self.cols).step_by(TILE) {
            for i0 in (0..self.rows).step_by(TILE) {
                for j in j0..(j0 + TILE).min(self.cols) {
                    for i in i0..(i0 + TILE).min(self.rows) {
                        out[i + j * self.rows] =
                            self.data[i * self.row_stride + j * self.col_stride];
                    }
                }
            }
        }
    }

    /// The linear-algebra crate's view of the same memory.
    pub(super) fn faer(self) -> faer::MatRef<'a, T> {
        if self.rows == 0 || self.cols == 0 {
            return faer::MatRef::from_column_major_slice(&[], self.rows, self.cols);
        }
        #[allow(clippy::cast_possible_wrap)] // a slice has at most `isize::MAX` bytes
        let (row_stride, col_stride) = (self.row_stride as isize, self.col_stride as isize);
        // SAFETY: every constructor checks that entry (rows - 1, cols - 1), and so every entry,
        // lies inside `data`, which stays borrowed for 'a.
        #[allow(unsafe_code)]
        unsafe {
            faer::MatRef::from_raw_parts(
                self.data.as_ptr(),
                self.rows,
                self.cols,
                row_stride,
                col_stride,
            )
        }
    }
}
