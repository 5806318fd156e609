//! A basis between two others in the Kullback-Leibler divergence: `X ~ Psi Z Q`, where `Psi` and `Q` are given.
//!
//! Every entry of `Z` has a part in every entry of the data, so that coordinates one by one would cost a pass over the
//! data each. All of them together are moved by the multiplicative rule (Lee & Seung 2001), which never raises it:
//!
//! ```text
//! Z_ab <- Z_ab * (Psi^T R Q^T)_ab / (sum of column a of Psi * sum of row b of Q),      R = X / (Psi Z Q)
//! ```
//! (where entries are missing, the sum of `psi_ia q_bj` over the observed ones stands below the fraction)
//!
//! `R` is formed where the data are not zero, so an update costs two passes over as many numbers for each entry as
//! `Z` has rows. Samples are summed in a fixed number of blocks: the same bits at any number of threads.

use rayon::prelude::*;

use super::kl::FLOOR;
use super::{KlEntries, Sums, sums_of_rows};
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar, product};

/// Blocks of samples that are summed apart, at most.
const BLOCKS: usize = 64;

/// What stands around a basis, and the data.
pub(crate) struct KlBetween<'a, T: Scalar> {
    pub(crate) entries: &'a KlEntries<'a, T>,
    /// `Psi^T`: a column for each feature.
    pub(crate) psi_t: &'a Matrix<T>,
    /// `Q`: a column for each sample of this part.
    pub(crate) q: &'a Matrix<T>,
}

impl<T: Scalar> KlBetween<'_, T> {
    /// *Together*: updates the basis in between, so many times.
    pub(crate) fn update(&self, z: &mut Matrix<T>, repeats: usize) -> Result<()> {
        let below = self.denominator()?;
        for _ in 0..repeats {
            let up = self.numerator(&z.cast())?;
            let ratios = up.as_slice().iter().zip(below.as_slice());
            for (z, (up, down)) in z.as_mut_slice().iter_mut().zip(ratios) {
                if *down > 0.0 {
                    let new = T::from_f64(z.to_f64() * up / down);
                    *z = if new < T::FLUSH { T::ZERO } else { new };
                }
            }
        }
        Ok(())
    }

    /// `Psi^T O Q^T`, where `O` is one for every observed entry, over all parts.
    fn denominator(&self) -> Result<Matrix<f64>> {
        match self.entries.sums_for_features(self.q)? {
            Sums::Same(of_q) => {
                let of_psi = sums_of_rows(self.psi_t, Parts::whole(self.psi_t.cols()))?;
                Ok(Matrix::from_fn(of_psi.len(), of_q.len(), |a, b| of_psi[a] * of_q[b]))
            }
            Sums::OfLists(of_q) => Ok(product(self.psi_t.cast::<f64>().view(), of_q.t())),
        }
    }

    /// `Psi^T R Q^T`, over all parts.
    fn numerator(&self, z: &Matrix<f64>) -> Result<Matrix<f64>> {
        let n = self.q.cols();
        let block = n.div_ceil(BLOCKS).max(1);
        let sums: Vec<Matrix<f64>> = (0..n.div_ceil(block))
            .into_par_iter()
            .map(|b| self.numerator_of(z, b * block..n.min((b + 1) * block)))
            .collect();
        let mut all = Matrix::zeros(z.rows(), z.cols());
        for sum in sums {
            all.as_mut_slice().iter_mut().zip(sum.as_slice()).for_each(|(all, s)| *all += s);
        }
        self.entries.parts.sum(all.as_mut_slice())?;
        Ok(all)
    }

    /// The same of some samples.
    fn numerator_of(&self, z: &Matrix<f64>, samples: std::ops::Range<usize>) -> Matrix<f64> {
        let mut sum = Matrix::zeros(z.rows(), z.cols());
        let (mut v, mut pull) = (vec![0.0; z.rows()], vec![0.0; z.rows()]);
        let (starts, places) = (self.entries.by_sample.starts(), self.entries.by_sample.places());
        for j in samples {
            let floor = FLOOR * self.entries.factor(j);
            let q: Vec<f64> = self.q.col(j).iter().map(|q| q.to_f64()).collect();
            v.fill(0.0);
            for (z, q) in z.columns().zip(&q) {
                v.iter_mut().zip(z).for_each(|(v, z)| *v += z * q);
            }
            pull.fill(0.0);
            for at in starts.get(j)..starts.get(j + 1) {
                let psi = self.psi_t.col(places.get(at));
                let y: f64 = psi.iter().zip(&v).map(|(psi, v)| psi.to_f64() * v).sum();
                let ratio = self.entries.by_sample.values()[at].to_f64() / y.max(floor);
                pull.iter_mut().zip(psi).for_each(|(pull, psi)| *pull += ratio * psi.to_f64());
            }
            for (b, q) in q.iter().enumerate() {
                sum.col_mut(b).iter_mut().zip(&pull).for_each(|(sum, pull)| *sum += pull * q);
            }
        }
        sum
    }
}
