//! The lines of a Matrix Market file.

use std::io::{BufRead, Read};

use deepnmf::matrix::Whole;

use crate::error::{Fault, shown};

/// No line that says anything is longer; comments are cut.
const LONGEST: u64 = 4096;

/// One entry, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) value: f64,
}

impl Entry {
    /// The entry on the other side of the diagonal.
    pub(super) fn mirrored(self, negated: bool) -> Self {
        let value = if negated { -self.value } else { self.value };
        Self { row: self.column, column: self.row, value }
    }
}

/// All entries in lists of their own, places as narrow as the table allows.
pub(super) struct Entries {
    places: Places,
    values: Vec<f64>,
}

enum Places {
    Narrow(Vec<u32>, Vec<u32>),
    Wide(Vec<u64>, Vec<u64>),
}

impl Entries {
    /// For places below `limit`.
    pub(super) fn with_capacity(held: usize, limit: usize) -> Self {
        let places = if u32::try_from(limit).is_ok() {
            Places::Narrow(Vec::with_capacity(held), Vec::with_capacity(held))
        } else {
            Places::Wide(Vec::with_capacity(held), Vec::with_capacity(held))
        };
        Self { places, values: Vec::with_capacity(held) }
    }

    #[allow(clippy::cast_possible_truncation)] // places are below the limit
    pub(super) fn push(&mut self, entry: Entry) {
        match &mut self.places {
            Places::Narrow(rows, columns) => {
                rows.push(entry.row as u32);
                columns.push(entry.column as u32);
            }
            Places::Wide(rows, columns) => {
                rows.push(entry.row as u64);
                columns.push(entry.column as u64);
            }
        }
        self.values.push(entry.value);
    }

    /// Rows, columns and values.
    pub(super) fn lists(self) -> (Whole<'static>, Whole<'static>, Vec<f64>) {
        let (rows, columns) = match self.places {
            Places::Narrow(rows, columns) => (rows.into(), columns.into()),
            Places::Wide(rows, columns) => (rows.into(), columns.into()),
        };
        (rows, columns, self.values)
    }
}

/// Lines of text, one at a time.
pub(super) struct Lines<'a, R> {
    file: &'a mut R,
    line: Vec<u8>,
    number: u64,
}

impl<'a, R: BufRead> Lines<'a, R> {
    pub(super) fn new(file: &'a mut R) -> Self {
        Self { file, line: Vec::new(), number: 0 }
    }

    /// The number of the line read last, counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line, whatever it holds.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, Fault> {
        self.line.clear();
        self.number += 1;
        let read = self.file.by_ref().take(LONGEST).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == LONGEST && self.line.last() != Some(&b'\n') {
            if self.line.first() != Some(&b'%') {
                return Err(Fault::damaged(format!("line {} has no end", self.number)));
            }
            self.skip_line()?;
        }
        let number = self.number;
        let text = std::str::from_utf8(&self.line)
            // A comment may be in any encoding, and no other line has letters.
            .or_else(|error| std::str::from_utf8(&self.line[..error.valid_up_to()]));
        text.map(|line| Some(line.trim()))
            .map_err(|_| Fault::damaged(format!("line {number} is no text")))
    }

    /// Passes over the rest of a line.
    fn skip_line(&mut self) -> Result<(), Fault> {
        loop {
            let bytes = self.file.fill_buf()?;
            if bytes.is_empty() {
                return Ok(());
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let passed = end.map_or(bytes.len(), |at| at + 1);
            self.file.consume(passed);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// The next line that is neither blank nor a comment.
    pub(super) fn next_content(&mut self) -> Result<Option<&str>, Fault> {
        loop {
            match self.next_line()? {
                None => return Ok(None),
                Some(line) if line.is_empty() || line.starts_with('%') => {}
                Some(_) => return Ok(Some(std::str::from_utf8(&self.line).unwrap_or("").trim())),
            }
        }
    }

    /// The next entry of a table of `m` rows and `n` columns.
    pub(super) fn entry(&mut self, pattern: bool, (m, n): (usize, usize)) -> Result<Entry, Fault> {
        let Some(line) = self.next_content()? else {
            return Err(Fault::damaged("entries are missing at its end"));
        };
        let entry = entry_of(line, pattern).filter(|entry| entry.row < m && entry.column < n);
        let line = if entry.is_none() { shown(line) } else { String::new() };
        entry.ok_or_else(|| {
            let needed = format!("an entry of {m} rows and {n} columns, counted from 1,");
            let number = self.number;
            Fault::damaged(format!("line {number} is {line:?}, but {needed} is needed"))
        })
    }

    /// Makes sure that nothing follows.
    pub(super) fn finish(&mut self, held: usize) -> Result<(), Fault> {
        if self.next_content()?.is_none() {
            return Ok(());
        }
        let number = self.number;
        Err(Fault::damaged(format!("line {number} is one more than the {held} entries")))
    }

    /// The numbers of the lines that follow, however many a line has.
    pub(super) fn words(&mut self) -> Words<'_, 'a, R> {
        Words { lines: self, left: Vec::new() }
    }
}

/// Numbers one after the other.
pub(super) struct Words<'l, 'a, R> {
    lines: &'l mut Lines<'a, R>,
    /// The rest of a line, the next one last.
    left: Vec<f64>,
}

impl<R: BufRead> Words<'_, '_, R> {
    pub(super) fn number(&mut self) -> Result<f64, Fault> {
        while self.left.is_empty() {
            let number = self.lines.number + 1;
            let Some(line) = self.lines.next_content()? else {
                return Err(Fault::damaged("numbers are missing at its end"));
            };
            let numbers: Option<Vec<f64>> = words_of(line).map(|word| word.parse().ok()).collect();
            let mut numbers = numbers.ok_or_else(|| {
                Fault::damaged(format!("line {number} is {:?}, which is no number", shown(line)))
            })?;
            numbers.reverse();
            self.left = numbers;
        }
        Ok(self.left.pop().unwrap_or(f64::NAN))
    }

    /// Makes sure that nothing follows.
    pub(super) fn finish(self) -> Result<(), Fault> {
        if self.left.is_empty() && self.lines.next_content()?.is_none() {
            return Ok(());
        }
        Err(Fault::damaged("it has more numbers than its shape says"))
    }
}

/// The entry that a line holds.
fn entry_of(line: &str, pattern: bool) -> Option<Entry> {
    let mut words = words_of(line);
    let mut index = || words.next().and_then(place)?.checked_sub(1);
    let (row, column) = (index()?, index()?);
    let value = if pattern { 1.0 } else { words.next()?.parse().ok()? };
    words.next().is_none().then_some(Entry { row, column, value })
}

/// The words of a line.
pub(super) fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split_ascii_whitespace()
}

/// A whole number.
pub(super) fn place(word: &str) -> Option<usize> {
    word.parse().ok()
}
