//! Matrix Market files (`.mtx`), and the folders of 10x Genomics that hold one beside names.
//!
//! A line says what follows, then come comments, then the shape, then an entry a line, counted from 1:
//!
//! ```text
//! %%MatrixMarket matrix coordinate integer general
//! 3 4 2
//! 1 2 7
//! 3 4 1
//! ```
//!
//! Format: Boisvert, Pozo & Remington, "The Matrix Market Exchange Formats" (1996).

mod entries;
mod folder;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Seek};

use deepnmf::{Matrix, Scalar};

use self::entries::{Entry, Lines, words_of};
pub(super) use self::folder::Folder;
use super::number::not_finite;
use super::sparse::{check_shape, coordinates};
use super::{memory, scratch};
use crate::Values;
use crate::error::{Fault, shown};

/// The first bytes of every such file.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

/// What the rows of the table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Samples,
    Features,
}

/// What the first line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    sparse: bool,
    /// Entries have no value: all are 1.
    pattern: bool,
    symmetry: Symmetry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    /// Only the lower half is there.
    Symmetric,
    /// The upper half is the lower one with the other sign.
    Skew,
}

/// Reads a file of `length` bytes. Entries that take more than `most` bytes are sorted into a temporary file.
pub(super) fn read<T: Scalar>(
    file: &mut (impl BufRead + Seek),
    length: u64,
    rows: Rows,
    most: Option<u64>,
) -> Result<Values<T>, Fault> {
    let mut lines = Lines::new(file);
    let (header, shape) = begin(&mut lines)?;
    match (header.sparse, shape.as_slice()) {
        (true, &[m, n, held]) => {
            let table = Coordinates { header, shape: (m, n), held, rows };
            table.check(length)?;
            match most.filter(|most| table.bytes::<T>() > *most) {
                None => table.read(&mut lines),
                Some(most) => table.in_file(file, most),
            }
        }
        (false, &[m, n]) => read_all(&mut lines, header, (m, n), length, rows),
        (sparse, _) => {
            let expected = if sparse { "rows, columns and entries" } else { "rows and columns" };
            Err(Fault::damaged(format!("line {} should say how many {expected}", lines.number())))
        }
    }
}

/// The first line, and the numbers that say how large the table is.
fn begin(lines: &mut Lines<'_, impl BufRead>) -> Result<(Header, Vec<usize>), Fault> {
    let header = Header::parse(lines.next_line()?.ok_or(Fault::EmptyFile)?)?;
    let shape = match lines.next_content()? {
        Some(line) => words_of(line).map(entries::place).collect::<Option<_>>().unwrap_or_default(),
        None => vec![],
    };
    Ok((header, shape))
}

impl Header {
    fn parse(line: &str) -> Result<Self, Fault> {
        let words: Vec<String> = words_of(line).map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let &[_, "matrix", form, numbers, symmetry] = words.as_slice() else {
            let line = shown(line);
            return Err(Fault::damaged(format!("its first line {line:?} describes no matrix")));
        };
        let unknown = |what: &str| Fault::damaged(format!("its first line says {:?}", shown(what)));
        let sparse = match form {
            "coordinate" => true,
            "array" => false,
            other => return Err(unknown(other)),
        };
        let pattern = match numbers {
            "real" | "integer" | "double" => false,
            "pattern" if sparse => true,
            "complex" => {
                let found = "complex numbers".to_owned();
                return Err(Fault::ArrayType { found });
            }
            other => return Err(unknown(other)),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            other => return Err(unknown(other)),
        };
        Ok(Self { sparse, pattern, symmetry })
    }
}

/// Samples and features of a table of `m` rows and `n` columns.
fn oriented((m, n): (usize, usize), rows: Rows) -> (usize, usize) {
    match rows {
        Rows::Samples => (m, n),
        Rows::Features => (n, m),
    }
}

/// Refuses what is half of a matrix that has no other half.
fn check_square(header: Header, (m, n): (usize, usize)) -> Result<(), Fault> {
    if header.symmetry == Symmetry::General || m == n {
        return Ok(());
    }
    Err(Fault::damaged(format!("it is said to be symmetric, but has {m} rows and {n} columns")))
}

/// A table whose entries stand one a line.
#[derive(Clone, Copy)]
struct Coordinates {
    header: Header,
    /// Rows and columns.
    shape: (usize, usize),
    held: usize,
    rows: Rows,
}

