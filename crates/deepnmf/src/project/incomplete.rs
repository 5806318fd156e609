//! Features of new samples of which some entries are missing: those that reconstruct the observed ones best.
//!
//! In a linear model that is a small problem of its own for each sample, with the rows of the basis that it has:
//!
//! ```text
//! G_j = sum_(i observed) phi_i phi_i^T        b_j = sum_(i observed) x_ij phi_i
//! ```
//!
//! and the answer is exact; in the Kullback-Leibler divergence it is the minimum over the observed entries
//! (`kullback_leibler.rs`). Of other models missing entries are filled in by what the features make of them, and the
//! features found anew, a fixed number of times, so that those of a sample do not depend on which others it comes with.
//! Neighbours are those of the samples as they are filled in without neighbours.

use rayon::prelude::*;

use super::{
    GUESSING_SWEEPS, Projection, features as plain_features, gram_in_f64, in_layer, is_linear,
    kullback_leibler,
};
use crate::error::{Error, Result};
use crate::matrix::{
    DataMatrix, Incomplete, Matrix, Sample, Scalar, Whitening, extreme_exponent, power_of_two,
};
use crate::models::{Factors, Model};
use crate::objective::Divergence;
use crate::update::{BasisProducts, Penalty, Products, h_exact, h_hals};

/// How often missing entries are filled in for a nonlinear model.
const ROUNDS: usize = 20;

impl<T: Scalar> Model<T> {
    /// *Together*: the samples of this part in dense form, with missing entries as the model reconstructs them: by its
    /// features of the fit if it was fitted to these samples, else by those that reconstruct what was observed best.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn impute(&self, x: &dyn DataMatrix<T>) -> Result<Matrix<T>> {
        let factors = &self.factors;
        let (mut filled, layer) = match x.incomplete() {
            Some(own) => (own.to_nan(), factors.depth()),
            None => (x.own_dense()?, factors.depth()),
        };
        if !x.is_incomplete() {
            return Ok(filled);
        }
        let projected;
        let h = if x.parts().is_whole() && self.was_fitted_to(x)? {
            factors.top_features()
        } else {
            projected = self.project(x, layer, self.usual_projection())?;
            &projected
        };
        let model = factors.reconstruct(layer, h)?;
        for (v, model) in filled.as_mut_slice().iter_mut().zip(model.as_slice()) {
            if v.to_f64().is_nan() {
                *v = *model;
            }
        }
        Ok(filled)
    }
}

/// The features at a layer that reads no others.
pub(super) fn features<T: Scalar>(
    model: &Model<T>,
    x: &dyn DataMatrix<T>,
    layer: usize,
    method: Projection,
) -> Result<Matrix<T>> {
    if model.settings.divergence() == Divergence::KullbackLeibler {
        Incomplete::refuse_weights(x, "the Kullback-Leibler divergence")?;
    }
    let p = x.shape().0;
    let exponent = extreme_exponent(&model.factors.z[0])?.unwrap_or(0);
    let factors = &model.factors.in_unit(exponent);
    let settings = model.settings.clone().in_unit(power_of_two(exponent));
    let own = Incomplete::for_projection(x, exponent)?;
    let penalty = settings.penalty(p);
    if settings.divergence() == Divergence::KullbackLeibler {
        return kullback_leibler::features(&own, &factors.basis(layer)?, penalty, method);
    }
    let compared = factors.seen.is_some();
    if factors.metric.is_some() {
        fill_in(&own, factors, 1, x, &|own| in_layer(model, factors, own, 1, method, penalty))?;
    } else if is_linear(factors, layer) {
        let basis = Rows::of(&factors.basis(layer)?, factors.offset.as_deref(), penalty);
        let h = basis.features(&own, method, &|| x.go_on())?;
        if !compared {
            return Ok(h);
        }
        own.fill_in(&factors.basis(layer)?, &h)?;
    } else {
        fill_in(&own, factors, layer, x, &|own| {
            plain_features(factors, own, layer, Projection::NonNegative)
        })?;
    }
    in_layer(model, factors, &own.as_complete(), layer, method, penalty)
}

/// Finds the features of complete samples.
type Finder<'a, T> = dyn Fn(&dyn DataMatrix<T>) -> Result<Matrix<T>> + 'a;

