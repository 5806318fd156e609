//! Parquet: columns of numbers are features, columns that were asked for are labels.

mod column;

use std::panic::{AssertUnwindSafe, catch_unwind};

use deepnmf::Scalar;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use self::column::{Column, Kind};
use super::number::{Order, Table, not_finite};
use super::scratch::Collected;
use super::{LoadOptions, labels, memory};
use crate::error::{Fault, shown};
use crate::{AnyDataset, Attribute, DatasetOf};

/// Reads a whole file.
///
/// The crate that decodes Parquet panics where pages are shorter than they say (60.1: levels of a
/// page without bytes), deep inside of what cannot be checked from outside. Catching that is the
/// last resort; nothing that was touched survives it.
pub(super) fn read<T: Scalar>(
    file: impl ChunkReader + 'static,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, Fault> {
    catch_unwind(AssertUnwindSafe(|| read_trusting(file, options)))
        .unwrap_or_else(|_| Err(Fault::damaged("a page is shorter than it says")))
}

fn read_trusting<T: Scalar>(
    file: impl ChunkReader + 'static,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, Fault> {
    let length = file.len();
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(&error))?;
    let columns: Vec<Column> = {
        let schema = reader.metadata().file_metadata().schema_descr();
        let all = schema.columns().iter().enumerate();
        all.filter(|(_, c)| !is_index(c)).map(|(at, c)| Column::new(at, c)).collect()
    };
    let Chosen { labels, names, features } = choose(&columns, options)?;
    let samples = reader.metadata().file_metadata().num_rows();
    let samples = usize::try_from(samples).map_err(|_| Fault::damaged("it has negative length"))?;
    if samples == 0 || features.is_empty() {
        return Err(Fault::EmptyTable { samples, features: features.len() });
    }
    if let Some(words) = features.iter().find(|column| column.kind == Kind::Text) {
        let (name, found) = (shown(&words.name), "text".into());
        return Err(Fault::NotANumberColumn { name, found });
    }
    memory::check_packed(samples, columns.len(), length)?;
    let table = Table { samples, features: features.len(), order: Order::Columns };
    let most = options.memory.filter(|most| table.exceeds::<T>(Some(*most)));
    if most.is_none() {
        memory::check_table(samples, features.len(), size_of::<T>())?;
    }
    let mut data = Collected::within(most);
    for (number, column) in features.iter().enumerate() {
        let place = (number + 1, samples);
        read_feature(&reader, column, place, options.missing, &mut data)?;
    }
    let x = data.finish(table)?;
    let attributes = labels.iter().map(|column| read_labels(&reader, column, samples));
    Ok(DatasetOf {
        feature_names: Some(features.iter().map(|column| column.name.clone()).collect()),
        sample_names: names.map(|column| read_names(&reader, column, samples)).transpose()?,
        attributes: attributes.collect::<Result<_, _>>()?,
        ..DatasetOf::new(x)
    })
}

/// pandas keeps the names of its rows in columns like this one.
fn is_index(column: &ColumnDescriptor) -> bool {
    column.name().starts_with("__index_level_") && column.name().ends_with("__")
}

/// What the columns hold.
struct Chosen<'c> {
    labels: Vec<&'c Column>,
    names: Option<&'c Column>,
    features: Vec<&'c Column>,
}

