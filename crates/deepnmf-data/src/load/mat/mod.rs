//! MATLAB v5 to v7 `.mat` files: a header of 128 bytes, then one element per variable.
//!
//! Format: "MAT-File Format" in the documentation of MATLAB. Only what is needed of it: numeric arrays, full or sparse. Nothing
//! here calls itself, and of a variable that is not wanted only the first few bytes are looked at.

mod element;
mod variable;

use deepnmf::{Matrix, Scalar, Sparse};

use self::element::{Contents, Element, Elements};
use super::choose::{Chosen, MATLAB};
use super::number::{self, Encoding, Endian, Order, Table};
use super::sparse::{Lists, check_shape, compressed, whole};
use super::variables::{Class, Variable, Variables};
use super::{LoadOptions, labels, with_labels};
use crate::error::{Fault, shown};
use crate::{AnyDataset, Attribute, Values};

const HEADER: usize = 128;

/// Whether these are the first bytes of a file that [`read`] may understand.
pub(super) fn is_version_5(head: &[u8]) -> bool {
    head.starts_with(b"MATLAB 5.0 MAT-file") || endian(head).is_some()
}

/// Whether these are the first bytes of MATLAB's HDF5 files.
pub(super) fn is_version_7_3(head: &[u8]) -> bool {
    head.starts_with(b"MATLAB 7.3 MAT-file")
}

/// The byte order, which the version number and the letters `MI` at the end of the header show.
fn endian(bytes: &[u8]) -> Option<Endian> {
    match bytes.get(HEADER - 4..HEADER)? {
        [0x00, 0x01, b'I', b'M'] => Some(Endian::Little),
        [0x01, 0x00, b'M', b'I'] => Some(Endian::Big),
        _ => None,
    }
}

/// Reads a whole file.
pub(super) fn read<T: Scalar>(bytes: &[u8], options: &LoadOptions) -> Result<AnyDataset<T>, Fault> {
    let endian = endian(bytes).ok_or_else(|| Fault::damaged("its header is incomplete"))?;
    let variables = list(bytes, endian)?;
    let Chosen { data, samples, features, labels } = variables.choose(options, &MATLAB)?;
    let table = Table { samples, features, order: Order::Columns };
    let x = match data.class {
        Class::Sparse => {
            Values::Sparse(read_sparse(data, (samples, features), bytes.len() as u64)?)
        }
        _ => Values::Dense(read_table(data, table, options.missing)?),
    };
    let labels = match labels {
        Some(labels) => labels.read(|variable| read_labels(variable, samples))?,
        None => None,
    };
    Ok(with_labels(x, labels))
}

/// Looks at the beginning of every variable.
fn list(bytes: &[u8], endian: Endian) -> Result<Variables<Element<'_>>, Fault> {
    let mut elements = Elements::new(bytes, HEADER, endian);
    let mut variables = Vec::new();
    while let Some(element) = elements.next()? {
        // MATLAB keeps what belongs to objects in a variable without a name.
        if let Some(variable) = variable::look_at(element)?
            && !variable.name.is_empty()
        {
            variables.push(variable);
        }
    }
    Ok(Variables(variables))
}

fn read_table<T: Scalar>(
    variable: &Variable<Element<'_>>,
    table: Table,
    missing: bool,
) -> Result<Matrix<T>, Fault> {
    let count = table.count().ok_or(Fault::Memory { bytes: u64::MAX })?;
    with_numbers(variable, count, |contents, encoding, present| {
        table.read(contents, encoding, present, missing)
    })
}

/// The rows of the entries, column after column, where the columns begin, and the values. There may be room for more
/// entries than there are.
fn read_sparse<T: Scalar>(
    variable: &Variable<Element<'_>>,
    shape: (usize, usize),
    length: u64,
) -> Result<Sparse<'static, T>, Fault> {
    check_shape(shape.0, shape.1, length)?;
    in_variable(variable, |mut contents| {
        let [mut rows, starts, mut values] =
            [contents.all_numbers()?, contents.all_numbers()?, contents.all_numbers()?];
        contents.finish()?;
        let starts = whole("a bound", &starts)?;
        let held = if starts.is_empty() { 0 } else { starts.get(starts.len() - 1) };
        rows.truncate(held);
        values.truncate(held);
        compressed(shape, Lists::Columns, &values, whole("a row", &rows)?, starts)
    })
}

fn read_labels(variable: &Variable<Element<'_>>, samples: usize) -> Result<Attribute, Fault> {
    let values: Vec<f64> = with_numbers(variable, samples, |contents, encoding, present| {
        number::read_numbers(contents, encoding, samples, present, |_, _| None)
    })?;
    labels::from_numbers(&variable.name, &values)
}

/// Goes to the numbers of a variable, lets `read` read them, and checks that nothing follows.
fn with_numbers<N>(
    variable: &Variable<Element<'_>>,
    count: usize,
    read: impl FnOnce(&mut dyn std::io::Read, Encoding, bool) -> Result<N, Fault>,
) -> Result<N, Fault> {
    in_variable(variable, |mut contents| {
        let numbers = contents.numbers(count, read)?;
        contents.finish()?;
        Ok(numbers)
    })
}

/// Goes behind the header of a variable, and says which one is at fault.
fn in_variable<'a, N>(
    variable: &Variable<Element<'a>>,
    read: impl FnOnce(Contents<'a>) -> Result<N, Fault>,
) -> Result<N, Fault> {
    let attempt = || {
        let Some(mut contents) = Contents::open(variable.source)? else {
            return Err(Fault::damaged("there is nothing in it"));
        };
        variable::read_header(&mut contents)?;
        read(contents)
    };
    attempt().map_err(|fault| match fault {
        Fault::Damaged { what } => Fault::damaged(format!("{:?}: {what}", shown(&variable.name))),
        fault => fault,
    })
}

#[cfg(test)]
mod tests;