impl Coordinates {
    /// Refuses a table that its file does not account for.
    fn check(&self, length: u64) -> Result<(), Fault> {
        const SHORTEST: u64 = 4; // two digits, a space and the end of the line
        let (samples, features) = oriented(self.shape, self.rows);
        check_shape(samples, features, length)?;
        check_square(self.header, self.shape)?;
        if self.held as u64 > length / SHORTEST + 1 {
            return Err(Fault::damaged(format!("{} entries in {length} bytes", self.held)));
        }
        Ok(())
    }

    /// Bytes of memory for reading all at once.
    fn bytes<T>(&self) -> u64 {
        let twice = if self.header.symmetry == Symmetry::General { 1 } else { 2 };
        (self.held as u64).saturating_mul(twice * (24 + 2 * size_of::<T>() as u64))
    }

    /// Gives every entry to `put`, mirrored ones too.
    fn each(
        &self,
        lines: &mut Lines<'_, impl BufRead>,
        put: &mut dyn FnMut(Entry) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let Header { pattern, symmetry, .. } = self.header;
        for _ in 0..self.held {
            let entry = lines.entry(pattern, self.shape)?;
            put(entry)?;
            if symmetry != Symmetry::General && entry.row != entry.column {
                put(entry.mirrored(symmetry == Symmetry::Skew))?;
            }
        }
        lines.finish(self.held)
    }

    /// Reads all entries into memory.
    fn read<T: Scalar>(&self, lines: &mut Lines<'_, impl BufRead>) -> Result<Values<T>, Fault> {
        memory::check(self.bytes::<T>())?;
        let (m, n) = self.shape;
        let mut entries = entries::Entries::with_capacity(self.held, m.max(n));
        self.each(lines, &mut |entry| {
            entries.push(entry);
            Ok(())
        })?;
        let (of_rows, of_columns, values) = entries.lists();
        let (sample, feature) = match self.rows {
            Rows::Samples => (of_rows, of_columns),
            Rows::Features => (of_columns, of_rows),
        };
        let shape = oriented(self.shape, self.rows);
        coordinates(shape, &sample, &feature, &values).map(Values::Sparse)
    }

    /// Sorts all entries into a temporary file; the text is read twice for that.
    fn in_file<T: Scalar>(
        &self,
        file: &mut (impl BufRead + Seek),
        memory: u64,
    ) -> Result<Values<T>, Fault> {
        let sorted = scratch::sorted(oriented(self.shape, self.rows), memory, &mut |put| {
            file.rewind()?;
            let mut lines = Lines::new(file);
            begin(&mut lines)?;
            self.each(&mut lines, &mut |Entry { row, column, value }| {
                let (sample, feature) = oriented((row, column), self.rows);
                put(sample, feature, value)
            })
        });
        sorted.map(Values::InFile)
    }
}

/// A dense table, column after column; of a symmetric one the lower half.
fn read_all<T: Scalar>(
    lines: &mut Lines<'_, impl BufRead>,
    header: Header,
    (m, n): (usize, usize),
    length: u64,
    rows: Rows,
) -> Result<Values<T>, Fault> {
    let (samples, features) = oriented((m, n), rows);
    if samples == 0 || features == 0 {
        return Err(Fault::EmptyTable { samples, features });
    }
    check_square(header, (m, n))?;
    // Half of a matrix at least, in two bytes a number at least.
    let numbers = (m as u64).saturating_mul(n as u64);
    if numbers / 4 > length {
        return Err(Fault::damaged(format!("{m} x {n} numbers in {length} bytes")));
    }
    memory::check_table(samples, features, size_of::<T>())?;
    let mut x = Matrix::zeros(features, samples);
    let mut words = lines.words();
    let mut put = |row: usize, column: usize, value: f64| {
        let (sample, feature) = oriented((row, column), rows);
        let number = T::from_f64(value);
        x[(feature, sample)] = number;
        if number.finite() {
            Ok(())
        } else {
            Err(not_finite::<T>(sample + 1, feature + 1, None, value))
        }
    };
    for column in 0..n {
        let first = match header.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => column,
            Symmetry::Skew => column + 1,
        };
        for row in first..m {
            let value = words.number()?;
            put(row, column, value)?;
            match header.symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => put(column, row, value)?,
                Symmetry::Skew => put(column, row, -value)?,
            }
        }
    }
    words.finish()?;
    Ok(Values::Dense(x))
}
