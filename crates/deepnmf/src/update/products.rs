//! The products that rules for a factor see, from the data and the other factor.

use super::Products;
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_columns, gram_of_rows};

/// What a basis makes of the data: all that a rule for the features sees.
#[derive(Debug, Clone)]
pub(crate) struct BasisProducts<T> {
    /// `Phi^T X`, `k x n`.
    pub(crate) phi_t_x: Matrix<T>,
    /// `Phi^T Phi`, `k x k`.
    pub(crate) phi_t_phi: Matrix<T>,
}

impl<T: Scalar> BasisProducts<T> {
    /// Room for the products of a basis of `k` vectors with `n` samples.
    pub(crate) fn zeros(k: usize, n: usize) -> Self {
        Self { phi_t_x: Matrix::zeros(k, n), phi_t_phi: Matrix::zeros(k, k) }
    }

    /// The products of the basis `phi`.
    pub(crate) fn of(x: &dyn DataMatrix<T>, phi: &Matrix<T>) -> Result<Self> {
        let mut products = Self::zeros(phi.cols(), x.shape().1);
        products.refresh(x, phi)?;
        Ok(products)
    }

    /// Computes them anew.
    pub(crate) fn refresh(&mut self, x: &dyn DataMatrix<T>, phi: &Matrix<T>) -> Result<()> {
        x.tr_mul(phi, &mut self.phi_t_x)?;
        gram_of_columns(&mut self.phi_t_phi, phi);
        Ok(())
    }

    /// As a rule sees them, without a graph.
    pub(crate) fn plain(&self) -> Products<'_, T> {
        Products::plain(&self.phi_t_x, &self.phi_t_phi)
    }
}

/// What features make of the data: all that a rule for the basis sees.
#[derive(Debug, Clone)]
pub(crate) struct FeatureProducts<T> {
    /// `X H^T`, `p x k`.
    pub(crate) x_ht: Matrix<T>,
    /// `H H^T`, `k x k`.
    pub(crate) hht: Matrix<T>,
}

impl<T: Scalar> FeatureProducts<T> {
    /// The products of the features `h`.
    pub(crate) fn of(x: &dyn DataMatrix<T>, h: &Matrix<T>) -> Result<Self> {
        let k = h.rows();
        let mut hht = Matrix::<f64>::zeros(k, k);
        gram_of_rows(&mut hht, h, x.parts())?;
        let mut x_ht = Matrix::zeros(x.shape().0, k);
        x.mul_tr(h, &mut x_ht)?;
        Ok(Self { x_ht, hht: hht.cast() })
    }

    /// Turned around, so that a rule for features updates `Z^T`: `Z^T` takes the place of `H`.
    pub(crate) fn turned(&self) -> BasisProducts<T> {
        BasisProducts { phi_t_x: self.x_ht.t().to_matrix(), phi_t_phi: self.hht.clone() }
    }
}
