//! The unit of the data, and what a result must not be.
//!
//! Every fit sees its data times a power of two, such that samples have a mean squared length of about one.
//! That changes no digit of the data, so the same fit results whatever they are measured in. Factors and errors
//! are returned in the unit of the caller: the basis next to the data carries it, unless the features were
//! asked to carry the scale ([`ScaleIn`]).

use super::summary::gap;
use super::{Attributes, Factors, Model, Notice, Settings, WarmStart};
use crate::checkpoint::Identity;
use crate::driver::FitSession;
use crate::error::{Error, Result};
use crate::graph::Labels;
use crate::init::ScaleIn;
use crate::matrix::{
    DataMatrix, Fingerprint, Incomplete, Matrix, Scalar, Scaled, Weighted, power_of_two, scale,
    scale_by_power, unit_exponent,
};
use crate::objective::{Divergence, Fitted};
use crate::predict::{Predictor, learn};
use crate::project::by_basis;
use crate::stop::StopReason;
use crate::update::BasisProducts;

/// A fit that sees data in the common unit. It is given them and their exponent; `divergence` is what its errors are
/// errors of.
pub(crate) fn in_common_unit<T: Scalar>(
    x: &dyn DataMatrix<T>,
    divergence: Divergence,
    session: &mut FitSession<'_>,
    fit: impl FnOnce(&dyn DataMatrix<T>, i32, &mut FitSession<'_>) -> Result<Model<T>>,
) -> Result<Model<T>> {
    // With the roots of the weights, whatever the factors are: as many copies have the same unit.
    let rooted = x.weights().map(|weights| Weighted::rooted(x, weights));
    let exponent = match &rooted {
        None => unit_exponent(x)?,
        Some(rooted) => unit_exponent(rooted)?,
    };
    let scaled = Scaled::new(x, exponent);
    // What is filled in belongs to this fit alone.
    let own = if x.is_incomplete() { Some(Incomplete::for_fit(x, exponent)?) } else { None };
    let seen: &dyn DataMatrix<T> = match &own {
        Some(own) => own,
        None if exponent == 0 => x,
        None => &scaled,
    };
    let before = session.unit;
    session.unit *= divergence.error_unit(-exponent);
    let fitted = fit(seen, exponent, session);
    session.unit = before;
    let mut model = fitted?;
    return_to_unit(&mut model, -exponent)?;
    blame_settings(&mut model);
    Ok(model)
}

impl<T: Scalar> WarmStart<T> {
    /// The same for data times a power of two.
    pub(crate) fn in_unit(mut self, exponent: i32) -> Self {
        let bases = match &mut self {
            Self::Factors(factors) => &mut factors.z,
            Self::Bases(bases) => bases,
        };
        if let Some(first) = bases.first_mut() {
            scale_by_power(first, exponent);
        }
        self
    }
}

/// Factors and errors times a power of two.
fn return_to_unit<T: Scalar>(model: &mut Model<T>, exponent: i32) -> Result<()> {
    if exponent == 0 {
        return Ok(());
    }
    let in_features = match model.settings.unit_in() {
        ScaleIn::Auto | ScaleIn::Z | ScaleIn::Soft => 0,
        ScaleIn::H => exponent,
        ScaleIn::Balanced => exponent / 2,
    };
    let Factors { z, h, offset, seen, .. } = &mut model.factors;
    let mut lost = 0;
    for first in z.iter_mut().take(1) {
        lost += scale_and_count_lost(first, exponent - in_features)?;
    }
    for h in h.iter_mut().chain(seen) {
        lost += scale_and_count_lost(h, in_features)?;
    }
    if let Some(offset) = offset {
        let mut column = Matrix::from_vec(offset.len(), 1, std::mem::take(offset))?;
        lost += scale_and_count_lost(&mut column, exponent)?;
        *offset = column.into_vec();
    }
    if lost > 0 {
        model.summary.notices.push(Notice::Underflow { entries: lost });
    }
    let unit = model.settings.divergence().error_unit(exponent);
    let summary = &mut model.summary;
    let histories = summary.runs.iter_mut().map(|run| &mut run.history);
    let errors = histories.flatten().chain(&mut summary.history);
    errors.chain(&mut summary.svd_bound).for_each(|error| *error *= unit);
    summary.error *= unit;
    Ok(())
}

/// Multiplies by a power of two; counts the entries that became too small for the number type.
fn scale_and_count_lost<T: Scalar>(a: &mut Matrix<T>, exponent: i32) -> Result<usize> {
    if exponent == 0 {
        return Ok(0);
    }
    let present = |a: &Matrix<T>| a.as_slice().iter().filter(|v| v.magnitude() > T::ZERO).count();
    let before = present(a);
    scale_by_power(a, exponent);
    if a.as_slice().iter().all(|v| v.finite()) {
        return Ok(before - present(a));
    }
    Err(Error::Numerical(format!(
        "the factors have numbers that are too large for {}: divide the data by a constant, or use f64",
        T::DTYPE
    )))
}

/// Who stops a fit early gets something that is at least as good as zeros: the reconstruction is brought to
/// the size that suits the data best.
pub(crate) fn never_worse_than_nothing<T: Scalar>(
    x: &dyn DataMatrix<T>,
    model: &mut Model<T>,
) -> Result<()> {
    if model.settings.divergence() == Divergence::KullbackLeibler {
        return Ok(()); // zeros are as bad as can be, and factors begin with the size of the samples
    }
    let (factors, summary) = (&mut model.factors, &mut model.summary);
    if !summary.stop.is_early() || summary.relative_error <= 1.0 || factors.offset.is_some() {
        return Ok(());
    }
    let decoded = factors.decode(factors.depth(), factors.top_features())?;
    let norm_sq = x.norm_sq()?;
    let (cross, model_sq) = sizes_of(x, norm_sq, &factors.z[0], &decoded)?;
    let size = if model_sq > 0.0 { (cross / model_sq).max(0.0) } else { 0.0 };
    scale(&mut factors.z[0], size);
    summary.error = factors.reconstruction_error(x, factors.depth(), factors.top_features())?;
    let norm = norm_sq.sqrt();
    summary.relative_error = summary.error / norm;
    summary.gap = gap(summary.error, summary.svd_bound, norm);
    Ok(())
}

/// `<X, Z H>` and `|Z H|^2`, over the observed entries.
fn sizes_of<T: Scalar>(
    x: &dyn DataMatrix<T>,
    norm_sq: f64,
    z: &Matrix<T>,
    h: &Matrix<T>,
) -> Result<(f64, f64)> {
    if x.is_incomplete() {
        let there = x.residual_norm_sq(z, h)?;
        let opposite = x.residual_norm_sq(&z.map(|v| -v), h)?;
        return Ok(((opposite - there) / 4.0, f64::midpoint(there, opposite) - norm_sq));
    }
    let products = BasisProducts::of(x, z)?;
    let cross = x.parts().sum_of(products.phi_t_x.inner(h))?;
    let error = Fitted { phi: z, h, products: &products }.error(x, norm_sq)?;
    Ok((cross, error * error - norm_sq + 2.0 * cross))
}

/// Above this share of the norm of the data, an error is more than rounding worse than that of no model.
const NO_MODEL: f64 = 1.0 + 1e-6;

/// Says so where a loop rose or the error exceeds the norm of the data, and what to change.
fn blame_settings<T: Scalar>(model: &mut Model<T>) {
    let (summary, advice) = (&mut model.summary, model.settings.advice().to_owned());
    let rose = summary.runs.iter().find(|run| run.stop == StopReason::Rose);
    if let Some(run) = rose {
        let (stage, advice) = (run.stage.to_string(), advice.clone());
        summary.notices.push(Notice::Rose { stage, advice });
    }
    let norm = model.settings.divergence() == Divergence::Frobenius;
    if norm && summary.relative_error > NO_MODEL {
        if summary.stop == StopReason::Converged {
            summary.stop = StopReason::Diverged;
        }
        summary.notices.push(Notice::AboveNorm { advice });
    }
}

/// Machines learn from samples whose missing entries are those of the model.
fn learn_from<T: Scalar>(
    model: &Model<T>,
    x: &dyn DataMatrix<T>,
    attributes: &Attributes<'_>,
) -> Result<Vec<Predictor<T>>> {
    if !x.is_incomplete() {
        return learn(model, x, attributes);
    }
    let (own, factors) = (Incomplete::for_fit(x, 0)?, &model.factors);
    own.fill_in(&factors.z[0], &factors.decode(factors.depth(), factors.top_features())?)?;
    learn(model, &own.as_complete(), attributes)
}

fn bytes_of<T: Scalar>(matrix: &Matrix<T>) -> &[u8] {
    bytemuck::cast_slice(matrix.as_slice())
}

impl Settings {
    /// Fits in the common unit.
    pub(super) fn run_in_unit<T: Scalar>(
        &self,
        task: super::Task<'_, T>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<T>> {
        if self.divergence() == Divergence::KullbackLeibler {
            Incomplete::refuse_weights(task.x, "the Kullback-Leibler divergence")?;
        }
        let fingerprint = task.x.fingerprint()?;
        if session.is_checkpointed() {
            session.begin_fit(&self.identity(&task, fingerprint)?, task.x.parts())?;
        }
        let super::Task { x, attributes, from, known, .. } = task;
        let rescaled = known.is_none();
        let mut model = in_common_unit(x, self.divergence(), session, |x, exponent, session| {
            let from = from.map(|from| from.in_unit(exponent));
            let known = known.map(|known| known.in_unit(exponent));
            let settings = self.clone().in_unit(power_of_two(exponent));
            let task = super::Task { attributes, from, known, ..super::Task::of(x) };
            let mut model = settings.dispatch(task, session)?;
            if rescaled {
                never_worse_than_nothing(x, &mut model)?;
            }
            if self.compares_data() {
                let factors = &model.factors;
                if x.is_incomplete() {
                    // Loops may end with what a sweep filled in that was taken back.
                    let decoded = factors.decode(factors.depth(), factors.top_features())?;
                    x.fill_in(&factors.z[0], &decoded)?;
                }
                model.factors.seen = Some(by_basis(x, &model.factors.z[0])?);
            }
            Ok(Model { settings: model.settings.in_unit(power_of_two(-exponent)), ..model })
        })?;
        model.summary.fingerprint = Some(fingerprint);
        // Models with parts have learnt on the way.
        let afterwards = self.abilities().labels != super::LabelUse::EachPart;
        if self.abilities().predicts() && afterwards && !model.summary.stop.is_early() {
            model.predictors = learn_from(&model, x, attributes)?;
        }
        let trouble = session.trouble_with_checkpoints();
        model.summary.notices.extend(trouble.map(|why| Notice::NoCheckpoint { why }));
        Ok(model)
    }

    /// What checkpoints of this fit belong to.
    pub(crate) fn identity<T: Scalar>(
        &self,
        task: &super::Task<'_, T>,
        data: Fingerprint,
    ) -> Result<Identity> {
        let parts = task.x.parts();
        let of_all = |labels: &Labels| parts.gather_labels(labels);
        let labels: Vec<_> =
            task.attributes.iter().map(|a| a.map(of_all).transpose()).collect::<Result<_>>()?;
        let labels = serde_json::to_vec(&labels).unwrap_or_default();
        let mut start = Vec::new();
        let given: &[Matrix<T>] = match &task.from {
            None => &[],
            Some(WarmStart::Bases(z)) => z,
            Some(WarmStart::Factors(Factors { z, h, .. })) => {
                for h in h {
                    parts.each_block(h, &mut |block| {
                        start.extend(bytemuck::cast_slice::<_, u8>(block));
                    })?;
                }
                z
            }
        };
        start.extend(given.iter().flat_map(bytes_of));
        if let Some(known) = &task.known {
            let [bases, features] = known.matrices();
            start.extend(bytes_of(bases));
            parts.each_block(features, &mut |block| {
                start.extend(bytemuck::cast_slice::<_, u8>(block));
            })?;
        }
        if let Some(weights) = task.x.weights() {
            let row = Matrix::from_vec(1, weights.values().len(), weights.values().to_vec())?;
            parts.each_block(&row, &mut |block| {
                start.extend(bytemuck::cast_slice::<_, u8>(block));
            })?;
        }
        if let Some(weights) = task.x.incomplete().and_then(Incomplete::entry_weights) {
            start.extend(bytes_of(&weights));
        }
        Ok(Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dtype: T::DTYPE,
            features: task.x.shape().0,
            samples: parts.total(),
            data: data.to_string(),
            labels: Fingerprint::of_bytes(&labels).to_string(),
            start: Fingerprint::of_bytes(&start).to_string(),
            settings: self.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Factorization, Wsf};
    use crate::testing::positive;

    /// What ended with an error of thousands of norms was called converged.
    #[test]
    fn what_is_worse_than_nothing_or_rose_has_not_converged_and_names_the_setting() {
        let x = positive::<f64>(8, 30, 1);
        let labels: Vec<Option<u32>> = (0..30).map(|j| Some(j % 3)).collect();
        let mut model = Wsf::new(3, 0.1).fit_labelled(&x, &[Some(&labels)]).unwrap();
        assert!(model.summary.notices.is_empty());
        model.summary.stop = StopReason::Converged;
        model.summary.relative_error = 1.5;
        blame_settings(&mut model);
        assert_eq!(model.summary.stop, StopReason::Diverged);
        assert!(model.summary.notices[0].to_string().contains("lambda"));
        model.summary.relative_error = 0.5;
        model.summary.runs[0].stop = StopReason::Rose;
        blame_settings(&mut model);
        assert!(model.summary.notices[1].to_string().contains("rose"));
    }
}
