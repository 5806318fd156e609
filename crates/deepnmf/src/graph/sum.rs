//! Several graphs between the same samples as one.
//!
//! ```text
//! W = sum_a lambda_a W_a        D = sum_a lambda_a D_a        L = sum_a lambda_a L_a
//! ```
//!
//! This is how a layer is regularized by more than one attribute (the paper's WSF-MA), with one weight
//! `lambda_a` each.

use super::Graph;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Parts, Scalar};

/// A graph and its weight in a sum.
pub struct Weighted<'a, T> {
    /// The weight `lambda_a`.
    pub weight: f64,
    /// The graph.
    pub graph: Box<dyn Graph<T> + 'a>,
}

/// A weighted sum of graphs.
pub struct WeightedSum<'a, T> {
    terms: Vec<Weighted<'a, T>>,
    degrees: Vec<T>,
    parts: Parts<'a>,
    empty: bool,
}

impl<'a, T: Scalar> WeightedSum<'a, T> {
    /// The sum of these graphs times their weights, between the samples of these parts.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or a graph has another number of samples.
    pub fn new(mut terms: Vec<Weighted<'a, T>>, parts: Parts<'a>) -> Result<Self> {
        for (a, term) in terms.iter().enumerate() {
            check_term(a + 1, term, parts.samples())?;
        }
        terms.retain(|term| term.weight > 0.0);
        let mut degrees = vec![0.0; parts.samples()];
        for Weighted { weight, graph } in &terms {
            degrees.iter_mut().zip(graph.degrees()).for_each(|(d, g)| *d += weight * g.to_f64());
        }
        let degrees: Vec<T> = degrees.into_iter().map(T::from_f64).collect();
        let mut edges = [f64::from(u8::from(degrees.iter().any(|d| *d != T::ZERO)))];
        parts.max(&mut edges)?;
        Ok(Self { terms, degrees, parts, empty: edges[0] == 0.0 })
    }

    /// Whether there is no edge left on any part: all degrees are zero.
    pub fn is_empty(&self) -> bool {
        self.empty
    }
}

impl<T: Scalar> Graph<T> for WeightedSum<'_, T> {
    fn parts(&self) -> Parts<'_> {
        self.parts
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.terms.iter().try_for_each(|term| term.graph.add_product(factor * term.weight, h, out))
    }

    /// Sums of positive semi-definite matrices are.
    fn is_positive(&self) -> bool {
        self.terms.iter().all(|term| term.graph.is_positive())
    }

    /// The least of all.
    fn share_found(&self) -> f64 {
        self.terms.iter().map(|term| term.graph.share_found()).fold(1.0, f64::min)
    }
}

fn check_term<T: Scalar>(number: usize, term: &Weighted<'_, T>, samples: usize) -> Result<()> {
    let (weight, found) = (term.weight, term.graph.samples());
    if !(weight.is_finite() && weight >= 0.0) {
        let name = format!("the weight of graph {number}");
        return Err(Error::parameter(name, weight, "it must be zero or above, and finite"));
    }
    if found != samples {
        return Err(Error::Shape {
            what: format!("graph {number}"),
            found: format!("{found} samples"),
            expected: format!("{samples}, one for each sample of the data,"),
        });
    }
    Ok(())
}
