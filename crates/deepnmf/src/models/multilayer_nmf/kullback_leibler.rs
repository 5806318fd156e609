//! All layers together in the Kullback-Leibler divergence: `D(X | Z_1 Z_2 ... Z_m H_m)`.
//!
//! A sweep moves `Z_1` and `H_m` by the coordinate descent of NMF (`update/kl.rs`), with `Z_2 ... Z_m H_m` and
//! `Z_1 ... Z_m` in the place of the other factor, and each basis between them by the multiplicative rule
//! (`update/kl_between.rs`). None of them raises the divergence. The entries are held twice, as for NMF.

use crate::checkpoint::{Restored, StateWriter};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, product};
use crate::models::extrapolation::{Extrapolated, Sweeps, extrapolated_above_zero};
use crate::models::factors::chain;
use crate::update::{Effort, KlBetween, KlEntries, KlProblem, Sums};

/// Updates of a basis between others in a sweep.
const REPEATS: usize = 3;

/// All factors.
#[derive(Debug, Clone)]
pub(super) struct Layers<T> {
    pub(super) z: Vec<Matrix<T>>,
    pub(super) h: Matrix<T>,
}

/// The joint tuning under way.
pub(super) struct KlJoint<'a, T: Scalar> {
    entries: KlEntries<'a, T>,
    sweeps: usize,
}

impl<'a, T: Scalar> KlJoint<'a, T> {
    /// Begins from factors that were found layer by layer.
    pub(super) fn begin(
        x: &'a dyn DataMatrix<T>,
        layers: Layers<T>,
        sweeps: usize,
    ) -> Result<Extrapolated<Self>> {
        let joint = Self { entries: KlEntries::of(x)?, sweeps };
        let phi_t = chain(&layers.z).t().to_matrix();
        let sums = joint.entries.sums_for_samples(&phi_t)?;
        let own = joint.of_samples(&phi_t, &sums).divergence(&layers.h);
        let value = joint.entries.parts.sum_of(own)?;
        Ok(Extrapolated::new(joint, layers, value))
    }

    fn of_samples<'b>(&'b self, phi_t: &'b Matrix<T>, sums: &'b Sums) -> KlProblem<'b, T> {
        self.entries.of_samples(phi_t, sums)
    }

    fn update_first(&self, z: &mut Matrix<T>, q: &Matrix<T>) -> Result<()> {
        let sums = self.entries.sums_for_features(q)?;
        let problem = self.entries.of_features(q, &sums);
        let mut zt = z.t().to_matrix();
        problem.descend_on(&mut zt, self.entries.parts, self.sweeps)?;
        *z = zt.t().to_matrix();
        Ok(())
    }
}

impl<T: Scalar> Sweeps for KlJoint<'_, T> {
    type Point = Layers<T>;

    fn sweep(&self, Layers { z, h }: &mut Layers<T>) -> Result<f64> {
        for i in 0..z.len() {
            let q = z[i + 1..].iter().rev().fold(h.clone(), |q, z| product(z.view(), q.view()));
            if i == 0 {
                self.update_first(&mut z[0], &q)?;
                continue;
            }
            let psi_t = chain(&z[..i]).t().to_matrix();
            let entries = &self.entries;
            KlBetween { entries, psi_t: &psi_t, q: &q }.update(&mut z[i], REPEATS)?;
        }
        let phi_t = chain(z).t().to_matrix();
        let sums = self.entries.sums_for_samples(&phi_t)?;
        let problem = self.of_samples(&phi_t, &sums);
        let own = problem.descend_measured(h, Effort::Sweeps(self.sweeps));
        self.entries.parts.sum_of(own)
    }

    /// The bases in between stay: their rule would never leave a zero that momentum has brought about.
    fn ahead(&self, now: &Layers<T>, before: &Layers<T>, momentum: f64) -> Layers<T> {
        let ahead = |a, b| extrapolated_above_zero(a, b, momentum);
        let mut layers = now.clone();
        layers.z[0] = ahead(&now.z[0], &before.z[0]);
        layers.h = ahead(&now.h, &before.h);
        layers
    }

    fn save(name: &str, point: &Layers<T>, state: &mut StateWriter<'_>) {
        state.matrices(&format!("{name}.z"), &point.z);
        state.features(&format!("{name}.h"), &point.h);
    }

    fn restored(name: &str, state: &Restored<'_>) -> Result<Layers<T>> {
        let z = state.matrices(&format!("{name}.z"))?;
        Ok(Layers { z, h: state.features(&format!("{name}.h"))? })
    }
}
