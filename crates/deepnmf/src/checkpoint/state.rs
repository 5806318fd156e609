//! The state of a loop in a file: a header, matrices of any number type, and a checksum over all of it.
//!
//! ```text
//! 8 bytes   "deepnmfS"
//! 8 bytes   the length of the header
//! header    JSON: the stage, the errors so far, names and shapes of the matrices
//! matrices  their numbers, column by column; features of the samples of all parts, in their order
//! 4 bytes   CRC-32 of everything before
//! ```

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Reached;
use crate::driver::Algorithm;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Parts, Scalar};
use crate::persist::write_atomically;

const MAGIC: &[u8; 8] = b"deepnmfS";

/// What the header says.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    reached: Reached,
    pieces: Vec<Piece>,
}

/// One matrix.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Piece {
    name: String,
    rows: usize,
    cols: usize,
    bytes: usize,
}

/// Matrices by their names.
pub(super) type Pieces = BTreeMap<String, (Piece, Vec<u8>)>;

/// What a loop hands its matrices and numbers to. A loop names each of them once and in the same order every
/// time: the first pass learns the shapes, the second hands over the numbers. All parts of the data do it together,
/// and the first one writes.
pub(crate) struct StateWriter<'a> {
    parts: Parts<'a>,
    pass: Pass<'a>,
    /// Why a part could not be reached.
    failure: Option<Error>,
}

enum Pass<'a> {
    Shapes(&'a mut Vec<Piece>),
    Numbers(&'a mut dyn FnMut(&[u8])),
}

impl StateWriter<'_> {
    /// A matrix that is the same on all parts.
    pub(crate) fn matrix<T: Scalar>(&mut self, name: &str, matrix: &Matrix<T>) {
        match &mut self.pass {
            Pass::Shapes(pieces) => pieces.push(Piece::of::<T>(name, matrix.rows(), matrix.cols())),
            Pass::Numbers(write) => write(bytemuck::cast_slice(matrix.as_slice())),
        }
    }

    /// A matrix with a column for each sample of this part.
    pub(crate) fn features<T: Scalar>(&mut self, name: &str, matrix: &Matrix<T>) {
        match &mut self.pass {
            Pass::Shapes(pieces) => {
                pieces.push(Piece::of::<T>(name, matrix.rows(), self.parts.total()));
            }
            Pass::Numbers(write) => {
                let gathered =
                    self.parts.each_block(matrix, &mut |block| write(bytemuck::cast_slice(block)));
                self.failure = self.failure.take().or(gathered.err());
            }
        }
    }

    /// A list of matrices that are the same on all parts.
    pub(crate) fn matrices<T: Scalar>(&mut self, name: &str, matrices: &[Matrix<T>]) {
        self.list(name, matrices, |_| false);
    }

    /// A list of matrices, some of which hold features.
    pub(crate) fn list<T: Scalar>(
        &mut self,
        name: &str,
        matrices: &[Matrix<T>],
        is_features: impl Fn(usize) -> bool,
    ) {
        self.count(&format!("{name}.count"), matrices.len());
        for (i, matrix) in matrices.iter().enumerate() {
            let name = format!("{name}.{i}");
            if is_features(i) { self.features(&name, matrix) } else { self.matrix(&name, matrix) }
        }
    }

    /// A count.
    pub(crate) fn count(&mut self, name: &str, count: usize) {
        self.number(name, count as f64);
    }

    /// A number, with all its bits.
    pub(crate) fn number(&mut self, name: &str, value: f64) {
        match &mut self.pass {
            Pass::Shapes(pieces) => pieces.push(Piece::of::<f64>(name, 1, 1)),
            Pass::Numbers(write) => write(&value.to_le_bytes()),
        }
    }
}

impl Piece {
    fn of<T>(name: &str, rows: usize, cols: usize) -> Self {
        Self { name: name.to_owned(), rows, cols, bytes: rows * cols * size_of::<T>() }
    }
}

/// A state that was read, to be handed back to its loop, which asks all its questions on all parts together. The first
/// part holds it.
pub(crate) struct Restored<'a> {
    parts: Parts<'a>,
    pieces: Pieces,
}

impl<'a> Restored<'a> {
    /// What the first part has read, if it has found anything.
    pub(super) fn shared(
        found: Option<(Reached, Pieces)>,
        parts: Parts<'a>,
    ) -> Result<Option<(Reached, Self)>> {
        if !parts.first_says(found.is_some())? {
            return Ok(None);
        }
        let (reached, pieces) = found.map_or((None, Pieces::new()), |(r, p)| (Some(r), p));
        let text = serde_json::to_vec(&reached).unwrap_or_default();
        let reached = serde_json::from_slice(&parts.share_bytes(text)?);
        let reached: Option<Reached> = reached.map_err(|e| broken(&e.to_string()))?;
        Ok(reached.map(|reached| (reached, Self { parts, pieces })))
    }

    /// Rows and columns of a matrix in the file, if it is there and of this number type.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // they were sizes
    fn shape<T>(&self, name: &str) -> Result<(usize, usize)> {
        let size_of_numbers = |piece: &Piece| {
            piece.rows.checked_mul(piece.cols).and_then(|count| count.checked_mul(size_of::<T>()))
        };
        let found = self.pieces.get(name).map(|(piece, bytes)| {
            let fits = size_of_numbers(piece) == Some(bytes.len());
            [f64::from(u8::from(fits)), piece.rows as f64, piece.cols as f64]
        });
        let mut shared = found.unwrap_or([-1.0; 3]);
        self.parts.share(&mut shared)?;
        match shared {
            [fits, ..] if fits < 0.0 => Err(broken(&format!("it has no {name}"))),
            [0.0, ..] => Err(broken(&format!("{name} is of another number type"))),
            [_, rows, cols] => Ok((rows as usize, cols as usize)),
        }
    }

