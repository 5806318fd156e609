//! Data less what some components make of them, seen through the products of the data as they are.

use super::data::{Visit, gram_of_blocks};
use super::{
    DataMatrix, Matrix, MatrixView, Parts, SampleWeights, Scalar, add_mul, mul_block, product,
    scale,
};
use crate::error::Result;

/// `X - Phi H`, without a copy of `X`: what is left for other components. `h` holds the samples of this part.
pub(crate) struct Less<'a, T> {
    x: &'a dyn DataMatrix<T>,
    phi: &'a Matrix<T>,
    /// `-H`.
    h: Matrix<T>,
}

impl<'a, T: Scalar> Less<'a, T> {
    pub(crate) fn new(x: &'a dyn DataMatrix<T>, phi: &'a Matrix<T>, h: &Matrix<T>) -> Self {
        let mut h = h.clone();
        scale(&mut h, -1.0);
        Self { x, phi, h }
    }

    /// `out - (Z^T Phi) H`.
    fn take_off_columns<A: Scalar>(&self, z: &Matrix<A>, out: &mut Matrix<A>) {
        let between = product(z.t(), self.phi.cast::<A>().view());
        add_mul(out, between.view(), self.h.cast::<A>().view());
    }

    /// `out - Phi (H G^T)`.
    fn take_off_rows<A: Scalar>(&self, g: &Matrix<A>, out: &mut Matrix<A>) -> Result<()> {
        let mut between = product(self.h.cast::<A>().view(), g.t());
        self.parts().sum_matrix(&mut between)?;
        add_mul(out, self.phi.cast::<A>().view(), between.view());
        Ok(())
    }
}

impl<T: Scalar> DataMatrix<T> for Less<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.x.tr_mul(z, out)?;
        self.take_off_columns(z, out);
        Ok(())
    }

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

    /// Sparse: `X X^T - A - A^T + Phi H H^T Phi^T` with `A = X H^T Phi^T`.
    fn gram_of_features(&self) -> Result<Matrix<f64>> {
        if self.x.entries_held().is_none() {
            return gram_of_blocks(self);
        }
        let mut gram = self.x.gram_of_features()?;
        let (phi, h) = (self.phi.cast::<f64>(), self.h.cast::<f64>());
        let mut x_ht = Matrix::zeros(phi.rows(), phi.cols());
        self.x.wide_mul_tr(&h, &mut x_ht)?;
        let mut hht = product(h.view(), h.t());
        self.parts().sum_matrix(&mut hht)?;
        // h has the sign of what is taken off.
        add_mul(&mut gram, x_ht.view(), phi.t());
        add_mul(&mut x_ht, phi.view(), hht.view());
        add_mul(&mut gram, phi.view(), x_ht.t());
        Ok(gram)
    }

    fn entries_held(&self) -> Option<usize> {
        self.x.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        let mut left = Matrix::zeros(0, 0);
        self.x.blocks(&mut |start, block| {
            let samples = start..start + block.cols();
            if left.shape() != block.shape() {
                left = Matrix::zeros(block.rows(), block.cols());
            }
            mul_block(left.as_mut_slice(), self.phi.view(), self.h.view_columns(samples));
            add_view(&mut left, block);
            visit(start, left.view())
        })
    }

    fn entry_sum(&self) -> Result<f64> {
        let of_phi = self.phi.columns().map(|c| c.iter().map(|v| v.to_f64()).sum::<f64>());
        let own: f64 = of_phi.zip(self.h.row_sums()).map(|(a, b)| a * b).sum();
        Ok(self.x.entry_sum()? + self.parts().sum_of(own)?)
    }

    fn weights(&self) -> Option<&SampleWeights> {
        self.x.weights()
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }

    fn go_on(&self) -> Result<()> {
        self.x.go_on()
    }
}

fn add_view<T: Scalar>(to: &mut Matrix<T>, block: MatrixView<'_, T>) {
    let mut column = vec![T::ZERO; block.rows()];
    for j in 0..block.cols() {
        block.columns(j, 1).copy_into(&mut column);
        to.col_mut(j).iter_mut().zip(&column).for_each(|(to, v)| *to += *v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Sparse;
    use crate::testing::{distance, normal, positive};

    #[test]
    fn every_answer_is_that_of_the_difference() {
        let x = positive::<f64>(7, 600, 1).map(|v| if v < 0.7 { 0.0 } else { v });
        let (phi, h) = (normal::<f64>(7, 2, 2), normal::<f64>(2, 600, 3));
        let made = product(phi.view(), h.view());
        let literal = Matrix::from_fn(7, 600, |i, j| x[(i, j)] - made[(i, j)]);
        let sparse = Sparse::from_dense(&x);
        let (z, g) = (normal::<f64>(7, 3, 4), normal::<f64>(3, 600, 5));
        for x in [&x as &dyn DataMatrix<f64>, &sparse] {
            let less = Less::new(x, &phi, &h);
            let same = |a: &Matrix<f64>, b: &Matrix<f64>| assert!(distance(a, b) < 1e-12);
            let [mut a, mut b] = [Matrix::zeros(3, 600), Matrix::zeros(3, 600)];
            literal.tr_mul(&z, &mut b).unwrap();
            less.tr_mul(&z, &mut a).unwrap();
            same(&a, &b);
            less.wide_tr_mul(&z, &mut a).unwrap();
            same(&a, &b);
            let [mut a, mut b] = [Matrix::zeros(7, 3), Matrix::zeros(7, 3)];
            literal.mul_tr(&g, &mut b).unwrap();
            less.mul_tr(&g, &mut a).unwrap();
            same(&a, &b);
            less.wide_mul_tr(&g, &mut a).unwrap();
            same(&a, &b);
            same(&less.gram_of_features().unwrap(), &literal.gram_of_features().unwrap());
            same(&less.own_dense().unwrap(), &literal);
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
            close(less.entry_sum().unwrap(), literal.entry_sum().unwrap());
            close(less.norm_sq().unwrap(), literal.norm_sq());
        }
    }
}
