//! NumPy's `.npy`, versions 1 to 3: a short Python dictionary, then the bare numbers.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use deepnmf::{Matrix, Scalar};

use super::number::{Encoding, Endian, Kind, Order, Table};
use super::table_rows::TableRows;
use crate::error::{Fault, shown};
use crate::{InFile, Values};

/// The first bytes of every such file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// No array of numbers needs a longer header; NumPy itself refuses them by default.
const LONGEST_HEADER: u64 = 64 * 1024;

/// Reads a file of `length` bytes; a table of more bytes than `most` stays in it.
pub(super) fn read<T: Scalar>(
    mut file: File,
    length: u64,
    most: Option<u64>,
    missing: bool,
) -> Result<Values<T>, Fault> {
    let array = Array::read_header(&mut file, length)?;
    let (encoding, table) = array.table()?;
    if table.exceeds::<T>(most) {
        let start = file.stream_position()?;
        return Ok(Values::InFile(InFile::dense(TableRows::new(file, start, table, encoding)?)));
    }
    table.read(&mut BufReader::new(file), encoding, true, missing).map(Values::Dense)
}

/// What the header of a file says about the array in it.
#[derive(Debug, Clone)]
pub(super) struct Array {
    pub(super) descr: String,
    pub(super) shape: Vec<usize>,
    order: Order,
    /// Bytes of the file after the header.
    present: u64,
}

impl Array {
    /// Reads up to where the numbers start; the whole file has `length` bytes.
    pub(super) fn read_header(file: &mut impl Read, length: u64) -> Result<Self, Fault> {
        let (text, before) = header_text(file, length)?;
        let Header { descr, fortran_order, shape } = Header::parse(&text)?;
        let order = if fortran_order { Order::Columns } else { Order::Rows };
        let present = length.saturating_sub(before);
        Ok(Self { descr: descr.to_owned(), shape, order, present })
    }

    /// Bytes of its contents.
    pub(super) fn bytes(&self) -> u64 {
        self.present
    }

    /// The type of its numbers.
    ///
    /// # Errors
    /// If it holds something else.
    pub(super) fn encoding(&self) -> Result<Encoding, Fault> {
        encoding(&self.descr)
    }

    /// The table it is, for which the file is just long enough.
    pub(super) fn table(&self) -> Result<(Encoding, Table), Fault> {
        let encoding = self.encoding()?;
        let &[samples, features] = self.shape.as_slice() else {
            return Err(not_a_table(&self.shape));
        };
        let table = Table { samples, features, order: self.order };
        self.check_size(table.count(), encoding.kind.size())?;
        Ok((encoding, table))
    }

    /// Reads the numbers of a table; `present` as for [`Table::read`].
    pub(super) fn read_table<T: Scalar>(
        &self,
        file: &mut impl Read,
        present: bool,
        missing: bool,
    ) -> Result<Matrix<T>, Fault> {
        let (encoding, table) = self.table()?;
        table.read(file, encoding, present, missing)
    }

    /// Checks that the file is just as long as `count` values of `size` bytes.
    pub(super) fn check_size(&self, count: Option<usize>, size: usize) -> Result<(), Fault> {
        let needed = count.and_then(|count| count.checked_mul(size));
        if needed.is_some_and(|needed| needed as u64 == self.present) {
            return Ok(());
        }
        let lengths: Vec<_> = self.shape.iter().map(ToString::to_string).collect();
        let needed = needed.map_or("more bytes than a file can have".into(), |n| n.to_string());
        Err(Fault::damaged(format!(
            "{} numbers of type {} need {needed} bytes, but {} are there",
            lengths.join(" x "),
            shown(&self.descr),
            self.present
        )))
    }
}

/// The dictionary, and the number of bytes up to its end.
fn header_text(file: &mut impl Read, length: u64) -> Result<(String, u64), Fault> {
    let mut start = [0; 8];
    read_header(file, &mut start)?;
    let (size, before) = match start[6] {
        1 => {
            let mut size = [0; 2];
            read_header(file, &mut size)?;
            (u64::from(u16::from_le_bytes(size)), 10)
        }
        2 | 3 => {
            let mut size = [0; 4];
            read_header(file, &mut size)?;
            (u64::from(u32::from_le_bytes(size)), 12)
        }
        version => {
            return Err(Fault::damaged(format!(
                "it says it has version {version} of the .npy format, but there are only 1 to 3"
            )));
        }
    };
    if size > LONGEST_HEADER || before + size > length {
        return Err(Fault::damaged(format!("it says its header has {size} bytes")));
    }
    let mut text = Vec::new();
    file.take(size).read_to_end(&mut text)?;
    Ok((String::from_utf8_lossy(&text).into_owned(), before + size))
}

fn read_header(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), Fault> {
    file.read_exact(bytes).map_err(|_| Fault::damaged("its header is incomplete"))
}

