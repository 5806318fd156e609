//! Settings of whitened PCA, and the fit.

use serde::{Deserialize, Serialize};

use crate::driver::{FitSession, Run};
use crate::error::{Error, Result};
use crate::matrix::{
    Centred, DataMatrix, Matrix, Scalar, SvdMethod, check_data, mean_column, truncated_svd,
};
use crate::models::summary::Record;
use crate::models::{Abilities, Factors, Kind, Model, Outcome, Task};
use crate::observe::{Event, Stage};
use crate::stop::{StopReason, StopRule, Watch};

/// Rounds of filling in missing entries, and the share of the error below which one gains nothing.
const MOST_ROUNDS: usize = 500;
const LITTLE: f64 = 1e-5;

/// Whitened PCA: uncorrelated features of variance one, of any sign.
///
/// ```
/// use deepnmf::{Factorization, Matrix, WhitenedPca};
/// let x = Matrix::from_fn(8, 20, |i, j| ((i + 2) * (j + 3) % 7) as f64);
/// let model = WhitenedPca::new(3).fit(&x)?;
/// let first: f64 = (0..20).map(|j| model.factors.h[0][(0, j)].powi(2)).sum();
/// assert!((first / 20.0 - 1.0).abs() < 1e-9);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhitenedPca {
    /// The number of components `k`.
    pub components: usize,
    /// The seed of the randomized decomposition.
    pub seed: u64,
}

impl WhitenedPca {
    /// Whitened PCA with `components` components.
    pub fn new(components: usize) -> Self {
        Self { components, seed: 0 }
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    fn decompose<T: Scalar>(&self, x: &dyn DataMatrix<T>) -> Result<Factors<T>> {
        let (p, n) = x.shape();
        let offset = mean_column(x)?;
        let svd =
            truncated_svd(&Centred::new(x, &offset), self.components, SvdMethod::Auto, self.seed)?;
        let root = (x.parts().total() as f64).sqrt();
        let z = Matrix::from_fn(p, self.components, |i, k| {
            T::from_f64(svd.u[(i, k)].to_f64() * svd.s[k] / root)
        });
        // A direction without variance has no features either; what the mean leaves behind of
        // equal samples is rounding.
        let rounding = 4.0 * x.norm_sq()?.sqrt() * T::EPSILON.to_f64();
        let h = Matrix::from_fn(self.components, n, |k, j| {
            let kept = if svd.s[k] > rounding { root } else { 0.0 };
            T::from_f64(svd.v[(j, k)].to_f64() * kept)
        });
        Ok(Factors { offset: Some(offset), ..Factors::new(vec![z], vec![h]) })
    }

    /// *Together*: fills the missing entries of a fit's data in by these components.
    pub(crate) fn complete<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        watch: &Watch,
        session: &FitSession<'_>,
    ) -> Result<()> {
        let mut factors = self.decompose(x)?;
        let error = factors.reconstruction_error(x, 1, &factors.h[0])?;
        self.fill_in(x, &mut factors, watch, (&mut vec![error], &mut vec![0.0]), session)?;
        let (phi, h) = with_mean(&factors);
        x.fill_in(&phi, &h)?;
        Ok(())
    }

    /// Decomposes and fills in missing entries, in turn: neither raises the error over the observed ones.
    fn fill_in<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        factors: &mut Factors<T>,
        watch: &Watch,
        (history, clock): (&mut Vec<f64>, &mut Vec<f64>),
        session: &FitSession<'_>,
    ) -> Result<StopReason> {
        let parts = x.parts();
        for _ in 0..MOST_ROUNDS {
            let mut told = [f64::from(u8::from(watch.reason().is_some()))];
            parts.max(&mut told)?;
            if told[0] > 0.0 {
                return Ok(watch.reason().unwrap_or(StopReason::Cancelled));
            }
            let (phi, h) = with_mean(factors);
            x.fill_in(&phi, &h)?;
            let next = self.decompose(x)?;
            let error = next.reconstruction_error(x, 1, &next.h[0])?;
            let before = history[history.len() - 1];
            if error > before {
                break; // rounding
            }
            *factors = next;
            history.push(error);
            clock.push(session.seconds());
            if before - error <= LITTLE * before {
                return Ok(StopReason::Converged);
            }
        }
        Ok(if history.len() > MOST_ROUNDS {
            StopReason::MaxIterations
        } else {
            StopReason::Converged
        })
    }
}

/// Basis and features, with the mean as a component whose features are one.
fn with_mean<T: Scalar>(factors: &Factors<T>) -> (Matrix<T>, Matrix<T>) {
    let (z, h) = (&factors.z[0], &factors.h[0]);
    let k = z.cols();
    let mean = |i: usize| factors.offset.as_ref().map_or(T::ZERO, |offset| offset[i]);
    let phi = Matrix::from_fn(z.rows(), k + 1, |i, c| if c < k { z[(i, c)] } else { mean(i) });
    let ones = Matrix::from_fn(k + 1, h.cols(), |c, j| if c < k { h[(c, j)] } else { T::ONE });
    (phi, ones)
}

impl Kind for WhitenedPca {
    const ABILITIES: Abilities = Abilities { centred: true, ..Abilities::SHALLOW };

    fn layers(&self) -> Vec<usize> {
        vec![self.components]
    }

    fn run<T: Scalar>(&self, task: Task<'_, T>, session: &mut FitSession<'_>) -> Result<Model<T>> {
        let x = task.x;
        check_data(x)?;
        let (p, n) = (x.shape().0, x.parts().total());
        let most = p.min(n);
        if self.components == 0 || self.components > most {
            let accepted = format!("with {n} samples of {p} features it must be 1 to {most}");
            return Err(Error::parameter("the number of components", self.components, accepted));
        }
        session.tell(Event::Starting { stage: Stage::Fitting });
        let mut factors = self.decompose(x)?;
        let error = factors.reconstruction_error(x, 1, &factors.h[0])?;
        let (mut history, mut clock) = (vec![error], vec![session.seconds()]);
        let mut stop = StopReason::Converged;
        if x.is_incomplete() {
            let watch = session.watch(&StopRule::default());
            stop = self.fill_in(x, &mut factors, &watch, (&mut history, &mut clock), session)?;
        }
        let run = Run {
            stage: Stage::Fitting,
            iterations: history.len() - 1,
            stop,
            seconds: session.seconds(),
            history,
            clock,
        };
        // No bound: the mean is a component more than the bound of rank k allows.
        let summary = Record::of(run).sum_up(x, None, session)?;
        Ok(Model::new(self.clone(), Outcome { factors, summary }))
    }
}
