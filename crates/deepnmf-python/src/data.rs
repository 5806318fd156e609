//! Data files, built-in data and gradient orientations.

use std::path::{Path, PathBuf};

use deepnmf::Scalar;
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_data::{
    AnyDataset, Dataset, ImageOptions, ImageShape, JoinBy, LabelFile, LoadOptions, Values,
    builtin as sets,
};
use numpy::{Element, PyArray1};
use pyo3::prelude::*;

use crate::array::{Given, Samples, into_lists, into_rows, view};
use crate::errors::{of_builtin, of_data};

/// The name of an attribute, its classes, and for every sample the place of its class or -1.
type Attribute<'py> = (String, Vec<String>, Bound<'py, PyArray1<i64>>);

/// Samples (an array, or what SciPy makes a sparse one of), attributes, names of features and of samples, and the shape of pictures in words.
type Data<'py> = (
    Bound<'py, PyAny>,
    Vec<Attribute<'py>>,
    Option<Vec<String>>,
    Option<Vec<String>>,
    Option<String>,
);

/// Reads a file or a folder of pictures.
#[pyfunction]
#[pyo3(signature = (
    path, *, narrow, data_key, labels_key, labels_file, labels_by, image, pattern, resize
))]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub(crate) fn load<'py>(
    py: Python<'py>,
    path: PathBuf,
    narrow: bool,
    data_key: Option<String>,
    labels_key: Option<String>,
    labels_file: Option<PathBuf>,
    labels_by: Option<String>,
    image: Option<&str>,
    pattern: Option<String>,
    resize: Option<(usize, usize)>,
) -> PyResult<Data<'py>> {
    let image_shape: Option<ImageShape> =
        image.map(str::parse).transpose().map_err(|error| of_data(&error))?;
    let by = labels_by.map_or(JoinBy::Row, JoinBy::Name);
    let options = LoadOptions {
        data_key,
        labels_key,
        image_shape,
        images: ImageOptions { resize, pattern },
        labels_file: labels_file.map(|path| LabelFile { path, by }),
        ..LoadOptions::default()
    };
    if narrow { read::<f32>(py, &path, &options) } else { read::<f64>(py, &path, &options) }
}

fn read<'py, T: Scalar + Element>(
    py: Python<'py>,
    path: &Path,
    options: &LoadOptions,
) -> PyResult<Data<'py>> {
    let data = py.detach(|| deepnmf_data::load_any::<T>(path, options));
    handed_over(py, data.map_err(|error| of_data(&error))?)
}

/// Makes the built-in data that a specification names, such as `faces:poses=3`.
#[pyfunction]
pub(crate) fn builtin<'py>(py: Python<'py>, spec: &str, narrow: bool) -> PyResult<Data<'py>> {
    fn made<'py, T: Scalar + Element>(py: Python<'py>, spec: &str) -> PyResult<Data<'py>> {
        let data = py.detach(|| sets::generate::<T>(spec));
        handed_over(py, data.map_err(|error| of_builtin(&error))?.holding(Values::Dense))
    }
    if narrow { made::<f32>(py, spec) } else { made::<f64>(py, spec) }
}

fn handed_over<T: Scalar + Element>(py: Python<'_>, data: AnyDataset<T>) -> PyResult<Data<'_>> {
    let attributes = data.attributes.iter().map(|attribute| {
        let codes = attribute.codes().iter().map(|code| code.map_or(-1, i64::from));
        let codes = PyArray1::from_iter(py, codes);
        (attribute.name.clone(), attribute.classes().to_vec(), codes)
    });
    let attributes = attributes.collect();
    let shape = data.image_shape.map(|shape| shape.to_string());
    let x = match data.x {
        Values::Sparse(x) => into_lists(py, &x)?,
        other => into_rows(py, other.into_dense().map_err(|error| of_data(&error))?)?,
    };
    Ok((x, attributes, data.feature_names, data.sample_names, shape))
}

/// The gradient orientations of pictures whose shape is given in words, such as `32x32`.
#[pyfunction]
pub(crate) fn gradient_orientations<'py>(
    py: Python<'py>,
    x: Samples<'py>,
    image: &str,
) -> PyResult<Bound<'py, PyAny>> {
    fn of<'py, T: Scalar + Element>(
        py: Python<'py>,
        x: &Given<'py, T>,
        shape: ImageShape,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut data = Dataset { image_shape: Some(shape), ..Dataset::new(view(x)?.to_matrix()) };
        let done = py.detach(|| Pipeline::new([Step::Igo(None)]).fit_apply(&mut data));
        done.map_err(|error| of_data(&error))?;
        into_rows(py, data.x)
    }
    let shape: ImageShape = image.parse().map_err(|error| of_data(&error))?;
    match x {
        Samples::F32(x) => of(py, &x, shape),
        Samples::F64(x) => of(py, &x, shape),
    }
}
