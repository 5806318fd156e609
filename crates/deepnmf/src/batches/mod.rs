//! Bases learnt from one batch of samples after another (Mairal, Bach, Ponce & Sapiro, JMLR 2010).
//!
//! All that earlier samples have to say on a basis is in two sums, whose sizes do not grow:
//!
//! ```text
//! H_t = argmin_(H >= 0) |X_t - Z H|        A <- w A + H_t H_t^T        B <- w B + X_t H_t^T
//! Z   <- argmin_Z  Tr(Z A Z^T) / 2 - Tr(Z^T B)        by least squares, or with Z >= 0 by a rule of NMF
//! ```
//!
//! With `w = 1` the quadratic function of `Z` is an upper bound of the error of all samples so far, with features that
//! were best for earlier bases. For samples in random order from one distribution, its minimum and the error it bounds
//! approach each other, and `Z` comes to a stationary point of the expected error (their theorem; it needs features that
//! stay bounded). Nothing is promised for other orders. Features of early samples are of bases that knew little, so
//! they fade: `w = (1 - b / s)^r` after `s` samples, of which the batch has `b`, is as if a sample counted by the
//! power `r` of the share of all samples that were there when it came ([`FADING`]).
//!
//! In a linear deep model `Z` is the product `Z_1 M` with `M = Z_2 ... Z_m`. The first basis learns, and the others keep
//! what the first batch has made of them: as they are of full rank, `Z_1 M` is as good as any product.

mod basis;
mod epochs;

pub use self::basis::Sums;
pub use self::epochs::PASSES;

use self::basis::Rule;
use crate::activation::Activation;
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::matrix::{
    DataMatrix, Incomplete, Scalar, Scaled, check_data, check_non_negative, extreme_exponent,
    power_of_two, scale_by_power,
};
use crate::models::{DeepSemiNmf, Model, SemiNmf, Settings};
use crate::objective::{Divergence, reconstruction_error};
use crate::project::non_negative;

/// How fast earlier samples fade. Measured with faces, counts and data of any sign, batches of 40 and 200: one pass ends 0.03%
/// to 2.5% above the error of a fit, five passes at most 1.9%; with 0.5 or 2 no figure differs by more than 0.4%, and without
/// fading five passes end up to 0.6% higher.
pub const FADING: f64 = 1.0;

/// A model under way, for those who have one batch of samples after another.
///
/// ```
/// use deepnmf::{Factorization, Learner, Matrix, SemiNmf, Settings};
/// let batch = |t: usize| Matrix::from_fn(6, 20, |i, j| ((i + 1) * (20 * t + j + 2) % 7) as f64);
/// let mut learner = Learner::begin(&Settings::from(SemiNmf::new(2)), &batch(0))?;
/// let before = learner.learn(&batch(1))?;
/// assert!(learner.model().summary.error <= before);
/// # Ok::<(), deepnmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Learner<T> {
    model: Model<T>,
    progress: Progress,
}

/// What a learner knows of earlier batches, beside its bases.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What they say on the basis of the top layer.
    pub sums: Sums,
    /// How many samples it has seen.
    pub samples: f64,
}

impl<T: Scalar> Learner<T> {
    /// Fits the model to a first batch.
    ///
    /// # Errors
    /// If the model cannot learn from batches, or as a fit to these samples.
    pub fn begin(settings: &Settings, batch: &dyn DataMatrix<T>) -> Result<Self> {
        Self::begin_in(settings, batch, &mut FitSession::new())
    }

