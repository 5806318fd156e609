//! Labels from a text file of their own, joined to the samples by row or by name.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;

use super::options::{JoinBy, LabelFile, delimiter};
use super::{csv, detect, extension, head, open, unreadable};
use crate::error::{DataError, Fault, shown};
use crate::{Attribute, Dataset};

/// Adds every column of the file as an attribute; one of the same name is replaced.
pub(super) fn join<T>(data: &mut Dataset<T>, file: &LabelFile) -> Result<(), DataError>
where
    T: deepnmf::Scalar,
{
    let found = fs::metadata(&file.path).map_err(|source| unreadable(&file.path, source))?;
    let opened = open(&file.path, &found)?;
    let fault = |fault: Fault| match fault {
        Fault::Read(source) => DataError::Io { action: "read", path: file.path.clone(), source },
        fault => DataError::Labels { path: file.path.clone(), fault: Box::new(fault) },
    };
    let words = read(opened, &file.path).map_err(fault)?;
    let attributes = match &file.by {
        JoinBy::Row => by_row(&words, data.samples()),
        JoinBy::Name(column) => by_name(&words, column, data.sample_names.as_deref()),
    };
    for attribute in attributes.map_err(fault)? {
        data.attributes.retain(|other| other.name != attribute.name);
        data.attributes.push(attribute);
    }
    Ok(())
}

fn read(mut file: File, path: &Path) -> Result<csv::Words, Fault> {
    let (head, extension) = (head(&mut file)?, extension(path));
    if head.is_empty() {
        return Err(Fault::EmptyFile);
    }
    let delimiter = delimiter(&extension, &head)
        .or_else(|| csv::Delimiter::sniff(&head))
        .unwrap_or(csv::Delimiter::Comma);
    if detect::is_binary(&head) {
        let why = "the label file is no text file: write it as .csv";
        return Err(Fault::LabelNames { why: why.into() });
    }
    csv::read_words(file, delimiter)
}

fn by_row(words: &csv::Words, samples: usize) -> Result<Vec<Attribute>, Fault> {
    if words.rows.len() != samples {
        return Err(Fault::LabelRows { rows: words.rows.len(), samples });
    }
    let rows: Vec<Option<usize>> = (0..samples).map(Some).collect();
    Ok(attributes(words, &rows, None))
}

fn by_name(
    words: &csv::Words,
    column: &str,
    names: Option<&[String]>,
) -> Result<Vec<Attribute>, Fault> {
    let wrong = |why: String| Fault::LabelNames { why };
    let names = names.ok_or_else(|| {
        wrong("the samples have no names in such a file; join the labels by row".into())
    })?;
    let key = words.header.iter().position(|name| name == column).ok_or_else(|| {
        let listed: Vec<_> = words.header.iter().take(20).map(|n| shown(n)).collect();
        wrong(format!("there is no column {:?}; there are {}", shown(column), listed.join(", ")))
    })?;
    let mut rows = HashMap::new();
    for (i, row) in words.rows.iter().enumerate() {
        if rows.insert(row[key].as_str(), i).is_some() {
            return Err(wrong(format!("{:?} has two rows; leave one out", shown(&row[key]))));
        }
    }
    let found: Vec<_> = names.iter().map(|name| find(&rows, name)).collect();
    if found.iter().all(Option::is_none) {
        let example = names.first().map(|name| shown(name)).unwrap_or_default();
        return Err(wrong(format!(
            "no sample has a row; the first sample is called {example:?}, so column {:?} should hold \
             names like that",
            shown(column)
        )));
    }
    Ok(attributes(words, &found, Some(key)))
}

/// The row of a sample, under its whole name, its file name, or that without the extension.
fn find(rows: &HashMap<&str, usize>, name: &str) -> Option<usize> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    [name, file, stem].iter().find_map(|key| rows.get(key).copied())
}

/// The columns as attributes, but for the one that holds names.
fn attributes(words: &csv::Words, rows: &[Option<usize>], key: Option<usize>) -> Vec<Attribute> {
    let columns = words.header.iter().enumerate().filter(|&(column, _)| Some(column) != key);
    let attribute = |(column, name): (usize, &String)| {
        let labels = rows.iter().map(|row| {
            let word = &words.rows[(*row)?][column];
            (!word.is_empty()).then_some(word)
        });
        Attribute::from_strings(name, labels)
    };
    columns.map(attribute).collect()
}

#[cfg(test)]
#[path = "label_file_tests.rs"]
mod tests;
