//! NumPy arrays on their way in and out, without a copy where memory allows.

use deepnmf::matrix::{Incomplete, Stored, Whole, check_data};
use deepnmf::{DataMatrix, Matrix, MatrixView, Scalar, Sparse};
use deepnmf_data::Values;
use numpy::ndarray::{ArrayView2, ShapeBuilder};
use numpy::npyffi::NPY_ORDER;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::of_model;

/// Samples x features of either number type.
#[derive(FromPyObject)]
pub(crate) enum Samples<'py> {
    F32(Given<'py, f32>),
    F64(Given<'py, f64>),
}

/// Samples x features as Python holds them.
#[derive(FromPyObject)]
pub(crate) enum Given<'py, T: Element> {
    Dense(PyReadonlyArray2<'py, T>),
    Sparse(GivenSparse<'py, T>),
    Incomplete(GivenIncomplete<'py, T>),
}

/// Samples with entries that are missing, `nan` or `zeros` or `none`, and weights of all entries if they have any.
#[derive(FromPyObject)]
pub(crate) struct GivenIncomplete<'py, T: Element> {
    values: GivenTable<'py, T>,
    missing: String,
    weights: Option<PyReadonlyArray2<'py, f64>>,
}

/// Those samples themselves.
#[derive(FromPyObject)]
pub(crate) enum GivenTable<'py, T: Element> {
    Dense(PyReadonlyArray2<'py, T>),
    Sparse(GivenSparse<'py, T>),
}

/// SciPy's CSR or CSC, matrix or array.
#[derive(FromPyObject)]
pub(crate) struct GivenSparse<'py, T: Element> {
    data: PyReadonlyArray1<'py, T>,
    indices: GivenWhole<'py>,
    indptr: GivenWhole<'py>,
    shape: (usize, usize),
    format: String,
}

/// Whole numbers of either width.
#[derive(FromPyObject)]
pub(crate) enum GivenWhole<'py> {
    I32(PyReadonlyArray1<'py, i32>),
    I64(PyReadonlyArray1<'py, i64>),
}

impl GivenWhole<'_> {
    fn borrowed(&self, what: &str) -> PyResult<Whole<'_>> {
        match self {
            Self::I32(array) => Whole::of_i32(what, array.as_slice()?),
            Self::I64(array) => Whole::of_i64(what, array.as_slice()?),
        }
        .map_err(of_model)
    }
}

/// Samples in the memory of Python, as the `p x n` matrix that the paper has.
#[derive(Clone)]
pub(crate) enum Held<'a, T: Scalar> {
    Dense(MatrixView<'a, T>),
    Sparse(Sparse<'a, T>),
    /// A copy, before any preprocessing; the samples are declared incomplete after it.
    Incomplete(Box<Incomplete<'static, T>>),
}

impl<T: Scalar> Held<'_, T> {
    /// The samples at the boundary.
    pub(crate) fn data(&self) -> &dyn DataMatrix<T> {
        match self {
            Self::Dense(x) => x,
            Self::Sparse(x) => x,
            Self::Incomplete(x) => x.as_ref(),
        }
    }

    /// A copy in memory of their own; what is missing is NaN.
    pub(crate) fn values(&self) -> Values<T> {
        match self {
            Self::Dense(x) => Values::Dense(x.to_matrix()),
            Self::Sparse(x) => Values::Sparse(x.clone().into_owned()),
            Self::Incomplete(x) => Values::Dense(x.to_nan()),
        }
    }
}

/// Samples without a copy; sparse ones whose indices are out of order, or come twice, are sorted in a copy.
pub(crate) fn held<'a, T: Scalar + Element>(given: &'a Given<'_, T>) -> PyResult<Held<'a, T>> {
    let x = match given {
        Given::Dense(array) => return Ok(Held::Dense(view_of(array)?)),
        Given::Sparse(x) => x,
        Given::Incomplete(given) => return incomplete(given),
    };
    sparse(x).map(Held::Sparse)
}

/// A copy of samples that says which entries are missing.
fn incomplete<'a, T: Scalar + Element>(given: &GivenIncomplete<'_, T>) -> PyResult<Held<'a, T>> {
    let zeros = given.missing == "zeros";
    if let Some(weights) = &given.weights {
        let x = weighed(given, &view_of(weights)?.to_matrix())?;
        return Ok(Held::Incomplete(Box::new(x)));
    }
    let made = match &given.values {
        GivenTable::Sparse(x) if zeros => Incomplete::of_held(&sparse(x)?),
        GivenTable::Sparse(x) => Incomplete::copied(&sparse(x)?).map_err(of_model)?,
        GivenTable::Dense(array) => {
            let mut x = view_of(array)?.to_matrix();
            if zeros {
                zeros_to_nan(&mut x);
            }
            Incomplete::from_nan(x).map_err(of_model)?
        }
    };
    Ok(Held::Incomplete(Box::new(made)))
}

/// A dense copy of samples whose entries have weights.
fn weighed<T: Scalar + Element>(
    given: &GivenIncomplete<'_, T>,
    weights: &Matrix<f64>,
) -> PyResult<Incomplete<'static, T>> {
    let mut x = match &given.values {
        GivenTable::Dense(array) => view_of(array)?.to_matrix(),
        GivenTable::Sparse(x) => sparse(x)?.own_dense().map_err(of_model)?,
    };
    match given.missing.as_str() {
        "zeros" => zeros_to_nan(&mut x),
        "nan" => {}
        _ => check_data(&x).map_err(of_model)?,
    }
    Incomplete::weighted(x, weights).map_err(of_model)
}

