//! The elastic-net penalty of both factors of NMF, as scikit-learn has it (`alpha_W`, `alpha_H`, `l1_ratio`):
//!
//! ```text
//! D(X | Z H) + a p (r sum H + (1 - r) sum H^2 / 2) + b n (r sum Z + (1 - r) sum Z^2 / 2)
//! ```
//!
//! The weight of a factor counts once for every number that an entry of it explains, `p` features or `n` samples. So
//! the same weights mean the same for any size of the data. Not so for their unit: twice as large data have the same
//! features with four times their weight (twice with the Kullback-Leibler divergence).
//!
//! That divergence has a term `sum Z H` of its own, so l1 changes the slope of a component by a share of its own sum: all
//! entries become smaller, and few become zero. For zeros there, l1 must exceed what components sum up to.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, Scalar};
use crate::objective::Divergence;
use crate::update::Penalty;

/// What keeps the factors of NMF small or sparse.
///
/// A penalty on one factor alone has no minimum: that factor can shrink without end while the other one grows. So give
/// both one; the fit says so otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ElasticNet {
    /// The weight of the features `H`.
    pub features: f64,
    /// The weight of the basis `Z`.
    pub basis: f64,
    /// The share of l1, which makes entries zero; the rest is l2, which keeps them small. Between 0 and 1.
    pub l1_ratio: f64,
    /// What the data were multiplied by since the weights were given.
    #[serde(skip, default = "one")]
    unit: f64,
}

fn one() -> f64 {
    1.0
}

impl Default for ElasticNet {
    fn default() -> Self {
        Self::new(0.0, 0.0, 0.0)
    }
}

/// The penalties of single entries of both factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EntryPenalties {
    pub(crate) features: Penalty,
    pub(crate) basis: Penalty,
}

impl ElasticNet {
    /// A penalty with these weights.
    pub fn new(features: f64, basis: f64, l1_ratio: f64) -> Self {
        Self { features, basis, l1_ratio, unit: 1.0 }
    }

    /// Whether there is none, which files leave out.
    #[allow(clippy::float_cmp)] // exactly zero
    pub fn is_none(&self) -> bool {
        self.features == 0.0 && self.basis == 0.0
    }

    /// The same for data times `factor`.
    #[must_use]
    pub(crate) fn in_unit(self, factor: f64) -> Self {
        Self { unit: self.unit * factor, ..self }
    }

    pub(crate) fn check(&self) -> Result<()> {
        for (whose, weight) in [("features", self.features), ("basis", self.basis)] {
            if !(weight >= 0.0 && weight.is_finite()) {
                let name = format!("the weight of the penalty of the {whose}");
                return Err(Error::parameter(name, weight, "it must be a number of at least 0"));
            }
        }
        if !(0.0..=1.0).contains(&self.l1_ratio) {
            let accepted = "it must be between 0 (l2 alone) and 1 (l1 alone)";
            return Err(Error::parameter("the share of l1", self.l1_ratio, accepted));
        }
        Ok(())
    }

    /// The penalty of an entry of the features of samples that have `p` features.
    pub(crate) fn of_features(&self, p: usize, divergence: Divergence) -> Penalty {
        // The basis carries the unit, so features have the one of the objective.
        self.split(self.features * p as f64 * self.unit_of(divergence))
    }

    /// The penalties of entries where data have `p x n` numbers.
    pub(crate) fn of_entries(&self, p: usize, n: usize, divergence: Divergence) -> EntryPenalties {
        let Penalty { l1, l2 } = self.split(self.basis * n as f64);
        let grown = self.unit_of(divergence) / self.unit;
        let basis = Penalty { l1: l1 * grown, l2: l2 * (grown / self.unit) };
        EntryPenalties { features: self.of_features(p, divergence), basis }
    }

    /// By how much the objective has grown with the data.
    fn unit_of(&self, divergence: Divergence) -> f64 {
        match divergence {
            // Extreme data have units whose squares are no numbers; penalties are then as large as can be.
            Divergence::Frobenius => (self.unit * self.unit).min(f64::MAX),
            Divergence::KullbackLeibler => self.unit,
        }
    }

    fn split(&self, weight: f64) -> Penalty {
        let weight = weight.min(f64::MAX);
        Penalty { l1: weight * self.l1_ratio, l2: weight * (1.0 - self.l1_ratio) }
    }
}

impl EntryPenalties {
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { features: Penalty::NONE, basis: Penalty::NONE };

    /// *Together*: the penalty of both factors of some data.
    pub(crate) fn of<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        z: &Matrix<T>,
        h: &Matrix<T>,
    ) -> Result<f64> {
        Ok(x.parts().sum_of(self.features.of(h))? + self.basis.of(z))
    }
}
