//! k-means, how well clusters agree with classes, and the bound of all factorizations.

use deepnmf::Scalar;
use deepnmf_eval::metrics::{self, Average};
use deepnmf_eval::{Clustering, Instances, KMeans};
use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::{Given, Held, Samples, held, into_rows, labels, view};
use crate::errors::{of_evaluation, of_model};
use crate::threads::{interruptible, on_threads};

/// Labels, centres (a row each), inertia, iterations, whether they were enough, and what interrupted it.
type Clusters<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyAny>, f64, usize, bool, Option<PyErr>);

/// Clusters samples; from the given centres if there are any.
#[pyfunction]
#[pyo3(signature = (x, clusters, centres, *, restarts, swaps, max_iterations, tolerance, seed, threads))]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub(crate) fn kmeans<'py>(
    py: Python<'py>,
    x: Samples<'py>,
    clusters: usize,
    centres: Option<Samples<'py>>,
    restarts: usize,
    swaps: usize,
    max_iterations: usize,
    tolerance: f64,
    seed: u64,
    threads: usize,
) -> PyResult<Clusters<'py>> {
    let settings = KMeans::new(clusters)
        .restarts(restarts)
        .swaps(swaps)
        .max_iterations(max_iterations)
        .tolerance(tolerance)
        .seed(seed);
    match (x, centres) {
        (Samples::F32(x), None) => cluster(py, settings, &x, None, threads),
        (Samples::F64(x), None) => cluster(py, settings, &x, None, threads),
        (Samples::F32(x), Some(Samples::F32(c))) => cluster(py, settings, &x, Some(&c), threads),
        (Samples::F64(x), Some(Samples::F64(c))) => cluster(py, settings, &x, Some(&c), threads),
        _ => Err(PyValueError::new_err("samples and centres must have the same number type")),
    }
}

fn cluster<'py, T: Instances + Element>(
    py: Python<'py>,
    settings: KMeans,
    x: &Given<'py, T>,
    centres: Option<&Given<'py, T>>,
    threads: usize,
) -> PyResult<Clusters<'py>> {
    let (x, centres) = (view(x)?, centres.map(view).transpose()?);
    let (found, interruption) = interruptible(py, threads, |cancel| {
        let x = x.to_matrix();
        match centres {
            None => settings.fit_until(&x, cancel),
            Some(centres) => settings.fit_from(&x, &centres.to_matrix()),
        }
    })?;
    let found: Clustering<T> = found.map_err(of_evaluation)?;
    let labels = found.labels.iter().map(|label| i64::try_from(*label).unwrap_or(-1));
    Ok((
        PyArray1::from_iter(py, labels),
        into_rows(py, found.centroids)?,
        found.inertia,
        found.iterations,
        found.converged,
        interruption,
    ))
}

/// AC: the share of samples in the right cluster, clusters and classes paired as well as possible.
#[pyfunction]
pub(crate) fn accuracy(
    classes: PyReadonlyArray1<'_, i64>,
    clusters: PyReadonlyArray1<'_, i64>,
) -> PyResult<f64> {
    metrics::accuracy(&labels(&classes), &labels(&clusters)).map_err(of_evaluation)
}

/// NMI with one of the averages of the entropies.
#[pyfunction]
pub(crate) fn nmi(
    classes: PyReadonlyArray1<'_, i64>,
    clusters: PyReadonlyArray1<'_, i64>,
    average: &str,
) -> PyResult<f64> {
    let average = match average {
        "geometric" => Average::Geometric,
        "arithmetic" => Average::Arithmetic,
        "min" => Average::Min,
        "max" => Average::Max,
        other => {
            let text = format!(
                "average is {other:?}: it must be \"geometric\", \"arithmetic\", \"min\" or \"max\""
            );
            return Err(PyValueError::new_err(text));
        }
    };
    metrics::nmi_with(average, &labels(&classes), &labels(&clusters)).map_err(of_evaluation)
}

/// The least error of any product of two matrices with `components` columns and rows.
#[pyfunction]
pub(crate) fn smallest_error<'py>(
    py: Python<'py>,
    x: Samples<'py>,
    components: usize,
    seed: u64,
    threads: usize,
) -> PyResult<f64> {
    fn of<T: Scalar>(x: &Held<'_, T>, k: usize, seed: u64) -> PyResult<f64> {
        deepnmf::smallest_error(x.data(), k, seed).map_err(of_model)
    }
    match x {
        Samples::F32(x) => {
            let x = held(&x)?;
            on_threads(py, threads, |_| of(&x, components, seed))?
        }
        Samples::F64(x) => {
            let x = held(&x)?;
            on_threads(py, threads, |_| of(&x, components, seed))?
        }
    }
}
