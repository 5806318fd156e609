//! Errors of the crates below as Python's exceptions, in the same sentences.

use deepnmf_data::DataError;
use deepnmf_data::builtin::BuiltinError;
use deepnmf_eval::EvalError;
use deepnmf_report::ReportError;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError};

/// Flags of the program that messages advise, and the parameters that mean the same here.
const FLAGS: [(&str, &str); 8] = [
    ("--missing nan", "missing=np.nan"),
    ("--data-key", "data_key"),
    ("--labels-key", "labels_key"),
    ("--labels-file", "labels_file"),
    ("--labels-by", "labels_by"),
    ("--pattern", "pattern"),
    ("--resize", "resize"),
    ("--image", "image"),
];

/// What a failure of the model crate is in Python.
pub(crate) fn of_model(error: deepnmf::Error) -> PyErr {
    match error {
        deepnmf::Error::Io { .. } => PyOSError::new_err(error.to_string()),
        deepnmf::Error::NotFinite { sample, feature, value } => PyValueError::new_err(format!(
            "X[{}, {}] is {value}: remove it, replace it by a number, or declare it missing with missing=np.nan",
            sample - 1,
            feature - 1
        )),
        // scikit-learn wants these words in front.
        deepnmf::Error::Negative { sample, feature, value } => PyValueError::new_err(format!(
            "Negative values in data: X[{}, {}] is {value}, but this model takes non-negative data only: \
             use SemiNMF, which takes any, or shift the data",
            sample - 1,
            feature - 1
        )),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// What a failure to read or prepare data is in Python.
pub(crate) fn of_data(error: &DataError) -> PyErr {
    let mut text = match error {
        DataError::NoUnitNorm { sample, what } => format!(
            "X[{}] is {what} and cannot be scaled to norm 1: remove it, or use zero_samples=\"keep\"",
            sample - 1
        ),
        error => error.to_string(),
    };
    for (flag, parameter) in FLAGS {
        text = text.replace(flag, parameter);
    }
    match error {
        DataError::Missing { .. } => PyFileNotFoundError::new_err(text),
        DataError::Io { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// What wrong options of a built-in data set are in Python.
pub(crate) fn of_builtin(error: &BuiltinError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What a failure to judge features is in Python.
pub(crate) fn of_evaluation(error: EvalError) -> PyErr {
    match error {
        EvalError::Data(error) => of_model(error),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// What a failure to make a page is in Python.
pub(crate) fn of_report(error: ReportError) -> PyErr {
    match error {
        ReportError::Model(error) => of_model(error),
        ReportError::Eval(error) => of_evaluation(error),
        ReportError::Data(error) => of_data(&error),
        error => PyRuntimeError::new_err(error.to_string()),
    }
}

/// A defect of this package: no panic reaches Python as one.
pub(crate) fn of_panic(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message");
    PyRuntimeError::new_err(format!("a defect in deepnmf, please report it: {text}"))
}
