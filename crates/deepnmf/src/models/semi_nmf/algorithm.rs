//! The alternation of Semi-NMF: `H` by one of the rules, `Z` by least squares.
//!
//! The step is `H <- rule(Z^T X, Z^T Z)`, then `Z <- X H^+`, so that `Z` is always the best basis
//! for the features at hand and the loop may end after any step. Per step the data are touched
//! twice, in `X H^T` and `Z^T X`: `4 p n k` floating-point operations, and `O(n k^2)` beside.
//!
//! A graph changes what both halves see, not what they do (`update/smoothness.rs`).
//!
//! Missing entries are filled in once the basis is known, before `Z^T X` (`matrix/incomplete`).
//!
//! With a basis that stays, the step is the first half, and the data are touched once in all. Where only some components
//! stay, the rules see what these leave of the data (`update/free.rs`, `matrix/less.rs`).

use crate::checkpoint::{Restored, StateWriter};
use crate::driver::Algorithm;
use crate::error::Result;
use crate::graph::Graph;
use crate::matrix::{DataMatrix, Less, Matrix, Scalar, columns_of, gram_of_rows};
use crate::models::factors::Pair;
use crate::objective::Fitted;
use crate::update::{
    BasisProducts, Fixed, GraphPenalty, GraphTerm, HSolver, ZScratch, rows_of, update_rows,
    z_least_squares,
};

/// Semi-NMF under way, for those who want to own the loop; [`SemiNmf`](super::SemiNmf) does it
/// for everybody else.
pub struct SemiNmfLoop<'a, T> {
    x: &'a dyn DataMatrix<T>,
    x_norm_sq: f64,
    solver: HSolver,
    z: Matrix<T>,
    h: Matrix<T>,
    hht: Matrix<f64>,
    products: BasisProducts<T>,
    /// Room to compute `Z` in, unless it stays what it is.
    scratch: Option<ZScratch<T>>,
    graph: Option<GraphTerm<'a, T>>,
    fixed: Fixed,
    error: f64,
    /// Whether the data have missing entries, which hold what the factors make of them.
    filled: bool,
}

impl<'a, T: Scalar> SemiNmfLoop<'a, T> {
    /// Begins from features `h` and the best basis for them.
    ///
    /// # Errors
    /// If a decomposition fails, or the data cannot be read.
    pub fn new(x: &'a dyn DataMatrix<T>, h: Matrix<T>, solver: HSolver) -> Result<Self> {
        Self::penalised(x, h, solver, None)
    }

    /// Begins from features `h` with graph regularization: the objective is
    /// `|X - Z H|^2 / 2 + Tr(Z H L H^T Z^T) / 2`.
    ///
    /// # Errors
    /// If a decomposition fails, or the data cannot be read.
    pub fn regularized(
        x: &'a dyn DataMatrix<T>,
        h: Matrix<T>,
        solver: HSolver,
        graph: &'a dyn Graph<T>,
    ) -> Result<Self> {
        Self::penalised(x, h, solver, Some(GraphPenalty { graph, scale_free: true }))
    }

    /// Begins from features `h`, with a graph or without.
    pub(crate) fn penalised(
        x: &'a dyn DataMatrix<T>,
        h: Matrix<T>,
        solver: HSolver,
        graph: Option<GraphPenalty<'a, T>>,
    ) -> Result<Self> {
        let (p, k) = (x.shape().0, h.rows());
        let mut this = Self::before_products(x, Matrix::zeros(p, k), h, solver)?;
        this.scratch = Some(ZScratch::new(p, k));
        this.regularize(graph)?;
        this.refresh()?;
        Ok(this)
    }

    /// Begins from features `h` for a basis that stays what it is.
    pub(crate) fn with_fixed_basis(
        x: &'a dyn DataMatrix<T>,
        z: Matrix<T>,
        h: Matrix<T>,
        solver: HSolver,
    ) -> Result<Self> {
        let mut this = Self::before_products(x, z, h, solver)?;
        this.products.refresh(x, &this.z)?;
        this.refresh()?;
        Ok(this)
    }

    /// Begins from factors of which some components stay.
    pub(crate) fn with_fixed(
        x: &'a dyn DataMatrix<T>,
        Pair { z, h }: Pair<T>,
        solver: HSolver,
        fixed: Fixed,
    ) -> Result<Self> {
        let free = fixed.free_bases(z.cols());
        if free.is_empty() {
            return Ok(Self { fixed, ..Self::with_fixed_basis(x, z, h, solver)? });
        }
        let scratch = Some(ZScratch::new(x.shape().0, free.len()));
        let mut this = Self { scratch, fixed, ..Self::before_products(x, z, h, solver)? };
        this.refresh()?;
        Ok(this)
    }

