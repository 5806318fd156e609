//! The state of a loop in a file: a header, matrices of any number type, and a checksum over all of it.
//!
//! ```text
//! 8 bytes   "deepnmfS"
//! 8 bytes   the length of the header
//! header    JSON: the stage, the errors so far, names and shapes of the matrices
//! matrices  their numbers, column by column
//! 4 bytes   CRC-32 of everything before
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Reached;
use crate::driver::Algorithm;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Scalar};
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
struct Piece {
    name: String,
    rows: usize,
    cols: usize,
    bytes: usize,
}

/// What a loop hands its matrices and numbers to. A loop names each of them once and in the same order every
/// time: the first pass learns the shapes, the second writes.
pub(crate) struct StateWriter<'a>(&'a mut dyn FnMut(Piece, &[u8]));

impl StateWriter<'_> {
    /// A matrix.
    pub(crate) fn matrix<T: Scalar>(&mut self, name: &str, matrix: &Matrix<T>) {
        let bytes: &[u8] = bytemuck::cast_slice(matrix.as_slice());
        let (rows, cols) = matrix.shape();
        (self.0)(Piece { name: name.to_owned(), rows, cols, bytes: bytes.len() }, bytes);
    }

    /// A list of matrices.
    pub(crate) fn matrices<T: Scalar>(&mut self, name: &str, matrices: &[Matrix<T>]) {
        self.count(&format!("{name}.count"), matrices.len());
        for (i, matrix) in matrices.iter().enumerate() {
            self.matrix(&format!("{name}.{i}"), matrix);
        }
    }

    /// A count.
    pub(crate) fn count(&mut self, name: &str, count: usize) {
        self.number(name, count as f64);
    }

    /// A number, with all its bits.
    pub(crate) fn number(&mut self, name: &str, value: f64) {
        let bytes = value.to_le_bytes();
        (self.0)(Piece { name: name.to_owned(), rows: 1, cols: 1, bytes: bytes.len() }, &bytes);
    }
}

/// A state that was read, to be handed back to its loop.
pub(crate) struct Restored {
    pieces: BTreeMap<String, (Piece, Vec<u8>)>,
}

impl Restored {
    fn piece(&self, name: &str) -> Result<&(Piece, Vec<u8>)> {
        self.pieces.get(name).ok_or_else(|| broken(&format!("it has no {name}")))
    }

    /// A matrix.
    pub(crate) fn matrix<T: Scalar>(&self, name: &str) -> Result<Matrix<T>> {
        let (piece, bytes) = self.piece(name)?;
        let count = piece.rows.saturating_mul(piece.cols);
        if bytes.len() != count.saturating_mul(size_of::<T>()) {
            return Err(broken(&format!("{name} is of another number type")));
        }
        let mut numbers = vec![T::ZERO; count];
        bytemuck::cast_slice_mut(&mut numbers).copy_from_slice(bytes);
        Matrix::from_vec(piece.rows, piece.cols, numbers)
    }

    /// A list of matrices.
    pub(crate) fn matrices<T: Scalar>(&self, name: &str) -> Result<Vec<Matrix<T>>> {
        let count = self.count(&format!("{name}.count"))?;
        (0..count).map(|i| self.matrix(&format!("{name}.{i}"))).collect()
    }

    /// A count.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it was one
    pub(crate) fn count(&self, name: &str) -> Result<usize> {
        Ok(self.number(name)? as usize)
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<f64> {
        let (_, bytes) = self.piece(name)?;
        let bytes = bytes.as_slice().try_into();
        bytes.map(f64::from_le_bytes).map_err(|_| broken(&format!("{name} is no number")))
    }
}

fn broken(what: &str) -> Error {
    Error::Numerical(format!("a checkpoint does not fit this fit: {what}"))
}

/// Writes the state of a loop, whole or not at all.
pub(super) fn write(path: &Path, algorithm: &dyn Algorithm, reached: &Reached) -> Result<()> {
    let mut pieces = Vec::new();
    algorithm.save(&mut StateWriter(&mut |piece, _| pieces.push(piece)));
    let header = Header { reached: reached.clone(), pieces };
    let header =
        serde_json::to_vec(&header).map_err(|e| Error::Numerical(format!("a checkpoint: {e}")))?;
    write_atomically(path, |file| {
        let mut file = Summed { file, sum: crc32fast::Hasher::new() };
        file.write_all(MAGIC)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        let mut written = Ok(());
        algorithm.save(&mut StateWriter(&mut |_, bytes| {
            if written.is_ok() {
                written = file.write_all(bytes);
            }
        }));
        written?;
        let sum = file.sum.clone().finalize();
        file.write_all(&sum.to_le_bytes())
    })
}

/// A state from a file, or why it cannot be used.
pub(super) fn read(path: &Path) -> std::result::Result<(Reached, Restored), String> {
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
    let mut pieces = BTreeMap::new();
    for piece in header.pieces {
        let (bytes, behind) = rest.split_at_checked(piece.bytes).ok_or("it is cut short")?;
        rest = behind;
        pieces.insert(piece.name.clone(), (piece, bytes.to_vec()));
    }
    Ok((header.reached, Restored { pieces }))
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
