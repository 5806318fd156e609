//! Matrices of other crates, borrowed where they stand.

use super::{MatrixView, Scalar};
use crate::error::{Error, Result};

impl<'a, T: Scalar> MatrixView<'a, T> {
    /// Borrows an array of the crate `ndarray`: its rows are features, its columns samples. One with a sample a row is turned
    /// around by `array.t()`, which copies nothing either.
    ///
    /// ```
    /// use deepnmf::{Factorization, MatrixView, SemiNmf};
    /// let samples = ndarray::Array2::from_shape_fn((20, 8), |(j, i)| ((i + 2) * (j + 3) % 7) as f64);
    /// let model = SemiNmf::new(3).fit(&MatrixView::from_ndarray(samples.t())?)?;
    /// assert_eq!(model.factors.z[0].shape(), (8, 3));
    /// # Ok::<(), deepnmf::Error>(())
    /// ```
    ///
    /// # Errors
    /// If its numbers have gaps between them or run backwards, as some slices do: copy those with `to_owned`.
    #[cfg(feature = "ndarray")]
    #[allow(clippy::needless_pass_by_value)] // as views are handed over
    pub fn from_ndarray(array: ndarray::ArrayView2<'a, T>) -> Result<Self> {
        let ((rows, cols), strides) = (array.dim(), array.strides().to_vec());
        let stride = |axis: usize, length: usize| match usize::try_from(strides[axis]) {
            Ok(stride) => Some(stride),
            Err(_) if length <= 1 => Some(0),
            Err(_) => None,
        };
        let numbers = array.to_slice_memory_order();
        match (numbers, stride(0, rows), stride(1, cols)) {
            (Some(numbers), Some(down), Some(across)) => {
                Self::strided(numbers, rows, cols, down, across)
            }
            _ => Err(Error::Shape {
                what: "the array".into(),
                found: format!("strides {strides:?}"),
                expected: "numbers without gaps: copy it with to_owned".into(),
            }),
        }
    }

    /// Borrows a matrix of the crate `nalgebra`: its rows are features, its columns samples.
    ///
    /// ```
    /// use deepnmf::{Factorization, MatrixView, SemiNmf};
    /// let x = nalgebra::DMatrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
    /// let model = SemiNmf::new(3).fit(&MatrixView::from_nalgebra(&x))?;
    /// assert_eq!(model.factors.h[0].shape(), (3, 20));
    /// # Ok::<(), deepnmf::Error>(())
    /// ```
    #[cfg(feature = "nalgebra")]
    pub fn from_nalgebra(matrix: &'a nalgebra::DMatrix<T>) -> Self
    where
        T: nalgebra::Scalar,
    {
        Self::contiguous(matrix.as_slice(), matrix.nrows(), matrix.ncols())
    }
}

#[cfg(all(test, feature = "ndarray"))]
mod tests {
    use ndarray::{Array2, ShapeBuilder, s};

    use super::*;

    #[test]
    fn arrays_of_any_order_are_the_same_matrix_and_gaps_are_refused() {
        let value = |(i, j): (usize, usize)| (10 * i + j) as f64;
        let rows = Array2::from_shape_fn((3, 5), value);
        let columns = Array2::from_shape_fn((3, 5).f(), value);
        for view in [rows.view(), columns.view(), rows.slice(s![.., ..])] {
            let found = MatrixView::from_ndarray(view).unwrap();
            let same = |at: usize| {
                found.get(at / 5, at % 5).to_bits() == value((at / 5, at % 5)).to_bits()
            };
            assert!((0..15).all(same));
        }
        let turned = MatrixView::from_ndarray(rows.t()).unwrap();
        assert_eq!(
            (turned.rows(), turned.cols(), turned.get(4, 2).to_bits()),
            (5, 3, 24.0_f64.to_bits())
        );
        for gaps in [rows.slice(s![.., ..;2]), rows.slice(s![..;-1, ..]), rows.slice(s![.., 1..3])]
        {
            let error = MatrixView::from_ndarray(gaps).unwrap_err().to_string();
            assert!(error.contains("to_owned"), "{error}");
        }
    }
}
