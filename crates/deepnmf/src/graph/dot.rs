//! Samples of one class connected by their dot product.
//!
//! With the `p x n_c` samples `X_c` of a class,
//!
//! ```text
//! W_c = X_c^T X_c        H_c W_c = (H_c X_c^T) X_c        d_j = sum_l |x_j^T x_l|
//! ```
//!
//! A class with no more samples than features keeps `W_c`, any other one `X_c`: always the
//! smaller array, and never more numbers than the labelled samples have (sparse ones: than entries).
//!
//! Why absolute values: a negative weight says that two samples should be each other's opposite.
//! With plain row sums for degrees, `1/2 sum w_jl |h_j - h_l|^2` falls without bound as such
//! samples are driven apart. With absolute ones (the signed Laplacian of Kunegis et al. 2010)
//!
//! ```text
//! Tr(H L H^T) = 1/2 sum_{j,l} |w_jl| |h_j - sgn(w_jl) h_l|^2  >=  0
//! ```
//!
//! and for non-negative data both are the same: `d_j = x_j^T (sum_l x_l)`.

use rayon::prelude::*;

use super::groups::Groups;
use super::samples::Samples;
use super::tiles::{Strip, mul_tiles};
use super::{Graph, Labels};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, MatrixView, Parts, Scalar};

/// The graph that connects samples of one class by their dot product.
#[derive(Debug, Clone)]
pub struct DotProduct<T: Scalar> {
    groups: Groups,
    classes: Vec<Class<T>>,
    degrees: Vec<T>,
}

#[derive(Debug, Clone)]
enum Class<T: Scalar> {
    /// `W_c`, `n_c x n_c`.
    Weights(Matrix<T>),
    /// `X_c`, `p x n_c`.
    Samples(Samples<T>),
}

impl<T: Scalar> DotProduct<T> {
    /// The graph of these samples, all in one place; there must be one label (or `None`) for each.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn new(x: &dyn DataMatrix<T>, labels: &Labels) -> Result<Self> {
        let groups = Groups::new(labels, Parts::whole(labels.len()))?;
        let samples = groups.split_data(x)?.into_par_iter();
        let (classes, sums): (Vec<_>, Vec<_>) = samples.map(Class::new).unzip();
        let degrees = groups.spread(sums.into_iter().flatten());
        Ok(Self { groups, classes, degrees })
    }
}

impl<T: Scalar> Class<T> {
    /// What is kept of a class, and its degrees.
    fn new(x: Samples<T>) -> (Self, Vec<f64>) {
        let products = |strip: &mut Strip<'_, T>, rows| strip.products(rows);
        if x.count().saturating_mul(x.count()) <= x.numbers() {
            let weights = x.as_they_are().all_pairs(products);
            let degrees = weights.columns().map(absolute_sum).collect();
            (Self::Weights(weights), degrees)
        } else if x.is_non_negative() {
            let degrees = x.products_with_the_sum();
            (Self::Samples(x), degrees)
        } else {
            let degrees = x.as_they_are().absolute_sums(products);
            (Self::Samples(x), degrees)
        }
    }

    /// `out = H_c W_c`.
    fn product(&self, h: MatrixView<'_, T>, out: &mut [T]) {
        match self {
            Self::Weights(w) => mul_tiles(out, h, w.view()),
            Self::Samples(x) => x.times_gram(h, out),
        }
    }
}

impl<T: Scalar> Graph<T> for DotProduct<T> {
    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.degrees.len())
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.groups.add_by_class(factor, h, out, |c, h, out| self.classes[c].product(h, out));
        Ok(())
    }

    /// `X_c^T X_c` is a square.
    fn is_positive(&self) -> bool {
        true
    }
}

fn absolute_sum<T: Scalar>(column: &[T]) -> f64 {
    column.iter().map(|v| v.to_f64().abs()).sum()
}
