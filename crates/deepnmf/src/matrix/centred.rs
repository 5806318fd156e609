//! Data with a column taken off every sample, seen through the products of the data as they are.

use super::data::Visit;
use super::{DataMatrix, Matrix, Parts, Scalar, dot};
use crate::error::Result;

/// `X - m 1^T`, without a copy of `X`.
pub(crate) struct Centred<'a, T> {
    x: &'a dyn DataMatrix<T>,
    offset: &'a [T],
}

impl<'a, T: Scalar> Centred<'a, T> {
    /// Takes `offset` off every column of `x`.
    pub(crate) fn new(x: &'a dyn DataMatrix<T>, offset: &'a [T]) -> Self {
        debug_assert_eq!(x.shape().0, offset.len());
        Self { x, offset }
    }
}

/// The mean of all samples.
pub(crate) fn mean_column<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<Vec<T>> {
    let (p, n) = x.shape();
    let share = T::from_f64(1.0 / x.parts().total() as f64);
    let shares = Matrix::from_fn(1, n, |_, _| share);
    let mut mean = Matrix::zeros(p, 1);
    x.mul_tr(&shares, &mut mean)?;
    Ok(mean.into_vec())
}

impl<T: Scalar> DataMatrix<T> for Centred<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }

    /// `Z^T X - (Z^T m) 1^T`.
    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.x.tr_mul(z, out)?;
        let shift: Vec<T> = z.columns().map(|z| T::from_f64(dot(z, self.offset))).collect();
        for column in out.as_mut_slice().chunks_exact_mut(shift.len().max(1)) {
            column.iter_mut().zip(&shift).for_each(|(v, s)| *v -= *s);
        }
        Ok(())
    }

    /// `X H^T - m (H 1)^T`.
    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.x.mul_tr(h, out)?;
        let mut sums = h.row_sums();
        self.parts().sum(&mut sums)?;
        for (k, sum) in sums.into_iter().enumerate() {
            let column = out.col_mut(k).iter_mut().zip(self.offset);
            column.for_each(|(v, m)| *v -= T::from_f64(sum * m.to_f64()));
        }
        Ok(())
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.x.blocks(&mut |start, block| {
            let mut copy = block.to_matrix();
            for column in copy.as_mut_slice().chunks_exact_mut(self.offset.len()) {
                column.iter_mut().zip(self.offset).for_each(|(v, m)| *v -= *m);
            }
            visit(start, copy.view())
        })
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }

    fn go_on(&self) -> Result<()> {
        self.x.go_on()
    }
}