    fn before_products(
        x: &'a dyn DataMatrix<T>,
        z: Matrix<T>,
        h: Matrix<T>,
        solver: HSolver,
    ) -> Result<Self> {
        let (k, n) = h.shape();
        Ok(Self {
            x,
            x_norm_sq: x.norm_sq()?,
            solver,
            z,
            h,
            hht: Matrix::zeros(k, k),
            products: BasisProducts::zeros(k, n),
            scratch: None,
            graph: None,
            fixed: Fixed::default(),
            error: 0.0,
            filled: false,
        })
    }

    /// Begins from other features if these fit better.
    pub(crate) fn or_rather(mut self, other: Matrix<T>) -> Result<Self> {
        let (error, h) = (self.error, std::mem::replace(&mut self.h, other));
        self.refresh()?;
        if error <= self.error {
            self.h = h;
            self.refresh()?;
        }
        Ok(self)
    }

    /// Adds a graph, if there is one.
    pub(crate) fn regularize(&mut self, graph: Option<GraphPenalty<'a, T>>) -> Result<()> {
        self.graph = graph.map(|graph| GraphTerm::new(graph, &self.h)).transpose()?;
        Ok(())
    }

    /// One iteration.
    ///
    /// # Errors
    /// If a decomposition fails, or the data cannot be read.
    pub fn iterate(&mut self) -> Result<()> {
        self.step()
    }

    /// The reconstruction error now.
    pub fn current_error(&self) -> f64 {
        self.error
    }

    /// The graph penalty now.
    pub fn current_penalty(&self) -> f64 {
        self.graph.as_ref().map_or(0.0, |graph| graph.penalty(&self.products.phi_t_phi))
    }

    pub(crate) fn into_pair(self) -> Pair<T> {
        Pair { z: self.z, h: self.h }
    }

    /// The best basis for the features at hand, unless it stays, the products that go with it, and the
    /// error.
    fn refresh(&mut self) -> Result<()> {
        gram_of_rows(&mut self.hht, &self.h, self.x.parts())?;
        self.solve_basis()?;
        if let Some(left) = self.x.fill_in(&self.z, &self.h)? {
            self.filled = true;
            self.error = left.sqrt();
            return self.products.refresh(self.x, &self.z);
        }
        if self.scratch.is_some() {
            self.products.refresh(self.x, &self.z)?;
        }
        let fitted = Fitted { phi: &self.z, h: &self.h, products: &self.products };
        self.error = fitted.error_with(self.x, self.x_norm_sq, &self.hht)?;
        Ok(())
    }

    /// The best basis for the features at hand, but for what stays of it.
    fn solve_basis(&mut self) -> Result<()> {
        let Some(scratch) = &mut self.scratch else { return Ok(()) };
        if self.fixed.bases > 0 {
            let (staying, free) = (0..self.fixed.bases, self.fixed.free_bases(self.z.cols()));
            let (known, own) = (rows_of(&self.h, &staying), rows_of(&self.h, &free));
            let phi = columns_of(&self.z, staying).into_owned();
            let gram = rows_of(&columns_of(&self.hht, free.clone()), &free);
            let mut basis = Matrix::zeros(self.z.rows(), free.len());
            let rest = Less::new(self.x, &phi, &known);
            z_least_squares(&mut basis, &rest, &own, &gram, scratch)?;
            free.zip(basis.columns()).for_each(|(c, z)| self.z.col_mut(c).copy_from_slice(z));
            return Ok(());
        }
        let mut gram = self.hht.clone();
        self.graph.iter().for_each(|graph| graph.add_to(&mut gram));
        z_least_squares(&mut self.z, self.x, &self.h, &gram, scratch)
    }
}

impl<T: Scalar> Algorithm for SemiNmfLoop<'_, T> {
    fn error(&self) -> f64 {
        // Without a graph not a bit may change; what rounding makes negative is nothing.
        match &self.graph {
            None => self.error,
            Some(_) => (self.error * self.error + self.current_penalty()).max(0.0).sqrt(),
        }
    }

    fn step(&mut self) -> Result<()> {
        match &mut self.graph {
            None => {
                let free = self.fixed.free_features(self.h.rows());
                update_rows(self.solver, &mut self.h, &self.products, &free);
            }
            Some(graph) => graph.update(self.solver, &mut self.h, &self.products)?,
        }
        self.refresh()
    }

    fn save(&self, state: &mut StateWriter<'_>) {
        state.features("h", &self.h);
        if self.filled {
            state.matrix("z", &self.z);
        }
    }

    fn restore(&mut self, state: &Restored<'_>) -> Result<()> {
        self.h = state.features("h")?;
        self.graph.as_mut().map_or(Ok(()), |graph| graph.refresh(&self.h))?;
        if !self.filled {
            return self.refresh();
        }
        // The basis follows from what was filled in before: it is known only from the checkpoint.
        self.z = state.matrix("z")?;
        gram_of_rows(&mut self.hht, &self.h, self.x.parts())?;
        self.error = self.x.fill_in(&self.z, &self.h)?.unwrap_or(0.0).sqrt();
        self.products.refresh(self.x, &self.z)
    }
}
