//! The lines of a text file as fields, and the numbers of those lines for error messages.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use super::Delimiter;
use crate::error::Fault;

/// Reads line after line; blank ones are passed over and remembered.
pub(super) struct Records<R> {
    reader: Reader<Watched<R>>,
    record: ByteRecord,
    /// What was read to see whether there is more.
    ahead: Option<ByteRecord>,
    delimiter: Delimiter,
}

impl<R: Read + Seek> Records<R> {
    pub(super) fn new(file: R, delimiter: Delimiter) -> Self {
        let reader = ReaderBuilder::new()
            .delimiter(delimiter.byte())
            .has_headers(false) // told apart from numbers later
            .flexible(true) // so that the message about ragged lines is ours
            .trim(Trim::All)
            .from_reader(Watched::new(file));
        Self { reader, record: ByteRecord::new(), ahead: None, delimiter }
    }

    /// Goes to the next line; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool, Fault> {
        if let Some(ahead) = self.ahead.take() {
            self.record = ahead;
            return Ok(true);
        }
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

    /// Whether another line follows, without going there.
    pub(super) fn has_more(&mut self) -> Result<bool, Fault> {
        let here = self.record.clone();
        let more = self.advance()?;
        let next = std::mem::replace(&mut self.record, here);
        self.ahead = more.then_some(next);
        Ok(more)
    }

    /// The first blank line between others, counted from 1, once all lines are read.
    pub(super) fn blank_line(&self) -> Option<u64> {
        self.reader.get_ref().blank
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
        let file = &mut self.reader.get_mut().file;
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

/// A file that notices blank lines on its way.
struct Watched<R> {
    file: R,
    /// The first blank line with others before and after it.
    blank: Option<u64>,
    /// A blank line after others, of which it is not known whether more follow.
    candidate: Option<u64>,
    line: u64,
    /// Lines with something in them so far.
    filled: u64,
    begun: bool,
    quoted: bool,
    after_return: bool,
}

impl<R> Watched<R> {
    fn new(file: R) -> Self {
        Self {
            file,
            blank: None,
            candidate: None,
            line: 1,
            filled: 0,
            begun: false,
            quoted: false,
            after_return: false,
        }
    }

    fn see(&mut self, byte: u8) {
        let second_half = byte == b'\n' && std::mem::take(&mut self.after_return);
        match byte {
            _ if second_half => {}
            b'\n' | b'\r' => {
                if !self.quoted {
                    if !self.begun && self.filled > 0 && self.candidate.is_none() {
                        self.candidate = Some(self.line);
                    }
                    self.begun = false;
                }
                self.line += 1;
                self.after_return = byte == b'\r';
            }
            _ => {
                self.after_return = false;
                self.quoted ^= byte == b'"';
                self.filled += u64::from(!self.begun);
                self.begun = true;
                self.blank = self.blank.or(self.candidate);
            }
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        if self.blank.is_none() {
            buffer[..length].iter().for_each(|&byte| self.see(byte));
        }
        Ok(length)
    }
}
