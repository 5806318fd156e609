//! The features of the judged samples in every layer, and the samples as each layer reconstructs them.
//!
//! The parts of an additive model stand side by side as layers do. What a part sees are the samples less the other
//! parts, in the metric of the fit; its clusters are its memberships.

use deepnmf::matrix::product;
use deepnmf::{DataMatrix, Matrix, Model, Scalar};
use deepnmf_data::preprocess::Prepare;
use deepnmf_eval::Scaling;

use crate::choice::Choice;
use crate::error::Result;

/// One layer as the judged samples see it.
pub(crate) struct Layer<T> {
    /// The features, `k x judged`.
    pub(crate) h: Matrix<T>,
    /// The same scaled, as they are clustered, classified and mapped.
    pub(crate) scaled: Matrix<f64>,
    /// The reconstruction error, relative to the norm of the samples.
    pub(crate) relative_error: f64,
    /// Its basis in the space of the data.
    pub(crate) phi: Matrix<T>,
    /// What more is known of a part.
    pub(crate) part: Option<Part>,
}

/// A part of an additive model.
pub(crate) struct Part {
    /// The cluster of each judged sample.
    pub(crate) clusters: Vec<usize>,
    /// The share of the samples' scatter about their mean that is between its clusters.
    pub(crate) share: f64,
}

/// The features of every layer.
pub(crate) struct Layers<T> {
    pub(crate) layers: Vec<Layer<T>>,
    /// Whether they are those of the fit, or computed for these samples.
    pub(crate) of_the_fit: bool,
}

impl<T: Scalar> Layers<T> {
    /// Takes the features of the fit if `x`, all samples, are the ones it was made with; computes
    /// those of the judged samples, which are given, otherwise.
    pub(crate) fn of(
        model: &Model<T>,
        x: &dyn DataMatrix<T>,
        judged: &Matrix<T>,
        choice: &Choice,
        scale: Scaling,
    ) -> Result<Self> {
        let of_the_fit = model.was_fitted_to(x)?;
        let least = model.settings.divergence().error_of_least_model(judged)?;
        if model.settings.parts().len() > 1 {
            let h = if of_the_fit {
                columns(model.factors.top_features(), &choice.judged)
            } else {
                model.project(judged, model.factors.depth(), model.usual_projection())?
            };
            return Ok(Self { layers: parts(model, judged, &h, scale)?, of_the_fit });
        }
        let layers = (1..=model.factors.depth()).map(|layer| {
            let h = if of_the_fit {
                columns(&model.factors.h[layer - 1], &choice.judged)
            } else {
                model.project(judged, layer, model.usual_projection())?
            };
            let error = model.error_of(judged, layer, &h)?;
            let scaled = scale.apply(&h.cast::<f64>())?;
            let relative_error = if least > 0.0 { error / least } else { 0.0 };
            let phi = model.factors.basis(layer)?;
            Ok(Layer { h, scaled, relative_error, phi, part: None })
        });
        Ok(Self { layers: layers.collect::<Result<_>>()?, of_the_fit })
    }
}

/// The parts of an additive model, for samples with memberships `h` in the top layer.
fn parts<T: Scalar>(
    model: &Model<T>,
    x: &Matrix<T>,
    h: &Matrix<T>,
    scale: Scaling,
) -> Result<Vec<Layer<T>>> {
    let (z, labels) = (model.factors.basis(model.factors.depth())?, model.part_labels_of(h));
    let sum = product(z.view(), h.view());
    let left = Matrix::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] - sum[(i, j)]);
    let norm = x.norm_sq().sqrt();
    let relative_error = if norm > 0.0 { left.norm_sq().sqrt() / norm } else { 0.0 };
    let scatter = centred_norm_sq(x);
    let part = |part: usize| {
        let rows = model.part_rows(part)?;
        let own = Matrix::from_fn(rows.len(), h.cols(), |i, j| h[(rows.start + i, j)]);
        let phi = z.view_columns(rows).to_matrix();
        let added = product(phi.view(), own.view());
        let seen = Matrix::from_fn(x.rows(), x.cols(), |i, j| left[(i, j)] + added[(i, j)]);
        let seen = match &model.factors.metric {
            Some(metric) => product(metric.map.t(), seen.view()),
            None => seen,
        };
        let share = if scatter > 0.0 { centred_norm_sq(&added) / scatter } else { 0.0 };
        let clusters = labels.iter().map(|labels| labels[part - 1]).collect();
        let scaled = scale.apply(&seen.cast::<f64>())?;
        Ok(Layer { h: own, scaled, relative_error, phi, part: Some(Part { clusters, share }) })
    };
    (1..=model.settings.parts().len()).map(part).collect()
}

/// `|X|^2` about the mean column.
fn centred_norm_sq<T: Scalar>(x: &Matrix<T>) -> f64 {
    let (mut sums, n) = (vec![0.0; x.rows()], x.cols().max(1) as f64);
    for column in x.columns() {
        sums.iter_mut().zip(column).for_each(|(sum, v)| *sum += v.to_f64());
    }
    (x.norm_sq() - sums.iter().map(|sum| sum * sum).sum::<f64>() / n).max(0.0)
}

/// Some samples, with all their zeros.
pub(crate) fn dense_columns<X: Prepare>(x: &X, places: &[usize]) -> Matrix<X::Number> {
    let some = x.chosen(places);
    // Data in memory never fail.
    some.data().own_dense().unwrap_or_else(|_| Matrix::zeros(x.features(), 0))
}

/// Some columns of a matrix.
pub(crate) fn columns<T: Scalar>(x: &Matrix<T>, places: &[usize]) -> Matrix<T> {
    Matrix::from_fn(x.rows(), places.len(), |i, j| x[(i, places[j])])
}

#[cfg(test)]
mod tests {
    use deepnmf::{DeepSemiNmf, Factorization, WhitenedPca};

    use super::*;

    fn data() -> Matrix<f64> {
        Matrix::from_fn(12, 40, |i, j| ((i + 2) * (3 * j + 1) % 13) as f64 + (i % 3) as f64)
    }

    #[test]
    fn samples_of_the_fit_are_known_by_how_well_they_are_rebuilt() {
        let x = data();
        let model = DeepSemiNmf::new([6, 3]).fit(&x).unwrap();
        assert!(model.was_fitted_to(&x).unwrap());
        let shuffled = columns(&x, &(0..40).rev().collect::<Vec<_>>());
        assert!(!model.was_fitted_to(&shuffled).unwrap(), "as many, but others");
        assert!(!model.was_fitted_to(&columns(&x, &[1, 2, 3])).unwrap());
    }

    #[test]
    fn rebuilt_samples_miss_the_data_by_the_error_of_the_fit() {
        let x = data();
        let deep = DeepSemiNmf::new([6, 3]).fit(&x).unwrap();
        let centred = WhitenedPca::new(4).fit(&x).unwrap();
        for (model, layer) in [(&deep, 2), (&centred, 1)] {
            let h = &model.factors.h[layer - 1];
            let rebuilt = model.factors.reconstruct(layer, h).unwrap();
            let missed = Matrix::from_fn(12, 40, |i, j| x[(i, j)] - rebuilt[(i, j)]);
            let (found, told) = (missed.norm_sq().sqrt(), model.summary.error);
            assert!((found - told).abs() < 1e-6 * x.norm_sq().sqrt(), "{found} and {told}");
        }
    }
}
