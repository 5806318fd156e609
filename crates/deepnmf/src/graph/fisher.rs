//! Fisher's criterion as if it were a graph: classes tight, and far from each other.
//!
//! With the means `m_c` of the classes and `m` of all labelled samples,
//!
//! ```text
//! gamma Tr(S_w) + delta (|H|^2 - Tr(S_b))
//!     = sum_j gamma |h_j - m_c(j)|^2 + delta (|h_j|^2 - |m_c(j) - m|^2)
//!     = Tr(H (D - W) H^T)
//! D = gamma + delta,    H W = gamma m_c + delta (m_c - m)        zero for samples without a label
//! ```
//!
//! `W` is a sum of projections and so positive semi-definite. The scatter `S_b` between classes alone would
//! grow without bound as features grow. Here it is compared with the size of the features, of which it is a
//! part: `Tr(S_b) <= |H|^2`. So the criterion is never negative, and features gain nothing by growing.

use super::means::{ClassMeans, Means};
use super::{Graph, Labels};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Parts, Scalar};

/// The scatter of features within classes, and how far that between them falls short of their size.
#[derive(Debug, Clone)]
pub struct Fisher<'a, T> {
    means: ClassMeans<'a>,
    gamma: f64,
    delta: f64,
    degrees: Vec<T>,
}

impl<'a, T: Scalar> Fisher<'a, T> {
    /// The criterion for the samples of these parts.
    ///
    /// # Errors
    /// If a weight is not a number of at least zero, or there is not one label (or `None`) for each
    /// sample.
    pub fn new(parts: Parts<'a>, labels: &Labels, gamma: f64, delta: f64) -> Result<Self> {
        for (name, value) in [("gamma", gamma), ("delta", delta)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::parameter(name, value, "it must be a number of at least 0"));
            }
        }
        let means = ClassMeans::new(parts, labels)?;
        let degree =
            |label: &Option<u32>| T::from_f64(if label.is_some() { gamma + delta } else { 0.0 });
        Ok(Self { means, gamma, delta, degrees: labels.iter().map(degree).collect() })
    }
}

impl<T: Scalar> Graph<T> for Fisher<'_, T> {
    fn parts(&self) -> Parts<'_> {
        self.means.parts()
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        let Means { of_classes: means, of_all: all } = self.means.of(h)?;
        for j in 0..out.cols() {
            let Some(class) = self.means.class_of(j) else { continue };
            let both = means.col(class).iter().zip(&all);
            for (out, (mean, all)) in out.col_mut(j).iter_mut().zip(both) {
                let pull = self.gamma * mean + self.delta * (mean - all);
                *out += T::from_f64(factor * pull);
            }
        }
        Ok(())
    }

    fn is_positive(&self) -> bool {
        true
    }
}
