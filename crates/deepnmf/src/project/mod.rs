//! Features of new samples (the paper's section 5), at any layer.
//!
//! With `Phi = Z_1 ... Z_l`, the basis of layer `l` in the space of the data:
//!
//! * Method 1, [`Projection::Basis`]: `h = Phi^+ x`. Fast, but entries may be negative.
//! * Method 2, [`Projection::NonNegative`]: `h = argmin |x - Phi h|` over `h >= 0`, solved
//!   exactly, so that the training set never comes back with a larger error than the fit had.
//!
//! With a nonlinearity between the layers both look different: see `nonlinear.rs`. So they do for layers with
//! neighbours: see `in_data.rs` for those in the data, `reading.rs` for those in features, `joint.rs` for models whose
//! layers are fitted together, and `kullback_leibler.rs` for models that keep that divergence small. Where samples are sums of parts, both choose a cluster of each part: see `additive.rs`.

mod additive;
mod in_data;
mod incomplete;
mod joint;
mod kullback_leibler;
mod near;
#[cfg(test)]
mod near_tests;
mod nonlinear;
mod reading;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::matrix::{
    Centred, DataMatrix, Matrix, Scalar, Scaled, Watched, Whitening, check_data, extreme_exponent,
    gram_of_columns, power_of_two, product,
};
use crate::models::{Factors, Model, one_layer_up};
use crate::objective::Divergence;
use crate::stop::{CancelToken, Watch};
use crate::update::{BasisProducts, Penalty, Products, h_exact, h_hals};

pub(crate) use additive::{Chosen, unit_of};

/// Sweeps of coordinate descent that guess the active sets for the exact solver.
const GUESSING_SWEEPS: usize = 50;

/// How features of new samples are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Projection {
    /// Method 1: by the pseudo-inverse of the basis.
    Basis,
    /// Method 2: by non-negative least squares.
    NonNegative,
}

impl<T: Scalar> Model<T> {
    /// How features of new samples are computed unless somebody asks for another way.
    pub fn usual_projection(&self) -> Projection {
        if self.settings.abilities().centred { Projection::Basis } else { Projection::NonNegative }
    }

    /// The features of the samples `x` at a layer, counted from 1: `k x n`.
    ///
    /// ```
    /// use deepnmf::{Factorization, Matrix, Projection, SemiNmf};
    /// let x = Matrix::from_fn(5, 12, |i, j| (i * j % 4) as f64);
    /// let model = SemiNmf::new(2).fit(&x)?;
    /// let h = model.project(&x, 1, Projection::NonNegative)?;
    /// assert_eq!(h.shape(), (2, 12));
    /// # Ok::<(), deepnmf::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such layer, or the samples have another number of features than the model.
    pub fn project(
        &self,
        x: &dyn DataMatrix<T>,
        layer: usize,
        method: Projection,
    ) -> Result<Matrix<T>> {
        self.project_until(x, layer, method, &CancelToken::new())
    }

    /// The same, unless somebody asks to stop.
    ///
    /// # Errors
    /// As [`project`](Self::project), and [`Error::Interrupted`].
    pub fn project_until(
        &self,
        x: &dyn DataMatrix<T>,
        layer: usize,
        method: Projection,
        cancel: &CancelToken,
    ) -> Result<Matrix<T>> {
        let watch = Watch { cancel: cancel.clone(), deadline: None };
        T::project(self, &Watched::new(x, &watch), layer, method)
    }

    /// A warning where projected features `h` of the samples `x` are worse than none: their reconstruction
    /// has an error above the norm of the samples. The pseudo-inverse of a nonlinear model can do that.
    ///
    /// # Errors
    /// If there is no such layer, or the data cannot be read.
    pub fn projection_warning(
        &self,
        x: &dyn DataMatrix<T>,
        layer: usize,
        method: Projection,
        h: &Matrix<T>,
    ) -> Result<Option<String>> {
        if method == Projection::NonNegative || is_linear(&self.factors, layer) {
            return Ok(None); // least squares are never worse than zeros
        }
        let norm = x.norm_sq()?.sqrt();
        let error = self.factors.reconstruction_error(x, layer, h)?;
        Ok((error > norm).then(|| {
            format!(
                "the features by pseudo-inverse reconstruct the samples with an error of {:.0}% of their \
                 norm, which is worse than nothing: this model is nonlinear, use the method nonnegative",
                100.0 * error / norm
            )
        }))
    }
}