fn zeros_to_nan<T: Scalar>(x: &mut Matrix<T>) {
    let nan = T::from_f64(f64::NAN);
    x.as_mut_slice().iter_mut().filter(|v| **v == T::ZERO).for_each(|v| *v = nan);
}

fn sparse<'a, T: Scalar + Element>(x: &'a GivenSparse<'_, T>) -> PyResult<Sparse<'a, T>> {
    let stored = match x.format.as_str() {
        "csr" => Stored::BySample,
        "csc" => Stored::ByFeature,
        other => {
            let text = format!("a sparse array of the format {other:?}: convert it with tocsr()");
            return Err(PyValueError::new_err(text));
        }
    };
    let (n, p) = x.shape;
    let (places, starts) = (x.indices.borrowed("indices")?, x.indptr.borrowed("indptr")?);
    let made = Sparse::canonical((p, n), stored, x.data.as_slice()?, places, starts);
    Ok(made.map_err(of_model)?.0)
}

/// The same for what cannot be sparse.
pub(crate) fn view<'a, T: Scalar + Element>(
    given: &'a Given<'_, T>,
) -> PyResult<MatrixView<'a, T>> {
    match given {
        Given::Dense(array) => view_of(array),
        Given::Sparse(_) | Given::Incomplete(_) => {
            Err(PyTypeError::new_err("the array is sparse: convert it with toarray()"))
        }
    }
}

/// The array as the `p x n` matrix that the paper has. The order is asked for: a slice of the memory
/// is to be had of C and of Fortran order alike.
pub(crate) fn view_of<'a, T: Scalar + Element>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<MatrixView<'a, T>> {
    let (n, p) = (array.shape()[0], array.shape()[1]);
    let Ok(data) = array.as_slice() else {
        return Err(PyValueError::new_err("the array must be contiguous in C or Fortran order"));
    };
    let (row_stride, col_stride) = if array.is_c_contiguous() { (1, p) } else { (n, 1) };
    MatrixView::strided(data, p, n, row_stride, col_stride).map_err(of_model)
}

/// Labels as the crates take them; what is negative is unknown.
pub(crate) fn labels(codes: &PyReadonlyArray1<'_, i64>) -> Vec<Option<u32>> {
    codes.as_array().iter().map(|code| u32::try_from(*code).ok()).collect()
}

/// Gives the memory of a `p x n` matrix to NumPy, as `n x p` in C order.
pub(crate) fn into_rows<T: Scalar + Element>(
    py: Python<'_>,
    matrix: Matrix<T>,
) -> PyResult<Bound<'_, PyAny>> {
    let (p, n) = matrix.shape();
    let array = PyArray1::from_vec(py, matrix.into_vec());
    Ok(array.reshape_with_order([n, p], NPY_ORDER::NPY_CORDER)?.into_any())
}

/// What SciPy makes a sparse array of: values, indices, where lists begin, its format and its shape.
pub(crate) fn into_lists<'py, T: Scalar + Element>(
    py: Python<'py>,
    x: &Sparse<'_, T>,
) -> PyResult<Bound<'py, PyAny>> {
    let (p, n) = x.shape();
    let format = match x.stored() {
        Stored::BySample => "csr",
        Stored::ByFeature => "csc",
    };
    let narrow = i32::try_from(x.entries().max(p).max(n)).is_ok();
    let whole = |list: &Whole<'_>| {
        let numbers = (0..list.len()).map(|at| list.get(at));
        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // as looked at above
        if narrow {
            PyArray1::from_iter(py, numbers.map(|number| number as i32)).into_any()
        } else {
            PyArray1::from_iter(py, numbers.map(|number| number as i64)).into_any()
        }
    };
    let values = PyArray1::from_slice(py, x.values());
    let lists = (values, whole(x.places()), whole(x.starts()), format, (n, p));
    Ok(lists.into_pyobject(py)?.into_any())
}

/// Which way a matrix of the paper is laid out in Python.
#[derive(Clone, Copy)]
pub(crate) enum Shown {
    /// As it is, `Z_i`.
    AsItIs,
    /// Its columns as rows, `H_i` with a sample a row.
    Transposed,
}

/// Shows NumPy a matrix that `owner` keeps, read-only.
pub(crate) fn borrowed<'py, T: Scalar + Element>(
    owner: Bound<'py, PyAny>,
    matrix: &Matrix<T>,
    shown: Shown,
) -> PyResult<Bound<'py, PyAny>> {
    let (rows, cols) = matrix.shape();
    let view = match shown {
        Shown::AsItIs => ArrayView2::from_shape((rows, cols).f(), matrix.as_slice()),
        Shown::Transposed => ArrayView2::from_shape((cols, rows), matrix.as_slice()),
    };
    let view = view.map_err(|error| PyValueError::new_err(error.to_string()))?;
    // SAFETY: `owner` is the frozen object that holds `matrix`; the array keeps it alive, and
    // nobody may write: neither we, who have shared references only, nor Python, see below.
    #[allow(unsafe_code)]
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    let array = array.try_into_readwrite().map_err(PyErr::from)?.make_nonwriteable();
    Ok(array.as_any().clone())
}
