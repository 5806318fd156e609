//! Data with a column taken off every sample, seen through the products of the data as they are.

use super::data::{
    Visit, find_entry_in_blocks, first_of_all_parts, gram_of_blocks, norm_sq_of_blocks,
    residual_norm_sq_of_blocks, sample_norms_sq_of_blocks,
};
use super::{DataMatrix, Entry, Fingerprint, Matrix, Parts, Scalar, dot, fingerprint};
use crate::error::Result;

/// `X - m 1^T`, without a copy of `X`.
///
/// Of dense data, statistics are those of the differences, block by block. Sparse data would have no zeros left:
/// theirs follow from those of `X` and of products with `m`, because `X - m 1^T - Phi H` is what `X` leaves over for
/// the basis `(Phi, m)`.
pub struct Centred<'a, T> {
    x: &'a dyn DataMatrix<T>,
    offset: &'a [T],
}

impl<'a, T: Scalar> Centred<'a, T> {
    /// Takes `offset`, a number for each feature, off every column of `x`.
    ///
    /// # Panics
    /// In debug builds, if there is not one for each.
    pub fn new(x: &'a dyn DataMatrix<T>, offset: &'a [T]) -> Self {
        debug_assert_eq!(x.shape().0, offset.len());
        Self { x, offset }
    }

    fn is_sparse(&self) -> bool {
        self.x.entries_held().is_some()
    }

    /// `m` in `f64`, as a matrix of one column.
    fn wide_offset(&self) -> Matrix<f64> {
        Matrix::from_fn(self.offset.len(), 1, |i, _| self.offset[i].to_f64())
    }

    /// `out - (Z^T m) 1^T`.
    fn take_off_columns<A: Scalar>(&self, z: &Matrix<A>, out: &mut Matrix<A>) {
        let offset: Vec<A> = self.offset.iter().map(|m| A::from_f64(m.to_f64())).collect();
        let shift: Vec<A> = z.columns().map(|z| A::from_f64(dot(z, &offset))).collect();
        for column in out.as_mut_slice().chunks_exact_mut(shift.len().max(1)) {
            column.iter_mut().zip(&shift).for_each(|(v, s)| *v -= *s);
        }
    }

    /// `out - m (H 1)^T`.
    fn take_off_rows<A: Scalar>(&self, h: &Matrix<A>, out: &mut Matrix<A>) -> Result<()> {
        let mut sums = h.row_sums();
        self.parts().sum(&mut sums)?;
        for (k, sum) in sums.into_iter().enumerate() {
            let column = out.col_mut(k).iter_mut().zip(self.offset);
            column.for_each(|(v, m)| *v -= A::from_f64(sum * m.to_f64()));
        }
        Ok(())
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
        self.take_off_columns(z, out);
        Ok(())
    }

    /// `X H^T - m (H 1)^T`.
    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.x.mul_tr(h, out)?;
        self.take_off_rows(h, out)
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.x.wide_tr_mul(z, out)?;
        self.take_off_columns(z, out);
        Ok(())
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.x.wide_mul_tr(h, out)?;
        self.take_off_rows(h, out)
    }

    /// Sparse: `X X^T - s m^T - m s^T + n m m^T` with `s = X 1`.
    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        if !self.is_sparse() {
            return gram_of_blocks(self);
        }
        let (p, n) = self.shape();
        let mut gram = self.x.gram_of_features()?;
        let mut sums = Matrix::zeros(p, 1);
        self.x.wide_mul_tr(&Matrix::from_fn(1, n, |_, _| 1.0), &mut sums)?;
        let (s, m, n) = (sums.as_slice(), self.wide_offset(), self.parts().total() as f64);
        let m = m.as_slice();
        for j in 0..p {
            let column = gram.col_mut(j).iter_mut().enumerate();
            column.for_each(|(i, gram)| *gram += n * m[i] * m[j] - s[i] * m[j] - m[i] * s[j]);
        }
        Ok(gram)
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

    fn norm_sq(&self) -> Result<f64> {
        if !self.is_sparse() && !self.is_incomplete() {
            return norm_sq_of_blocks(self);
        }
        let offset = Matrix::from_fn(self.offset.len(), 1, |i, _| self.offset[i]);
        self.x.residual_norm_sq(&offset, &Matrix::from_fn(1, self.shape().1, |_, _| T::ONE))
    }

    /// Sparse: `|x|^2 - 2 m^T x + |m|^2`.
    fn sample_norms_sq(&self) -> Result<Vec<f64>> {
        if !self.is_sparse() {
            return sample_norms_sq_of_blocks(self);
        }
        let mut along = Matrix::zeros(1, self.shape().1);
        self.x.wide_tr_mul(&self.wide_offset(), &mut along)?;
        let (lengths, offset) = (self.x.sample_norms_sq()?, dot(self.offset, self.offset));
        let both = lengths.into_iter().zip(along.as_slice());
        Ok(both.map(|(length, along)| (length - 2.0 * along + offset).max(0.0)).collect())
    }

    fn entry_sum(&self) -> Result<f64> {
        let of_offset: f64 = self.offset.iter().map(|m| m.to_f64()).sum();
        Ok(self.x.entry_sum()? - of_offset * self.parts().total() as f64)
    }

    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        if !self.is_sparse() && !self.is_incomplete() {
            return residual_norm_sq_of_blocks(self, phi, h);
        }
        let (k, (p, n)) = (phi.cols(), self.shape());
        let with_offset =
            Matrix::from_fn(p, k + 1, |i, c| if c < k { phi[(i, c)] } else { self.offset[i] });
        let with_ones = Matrix::from_fn(k + 1, n, |c, j| if c < k { h[(c, j)] } else { T::ONE });
        self.x.residual_norm_sq(&with_offset, &with_ones)
    }

    /// Sparse: where nothing is held, all samples have the same number.
    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        let x = match self.x.sparse() {
            Some(x) if !self.offset.iter().any(|m| wanted(-*m)) => x,
            _ => return find_entry_in_blocks(self, wanted),
        };
        let found = (0..x.shape().1).find_map(|sample| {
            let mut entries = x.sample(sample).map(|(i, v)| (i, v - self.offset[i]));
            let (feature, value) = entries.find(|(_, v)| wanted(*v))?;
            Some(Entry { sample, feature, value: value.to_f64() })
        });
        first_of_all_parts(found, self.parts())
    }

    /// Sparse: that of the data and of what is taken off.
    fn fingerprint(&self) -> Result<Fingerprint> {
        if self.is_sparse() {
            let offset: Vec<f64> = self.offset.iter().map(|m| m.to_f64()).collect();
            let offset = Fingerprint::of_bytes(bytemuck::cast_slice(&offset));
            return Ok(self.x.fingerprint()?.with(offset));
        }
        fingerprint::of_blocks(self)
    }

    fn entries_held(&self) -> Option<usize> {
        self.x.entries_held()
    }

    fn missing(&self) -> usize {
        self.x.missing()
    }

    fn is_incomplete(&self) -> bool {
        self.x.is_incomplete()
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }

    fn go_on(&self) -> Result<()> {
        self.x.go_on()
    }
}
