//! A table of words, as label files are.

use std::io::{Read, Seek};

use super::{Delimiter, Records};
use crate::error::{Cell, Fault};

/// Reads all lines as words; every line has as many as the first.
pub(in crate::load) fn read_words(
    file: impl Read + Seek,
    delimiter: Delimiter,
) -> Result<Vec<Vec<String>>, Fault> {
    let mut records = Records::new(file, delimiter);
    let mut lines: Vec<Vec<String>> = Vec::new();
    while records.advance()? {
        let words = line(&mut records)?;
        let expected = lines.first().map_or(words.len(), Vec::len);
        if words.len() != expected {
            let (found, delimiter) = (words.len(), delimiter.name());
            return Err(Fault::Ragged { line: records.line()?, found, expected, delimiter });
        }
        lines.push(words);
    }
    Ok(lines)
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