/// The columns as the options, or their names, say.
fn choose<'c>(columns: &'c [Column], options: &LoadOptions) -> Result<Chosen<'c>, Fault> {
    let find = |name: &str| columns.iter().find(|column| column.name == name);
    let all = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| find(name).ok_or_else(|| no(columns, name))).collect::<Result<Vec<_>, _>>()
    };
    let labels = match options.labels_key.as_deref() {
        None => vec![],
        Some(key) if find(key).is_some() => all(&mut [key].into_iter())?,
        Some(keys) => all(&mut keys.split(',').map(str::trim))?,
    };
    let table = &options.table;
    let wanted = all(&mut table.columns.iter().map(String::as_str))?;
    let dropped = all(&mut table.drop.iter().map(String::as_str))?;
    let is_in = |list: &[&Column], column: &Column| list.iter().any(|other| other.at == column.at);
    let names = match &table.names_key {
        Some(name) => Some(find(name).ok_or_else(|| no(columns, name))?),
        // Tables of this program call it so.
        None => columns.first().filter(|column| {
            column.name == "sample" && column.kind == Kind::Text && !is_in(&labels, column)
        }),
    };
    let is_feature = |column: &&Column| {
        let is_name = names.is_some_and(|names| names.at == column.at);
        let is_asked = wanted.is_empty() || is_in(&wanted, column);
        is_asked && !is_name && !is_in(&dropped, column) && !is_in(&labels, column)
    };
    let features = columns.iter().filter(is_feature).collect();
    Ok(Chosen { labels, names, features })
}

/// The names of the samples: words, or numbers as they are written.
fn read_names(
    reader: &dyn FileReader,
    column: &Column,
    samples: usize,
) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    let mut put = |name: String| {
        names.push(name);
        if names.len() > samples { Err(column.wrong_length(samples)) } else { Ok(()) }
    };
    if column.kind == Kind::Text {
        column.words(reader, |word| put(word.unwrap_or_default()))?;
    } else {
        column.numbers(reader, |number| put(number.map_or(String::new(), |n| n.to_string())))?;
    }
    if names.len() == samples { Ok(names) } else { Err(column.wrong_length(samples)) }
}

fn no(columns: &[Column], name: &str) -> Fault {
    const LISTED: usize = 20;
    let names = columns.iter().take(LISTED).map(|column| format!("{:?}", shown(&column.name)));
    let list = names.collect::<Vec<_>>().join(", ");
    let more = if columns.len() > LISTED { ", ..." } else { "" };
    Fault::NoVariable { wanted: shown(name), present: format!("the columns {list}{more}") }
}

/// Appends the numbers of a column to `data`.
fn read_feature<T: Scalar>(
    reader: &dyn FileReader,
    column: &Column,
    (feature, samples): (usize, usize),
    missing: bool,
    data: &mut Collected<T>,
) -> Result<(), Fault> {
    let mut sample = 0;
    column.numbers(reader, |value| {
        sample += 1;
        if sample > samples {
            return Err(column.wrong_length(samples));
        }
        let value = value.unwrap_or(f64::NAN);
        let number = T::from_f64(value);
        if !(number.finite() || missing && value.is_nan()) {
            return Err(not_finite::<T>(sample, feature, Some(column.name.clone()), value));
        }
        data.push(number)
    })?;
    if sample == samples { Ok(()) } else { Err(column.wrong_length(samples)) }
}

fn read_labels(
    reader: &dyn FileReader,
    column: &Column,
    samples: usize,
) -> Result<Attribute, Fault> {
    let labels = if column.kind == Kind::Text {
        let mut words: Vec<Option<String>> = Vec::new();
        column.words(reader, |word| {
            words.push(word.filter(|word| !labels::is_missing_label(word)));
            if words.len() > samples { Err(column.wrong_length(samples)) } else { Ok(()) }
        })?;
        Attribute::from_strings(&column.name, words)
    } else {
        let mut numbers = Vec::new();
        column.numbers(reader, |value| {
            numbers.push(value.unwrap_or(f64::NAN));
            if numbers.len() > samples { Err(column.wrong_length(samples)) } else { Ok(()) }
        })?;
        labels::from_numbers(&column.name, &numbers)?
    };
    if labels.len() == samples { Ok(labels) } else { Err(column.wrong_length(samples)) }
}

fn damaged(error: &ParquetError) -> Fault {
    let text = error.to_string();
    if text.contains("Disabled feature") {
        return Fault::Unsupported {
            format: "a Parquet file packed with zstd or brotli",
            instead: "write it with compression=\"snappy\" or \"gzip\"",
        };
    }
    Fault::damaged(shown(&text))
}

#[cfg(test)]
mod tests;
