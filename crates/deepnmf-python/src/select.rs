//! The sizes of layers, as Python asks for them.

use std::path::PathBuf;

use deepnmf::persist::AnyModel;
use deepnmf::{CancelToken, Error, Provenance, Result, Scalar, Settings};
use deepnmf_select::{Consensus, LayerSize, Layers, Progress, Selection};
use pyo3::prelude::*;
use serde_json::json;

use crate::array::{Held, Samples, held};
use crate::errors::of_model;
use crate::fit::understood;
use crate::model::Model;
use crate::threads::{interruptible, on_threads};

/// How sizes are compared.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Comparison {
    share: f64,
    masks: usize,
    seed: u64,
    records: Option<PathBuf>,
    worker: Option<(usize, usize)>,
    /// The least and the most components of each layer; both 0 where there are no limits.
    layers: Vec<(usize, usize)>,
}

impl Comparison {
    fn sizes(&self) -> Vec<LayerSize> {
        let size = |limits: &(usize, usize)| match *limits {
            (0, 0) => LayerSize::Auto(None),
            (least, most) if least == most => LayerSize::Exactly(least),
            limits => LayerSize::Auto(Some(limits)),
        };
        self.layers.iter().map(size).collect()
    }

    fn find<T: Scalar>(
        &self,
        x: &Held<'_, T>,
        model: &Settings,
        callback: Option<&Py<PyAny>>,
        cancel: &CancelToken,
    ) -> (Result<Layers>, Option<PyErr>) {
        let selection = Selection {
            share: self.share,
            masks: self.masks,
            seed: self.seed,
            records: self.records.clone(),
            worker: self.worker,
        };
        let mut raised = None;
        let mut watch = |layer: usize, at: Progress<'_>| {
            let Some(callback) = callback else { return };
            let told = Python::attach(|py| {
                let (size, loss) = (at.trial.task.size, at.trial.relative());
                callback.call1(py, (layer, size, loss, at.done, at.known)).map(drop)
            });
            if let Err(error) = told {
                raised.get_or_insert(error);
                cancel.cancel();
            }
        };
        let found = selection.choose_layers(x.data(), &self.sizes(), model, &mut watch, cancel);
        (found, raised)
    }
}

/// Finds the sizes of layers out; `model` describes a model with one layer. Returns `sizes` and `choices`, or how many fits
/// of other workers are `missing`.
#[pyfunction]
#[pyo3(signature = (model, x, comparison, *, threads, callback=None))]
pub(crate) fn choose_layers<'py>(
    py: Python<'py>,
    model: &str,
    x: Samples<'py>,
    comparison: Comparison,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let model: Settings = understood(model)?;
    let ((found, raised), interruption) = match &x {
        Samples::F32(x) => {
            let x = held(x)?;
            interruptible(py, threads, |cancel| {
                comparison.find(&x, &model, callback.as_ref(), cancel)
            })?
        }
        Samples::F64(x) => {
            let x = held(x)?;
            interruptible(py, threads, |cancel| {
                comparison.find(&x, &model, callback.as_ref(), cancel)
            })?
        }
    };
    if let Some(error) = interruption.or(raised) {
        return Err(error);
    }
    let answer = match found.map_err(of_model)? {
        Layers::Found { sizes, choices } => json!({ "sizes": sizes, "choices": choices }),
        Layers::Waiting { missing } => json!({ "missing": missing }),
    };
    Ok(answer.to_string())
}

/// Brings the components of several fits together. Returns the model, how far the fits agree on each component, and the
/// error of each fit.
#[pyfunction]
#[pyo3(signature = (settings, x, provenance, fits, *, threads))]
pub(crate) fn consensus<'py>(
    py: Python<'py>,
    settings: &str,
    x: Samples<'py>,
    provenance: &str,
    fits: usize,
    threads: usize,
) -> PyResult<(Model, Vec<f64>, Vec<f64>)> {
    let settings: Settings = understood(settings)?;
    let provenance: Provenance = understood(provenance)?;
    let together: Result<_> = match &x {
        Samples::F32(x) => {
            let x = held(x)?;
            on_threads(py, threads, |cancel| {
                let found = Consensus::of(x.data(), &settings, fits, &mut |_| (), cancel)?;
                let model = deepnmf::Model { provenance, ..found.model };
                Ok((AnyModel::F32(model), found.stability, found.errors))
            })?
        }
        Samples::F64(x) => {
            let x = held(x)?;
            on_threads(py, threads, |cancel| {
                let found = Consensus::of(x.data(), &settings, fits, &mut |_| (), cancel)?;
                let model = deepnmf::Model { provenance, ..found.model };
                Ok((AnyModel::F64(model), found.stability, found.errors))
            })?
        }
    };
    let (model, stability, errors) = together.map_err(of_model)?;
    Ok((Model::new(model), stability, errors))
}

/// The curves of choices as a picture, in SVG.
#[pyfunction]
pub(crate) fn picture_of_choices(choices: &str) -> PyResult<String> {
    let choices: Vec<deepnmf_select::LayerChoice> = serde_json::from_str(choices)
        .map_err(|error| of_model(Error::Numerical(error.to_string())))?;
    let curves: Vec<_> = choices.into_iter().map(|layer| layer.choice).collect();
    Ok(deepnmf_select::Choice::picture(&curves))
}
