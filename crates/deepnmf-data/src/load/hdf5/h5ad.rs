//! `AnnData`'s `.h5ad`: a table `X`, columns that describe its samples (`obs`) and features (`var`).
//!
//! Format: <https://anndata.readthedocs.io/en/stable/fileformat-prose.html>

use deepnmf::{DataMatrix, Scalar};
use hdf5_reader::Dataset as Array;
use hdf5_reader::error::Error;
use hdf5_reader::group::Group;

use super::super::number::{Order, Table};
use super::super::{LoadOptions, labels, memory};
use super::{damaged, group_word, kind, numbers, read_table, shape, sparse, words};
use crate::error::{Fault, shown};
use crate::{AnyDataset, Attribute, DatasetOf, Values};

/// Whether the file is `AnnData`'s: it says so, or (before version 0.8) looks like it.
pub(super) fn is_anndata(root: &Group) -> bool {
    let says = group_word(root, "encoding-type").as_deref() == Some("anndata");
    says || (root.group("obs").is_ok() && root.group("var").is_ok())
}

/// Reads the table, the labels and the names of samples and features from a file of `length` bytes.
pub(super) fn read<T: Scalar>(
    root: &Group,
    options: &LoadOptions,
    length: u64,
) -> Result<AnyDataset<T>, Fault> {
    let key = options.data_key.as_deref().unwrap_or("X");
    let x: Values<T> = read_x(root, key, length, options)?;
    let (features, samples) = x.shape();
    let obs = root.group("obs").map_err(damaged)?;
    let attributes = match &options.labels_key {
        Some(name) => vec![asked(&obs, name, samples)?],
        None => all(&obs, samples, length)?,
    };
    Ok(DatasetOf {
        feature_names: names_beside(root, key, features)?,
        sample_names: index(&obs, "obs", samples)?,
        attributes,
        ..DatasetOf::new(x)
    })
}

fn read_x<T: Scalar>(
    root: &Group,
    key: &str,
    length: u64,
    options: &LoadOptions,
) -> Result<Values<T>, Fault> {
    let (folder, name) = key.rsplit_once('/').unwrap_or(("", key));
    let mut parent = root.clone();
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        parent = parent.group(part).map_err(|_| no_table(root, key))?;
    }
    if let Ok(group) = parent.group(name) {
        return sparse::read(&group, length, options);
    }
    let array = parent.dataset(name).map_err(|_| no_table(root, key))?;
    let &[samples, features] = shape(&array)?.as_slice() else {
        return Err(Fault::damaged(format!("{:?} has no two dimensions", shown(key))));
    };
    read_table(&array, Table { samples, features, order: Order::Rows }, options)
}

fn no_table(root: &Group, key: &str) -> Fault {
    let layers = root.group("layers").and_then(|layers| layers.member_names());
    let (mut names, arrays) = layers.unwrap_or_default();
    names.extend(arrays);
    let listed = names.iter().map(|name| format!(", layers/{}", shown(name).escape_debug()));
    Fault::NoVariable { wanted: shown(key), present: format!("X{}", listed.collect::<String>()) }
}

/// The names of the features: `raw` has its own.
fn names_beside(root: &Group, key: &str, features: usize) -> Result<Option<Vec<String>>, Fault> {
    let raw = root.group("raw").ok().filter(|_| key.starts_with("raw/"));
    let owner = raw.unwrap_or_else(|| root.clone());
    index(&owner.group("var").map_err(damaged)?, "var", features)
}

/// The names of the rows of a data frame. A frame that says which column they are in must have it,
/// with a name for each row.
fn index(frame: &Group, what: &str, rows: usize) -> Result<Option<Vec<String>>, Fault> {
    let told = promised_word(frame, "_index")?;
    let name = told.clone().unwrap_or_else(|| "_index".into());
    let names = if let Ok(group) = frame.group(&name) {
        // Words that may be missing are a group themselves.
        text_of(&group.dataset("values").map_err(damaged)?)?
    } else {
        match frame.dataset(&name) {
            Ok(array) => text_of(&array)?,
            Err(Error::DatasetNotFound(_)) if told.is_none() => return Ok(None),
            Err(error) => return Err(damaged(error)),
        }
    };
    if names.len() == rows {
        return Ok(Some(names));
    }
    Err(Fault::damaged(format!("{} names in {what:?} for {rows} rows", names.len())))
}

/// A word that a group may carry; one that is there must be readable.
fn promised_word(group: &Group, name: &str) -> Result<Option<String>, Fault> {
    match group.attribute(name) {
        Ok(attribute) => attribute.read_string().map(Some).map_err(damaged),
        Err(Error::AttributeNotFound(_)) => Ok(None),
        Err(error) => Err(damaged(error)),
    }
}

/// The column that was asked for.
fn asked(obs: &Group, name: &str, samples: usize) -> Result<Attribute, Fault> {
    let columns = columns(obs)?;
    if !columns.iter().any(|column| column == name) {
        const LISTED: usize = 20;
        let listed = columns.iter().take(LISTED).map(|c| shown(c).escape_debug().to_string());
        let present = format!("obs with {}", listed.collect::<Vec<_>>().join(", "));
        return Err(Fault::NoVariable { wanted: shown(name), present });
    }
    let labels = column(obs, name)?;
    if labels.len() == samples {
        return Ok(labels);
    }
    Err(wrong_length(&labels, samples))
}

