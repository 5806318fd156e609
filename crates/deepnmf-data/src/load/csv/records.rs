//! The lines of a text file as fields, and the numbers of those lines for error messages.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use super::Delimiter;
use crate::error::Fault;

/// Reads line after line; blank ones do not count.
pub(super) struct Records<R> {
    reader: Reader<R>,
    record: ByteRecord,
    delimiter: Delimiter,
}

impl<R: Read + Seek> Records<R> {
    pub(super) fn new(file: R, delimiter: Delimiter) -> Self {
        let reader = ReaderBuilder::new()
            .delimiter(delimiter.byte())
            .has_headers(false) // told apart from numbers later
            .flexible(true) // so that the message about ragged lines is ours
            .trim(Trim::All)
            .from_reader(file);
        Self { reader, record: ByteRecord::new(), delimiter }
    }

    /// Goes to the next line; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool, Fault> {
        loop {
            if !self.reader.read_byte_record(&mut self.record).map_err(io::Error::from)? {
                return Ok(false);
            }
            if self.delimiter == Delimiter::Spaces {
                // Spaces may line columns up, so that the empty fields between them mean nothing.
                let position = self.record.position().cloned();
                self.record = self.record.iter().filter(|field| !field.is_empty()).collect();
                self.record.set_position(position);
            }
            if !self.record.is_empty() {
                return Ok(true);
            }
        }
    }

    pub(super) fn fields(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        // The crate's own iterator knows its length, but does not say so in its type.
        (0..self.record.len()).map(|column| &self.record[column])
    }

    /// The number of the line that was read last, counted from 1.
    ///
    /// The crate's own count is one too small after a blank line or where lines end in `\r\n`.
    /// Counting again costs nothing as long as there is nothing to complain about.
    pub(super) fn line(&mut self) -> Result<u64, Fault> {
        let start = self.record.position().map_or(0, csv::Position::byte);
        let file = self.reader.get_mut();
        file.seek(SeekFrom::Start(0))?;
        Ok(line_at(BufReader::new(file), start)?)
    }
}

/// The number of the line at byte `start`, or after the blank lines there.
fn line_at(mut file: impl BufRead, start: u64) -> io::Result<u64> {
    let (mut line, mut at, mut after_return) = (1, 0u64, false);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(line);
        }
        for &b in bytes {
            let ends = b == b'\n' || b == b'\r';
            if at >= start && !ends {
                return Ok(line);
            }
            // `\r\n` ends one line, not two.
            line += u64::from(ends && !(b == b'\n' && after_return));
            after_return = b == b'\r';
            at += 1;
        }
        let length = bytes.len();
        file.consume(length);
    }
}
