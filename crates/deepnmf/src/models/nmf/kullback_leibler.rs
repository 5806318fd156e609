//! The alternation that lowers the Kullback-Leibler divergence: `Z`, then `H`, by the same rule (`update/kl.rs`).
//!
//! The entries are held twice, by sample as the data have them, and by feature (`update/kl_entries.rs`). Dense data are made
//! into such lists, without their zeros.

use crate::checkpoint::{Restored, StateWriter};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated_above_zero};
use crate::models::factors::Pair;
use crate::models::nmf::EntryPenalties;
use crate::update::{Effort, Fixed, KlEntries, KlProblem, Sums};

/// The divergence of a non-negative factorization, factor by factor.
pub(crate) struct KlAlternation<'a, T: Scalar> {
    entries: KlEntries<'a, T>,
    sweeps: usize,
    penalties: EntryPenalties,
    fixed: Fixed,
}

impl<'a, T: Scalar> KlAlternation<'a, T> {
    /// Begins from given factors, brought to the size of the samples unless features stay. The penalties are those of entries.
    pub(crate) fn begin(
        x: &'a dyn DataMatrix<T>,
        mut pair: Pair<T>,
        sweeps: usize,
        penalties: EntryPenalties,
        fixed: Fixed,
    ) -> Result<Extrapolated<Self>> {
        let alternation = Self { entries: KlEntries::of(x)?, sweeps, penalties, fixed };
        let zt = pair.z.t().to_matrix();
        let sums = alternation.entries.sums_for_samples(&zt)?;
        if fixed.features == 0 {
            alternation.bring_to_sums(x, &mut pair.h, &sums)?;
        }
        let own = alternation.of_samples(&zt, &sums).divergence(&pair.h);
        let value = alternation.value(own, &pair)?;
        Ok(Extrapolated::new(alternation, pair, value))
    }

    fn of_samples<'b>(&'b self, zt: &'b Matrix<T>, sums: &'b Sums) -> KlProblem<'b, T> {
        let penalty = self.penalties.features;
        let fixed = self.fixed.fixed_features(zt.rows());
        KlProblem { penalty, fixed, ..self.entries.of_samples(zt, sums) }
    }

    /// The objective, given the divergence of the samples of this part.
    fn value(&self, own: f64, Pair { z, h }: &Pair<T>) -> Result<f64> {
        let of_samples = self.entries.parts.sum_of(own + self.penalties.features.of(h))?;
        Ok(of_samples + self.penalties.basis.of(z))
    }

    fn update_basis(&self, zt: &mut Matrix<T>, h: &Matrix<T>) -> Result<()> {
        let sums = self.entries.sums_for_features(h)?;
        let penalty = self.penalties.basis;
        let fixed = 0..self.fixed.bases;
        let of_features = KlProblem { penalty, fixed, ..self.entries.of_features(h, &sums) };
        of_features.descend_on(zt, self.entries.parts, self.sweeps)
    }

    /// Scales each column of `h` such that the reconstruction of a sample has the sum of the sample, which is its best
    /// size.
    fn bring_to_sums(&self, x: &dyn DataMatrix<T>, h: &mut Matrix<T>, sums: &Sums) -> Result<()> {
        let mut of_samples = vec![0.0; h.cols()];
        if self.entries.are_complete() {
            let mut row = Matrix::zeros(1, h.cols());
            x.wide_tr_mul(&Matrix::from_fn(x.shape().0, 1, |_, _| 1.0), &mut row)?;
            of_samples.copy_from_slice(row.as_slice());
        } else {
            of_samples = self.entries.sums_of_samples();
        }
        for (j, wanted) in of_samples.iter().enumerate() {
            let column = h.col_mut(j);
            let found: f64 = column.iter().zip(sums.of(j)).map(|(h, a)| h.to_f64() * a).sum();
            let factor = wanted / found;
            if factor.is_finite() {
                for h in column {
                    *h = T::from_f64(h.to_f64() * factor);
                }
            }
        }
        Ok(())
    }
}

impl<T: Scalar> Sweeps for KlAlternation<'_, T> {
    type Point = Pair<T>;

    fn sweep(&self, pair: &mut Pair<T>) -> Result<f64> {
        let mut zt = pair.z.t().to_matrix();
        self.update_basis(&mut zt, &pair.h)?;
        pair.z = zt.t().to_matrix();
        let sums = self.entries.sums_for_samples(&zt)?;
        let problem = self.of_samples(&zt, &sums);
        let own = problem.descend_measured(&mut pair.h, Effort::Sweeps(self.sweeps));
        self.value(own, pair)
    }

    fn ahead(&self, now: &Pair<T>, before: &Pair<T>, momentum: f64) -> Pair<T> {
        let ahead = |a, b| extrapolated_above_zero(a, b, momentum);
        Pair { z: ahead(&now.z, &before.z), h: ahead(&now.h, &before.h) }
    }

    fn save(name: &str, point: &Pair<T>, state: &mut StateWriter<'_>) {
        state.matrix(&format!("{name}.z"), &point.z);
        state.features(&format!("{name}.h"), &point.h);
    }

    fn restored(name: &str, state: &Restored<'_>) -> Result<Pair<T>> {
        Ok(Pair {
            z: state.matrix(&format!("{name}.z"))?,
            h: state.features(&format!("{name}.h"))?,
        })
    }
}
