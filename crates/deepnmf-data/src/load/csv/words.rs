//! A table of words with a header, as label files are.

use std::io::{Read, Seek};

use super::{Delimiter, Records};
use crate::error::{Cell, Fault};

/// All fields of a text file, as words.
#[derive(Debug)]
pub(in crate::load) struct Words {
    pub(in crate::load) header: Vec<String>,
    /// As long as the header, each.
    pub(in crate::load) rows: Vec<Vec<String>>,
}

/// Reads a table whose first line names the columns.
pub(in crate::load) fn read_words(
    file: impl Read + Seek,
    delimiter: Delimiter,
) -> Result<Words, Fault> {
    let mut records = Records::new(file, delimiter);
    if !records.advance()? {
        return Err(Fault::EmptyTable { samples: 0, features: 0 });
    }
    let header = line(&mut records)?;
    let mut rows = Vec::new();
    while records.advance()? {
        let row = line(&mut records)?;
        if row.len() != header.len() {
            let (found, expected, delimiter) = (row.len(), header.len(), delimiter.name());
            return Err(Fault::Ragged { line: records.line()?, found, expected, delimiter });
        }
        rows.push(row);
    }
    Ok(Words { header, rows })
}

fn line(records: &mut Records<impl Read + Seek>) -> Result<Vec<String>, Fault> {
    let words: Result<Vec<_>, usize> = records
        .fields()
        .enumerate()
        .map(|(column, field)| str::from_utf8(field).map(str::to_owned).map_err(|_| column))
        .collect();
    match words {
        Ok(words) => Ok(words),
        Err(column) => {
            let line = records.line()?;
            Err(Fault::NotText { cell: Cell { line, column: column + 1, name: None } })
        }
    }
}