/// [`Model::project`] itself.
pub(crate) fn project<T: Scalar>(
    model: &Model<T>,
    x: &dyn DataMatrix<T>,
    layer: usize,
    method: Projection,
) -> Result<Matrix<T>> {
    let factors = &model.factors;
    factors.check_layer(layer)?;
    let (found, expected) = (x.shape().0, factors.z[0].rows());
    if found != expected {
        return Err(Error::Shape {
            what: "the number of features of each sample".into(),
            found: found.to_string(),
            expected: expected.to_string(),
        });
    }
    check_data(x)?;
    if let (Some(of), Some(v)) = (model.settings.neighbours(), factors.reading(layer)) {
        let below = project(model, x, layer - 1, method)?;
        let fade = model.settings.fade().unwrap_or(v.cols());
        let reading = reading::Reading { neighbourhood: &of, factors, layer, v, fade };
        return reading.features(&below, x, method);
    }
    if x.is_incomplete() {
        return incomplete::features(model, x, layer, method);
    }
    match extreme_exponent(&factors.z[0])? {
        None => in_layer(model, factors, x, layer, method, model.settings.penalty(found)),
        Some(exponent) => {
            let (factors, x) = (factors.in_unit(exponent), Scaled::new(x, exponent));
            let settings = model.settings.clone().in_unit(power_of_two(exponent));
            in_layer(model, &factors, &x, layer, method, settings.penalty(found))
        }
    }
}

/// The features at a layer that reads no others.
fn in_layer<T: Scalar>(
    model: &Model<T>,
    factors: &Factors<T>,
    x: &dyn DataMatrix<T>,
    layer: usize,
    method: Projection,
    penalty: Penalty,
) -> Result<Matrix<T>> {
    if let Some(metric) = &factors.metric {
        let chosen = additive::Chosen::of(x, factors, metric, &model.predictors)?;
        let mut h = chosen.one_hot(&metric.parts);
        for above in 2..=layer {
            let [lower, upper] = [above - 1, above].map(|layer| model.settings.parts_in(layer));
            h = one_layer_up(&h, &factors.z[above - 1], &lower, &upper);
        }
        return Ok(h);
    }
    if model.settings.divergence() == Divergence::KullbackLeibler {
        return kullback_leibler::features(x, &factors.basis(layer)?, penalty, method);
    }
    if !penalty.is_none() && method == Projection::NonNegative {
        return penalized(x, &factors.basis(layer)?, penalty);
    }
    let Some(seen) = &factors.seen else { return features(factors, x, layer, method) };
    match (model.settings.neighbours(), model.settings.joint_neighbours()) {
        (_, Some(of)) => joint::Joint::of(model, &of, factors, seen).features(x, layer, method),
        (Some(of), None) if layer == 1 => in_data::features(&of, factors, seen, x, method),
        _ => features(factors, x, layer, method),
    }
}

/// The features of samples that fit the factors.
fn features<T: Scalar>(
    factors: &Factors<T>,
    x: &dyn DataMatrix<T>,
    layer: usize,
    method: Projection,
) -> Result<Matrix<T>> {
    match (method, &factors.offset) {
        (Projection::Basis, Some(offset)) => {
            by_basis(&Centred::new(x, offset), &factors.basis(layer)?)
        }
        (Projection::Basis, None) if is_linear(factors, layer) => {
            by_basis(x, &factors.basis(layer)?)
        }
        (Projection::Basis, None) => nonlinear::by_inverses(x, factors, layer),
        (Projection::NonNegative, None) => non_negative_features(x, factors, layer),
        (Projection::NonNegative, Some(_)) => {
            let accepted = "features of this model have any sign, use basis";
            Err(Error::parameter("the method", "nonnegative", accepted))
        }
    }
}

