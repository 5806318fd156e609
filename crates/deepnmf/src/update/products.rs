//! The products that rules for a factor see, from the data and the other factor.

use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_columns, gram_of_rows};

/// `Z^T X` and `Z^T Z`: what `H` sees.
pub(crate) fn feature_products<T: Scalar>(
    x: &dyn DataMatrix<T>,
    z: &Matrix<T>,
) -> (Matrix<T>, Matrix<T>) {
    let k = z.cols();
    let (mut z_t_x, mut z_t_z) = (Matrix::zeros(k, x.shape().1), Matrix::zeros(k, k));
    x.tr_mul(z, &mut z_t_x);
    gram_of_columns(&mut z_t_z, z);
    (z_t_x, z_t_z)
}

/// `X H^T` and `H H^T`: what a non-negative `Z` sees, turned around.
pub(crate) fn basis_products<T: Scalar>(
    x: &dyn DataMatrix<T>,
    h: &Matrix<T>,
) -> (Matrix<T>, Matrix<T>) {
    let k = h.rows();
    let mut hht = Matrix::<f64>::zeros(k, k);
    gram_of_rows(&mut hht, h);
    x.sum_over_parts(hht.as_mut_slice());
    let mut x_ht = Matrix::zeros(x.shape().0, k);
    x.mul_tr(h, &mut x_ht);
    (x_ht, hht.cast())
}
