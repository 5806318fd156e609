//! A fitted model in Python's hands.

use std::path::PathBuf;

use deepnmf::batches::Sums;
use deepnmf::persist::{AnyModel, load_model, model_from_bytes};
use deepnmf::{CancelToken, DataMatrix, Divergence, Learner, Matrix, Progress, Projection, Scalar};
use numpy::{Element, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;

use crate::array::{Given, Samples, Shown, borrowed, held, into_rows, view, view_of};
use crate::errors::{of_model, of_report};
use crate::prepare::{features_before, prepared, steps};
use crate::report::Request;
use crate::threads::on_threads;

/// A model of either number type. It never changes, so arrays may share its memory.
#[pyclass(frozen, module = "deepnmf._core")]
pub(crate) struct Model(AnyModel);

/// What a model knows of earlier batches: how many samples there were, and their sums.
type Known<'py> = (f64, PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>);

/// Codes of classes, and margins.
type Predicted<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Evaluates an expression for the model inside, whatever its numbers.
macro_rules! either {
    ($any:expr, $model:ident => $value:expr) => {
        match &$any {
            AnyModel::F32($model) => $value,
            AnyModel::F64($model) => $value,
        }
    };
}

/// Evaluates an expression for a model and an array of the same numbers.
macro_rules! with_samples {
    ($self:expr, $samples:expr, ($model:ident, $x:ident) => $value:expr) => {
        match (&$self.0, $samples) {
            (AnyModel::F32($model), Samples::F32($x)) => $value,
            (AnyModel::F64($model), Samples::F64($x)) => $value,
            _ => {
                Err(PyValueError::new_err(format!("this model needs numbers of {}", $self.dtype())))
            }
        }
    };
}

impl Model {
    pub(crate) fn new(model: AnyModel) -> Self {
        Self(model)
    }
}

#[pymethods]
impl Model {
    /// A model from the bytes of its file.
    #[new]
    fn from_bytes(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        py.detach(|| model_from_bytes(content)).map(Self).map_err(of_model)
    }

    /// What `Model` is called with when a pickle or a copy is opened.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>,)> {
        let bytes = py.detach(|| either!(self.0, m => m.to_bytes())).map_err(of_model)?;
        Ok((PyBytes::new(py, &bytes),))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let missing = !path.exists();
        py.detach(|| load_model(&path)).map(Self).map_err(|error| {
            if missing { PyFileNotFoundError::new_err(error.to_string()) } else { of_model(error) }
        })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| either!(self.0, m => m.save(&path))).map_err(of_model)
    }

    /// The number type, as NumPy calls it.
    #[getter]
    fn dtype(&self) -> &'static str {
        match self.0 {
            AnyModel::F32(_) => "float32",
            AnyModel::F64(_) => "float64",
        }
    }

    /// The settings as JSON, as in the file.
    #[getter]
    fn settings(&self) -> PyResult<String> {
        either!(self.0, m => json(&m.settings))
    }

    /// How the fit went, as JSON.
    #[getter]
    fn summary(&self) -> PyResult<String> {
        either!(self.0, m => json(&m.summary))
    }

    /// What is known of the data, as JSON.
    #[getter]
    fn provenance(&self) -> PyResult<String> {
        either!(self.0, m => json(&m.provenance))
    }

    /// The parts of the fit in words, one for each run of the summary.
    #[getter]
    fn stages(&self) -> Vec<String> {
        either!(self.0, m => m.summary.runs.iter().map(|run| run.stage.to_string()).collect())
    }

    /// What a user should know, in words.
    #[getter]
    fn notices(&self) -> Vec<String> {
        either!(self.0, m => m.summary.notices.iter().map(ToString::to_string).collect())
    }

    /// What was done to the data before the fit, as on the command line.
    #[getter]
    fn preprocessing(&self) -> PyResult<String> {
        either!(self.0, m => steps(m).map(|steps| steps.to_string()))
    }

    /// The number of components of each layer.
    #[getter]
    fn layers(&self) -> Vec<usize> {
        either!(self.0, m => m.settings.layers())
    }

    /// The features that a sample has before the preprocessing.
    #[getter]
    fn features_before(&self) -> PyResult<usize> {
        either!(self.0, m => features_before(m))
    }

    /// `Z_i`, of the shape that the paper has, for a layer counted from 1.
    fn weights<'py>(slf: &Bound<'py, Self>, layer: usize) -> PyResult<Bound<'py, PyAny>> {
        either!(slf.get().0, m => {
            m.factors.check_layer(layer).map_err(of_model)?;
            borrowed(slf.as_any().clone(), &m.factors.z[layer - 1], Shown::AsItIs)
        })
    }

    /// `H_i` with a sample a row, for a layer counted from 1.
    fn features<'py>(slf: &Bound<'py, Self>, layer: usize) -> PyResult<Bound<'py, PyAny>> {
        either!(slf.get().0, m => {
            m.factors.check_layer(layer).map_err(of_model)?;
            borrowed(slf.as_any().clone(), &m.factors.h[layer - 1], Shown::Transposed)
        })
    }

    /// `Z_1 ... Z_i` with a component a row, for a layer counted from 1.
    fn components<'py>(&self, py: Python<'py>, layer: usize) -> PyResult<Bound<'py, PyAny>> {
        either!(self.0, m => into_rows(py, m.factors.basis(layer).map_err(of_model)?))
    }

    /// What is taken off every sample first.
    #[getter]
    fn offset<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        either!(self.0, m => m.factors.offset.clone().map(|offset| {
            let column = Matrix::from_vec(offset.len(), 1, offset).map_err(of_model)?;
            into_rows(py, column)
        }).transpose())
    }

    /// The features of new samples at a layer counted from 1.
    fn project<'py>(
        &self,
        py: Python<'py>,
        x: Samples<'py>,
        layer: usize,
        method: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let method = projection(method)?;
        with_samples!(self, x, (m, x) => {
            let h = on_prepared(py, m, &x, threads, |x, cancel| {
                let h = m.project_until(x, layer, method, cancel)?;
                let warning = m.projection_warning(x, layer, method, &h)?;
                Ok((h, warning))
            })?;
            let (h, warning) = h;
            if let Some(warning) = warning {
                warn(py, &warning)?;
            }
            into_rows(py, h)
        })
    }

    /// What is known of the machines that predict attributes, as JSON.
    #[getter]
    fn predictors(&self) -> PyResult<String> {
        either!(self.0, m => json(&m.predictors.iter().map(|p| &p.info).collect::<Vec<_>>()))
    }

    /// The codes of the classes of new samples, and their margins.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: Samples<'py>,
        attribute: usize,
        threads: usize,
    ) -> PyResult<Predicted<'py>> {
        with_samples!(self, x, (m, x) => {
            let found = on_prepared(py, m, &x, threads, |x, _| m.predict(x, attribute))?;
            let codes = found.classes.into_iter().map(i64::from);
            Ok((PyArray1::from_iter(py, codes), PyArray1::from_vec(py, found.margins)))
        })
    }

    /// The mean of the squared differences between new samples and what a layer makes of them, or of the terms of the
    /// Kullback-Leibler divergence where the model keeps that small.
    fn mean_loss<'py>(
        &self,
        py: Python<'py>,
        x: Samples<'py>,
        layer: usize,
        method: &str,
        threads: usize,
    ) -> PyResult<f64> {
        let method = projection(method)?;
        with_samples!(self, x, (m, x) => on_prepared(py, m, &x, threads, |x, cancel| {
            let h = m.project_until(x, layer, method, cancel)?;
            let error = m.error_of(x, layer, &h)?;
            let (p, n) = x.shape();
            let terms = match m.settings.divergence() {
                Divergence::Frobenius => 1.0,
                Divergence::KullbackLeibler => 2.0,
            };
            Ok(error * error / (terms * (p as f64 * n as f64 - x.missing() as f64)))
        }))
    }

    /// What the model becomes by learning from one more batch of samples, what it knows of earlier ones, and the error
    /// that it had for this batch before.
    fn learn<'py>(
        &self,
        py: Python<'py>,
        x: Samples<'py>,
        progress: Option<Known<'py>>,
        threads: usize,
    ) -> PyResult<(Self, Bound<'py, PyAny>, f64)> {
        let progress = progress.map(|(samples, hht, x_ht)| {
            let [hht, x_ht] = [view_of(&hht)?.to_matrix(), view_of(&x_ht)?.to_matrix()];
            PyResult::Ok(Progress { samples, sums: Sums { hht, x_ht } })
        });
        let progress = progress.transpose()?;
        let (model, progress, error) = match (&self.0, x) {
            (AnyModel::F32(model), Samples::F32(x)) => {
                let (model, progress, error) = learnt(py, model, progress, &x, threads)?;
                (AnyModel::F32(model), progress, error)
            }
            (AnyModel::F64(model), Samples::F64(x)) => {
                let (model, progress, error) = learnt(py, model, progress, &x, threads)?;
                (AnyModel::F64(model), progress, error)
            }
            _ => {
                let text = format!("this model needs numbers of {}", self.dtype());
                return Err(PyValueError::new_err(text));
            }
        };
        let Progress { samples, sums: Sums { hht, x_ht } } = progress;
        let progress = (samples, into_rows(py, hht)?, into_rows(py, x_ht)?);
        let progress = progress.into_pyobject(py)?.into_any();
        Ok((Self(model), progress, error))
    }

    /// Samples with their missing entries as the model reconstructs them.
    fn impute<'py>(
        &self,
        py: Python<'py>,
        x: Samples<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        with_samples!(self, x, (m, x) => {
            let steps = steps(m)?;
            if !steps.is_empty() {
                let text = format!("the samples of this model were prepared by {steps}: use `deepnmf impute`");
                return Err(PyValueError::new_err(text));
            }
            into_rows(py, on_prepared(py, m, &x, threads, |x, _| m.impute(x))?)
        })
    }

    /// The samples that features of a layer stand for.
    fn reconstruct<'py>(
        &self,
        py: Python<'py>,
        features: Samples<'py>,
        layer: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        with_samples!(self, features, (m, h) => {
            let h = view(&h)?;
            let x = on_threads(py, threads, |_| m.factors.reconstruct(layer, &h.to_matrix()))?;
            into_rows(py, x.map_err(of_model)?)
        })
    }

    /// Writes the page that explores the model with samples, unless Ctrl-C comes before it is made.
    fn report(
        &self,
        py: Python<'_>,
        x: Samples<'_>,
        path: PathBuf,
        request: Request,
        threads: usize,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let mut tell = |what: &str| {
            if let Some(tell) = &tell {
                // Who only listens cannot stop it.
                let _ = Python::attach(|py| tell.call1(py, (what,)));
            }
        };
        let report = with_samples!(self, x, (m, x) => {
            let x = held(&x)?;
            on_threads(py, threads, |_| request.explore(m, &x, &path, &mut tell))?
        })?;
        py.check_signals()?;
        py.detach(|| report.write(&path)).map_err(of_report)?;
        Ok(())
    }
}

