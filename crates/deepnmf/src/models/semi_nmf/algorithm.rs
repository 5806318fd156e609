//! The alternation of Semi-NMF: `H` by one of the rules, `Z` by least squares.
//!
//! The step is `H <- rule(Z^T X, Z^T Z)`, then `Z <- X H^+`, so that `Z` is always the best basis
//! for the features at hand and the loop may end after any step. Per step the data are touched
//! twice, in `X H^T` and `Z^T X`: `4 p n k` floating-point operations, and `O(n k^2)` beside.

use crate::driver::Algorithm;
use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{DataMatrix, Matrix, Scalar, gram_of_columns, gram_of_rows};
use crate::objective::{Fitted, error_from_products};
use crate::update::{HSolver, Tied, ZScratch, update_tied, with_roughness, z_least_squares};

/// Semi-NMF under way, for those who want to own the loop; [`SemiNmf`](super::SemiNmf) does it
/// for everybody else.
pub struct SemiNmfLoop<'a, T> {
    x: &'a dyn DataMatrix<T>,
    pub(crate) x_norm_sq: f64,
    solver: HSolver,
    z: Matrix<T>,
    h: Matrix<T>,
    hht: Matrix<f64>,
    z_t_x: Matrix<T>,
    z_t_z: Matrix<T>,
    scratch: ZScratch<T>,
    tied: Option<Tied<'a, T>>,
    error: f64,
}

impl<'a, T: Scalar> SemiNmfLoop<'a, T> {
    /// Begins from features `h` and the best basis for them.
    ///
    /// # Errors
    /// If a decomposition fails.
    pub fn new(x: &'a dyn DataMatrix<T>, h: Matrix<T>, solver: HSolver) -> Result<Self> {
        Self::tied(x, h, solver, None)
    }

    /// Begins from features `h` that a graph may tie to each other: then the objective is
    /// `|X - Z H|^2 / 2 + Tr(H L H^T) / 2`.
    ///
    /// # Errors
    /// If a decomposition fails.
    pub fn tied(
        x: &'a dyn DataMatrix<T>,
        h: Matrix<T>,
        solver: HSolver,
        graph: Option<&'a dyn Graph<T>>,
    ) -> Result<Self> {
        let (p, n) = x.shape();
        let k = h.rows();
        let mut this = Self {
            x,
            x_norm_sq: x.norm_sq(),
            solver,
            z: Matrix::zeros(p, k),
            tied: graph.map(|graph| Tied::new(graph, &h)),
            h,
            hht: Matrix::zeros(k, k),
            z_t_x: Matrix::zeros(k, n),
            z_t_z: Matrix::zeros(k, k),
            scratch: ZScratch::new(p, k),
            error: 0.0,
        };
        this.refresh_basis()?;
        Ok(this)
    }

    /// One iteration.
    ///
    /// # Errors
    /// If a decomposition fails.
    pub fn iterate(&mut self) -> Result<()> {
        self.step()
    }

    /// The reconstruction error now.
    pub fn current_error(&self) -> f64 {
        self.error
    }

    /// `Tr(H L H^T)` now.
    pub fn current_roughness(&self) -> f64 {
        self.tied.as_ref().map_or(0.0, Tied::roughness)
    }

    pub(crate) fn into_factors(self) -> (Matrix<T>, Matrix<T>) {
        (self.z, self.h)
    }

    /// The best basis for the features at hand, and the products that go with it.
    fn refresh_basis(&mut self) -> Result<()> {
        gram_of_rows(&mut self.hht, &self.h);
        self.x.sum_over_parts(self.hht.as_mut_slice());
        z_least_squares(&mut self.z, self.x, &self.h, &self.hht, &mut self.scratch)?;
        self.x.tr_mul(&self.z, &mut self.z_t_x);
        gram_of_columns(&mut self.z_t_z, &self.z);
        let fitted = Fitted {
            phi: &self.z,
            h: &self.h,
            phi_t_x: &self.z_t_x,
            phi_t_phi: &self.z_t_z,
            hht: &self.hht,
        };
        self.error = error_from_products(self.x, self.x_norm_sq, &fitted);
        Ok(())
    }
}

impl<T: Scalar> Algorithm for SemiNmfLoop<'_, T> {
    fn error(&self) -> f64 {
        with_roughness(self.error, self.tied.as_ref())
    }

    fn step(&mut self) -> Result<()> {
        let products = (&self.z_t_x, &self.z_t_z);
        update_tied(self.solver, &mut self.h, products, &mut self.tied);
        self.refresh_basis()
    }
}
