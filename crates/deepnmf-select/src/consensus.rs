//! Components that fits from many seeds agree on (Kotliar et al. 2019, consensus NMF).
//!
//! Factorizations have many local minima. Components that nearly every fit finds are worth more trust than others; the
//! median of what the fits make of each leaves out what single ones have found.

use deepnmf::matrix::dot;
use deepnmf::{
    CancelToken, DataMatrix, Divergence, Error, Factorization, FitSession, Matrix, Model,
    Neighbourhood, NonNegativeStart, Projection, Result, Scalar, Settings, Start, StopReason,
};

use crate::stability::{directions, matched};

/// What fits agree on.
#[derive(Debug, Clone)]
pub struct Consensus<T> {
    /// The best of the fits, with the components of all: medians of matched ones, at unit length, and the features that go with
    /// them.
    pub model: Model<T>,
    /// The mean cosine of each component with those of the fits that it was made of; 1 where all find the same.
    pub stability: Vec<f64>,
    /// The error of each fit.
    pub errors: Vec<f64>,
}

impl<T: Scalar> Consensus<T> {
    /// Fits a Semi-NMF or an NMF several times, from random factors of a seed of its own each, and brings the components
    /// together. `watch` hears how many fits are done.
    ///
    /// # Errors
    /// If the model is another one, there are fewer than two fits, one of them fails, or `cancel` stops them.
    pub fn of(
        x: &dyn DataMatrix<T>,
        settings: &Settings,
        fits: usize,
        watch: &mut dyn FnMut(usize),
        cancel: &CancelToken,
    ) -> Result<Self> {
        if fits < 2 {
            let accepted = "two fits at least are brought together";
            return Err(refused("the number of fits", fits.to_string(), accepted));
        }
        let mut models = Vec::with_capacity(fits);
        for fit in 0..fits {
            let settings = from_random(settings, fit)?;
            let mut session = FitSession::new().stopped_by(cancel.clone());
            let model: Model<T> = settings.fit_in(x, &[], &mut session)?;
            if model.summary.runs.iter().any(|run| run.stop == StopReason::Cancelled) {
                return Err(Error::Interrupted(StopReason::Cancelled));
            }
            models.push(model);
            watch(fit + 1);
        }
        bring_together(x, models)
    }
}

fn refused(name: &str, value: String, accepted: &str) -> Error {
    Error::Parameter { name: name.into(), value, accepted: accepted.into() }
}

/// The settings of one of the fits.
fn from_random(settings: &Settings, fit: usize) -> Result<Settings> {
    let mut settings = settings.clone();
    match &mut settings {
        Settings::SemiNmf(model) if model.neighbourhood == Neighbourhood::default() => {
            model.options.start = Start::Random;
            model.options.seed = model.options.seed.wrapping_add(fit as u64);
            model.options.measure_bound &= fit == 0;
        }
        Settings::Nmf(model) => {
            model.options.start = NonNegativeStart::Random;
            model.options.seed = model.options.seed.wrapping_add(fit as u64);
            model.options.measure_bound &= fit == 0;
        }
        other => {
            let accepted =
                "components of semi-nmf and nmf are brought together, without neighbours";
            return Err(refused("the model of several fits", other.name().into(), accepted));
        }
    }
    Ok(settings)
}

/// One model of all.
fn bring_together<T: Scalar>(x: &dyn DataMatrix<T>, models: Vec<Model<T>>) -> Result<Consensus<T>> {
    let errors: Vec<f64> = models.iter().map(|model| model.summary.error).collect();
    let best =
        (1..errors.len()).fold(0, |best, at| if errors[at] < errors[best] { at } else { best });
    let bound = models[0].summary.svd_bound;
    let bases: Vec<Matrix<f64>> =
        models.iter().map(|model| directions(&model.factors.z[0])).collect();
    let reference = &bases[best];
    // For each fit the component that goes with each of the best one.
    let partners: Vec<Vec<usize>> = bases
        .iter()
        .map(|basis| matched(reference, basis).into_iter().map(|(other, _)| other).collect())
        .collect();
    let (p, k) = reference.shape();
    let mut together = Matrix::zeros(p, k);
    let mut values = vec![0.0; bases.len()];
    for r in 0..k {
        for i in 0..p {
            for (value, (basis, partner)) in values.iter_mut().zip(bases.iter().zip(&partners)) {
                *value = basis[(i, partner[r])];
            }
            together[(i, r)] = median(&mut values);
        }
    }
    let together = directions(&together);
    let agreement = |r: usize| {
        let cosines = bases.iter().zip(&partners).map(|(b, of)| dot(together.col(r), b.col(of[r])));
        cosines.sum::<f64>() / bases.len() as f64
    };
    let stability = (0..k).map(agreement).collect();
    let mut model =
        models.into_iter().nth(best).unwrap_or_else(|| unreachable!("it is one of them"));
    model.factors.z[0] = together.cast();
    model.factors.h[0] = model.project(x, 1, Projection::NonNegative)?;
    let error = model.error_of(x, 1, &model.factors.h[0])?;
    let summary = &mut model.summary;
    (summary.error, summary.svd_bound) = (error, bound);
    summary.gap = match (bound, model.settings.divergence()) {
        (Some(bound), Divergence::Frobenius) if bound > 0.0 => Some(error / bound - 1.0),
        _ => None,
    };
    model.summary.relative_error = model.relative(x, error)?;
    Ok(Consensus { model, stability, errors })
}

/// The middle of some numbers, which are brought into order.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