    /// The same, observed and stopped by a session.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_in(
        settings: &Settings,
        batch: &dyn DataMatrix<T>,
        session: &mut FitSession<'_>,
    ) -> Result<Self> {
        check_settings(settings)?;
        Incomplete::refuse(batch, "learning from batches")?;
        Self::resume(settings.fit(batch, &[], session)?, None)
    }

    /// Goes on from a model. Without its progress the samples of its features count as if the bases had
    /// reconstructed them exactly.
    ///
    /// # Errors
    /// If the model cannot learn from batches, or the progress is that of another one.
    pub fn resume(model: Model<T>, progress: Option<Progress>) -> Result<Self> {
        check_settings(&model.settings)?;
        let basis = model.factors.basis(model.factors.depth())?;
        let h = model.factors.top_features();
        let progress = progress.unwrap_or_else(|| Progress {
            sums: Sums::of_exact(&basis, h),
            samples: h.cols() as f64,
        });
        let (k, Sums { hht, x_ht }) = (basis.cols(), &progress.sums);
        if hht.shape() != (k, k) || x_ht.shape() != basis.shape() {
            let accepted = "it must be that of the same model";
            return Err(Error::parameter("the progress of earlier batches", "another", accepted));
        }
        Ok(Self { model, progress })
    }

    /// Learns from a batch; returns the error that the bases had for it before. The features and the error of the
    /// model are those of this batch from now on.
    ///
    /// # Errors
    /// If the samples do not fit the model, or cannot be read; nothing has changed then.
    pub fn learn(&mut self, batch: &dyn DataMatrix<T>) -> Result<f64> {
        self.check(batch)?;
        let exponent = extreme_exponent(&self.model.factors.z[0])?.unwrap_or(0);
        if exponent == 0 {
            return self.learn_in_unit(batch);
        }
        let mut scaled = self.clone();
        scaled.bring_to_unit(exponent);
        let error = scaled.learn_in_unit(&Scaled::new(batch, exponent))?;
        scaled.bring_to_unit(-exponent);
        scaled.model.summary.error *= power_of_two(-exponent);
        *self = scaled;
        self.describe(batch)?;
        Ok(error * power_of_two(-exponent))
    }

    /// The model as it is.
    pub fn model(&self) -> &Model<T> {
        &self.model
    }

    /// What belongs to it when it is put away.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The model, without what it knows of earlier batches.
    pub fn into_model(self) -> Model<T> {
        self.model
    }

    fn check(&self, batch: &dyn DataMatrix<T>) -> Result<()> {
        let (found, expected) = (batch.shape().0, self.model.factors.z[0].rows());
        if found != expected {
            return Err(Error::Shape {
                what: "the number of features of each sample".into(),
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
        Incomplete::refuse(batch, "learning from batches")?;
        check_data(batch)?;
        if self.model.settings.abilities().negative_data {
            return Ok(());
        }
        check_non_negative(batch)
    }

    fn learn_in_unit(&mut self, batch: &dyn DataMatrix<T>) -> Result<f64> {
        let rule = Rule::of(&self.model.settings);
        let depth = self.model.factors.depth();
        let basis = self.model.factors.basis(depth)?;
        let h = non_negative(batch, &basis)?;
        let before = reconstruction_error(batch, &basis, &h)?;
        let new = batch.parts().total() as f64;
        let fading = (self.progress.samples / (self.progress.samples + new)).powf(FADING);
        self.progress.sums.add(batch, &h, fading)?;
        self.progress.samples += new;
        let (first, above) = self.model.factors.z.split_at_mut(1);
        rule.update(&mut first[0], above, &self.progress.sums)?;
        for layer in 1..=depth {
            let basis = self.model.factors.basis(layer)?;
            self.model.factors.h[layer - 1] = non_negative(batch, &basis)?;
            if layer == depth {
                let top = self.model.factors.top_features();
                self.model.summary.error = reconstruction_error(batch, &basis, top)?;
            }
        }
        self.describe(batch)?;
        Ok(before)
    }

    /// Data times a power of two have bases and sums times that power.
    fn bring_to_unit(&mut self, exponent: i32) {
        scale_by_power(&mut self.model.factors.z[0], exponent);
        scale_by_power(&mut self.progress.sums.x_ht, exponent);
    }

    /// Tells what the model is now that it has learnt from a batch.
    fn describe(&mut self, batch: &dyn DataMatrix<T>) -> Result<()> {
        let summary = &mut self.model.summary;
        (summary.samples, summary.svd_bound, summary.gap) = (batch.parts().total(), None, None);
        summary.fingerprint = Some(batch.fingerprint()?);
        summary.notices.clear();
        let norm = batch.norm_sq()?.sqrt();
        summary.relative_error = if norm > 0.0 { summary.error / norm } else { 0.0 };
        Ok(())
    }
}

/// Refuses models that cannot learn from batches.
fn check_settings(settings: &Settings) -> Result<()> {
    let refused = match settings {
        Settings::SemiNmf(SemiNmf { neighbourhood, .. })
        | Settings::DeepSemiNmf(DeepSemiNmf { neighbourhood, .. })
            if neighbourhood.any() =>
        {
            "a model with neighbours"
        }
        Settings::DeepSemiNmf(deep) if deep.activation != Activation::Identity => {
            "a nonlinear model"
        }
        Settings::Nmf(nmf) if nmf.divergence != Divergence::Frobenius => {
            "the Kullback-Leibler divergence"
        }
        Settings::Nmf(nmf) if nmf.check_unpenalized().is_err() => "nmf with penalties",
        Settings::SemiNmf(_) | Settings::DeepSemiNmf(_) | Settings::Nmf(_) => return Ok(()),
        other => other.name(),
    };
    Err(no_batches(refused))
}

fn no_batches(what: &str) -> Error {
    let accepted = "one batch after another is learnt from by semi-nmf, nmf and linear deep-semi-nmf, without \
                    neighbours and penalties";
    Error::parameter("the model", what, accepted)
}

#[cfg(test)]
mod tests;
