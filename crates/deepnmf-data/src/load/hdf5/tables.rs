//! MATLAB v7.3, and HDF5 files of no particular kind: arrays under names.

use deepnmf::{Scalar, Sparse};
use hdf5_reader::Dataset as Array;
use hdf5_reader::error::Error;
use hdf5_reader::group::Group;

use super::super::choose::{Chosen, MATLAB, NUMPY, Usual};
use super::super::number::{Order, Table};
use super::super::sparse::{Lists, check_shape, compressed, whole};
use super::super::variables::{Class, Variable, Variables};
use super::super::{LoadOptions, labels, with_labels};
use super::{array_word, damaged, group_word, kind, numbers, read_table, shape, words};
use crate::error::{Fault, shown};
use crate::{AnyDataset, Attribute, Values};

/// Where the contents of a variable are.
enum Source {
    Array(Box<Array>),
    Group(Box<Group>),
}

/// Reads a file of MATLAB. It keeps its arrays column by column, and HDF5's lengths count from the
/// slowest: they are MATLAB's in reverse.
pub(super) fn read_matlab<T: Scalar>(
    root: &Group,
    options: &LoadOptions,
    length: u64,
) -> Result<AnyDataset<T>, Fault> {
    let (groups, arrays) = root.members().map_err(damaged)?;
    let mut variables = Vec::new();
    for array in arrays {
        let mut shape = shape(&array)?;
        shape.reverse();
        if array.attribute("MATLAB_empty").is_ok() {
            shape = vec![0, 0]; // what is stored instead of an empty array is its shape
        }
        let class = matlab_class(&array);
        let (name, source) = (array.name().into(), Source::Array(Box::new(array)));
        variables.push(Variable { name, class, shape, source });
    }
    for group in groups {
        // What belongs to cells and objects lies in groups whose names start like this.
        if group.name().starts_with('#') {
            continue;
        }
        let name = group_word(&group, "name").unwrap_or_else(|| group.name().into());
        let (class, shape) = if group.attribute("MATLAB_sparse").is_ok() {
            (Class::Sparse, sparse_shape(&group)?)
        } else {
            (Class::Other("struct"), vec![])
        };
        variables.push(Variable { name, class, shape, source: Source::Group(Box::new(group)) });
    }
    read(&Variables(variables), options, &MATLAB, Order::Columns, length)
}

/// Rows and columns of a sparse table: it says how many rows it has, and where its columns begin.
fn sparse_shape(group: &Group) -> Result<Vec<usize>, Fault> {
    let rows = group.attribute("MATLAB_sparse").map_err(damaged)?;
    let rows = rows.read_scalar::<u64>().map_err(damaged)?;
    let starts = shape(&group.dataset("jc").map_err(damaged)?)?;
    let columns = starts.first().map_or(0, |length| length.saturating_sub(1));
    Ok(vec![usize::try_from(rows).unwrap_or(usize::MAX), columns])
}

/// The rows of the entries, column after column, where the columns begin, and the values.
fn read_sparse<T: Scalar>(
    group: &Group,
    shape: (usize, usize),
    length: u64,
) -> Result<Sparse<'static, T>, Fault> {
    check_shape(shape.0, shape.1, length)?;
    let part = |name| match group.dataset(name) {
        Ok(array) => numbers(&array),
        // Without an entry there are none of them.
        Err(Error::DatasetNotFound(_)) if name != "jc" => Ok(vec![]),
        Err(error) => Err(damaged(error)),
    };
    let (rows, starts) = (whole("a row", &part("ir")?)?, whole("a bound", &part("jc")?)?);
    compressed(shape, Lists::Columns, &part("data")?, rows, starts)
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
) -> Result<AnyDataset<T>, Fault> {
    let (groups, arrays) = root.members().map_err(damaged)?;
    let mut variables = Vec::new();
    for array in arrays {
        let (name, class) = (array.name().to_owned(), kind::class(array.dtype()));
        let shape = shape(&array)?;
        let source = Source::Array(Box::new(array));
        variables.push(Variable { name, class, shape, source });
    }
    for group in groups {
        let class = Class::Other("group");
        let (name, shape) = (group.name().to_owned(), Vec::new());
        variables.push(Variable { name, class, shape, source: Source::Group(Box::new(group)) });
    }
    read(&Variables(variables), options, &NUMPY, Order::Rows, 0)
}

fn read<T: Scalar>(
    variables: &Variables<Source>,
    options: &LoadOptions,
    usual: &Usual,
    order: Order,
    length: u64,
) -> Result<AnyDataset<T>, Fault> {
    let Chosen { data, samples, features, labels } = variables.choose(options, usual)?;
    let table = Table { samples, features, order };
    let dense = |array: &Array| read_table(array, table, options);
    let x = match (data.class, &data.source) {
        (Class::Sparse, Source::Group(group)) => {
            let x = read_sparse(group, (samples, features), length);
            Values::Sparse(x.map_err(|fault| named(&data.name, fault))?)
        }
        _ => read_array(data, dense)?,
    };
    let labels = match labels {
        Some(labels) => labels.read(read_labels)?,
        None => None,
    };
    Ok(with_labels(x, labels))
}

fn read_labels(variable: &Variable<Source>) -> Result<Attribute, Fault> {
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
    variable: &Variable<Source>,
    read: impl FnOnce(&Array) -> Result<N, Fault>,
) -> Result<N, Fault> {
    let Source::Array(array) = &variable.source else {
        return Err(Fault::damaged("a group where an array should be"));
    };
    read(array).map_err(|fault| named(&variable.name, fault))
}

/// Says which variable is at fault.
fn named(name: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Damaged { what } => Fault::damaged(format!("{:?}: {what}", shown(name))),
        fault => fault,
    }
}
