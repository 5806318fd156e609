//! MATLAB v7.3, and HDF5 files of no particular kind: arrays under names.

use deepnmf::Scalar;
use hdf5_reader::Dataset as Array;
use hdf5_reader::group::Group;

use super::super::choose::{Chosen, MATLAB, NUMPY, Usual};
use super::super::number::{Order, Table};
use super::super::variables::{Class, Variable, Variables};
use super::super::{LoadOptions, labels, memory, with_labels};
use super::{array_word, damaged, group_word, kind, numbers, raw, shape, words};
use crate::error::{Fault, shown};
use crate::{Attribute, Dataset};

/// Reads a file of MATLAB. It keeps its arrays column by column, and HDF5's lengths count from the
/// slowest: they are MATLAB's in reverse.
pub(super) fn read_matlab<T: Scalar>(
    root: &Group,
    options: &LoadOptions,
) -> Result<Dataset<T>, Fault> {
    let (groups, arrays) = root.members().map_err(damaged)?;
    let mut variables = Vec::new();
    for array in arrays {
        let mut shape = shape(&array)?;
        shape.reverse();
        if array.attribute("MATLAB_empty").is_ok() {
            shape = vec![0, 0]; // what is stored instead of an empty array is its shape
        }
        let class = matlab_class(&array);
        variables.push(Variable { name: array.name().into(), class, shape, source: Some(array) });
    }
    for group in groups {
        // What belongs to cells and objects lies in groups whose names start like this.
        if group.name().starts_with('#') {
            continue;
        }
        let sparse = group.attribute("MATLAB_sparse").is_ok();
        let class = Class::Other(if sparse { "sparse" } else { "struct" });
        let name = group_word(&group, "name").unwrap_or_else(|| group.name().into());
        variables.push(Variable { name, class, shape: Vec::new(), source: None });
    }
    read(&Variables(variables), options, &MATLAB, Order::Columns)
}

/// What MATLAB calls the type of an array.
fn matlab_class(array: &Array) -> Class {
    let word = array_word(array, "MATLAB_class");
    match (word.as_deref(), kind::class(array.dtype())) {
        (Some("cell"), _) => Class::Other("cell"),
        (Some("struct"), _) => Class::Other("struct"),
        (Some("char"), _) => Class::Other("char"),
        (Some("function_handle"), _) => Class::Other("function"),
        (Some("logical"), Class::Numeric(_)) => Class::Numeric("logical"),
        (Some("double"), Class::Numeric(_)) => Class::Numeric("double"),
        (Some("single"), Class::Numeric(_)) => Class::Numeric("single"),
        // MATLAB stores complex numbers as pairs.
        (_, Class::Other("records of several fields")) => Class::Other("complex"),
        (_, class) => class,
    }
}

/// Reads a file that anybody has written: a row is a sample, as in NumPy.
pub(super) fn read_plain<T: Scalar>(
    root: &Group,
    options: &LoadOptions,
) -> Result<Dataset<T>, Fault> {
    let (groups, arrays) = root.members().map_err(damaged)?;
    let mut variables = Vec::new();
    for array in arrays {
        let (name, class) = (array.name().to_owned(), kind::class(array.dtype()));
        variables.push(Variable { name, class, shape: shape(&array)?, source: Some(array) });
    }
    for group in groups {
        let class = Class::Other("group");
        let (name, shape) = (group.name().to_owned(), Vec::new());
        variables.push(Variable { name, class, shape, source: None });
    }
    read(&Variables(variables), options, &NUMPY, Order::Rows)
}

fn read<T: Scalar>(
    variables: &Variables<Option<Array>>,
    options: &LoadOptions,
    usual: &Usual,
    order: Order,
) -> Result<Dataset<T>, Fault> {
    let Chosen { data, samples, features, labels } = variables.choose(options, usual)?;
    let table = Table { samples, features, order };
    let x = read_array(data, |array| {
        if samples == 0 || features == 0 {
            return Err(Fault::EmptyTable { samples, features });
        }
        memory::check_table(samples, features, size_of::<T>())?;
        let (bytes, encoding) = raw(array)?;
        table.read(&mut bytes.as_slice(), encoding, true)
    })?;
    let labels = match labels {
        Some(labels) => labels.read(read_labels)?,
        None => None,
    };
    Ok(with_labels(x, labels))
}

fn read_labels(variable: &Variable<Option<Array>>) -> Result<Attribute, Fault> {
    read_array(variable, |array| match variable.class {
        Class::Text => {
            let words = words(array)?;
            let labels = words.iter().map(|word| (!labels::is_missing_label(word)).then_some(word));
            Ok(Attribute::from_strings(&variable.name, labels))
        }
        _ => labels::from_numbers(&variable.name, &numbers(array)?),
    })
}

/// Lets `read` read the array behind a variable, and says which one is at fault.
fn read_array<N>(
    variable: &Variable<Option<Array>>,
    read: impl FnOnce(&Array) -> Result<N, Fault>,
) -> Result<N, Fault> {
    let Some(array) = &variable.source else {
        return Err(Fault::damaged("a group where an array should be"));
    };
    read(array).map_err(|fault| match fault {
        Fault::Damaged { what } => Fault::damaged(format!("{:?}: {what}", shown(&variable.name))),
        fault => fault,
    })
}