/// Every column that can be labels; measurements such as counts of genes are left out.
fn all(obs: &Group, samples: usize, length: u64) -> Result<Vec<Attribute>, Fault> {
    let columns = columns(obs)?;
    // One array may be a column under many names.
    memory::check_packed(samples, columns.len(), length)?;
    let mut labels = Vec::new();
    for name in &columns {
        match column(obs, name) {
            Ok(column) if column.len() == samples => labels.push(column),
            Ok(column) => return Err(wrong_length(&column, samples)),
            Err(fault @ (Fault::Damaged { .. } | Fault::Read(_) | Fault::Memory { .. })) => {
                return Err(fault);
            }
            Err(_) => {} // measurements, or something else that is no labels
        }
    }
    Ok(labels)
}

fn wrong_length(labels: &Attribute, samples: usize) -> Fault {
    let name = shown(&labels.name);
    Fault::damaged(format!("{} labels {name:?} for {samples} samples", labels.len()))
}

/// The names of the columns, in the frame's own order where it has one. All that it names must be
/// there.
fn columns(frame: &Group) -> Result<Vec<String>, Fault> {
    let index = promised_word(frame, "_index")?.unwrap_or_else(|| "_index".into());
    let (groups, arrays) = frame.member_names().map_err(damaged)?;
    let order = column_order(frame)?;
    let mut names: Vec<_> = groups.into_iter().chain(arrays).collect();
    if let Some(missing) = order.iter().find(|name| !names.contains(name)) {
        return Err(Fault::damaged(format!("the column {:?} is missing", shown(missing))));
    }
    let place = |name: &String| order.iter().position(|o| o == name).unwrap_or(usize::MAX);
    // `__categories` holds the words of columns before version 0.8.
    names.retain(|name| *name != index && name != "__categories");
    names.sort_by_cached_key(|name| (place(name), name.clone()));
    Ok(names)
}

/// The columns that a frame says it has; frames of other writers may not say it.
fn column_order(frame: &Group) -> Result<Vec<String>, Fault> {
    let attribute = match frame.attribute("column-order") {
        Ok(attribute) => attribute,
        Err(Error::AttributeNotFound(_)) => return Ok(vec![]),
        Err(error) => return Err(damaged(error)),
    };
    let promised = attribute.num_elements().map_err(damaged)?;
    if promised == 0 {
        return Ok(vec![]); // an empty list has any type
    }
    let names = attribute.read_strings().map_err(damaged)?;
    if names.len() as u64 == promised {
        return Ok(names);
    }
    Err(Fault::damaged(format!("{} names of {promised} columns", names.len())))
}

fn column(frame: &Group, name: &str) -> Result<Attribute, Fault> {
    if let Ok(group) = frame.group(name) {
        let (_, parts) = group.member_names().map_err(damaged)?;
        let has = |part: &str| parts.iter().any(|name| name == part);
        return if has("codes") {
            categorical(name, &group, &group.dataset("codes").map_err(damaged)?)
        } else if has("values") {
            nullable(name, &group)
        } else {
            Err(Fault::ArrayType { found: "something that is no column".into() })
        };
    }
    let array = frame.dataset(name).map_err(damaged)?;
    if let Ok(old) = frame.group("__categories")
        && let Ok(categories) = old.dataset(name)
    {
        return coded(name, &numbers(&array)?, &text_of(&categories)?);
    }
    if kind::is_text(array.dtype()) {
        let words = words(&array)?;
        return Ok(Attribute::from_strings(name, words.iter().map(known)));
    }
    labels::from_numbers(name, &numbers(&array)?)
}

fn categorical(name: &str, group: &Group, codes: &Array) -> Result<Attribute, Fault> {
    let categories = if let Ok(categories) = group.dataset("categories") {
        text_of(&categories)?
    } else {
        // Words that may be missing are a group themselves.
        let inner = group.group("categories").map_err(damaged)?;
        text_of(&inner.dataset("values").map_err(damaged)?)?
    };
    coded(name, &numbers(codes)?, &categories)
}

/// A word, unless it stands for a missing label.
#[allow(clippy::ptr_arg)] // an entry of a list of words
fn known(word: &String) -> Option<&String> {
    (!labels::is_missing_label(word)).then_some(word)
}

/// Labels from the indices of their classes; a negative one stands for a missing label.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and within the length
fn coded(name: &str, codes: &[f64], categories: &[String]) -> Result<Attribute, Fault> {
    let labels = codes.iter().map(|&code| match code {
        code if code < 0.0 => Ok(None),
        code if code.fract() == 0.0 && code < categories.len() as f64 => {
            Ok(known(&categories[code as usize]))
        }
        code => Err(Fault::damaged(format!("{:?} has no category {code}", shown(name)))),
    });
    Ok(Attribute::from_strings(name, labels.collect::<Result<Vec<_>, _>>()?))
}

/// Values with a mask that is 1 where they are missing.
fn nullable(name: &str, group: &Group) -> Result<Attribute, Fault> {
    let values = text_of(&group.dataset("values").map_err(damaged)?)?;
    let mask = numbers(&group.dataset("mask").map_err(damaged)?)?;
    if mask.len() != values.len() {
        return Err(Fault::damaged(format!("{:?} and its mask differ in length", shown(name))));
    }
    let labels = values
        .iter()
        .zip(&mask)
        .map(|(value, &missing)| (missing == 0.0).then_some(value).and_then(known));
    Ok(Attribute::from_strings(name, labels))
}

/// Words, or numbers as they are written.
fn text_of(array: &Array) -> Result<Vec<String>, Fault> {
    if kind::is_text(array.dtype()) {
        return words(array);
    }
    Ok(numbers(array)?.iter().map(ToString::to_string).collect())
}