/// Fills new samples in by what a layer makes of them, given what finds the features of complete samples.
fn fill_in<T: Scalar>(
    own: &Incomplete<'_, T>,
    factors: &Factors<T>,
    layer: usize,
    x: &dyn DataMatrix<T>,
    features: &Finder<'_, T>,
) -> Result<()> {
    let first = Rows::of(&factors.z[0], None, Penalty::NONE);
    let h = first.features(own, Projection::NonNegative, &|| x.go_on())?;
    own.fill_in(&factors.z[0], &h)?;
    for _ in 0..ROUNDS {
        x.go_on()?;
        let h = features(&own.as_complete())?;
        own.fill_in(&factors.z[0], &factors.decode(layer, &h)?)?;
    }
    Ok(())
}

/// The rows of a basis, and what is the same for all samples.
struct Rows<'a, T> {
    /// `Phi^T`.
    phi_t: Matrix<f64>,
    offset: Option<&'a [T]>,
    penalty: Penalty,
    gram: Matrix<f64>,
    /// `Phi^T m`.
    of_offset: Vec<f64>,
}

impl<'a, T: Scalar> Rows<'a, T> {
    fn of(phi: &Matrix<T>, offset: Option<&'a [T]>, penalty: Penalty) -> Self {
        let phi_t = phi.t().to_matrix().cast::<f64>();
        let mut of_offset = vec![0.0; phi_t.rows()];
        for (row, m) in phi_t.columns().zip(offset.unwrap_or_default()) {
            add(&mut of_offset, m.to_f64(), row);
        }
        Self { gram: gram_in_f64(phi), phi_t, offset, penalty, of_offset }
    }

    /// The features of all samples.
    fn features(
        &self,
        x: &Incomplete<'_, T>,
        method: Projection,
        go_on: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Matrix<T>> {
        if method == Projection::NonNegative && self.offset.is_some() {
            let accepted = "features of this model have any sign, use basis";
            return Err(Error::parameter("the method", "nonnegative", accepted));
        }
        let samples = x.samples();
        let of = |(j, sample): (usize, &Sample<T>)| {
            if j.is_multiple_of(64) {
                go_on()?;
            }
            self.solve(sample, method)
        };
        let found: Vec<Vec<T>> = samples.par_iter().enumerate().map(of).collect::<Result<_>>()?;
        Matrix::from_vec(self.gram.rows(), samples.len(), found.concat())
    }

    fn solve(&self, sample: &Sample<T>, method: Projection) -> Result<Vec<T>> {
        let k = self.gram.rows();
        let (gram, of_offset) = self.seen_by(sample);
        let mut b = Matrix::zeros(k, 1);
        for (at, (i, v)) in sample.entries.iter().enumerate() {
            add(b.col_mut(0), sample.weight(at) * v.to_f64(), self.phi_t.col(*i));
        }
        add(b.col_mut(0), -1.0, &of_offset);
        let h = match method {
            Projection::Basis => {
                crate::matrix::product(Whitening::of::<T>(&gram)?.inverse.view(), b.view())
            }
            Projection::NonNegative => {
                let plain = BasisProducts { phi_t_x: b, phi_t_phi: gram };
                let BasisProducts { phi_t_x, phi_t_phi } = self.penalty.in_products(&plain);
                let mut guess = Matrix::zeros(k, 1);
                h_hals(&mut guess, Products::plain(&phi_t_x, &phi_t_phi), GUESSING_SWEEPS);
                h_exact(&phi_t_phi, &phi_t_x, &guess)
            }
        };
        Ok(h.cast().into_vec())
    }

    /// `G_j`, and what it sees of the offset. Few missing rows are taken off; but where few are left, rounding would be
    /// all of the difference.
    fn seen_by(&self, sample: &Sample<T>) -> (Matrix<f64>, Vec<f64>) {
        let (p, k) = (self.phi_t.cols(), self.gram.rows());
        let lacks = |i: &usize| sample.places.binary_search(i).is_ok() == sample.missing;
        let few = sample.missing && 2 * sample.places.len() < p && p - sample.places.len() > 2 * k;
        let (sign, mut gram, mut of_offset) = if few {
            (-1.0, self.gram.clone(), self.of_offset.clone())
        } else {
            (1.0, Matrix::zeros(k, k), vec![0.0; k])
        };
        let mut see = |i: usize, weight: f64| {
            let (row, share) = (self.phi_t.col(i), sign * weight);
            for (c, v) in row.iter().enumerate() {
                add(gram.col_mut(c), share * v, row);
            }
            if let Some(offset) = self.offset {
                add(&mut of_offset, share * offset[i].to_f64(), row);
            }
        };
        if few || !sample.missing {
            let places = sample.places.iter().enumerate();
            places.for_each(|(at, i)| see(*i, sample.weight(at)));
        } else {
            (0..p).filter(|i| !lacks(i)).for_each(|i| see(i, 1.0));
        }
        (gram, of_offset)
    }
}

/// `a += factor b`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}
