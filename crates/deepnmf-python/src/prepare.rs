//! What a model file says was done to the data before the fit, done to new data.

use deepnmf::{Model, Scalar};
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_data::{DatasetOf, Missing, Values};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::Held;
use crate::errors::of_data;

/// The steps that the samples of a model went through.
pub(crate) fn steps<T: Scalar>(model: &Model<T>) -> PyResult<Pipeline> {
    let stored = &model.provenance.preprocessing;
    let steps = stored.read::<Pipeline>().map_err(|_| {
        let text = format!("the model's preprocessing {stored} is not known to this version");
        PyValueError::new_err(text)
    })?;
    Ok(steps.unwrap_or_default())
}

/// The samples after those steps; nothing if there are none.
pub(crate) fn prepared<T: Scalar>(
    model: &Model<T>,
    x: &Held<'_, T>,
) -> PyResult<Option<Values<T>>> {
    let steps = steps(model)?;
    if steps.is_empty() {
        return Ok(None);
    }
    let mut data = DatasetOf::new(x.values());
    steps.apply(&mut data).map_err(|error| of_data(&error))?;
    let Held::Incomplete(given) = x else { return Ok(Some(data.x)) };
    let declared = match given.entry_weights() {
        None => data.x.declared(Missing::Nan),
        Some(weights) => data.x.weighted(&weights.cast()),
    };
    declared.map(Some).map_err(|error| of_data(&error))
}

/// The features that samples have before those steps, some of which change their number.
pub(crate) fn features_before<T: Scalar>(model: &Model<T>) -> PyResult<usize> {
    let changed = steps(model)?.steps().iter().find_map(|step| match step {
        Step::Igo(shape) | Step::Resize { from: shape, .. } => *shape,
        _ => None,
    });
    Ok(changed.map_or(model.summary.features, |shape| shape.width * shape.height))
}