    /// The numbers of a matrix on the first part, zeros or nothing on the others.
    fn numbers<T: Scalar>(&self, name: &str, count: usize) -> Vec<T> {
        let mut numbers = vec![T::ZERO; count];
        if let Some((_, bytes)) = self.pieces.get(name) {
            bytemuck::cast_slice_mut(&mut numbers).copy_from_slice(bytes);
        }
        numbers
    }

    /// A matrix that is the same on all parts.
    pub(crate) fn matrix<T: Scalar>(&self, name: &str) -> Result<Matrix<T>> {
        let (rows, cols) = self.shape::<T>(name)?;
        let mut wide: Vec<f64> =
            self.numbers::<T>(name, rows * cols).into_iter().map(T::to_f64).collect();
        self.parts.share(&mut wide)?;
        Matrix::from_vec(rows, cols, wide.into_iter().map(T::from_f64).collect())
    }

    /// A matrix with a column for each sample of this part.
    pub(crate) fn features<T: Scalar>(&self, name: &str) -> Result<Matrix<T>> {
        let (rows, cols) = self.shape::<T>(name)?;
        if cols != self.parts.total() {
            return Err(broken(&format!("{name} is of {cols} samples")));
        }
        let held = if self.parts.is_first() { rows * cols } else { 0 };
        self.parts.scatter(self.numbers(name, held), rows)
    }

    /// A list of matrices that are the same on all parts.
    pub(crate) fn matrices<T: Scalar>(&self, name: &str) -> Result<Vec<Matrix<T>>> {
        self.list(name, |_| false)
    }

    /// A list of matrices, some of which hold features.
    pub(crate) fn list<T: Scalar>(
        &self,
        name: &str,
        is_features: impl Fn(usize) -> bool,
    ) -> Result<Vec<Matrix<T>>> {
        let count = self.count(&format!("{name}.count"))?;
        let matrix = |i| {
            let name = format!("{name}.{i}");
            if is_features(i) { self.features(&name) } else { self.matrix(&name) }
        };
        (0..count).map(matrix).collect()
    }

    /// A count.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it was one
    pub(crate) fn count(&self, name: &str) -> Result<usize> {
        Ok(self.number(name)? as usize)
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<f64> {
        match self.matrix::<f64>(name)?.as_slice() {
            &[number] => Ok(number),
            _ => Err(broken(&format!("{name} is no number"))),
        }
    }
}

fn broken(what: &str) -> Error {
    Error::Numerical(format!("a checkpoint does not fit this fit: {what}"))
}

/// Writes the state of a loop, whole or not at all. All parts call it together, and the first one writes.
pub(super) fn write(
    path: &Path,
    algorithm: &dyn Algorithm,
    reached: &Reached,
    parts: Parts<'_>,
) -> Result<()> {
    let mut pieces = Vec::new();
    algorithm.save(&mut StateWriter { parts, pass: Pass::Shapes(&mut pieces), failure: None });
    let header = Header { reached: reached.clone(), pieces };
    let header =
        serde_json::to_vec(&header).map_err(|e| Error::Numerical(format!("a checkpoint: {e}")))?;
    let handed_over = Cell::new(false);
    let mut hand_over = |write: &mut dyn FnMut(&[u8])| {
        handed_over.set(true);
        let mut state = StateWriter { parts, pass: Pass::Numbers(write), failure: None };
        algorithm.save(&mut state);
        state.failure.map_or(Ok(()), Err)
    };
    let written = if parts.is_first() {
        write_atomically(path, |file| write_state(file, &header, &mut hand_over))
    } else {
        Ok(())
    };
    // Whether there is room for it or not: the others are handing theirs over.
    if !handed_over.get() {
        hand_over(&mut |_| {})?;
    }
    written
}

/// Hands the numbers of all matrices to somebody.
type HandOver<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) -> Result<()> + 'a;

fn write_state(
    file: &mut dyn Write,
    header: &[u8],
    hand_over: &mut HandOver<'_>,
) -> io::Result<()> {
    let mut file = Summed { file, sum: crc32fast::Hasher::new() };
    let mut written = file.write_all(MAGIC);
    written = written.and_then(|()| file.write_all(&(header.len() as u64).to_le_bytes()));
    written = written.and_then(|()| file.write_all(header));
    hand_over(&mut |bytes| {
        if written.is_ok() {
            written = file.write_all(bytes);
        }
    })
    .map_err(io::Error::other)?;
    written?;
    let sum = file.sum.clone().finalize();
    file.write_all(&sum.to_le_bytes())
}

/// A state from a file, or why it cannot be used.
pub(super) fn read(path: &Path) -> std::result::Result<(Reached, Pieces), String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let (content, sum) = bytes.split_last_chunk::<4>().ok_or("it is cut short")?;
    if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong: it is damaged or cut short".into());
    }
    let rest = content.strip_prefix(MAGIC).ok_or("it is no checkpoint")?;
    let (length, rest) = rest.split_first_chunk::<8>().ok_or("it is cut short")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|e| e.to_string())?;
    let (header, mut rest) = rest.split_at_checked(length).ok_or("it is cut short")?;
    let header: Header = serde_json::from_slice(header).map_err(|e| e.to_string())?;
    let mut pieces = Pieces::new();
    for piece in header.pieces {
        let (bytes, behind) = rest.split_at_checked(piece.bytes).ok_or("it is cut short")?;
        rest = behind;
        pieces.insert(piece.name.clone(), (piece, bytes.to_vec()));
    }
    Ok((header.reached, pieces))
}

/// A file whose content is summed up as it is written.
struct Summed<'a> {
    file: &'a mut dyn Write,
    sum: crc32fast::Hasher,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
