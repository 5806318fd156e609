//! Labels from a text file of their own, joined to the samples by row or by name.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::Path;

use super::labels::is_missing_label;
use super::options::{JoinBy, LabelFile, delimiter};
use super::{csv, detect, extension, open, unreadable};
use crate::error::{DataError, Fault, shown};
use crate::{Attribute, Columns, DatasetOf};

/// Adds every column of the file as an attribute; one of the same name is replaced.
pub(super) fn join<X: Columns>(data: &mut DatasetOf<X>, file: &LabelFile) -> Result<(), DataError> {
    let found = fs::metadata(&file.path).map_err(|source| unreadable(&file.path, source))?;
    let opened = open(&file.path, &found)?;
    let fault = |fault: Fault| match fault {
        Fault::Read(source) => DataError::Io { action: "read", path: file.path.clone(), source },
        fault => DataError::Labels { path: file.path.clone(), fault: Box::new(fault) },
    };
    let found = read(opened, &file.path).map_err(fault)?;
    let attributes = match &file.by {
        JoinBy::Row => by_row(found, data.samples()),
        JoinBy::Name(column) => by_name(found, column, data.sample_names.as_deref()),
    };
    for attribute in attributes.map_err(fault)? {
        data.attributes.retain(|other| other.name != attribute.name);
        data.attributes.push(attribute);
    }
    Ok(())
}

/// What a label file holds, before it is known whether its first line is a header.
struct Found {
    lines: Vec<Vec<String>>,
    /// The same with blank lines as empty words, in a file of one column: they may be missing labels.
    /// First without those at its end, then with all.
    with_blanks: Option<[Vec<Vec<String>>; 2]>,
}

/// Columns under names.
struct Words {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Words {
    /// The first line names the columns.
    fn headed(mut lines: Vec<Vec<String>>) -> Result<Self, Fault> {
        if lines.is_empty() {
            return Err(Fault::EmptyTable { samples: 0, features: 0 });
        }
        let header = lines.remove(0);
        match csv::duplicates(&header.iter().collect::<Vec<_>>()) {
            twice if twice.is_empty() => Ok(Self { header, rows: lines }),
            names => Err(Fault::LabelNames {
                why: format!(
                    "the header names several columns {}; give every column a name of its own",
                    names.join(", ")
                ),
            }),
        }
    }

    /// No line does.
    fn headless(rows: Vec<Vec<String>>) -> Self {
        let header = match rows.first().map_or(0, Vec::len) {
            1 => vec!["label".into()],
            width => (1..=width).map(|number| format!("column {number}")).collect(),
        };
        Self { header, rows }
    }
}

fn read(mut file: File, path: &Path) -> Result<Found, Fault> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(Fault::EmptyFile);
    }
    let delimiter = delimiter(&extension(path), &bytes)
        .or_else(|| csv::Delimiter::sniff(&bytes))
        .unwrap_or(csv::Delimiter::Comma);
    if detect::is_binary(&bytes) {
        let why = "the label file is no text file: write it as .csv";
        return Err(Fault::LabelNames { why: why.into() });
    }
    let lines = csv::read_words(Cursor::new(&bytes), delimiter)?;
    let is_one_column = lines.first().is_some_and(|line| line.len() == 1);
    let with_blanks = (is_one_column && !bytes.contains(&b'"')).then(|| with_blanks(&bytes));
    Ok(Found { lines, with_blanks })
}

fn with_blanks(bytes: &[u8]) -> [Vec<Vec<String>>; 2] {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let all: Vec<Vec<String>> = text.lines().map(|line| vec![line.trim().to_owned()]).collect();
    let end = all.iter().rposition(|line| !line[0].is_empty()).map_or(0, |last| last + 1);
    [all[..end].to_vec(), all]
}

/// The number of lines tells whether the first one is a header and what blank lines mean. Where two
/// readings fit, there is a header.
fn by_row(found: Found, samples: usize) -> Result<Vec<Attribute>, Fault> {
    let count = found.lines.len();
    let all: Vec<Option<usize>> = (0..samples).map(Some).collect();
    let blanks = found.with_blanks.into_iter().flatten();
    let readings: Vec<_> = std::iter::once(found.lines).chain(blanks).collect();
    let with = |length: usize| readings.iter().find(|lines| lines.len() == length);
    let words = match (with(samples + 1), with(samples)) {
        (Some(lines), _) => Words::headed(lines.clone())?,
        (None, Some(lines)) => Words::headless(lines.clone()),
        // As if there were a header, which label files should have.
        (None, None) => {
            return Err(Fault::LabelRows { rows: count.saturating_sub(1), samples });
        }
    };
    Ok(attributes(&words, &all, None))
}

fn by_name(found: Found, column: &str, names: Option<&[String]>) -> Result<Vec<Attribute>, Fault> {
    let wrong = |why: String| Fault::LabelNames { why };
    let names = names.ok_or_else(|| {
        wrong("the samples have no names in such a file; join the labels by row".into())
    })?;
    let (words, key) = keyed(found.lines, column)?;
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
    Ok(attributes(&words, &found, Some(key)))
}

/// The columns, and which of them holds the names: under its name, or without a header by its number.
fn keyed(lines: Vec<Vec<String>>, column: &str) -> Result<(Words, usize), Fault> {
    let first = lines.first().cloned().unwrap_or_default();
    if let Some(key) = first.iter().position(|name| name == column) {
        return Ok((Words::headed(lines)?, key));
    }
    let number = column.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    if let Some(key) = number.filter(|&key| key < first.len()) {
        return Ok((Words::headless(lines), key));
    }
    let listed: Vec<_> = first.iter().take(20).map(|n| shown(n)).collect();
    Err(Fault::LabelNames {
        why: format!(
            "there is no column {:?}; there are {}; without a header give a number from 1 to {}",
            shown(column),
            listed.join(", "),
            first.len()
        ),
    })
}

/// The row of a sample, under its whole name, its file name, or that without the extension.
fn find(rows: &HashMap<&str, usize>, name: &str) -> Option<usize> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    [name, file, stem].iter().find_map(|key| rows.get(key).copied())
}

/// The columns as attributes, but for the one that holds names.
fn attributes(words: &Words, rows: &[Option<usize>], key: Option<usize>) -> Vec<Attribute> {
    let columns = words.header.iter().enumerate().filter(|&(column, _)| Some(column) != key);
    let attribute = |(column, name): (usize, &String)| {
        let labels = rows.iter().map(|row| {
            let word = &words.rows[(*row)?][column];
            (!is_missing_label(word)).then_some(word)
        });
        Attribute::from_strings(name, labels)
    };
    columns.map(attribute).collect()
}

#[cfg(test)]
#[path = "label_file_tests.rs"]
mod tests;
