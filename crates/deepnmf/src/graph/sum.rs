//! Several graphs between the same samples as one.
//!
//! ```text
//! W = sum_a lambda_a W_a        D = sum_a lambda_a D_a        L = sum_a lambda_a L_a
//! ```
//!
//! This is how a layer answers to more than one attribute (the paper's WSF-MA), with one weight
//! `lambda_a` each.

use super::Graph;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Scalar};

/// A weighted sum of graphs.
pub struct WeightedSum<T> {
    parts: Vec<(f64, Box<dyn Graph<T>>)>,
    degrees: Vec<T>,
}

impl<T: Scalar> WeightedSum<T> {
    /// The sum of these graphs times their weights.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or graphs have different numbers of samples.
    pub fn new(mut parts: Vec<(f64, Box<dyn Graph<T>>)>) -> Result<Self> {
        let samples = parts.first().map_or(0, |(_, graph)| graph.samples());
        for (a, (weight, graph)) in parts.iter().enumerate() {
            check_part(a + 1, *weight, graph.samples(), samples)?;
        }
        parts.retain(|(weight, _)| *weight > 0.0);
        let mut degrees = vec![0.0; samples];
        for (weight, graph) in &parts {
            degrees.iter_mut().zip(graph.degrees()).for_each(|(d, g)| *d += weight * g.to_f64());
        }
        let degrees = degrees.into_iter().map(T::from_f64).collect();
        Ok(Self { parts, degrees })
    }

    /// Whether there is no edge left: all degrees are zero.
    pub fn is_empty(&self) -> bool {
        self.degrees.iter().all(|d| *d == T::ZERO)
    }
}

impl<T: Scalar> Graph<T> for WeightedSum<T> {
    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) {
        for (weight, graph) in &self.parts {
            graph.add_product(factor * weight, h, out);
        }
    }

    /// Sums of positive semi-definite matrices are.
    fn is_positive(&self) -> bool {
        self.parts.iter().all(|(_, graph)| graph.is_positive())
    }
}

fn check_part(number: usize, weight: f64, found: usize, samples: usize) -> Result<()> {
    if !(weight.is_finite() && weight >= 0.0) {
        let name = format!("the weight of graph {number}");
        return Err(Error::parameter(name, weight, "it must be zero or above, and finite"));
    }
    if found != samples {
        return Err(Error::Shape {
            what: format!("graph {number}"),
            found: format!("{found} samples"),
            expected: format!("{samples}, as many as graph 1 has,"),
        });
    }
    Ok(())
}
