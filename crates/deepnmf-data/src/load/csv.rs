//! Tables as text: one sample a line, with a header or without.

mod columns;
mod delimiter;
mod records;
mod words;

use std::io::{Read, Seek};

use deepnmf::Scalar;

pub(super) use self::columns::duplicates;
use self::columns::{Columns, Role};
pub(super) use self::delimiter::Delimiter;
use self::records::Records;
pub(super) use self::words::read_words;
use super::labels::is_missing_label;
use super::number::Order;
use super::scratch::Collected;
use super::{LoadOptions, number};
use crate::error::{Cell, Fault, shown};
use crate::{AnyDataset, Attribute, DatasetOf};

/// Reads a table; the options say what its columns hold.
pub(super) fn read<T: Scalar>(
    file: impl Read + Seek,
    delimiter: Delimiter,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, Fault> {
    let mut records = Records::new(file, delimiter);
    if !records.advance()? {
        return Err(Fault::EmptyTable { samples: 0, features: 0 });
    }
    let more = records.has_more()?;
    let columns = Columns::of_first(records.fields(), options, more)?;
    let mut table = Table::<T>::new(columns, options.memory);
    table.missing = options.missing;
    let mut more = !table.columns.has_header() || records.advance()?;
    while more {
        if let Err(problem) = table.push(records.fields()) {
            let line = records.line()?;
            return Err(table.fault(problem, line, delimiter));
        }
        more = records.advance()?;
    }
    match records.blank_line() {
        Some(line) => Err(Fault::BlankLine { line }),
        None => table.finish(),
    }
}

/// What can be wrong with a line, before it is known which line of the file it is.
enum Problem {
    Ragged {
        found: usize,
    },
    Missing {
        column: usize,
    },
    NotANumber {
        column: usize,
        text: String,
    },
    NotFinite {
        column: usize,
        value: f64,
    },
    NotText {
        column: usize,
    },
    /// Of the place where numbers are kept.
    Other(Fault),
}

/// The samples read so far.
struct Table<T> {
    columns: Columns,
    data: Collected<T>,
    labels: Vec<Vec<Option<String>>>,
    names: Vec<String>,
    samples: usize,
    /// Whether numbers may be missing.
    missing: bool,
}

impl<T: Scalar> Table<T> {
    fn new(columns: Columns, most: Option<u64>) -> Self {
        let attributes = columns.count(|role| matches!(role, Role::Labels(_)));
        let labels = vec![Vec::new(); attributes];
        let data = Collected::within(most);
        Self { columns, data, labels, names: Vec::new(), samples: 0, missing: false }
    }

    fn push<'a>(&mut self, fields: impl ExactSizeIterator<Item = &'a [u8]>) -> Result<(), Problem> {
        if fields.len() != self.columns.roles.len() {
            return Err(Problem::Ragged { found: fields.len() });
        }
        for (column, field) in fields.enumerate() {
            match self.columns.roles[column] {
                Role::Feature => {
                    let value = number(column, field, self.missing)?;
                    self.data.push(value).map_err(Problem::Other)?;
                }
                Role::Labels(place) => {
                    let label = text(column, field)?;
                    self.labels[place].push((!is_missing_label(label)).then(|| label.to_owned()));
                }
                Role::Names => self.names.push(text(column, field)?.to_owned()),
                Role::Dropped => {}
            }
        }
        self.samples += 1;
        Ok(())
    }

    fn finish(self) -> Result<AnyDataset<T>, Fault> {
        let (samples, columns) = (self.samples, self.columns);
        let features = columns.count(|role| role == Role::Feature);
        if samples == 0 || features == 0 {
            return Err(Fault::EmptyTable { samples, features });
        }
        let x = self.data.finish(number::Table { samples, features, order: Order::Rows })?;
        let labels = columns.labels_names().into_iter().zip(self.labels);
        let has_names = columns.count(|role| role == Role::Names) > 0;
        Ok(DatasetOf {
            feature_names: columns.feature_names(),
            sample_names: has_names.then_some(self.names),
            attributes: labels.map(|(name, l)| Attribute::from_strings(name, l)).collect(),
            ..DatasetOf::new(x)
        })
    }

    /// Puts a problem with the line that comes next into words.
    fn fault(&self, problem: Problem, line: u64, delimiter: Delimiter) -> Fault {
        let cell = |column| Cell { line, column: column + 1, name: self.columns.name(column) };
        match problem {
            Problem::Other(fault) => fault,
            Problem::Ragged { found } => {
                let (expected, delimiter) = (self.columns.roles.len(), delimiter.name());
                Fault::Ragged { line, found, expected, delimiter }
            }
            Problem::Missing { column } => Fault::MissingValue { cell: cell(column) },
            Problem::NotText { column } => Fault::NotText { cell: cell(column) },
            Problem::NotFinite { column, value } => {
                let name = self.columns.name(column);
                number::not_finite::<T>(self.samples + 1, column + 1, name, value)
            }
            Problem::NotANumber { column, text } => {
                let advice = self.advice(column, &text);
                Fault::NotANumber { cell: cell(column), text: shown(&text), advice }
            }
        }
    }

    fn advice(&self, column: usize, text: &str) -> String {
        if text.replacen(',', ".", 1).parse::<f64>().is_ok() {
            return "write decimals with a point".into();
        }
        let key = self.columns.key(column);
        format!(
            "put a number there; or, if the column holds labels, use --labels-key {key}; if it names \
             the samples, --names-key {key}; otherwise --drop {key}"
        )
    }
}

fn number<T: Scalar>(column: usize, field: &[u8], missing: bool) -> Result<T, Problem> {
    if missing && (is_missing(field) || parse(field).is_some_and(f64::is_nan)) {
        return Ok(T::from_f64(f64::NAN));
    }
    if is_missing(field) {
        return Err(Problem::Missing { column });
    }
    let Some(value) = parse(field) else {
        let text = String::from_utf8_lossy(field).into_owned();
        return Err(Problem::NotANumber { column, text });
    };
    let number = T::from_f64(value);
    if number.finite() { Ok(number) } else { Err(Problem::NotFinite { column, value }) }
}

/// A field as text.
fn text(column: usize, field: &[u8]) -> Result<&str, Problem> {
    str::from_utf8(field).map_err(|_| Problem::NotText { column })
}

fn parse(field: &[u8]) -> Option<f64> {
    str::from_utf8(field).ok()?.parse().ok()
}

/// Nothing at all, or R's and pandas' word for it.
fn is_missing(field: &[u8]) -> bool {
    field.is_empty() || field == b"NA"
}

/// Whether a field can stand in a column of numbers, be it as a missing one; a header has others.
fn is_like_a_number(field: &[u8]) -> bool {
    is_missing(field) || parse(field).is_some()
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