/// Method 2 for data that fit the bases.
pub(crate) fn non_negative_features<T: Scalar>(
    x: &dyn DataMatrix<T>,
    factors: &Factors<T>,
    layer: usize,
) -> Result<Matrix<T>> {
    if is_linear(factors, layer) {
        return non_negative(x, &factors.basis(layer)?);
    }
    nonlinear::by_descent(x, factors, layer, &[])
}

/// Whether nothing nonlinear lies between a layer and the data.
fn is_linear<T: Scalar>(factors: &Factors<T>, layer: usize) -> bool {
    layer == 1 || factors.activation == Activation::Identity
}

/// `Phi^+ x` through an orthonormal basis `Phi W^T` of the same space.
pub(crate) fn by_basis<T: Scalar>(x: &dyn DataMatrix<T>, phi: &Matrix<T>) -> Result<Matrix<T>> {
    let w = Whitening::of::<T>(&gram_in_f64(phi))?.w.cast::<T>();
    let orthonormal = product(phi.view(), w.t());
    let mut image = Matrix::zeros(w.rows(), x.shape().1);
    x.tr_mul(&orthonormal, &mut image)?;
    Ok(product(w.t(), image.view()))
}

/// `argmin_(H >= 0) |X - Phi H|`.
pub(crate) fn non_negative<T: Scalar>(x: &dyn DataMatrix<T>, phi: &Matrix<T>) -> Result<Matrix<T>> {
    let mut phi_t_x = Matrix::zeros(phi.cols(), x.shape().1);
    x.tr_mul(phi, &mut phi_t_x)?;
    Ok(non_negative_by_products(&phi_t_x.cast(), &gram_in_f64(phi)).cast())
}

/// The same with a penalty of the features.
fn penalized<T: Scalar>(
    x: &dyn DataMatrix<T>,
    phi: &Matrix<T>,
    penalty: Penalty,
) -> Result<Matrix<T>> {
    let mut phi_t_x = Matrix::zeros(phi.cols(), x.shape().1);
    x.tr_mul(phi, &mut phi_t_x)?;
    let products = BasisProducts { phi_t_x: phi_t_x.cast(), phi_t_phi: gram_in_f64(phi) };
    let BasisProducts { phi_t_x, phi_t_phi } = penalty.in_products(&products);
    Ok(non_negative_by_products(&phi_t_x, &phi_t_phi).cast())
}

/// The same from `Phi^T X` and `Phi^T Phi`.
fn non_negative_by_products(phi_t_x: &Matrix<f64>, phi_t_phi: &Matrix<f64>) -> Matrix<f64> {
    let mut guess = Matrix::zeros(phi_t_x.rows(), phi_t_x.cols());
    h_hals(&mut guess, Products::plain(phi_t_x, phi_t_phi), GUESSING_SWEEPS);
    h_exact(phi_t_phi, phi_t_x, &guess)
}

/// The same by coordinate descent alone, where only a place to begin is wanted: the exact solution takes the
/// cube of the components for each sample.
fn about_non_negative<T: Scalar>(x: &dyn DataMatrix<T>, phi: &Matrix<T>) -> Result<Matrix<T>> {
    let products = BasisProducts::of(x, phi)?;
    let mut h = Matrix::zeros(phi.cols(), x.shape().1);
    h_hals(&mut h, products.plain(), GUESSING_SWEEPS);
    Ok(h)
}

fn gram_in_f64<T: Scalar>(phi: &Matrix<T>) -> Matrix<f64> {
    let mut gram = Matrix::zeros(phi.cols(), phi.cols());
    gram_of_columns(&mut gram, &phi.cast());
    gram
}
