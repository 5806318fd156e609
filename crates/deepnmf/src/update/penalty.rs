//! A penalty that keeps a factor small (l2) or sparse (l1), beside what the data ask for:
//!
//! ```text
//! l1 sum h + l2 sum h^2 / 2          h >= 0
//! ```
//!
//! Rules for a factor lower `tr(H^T G H) / 2 - <B, H>`, so that with the penalty they see `B - l1` and `G + l2 I`, and
//! none of them changes. The multiplicative one needs no root for that where `G` is non-negative: what is negative of
//! `B - l1` goes below the fraction. In the Kullback-Leibler divergence it is a part of each step (`kl_rule.rs`).

use super::BasisProducts;
use crate::matrix::{Matrix, Scalar};

/// What keeps a factor small or sparse: weights of the sum of its entries and of half the sum of their squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Penalty {
    /// Of the sum, which makes entries zero.
    pub(crate) l1: f64,
    /// Of half the sum of squares, which keeps entries small and even.
    pub(crate) l2: f64,
}

impl Penalty {
    /// No penalty.
    pub(crate) const NONE: Self = Self { l1: 0.0, l2: 0.0 };

    /// Whether there is none.
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The penalty of a factor.
    pub(crate) fn of<T: Scalar>(self, factor: &Matrix<T>) -> f64 {
        if self.is_none() {
            return 0.0;
        }
        let entries = factor.as_slice().iter().map(|v| v.to_f64());
        entries.map(|v| self.l1 * v + 0.5 * self.l2 * v * v).sum()
    }

    /// What a rule sees of the data and the basis: `B - l1` and `G + l2 I`.
    pub(crate) fn in_products<T: Scalar>(self, products: &BasisProducts<T>) -> BasisProducts<T> {
        let l1 = T::from_f64(self.l1);
        let phi_t_x = products.phi_t_x.map(|b| b - l1);
        let mut phi_t_phi = products.phi_t_phi.clone();
        for r in 0..phi_t_phi.rows() {
            let curvature = &mut phi_t_phi[(r, r)];
            *curvature += T::from_f64(self.l2);
            if *curvature <= T::ZERO {
                // What belongs to a component of zeros belongs at zero, where any curvature takes it.
                *curvature = T::ONE;
            }
        }
        BasisProducts { phi_t_x, phi_t_phi }
    }
}