/// A model after one more batch, what it knows of earlier ones, and its error for the batch before.
fn learnt<T: Scalar + Element>(
    py: Python<'_>,
    model: &deepnmf::Model<T>,
    progress: Option<Progress>,
    x: &Given<'_, T>,
    threads: usize,
) -> PyResult<(deepnmf::Model<T>, Progress, f64)> {
    let mut learner = Learner::resume(model.clone(), progress).map_err(of_model)?;
    let error = on_prepared(py, model, x, threads, |x, _| learner.learn(x))?;
    let progress = learner.progress().clone();
    Ok((learner.into_model(), progress, error))
}

/// Does `work` with the samples after the model's preprocessing.
fn on_prepared<T: Scalar + Element, R: Send>(
    py: Python<'_>,
    model: &deepnmf::Model<T>,
    x: &Given<'_, T>,
    threads: usize,
    work: impl FnOnce(&dyn DataMatrix<T>, &CancelToken) -> deepnmf::Result<R> + Send,
) -> PyResult<R> {
    let raw = held(x)?;
    on_threads(py, threads, |cancel| {
        match prepared(model, &raw)? {
            Some(prepared) => work(&prepared, cancel),
            None => work(raw.data(), cancel),
        }
        .map_err(of_model)
    })?
}

/// Warns as Python does.
fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text)?;
    PyErr::warn(py, &py.get_type::<pyo3::exceptions::PyUserWarning>(), &text, 2)
}

fn projection(method: &str) -> PyResult<Projection> {
    match method {
        "basis" => Ok(Projection::Basis),
        "nonnegative" => Ok(Projection::NonNegative),
        other => Err(PyValueError::new_err(format!(
            "method is {other:?}: it must be \"nonnegative\" or \"basis\""
        ))),
    }
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
