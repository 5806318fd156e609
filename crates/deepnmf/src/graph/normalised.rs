//! Label graphs in which every class has a mean degree of one.
//!
//! ```text
//! W = W_c / (mean degree of the class),  class by class,        so that  L 1 = 0  still holds
//! ```
//!
//! With binary weights `w_jl = 1 / n_c`: the graph penalty is the scatter of features about the means of their
//! classes. A weight `lambda` then means the same whatever the sizes of the classes are, and how many samples
//! there are. (Neighbour graphs are normalised edge by edge, see `knn`.)

use super::means::ClassMeans;
use super::{Graph, Labels};
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar};

/// A label graph with a mean degree of one in every class.
pub(super) struct Normalised<'a, T> {
    graph: Box<dyn Graph<T> + 'a>,
    /// What the weights of each sample are multiplied by, alike in a class.
    scales: Vec<T>,
    degrees: Vec<T>,
}

impl<'a, T: Scalar> Normalised<'a, T> {
    /// The same graph, normalised; all parts call it together.
    pub(super) fn new(graph: Box<dyn Graph<T> + 'a>, labels: &Labels) -> Result<Self> {
        let classes = ClassMeans::new(graph.parts(), labels)?;
        let degrees = Matrix::from_fn(1, graph.samples(), |_, j| graph.degrees()[j]);
        let means = classes.of(&degrees)?.of_classes;
        let scale = |j: usize| {
            let mean = classes.class_of(j).map_or(0.0, |class| means[(0, class)]);
            T::from_f64(if mean > 0.0 { 1.0 / mean } else { 0.0 })
        };
        let scales: Vec<T> = (0..graph.samples()).map(scale).collect();
        let degrees = graph.degrees().iter().zip(&scales).map(|(d, scale)| *d * *scale).collect();
        Ok(Self { graph, scales, degrees })
    }
}

impl<T: Scalar> Graph<T> for Normalised<'_, T> {
    fn parts(&self) -> Parts<'_> {
        self.graph.parts()
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        let mut products = Matrix::zeros(h.rows(), h.cols());
        self.graph.add_product(factor, h, &mut products)?;
        for (j, scale) in self.scales.iter().enumerate() {
            let column = out.col_mut(j).iter_mut().zip(products.col(j));
            column.for_each(|(out, product)| *out += *scale * *product);
        }
        Ok(())
    }

    /// Blocks of a positive semi-definite matrix stay so when each is scaled.
    fn is_positive(&self) -> bool {
        self.graph.is_positive()
    }

    fn share_found(&self) -> f64 {
        self.graph.share_found()
    }
}