fn not_a_table(shape: &[usize]) -> Fault {
    let lengths: Vec<_> = shape.iter().map(ToString::to_string).collect();
    let (shape, example) = match lengths.as_slice() {
        [one] => (format!("({one},)"), "-1, 1"),
        [] => ("()".into(), "1, 1"),
        _ => (format!("({})", lengths.join(", ")), "len(x), -1"),
    };
    Fault::NotATable { shape: shown(&shape), example }
}

/// The type of the numbers, from what NumPy calls a descriptor: `<f8`, `|u1`, ...
fn encoding(descr: &str) -> Result<Encoding, Fault> {
    let mut rest = descr.chars();
    let endian = match rest.next() {
        Some('<') => Endian::Little,
        Some('>') => Endian::Big,
        Some('=' | '|') => Endian::NATIVE,
        _ => return Err(array_type(descr)),
    };
    let kind = match rest.as_str() {
        "b1" | "?" => Kind::Bool,
        "i1" => Kind::I8,
        "u1" => Kind::U8,
        "i2" => Kind::I16,
        "u2" => Kind::U16,
        "i4" => Kind::I32,
        "u4" => Kind::U32,
        "i8" => Kind::I64,
        "u8" => Kind::U64,
        "f2" => Kind::F16,
        "f4" => Kind::F32,
        "f8" => Kind::F64,
        _ => return Err(array_type(descr)),
    };
    Ok(Encoding { kind, endian })
}

fn array_type(descr: &str) -> Fault {
    let words = match descr.trim_start_matches(['<', '>', '=', '|']).chars().next() {
        Some('O') => "Python objects",
        Some('c') => "complex numbers",
        Some('f') => "floating-point numbers of an unusual size",
        Some('U' | 'S' | 'a') => "text",
        Some('M' | 'm') => "dates or times",
        Some('V') => "raw bytes",
        _ => "numbers of an unknown type",
    };
    Fault::ArrayType { found: format!("{words} (type {:?})", shown(descr)) }
}

/// A descriptor that is a list describes the fields of a record.
fn records() -> Fault {
    Fault::ArrayType { found: "records of several fields".into() }
}

/// What the dictionary says.
struct Header<'a> {
    descr: &'a str,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl<'a> Header<'a> {
    fn parse(text: &'a str) -> Result<Self, Fault> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        let mut rest = Text(text);
        rest.expect('{')?;
        while !rest.skip('}') {
            let key = rest.string()?;
            rest.expect(':')?;
            match key {
                "descr" if rest.starts_with('[') => return Err(records()),
                "descr" => descr = Some(rest.string()?),
                "fortran_order" => fortran_order = Some(rest.truth()?),
                "shape" => shape = Some(rest.tuple()?),
                _ => return Err(Fault::damaged(format!("its header says {:?}", shown(key)))),
            }
            if !rest.skip(',') {
                rest.expect('}')?;
                break;
            }
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => {
                Ok(Self { descr, fortran_order, shape })
            }
            _ => Err(Fault::damaged("its header lacks descr, fortran_order or shape")),
        }
    }
}

/// As much of Python's syntax as the dictionary needs.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    fn fault(&self) -> Fault {
        Fault::damaged(format!("its header cannot be understood at {:?}", shown(self.0)))
    }

    fn starts_with(&mut self, c: char) -> bool {
        self.0 = self.0.trim_start();
        self.0.starts_with(c)
    }

    fn skip(&mut self, c: char) -> bool {
        self.0 = self.0.trim_start();
        self.0.strip_prefix(c).inspect(|&rest| self.0 = rest).is_some()
    }

    fn expect(&mut self, c: char) -> Result<(), Fault> {
        if self.skip(c) { Ok(()) } else { Err(self.fault()) }
    }

    fn string(&mut self) -> Result<&'a str, Fault> {
        let quote = if self.skip('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect('\'')?;
        }
        let (string, rest) = self.0.split_once(quote).ok_or_else(|| self.fault())?;
        self.0 = rest;
        Ok(string)
    }

    fn truth(&mut self) -> Result<bool, Fault> {
        self.0 = self.0.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err(self.fault())
    }

    fn tuple(&mut self) -> Result<Vec<usize>, Fault> {
        let mut lengths = Vec::new();
        self.expect('(')?;
        while !self.skip(')') {
            lengths.push(self.number()?);
            if !self.skip(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(lengths)
    }

    fn number(&mut self) -> Result<usize, Fault> {
        self.0 = self.0.trim_start();
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        let number = digits.parse().map_err(|_| self.fault())?;
        // Python 2 on Windows wrote `3L`.
        self.0 = rest.strip_prefix('L').unwrap_or(rest);
        Ok(number)
    }
}

#[cfg(test)]
#[path = "npy_tests.rs"]
mod tests;
