//! Writes results: either the whole file is there afterwards, or what was there before.

use std::io::{self, Write};
use std::path::Path;

use deepnmf::persist::write_atomically;
use deepnmf::{Dtype, Matrix, Scalar};

/// Writes a matrix as `.npy`: the `n` columns of `samples_as_rows` become the rows of a C-ordered
/// array of shape `(n, p)`, which NumPy sees as samples x features.
///
/// # Errors
/// If the file cannot be written; a file that was there before is then still there, unchanged.
pub fn write_npy<T: Scalar>(path: &Path, samples_as_rows: &Matrix<T>) -> deepnmf::Result<()> {
    let (features, samples) = samples_as_rows.shape();
    write_atomically(path, |file| {
        file.write_all(&npy_header(T::DTYPE, samples, features))?;
        write_little_endian(file, samples_as_rows.as_slice())
    })
}

/// The header of version 1.0, padded as NumPy does so that the numbers start at a multiple of 64.
fn npy_header(dtype: Dtype, samples: usize, features: usize) -> Vec<u8> {
    const PREFIX: usize = 10;
    let descr = match dtype {
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
    };
    let mut text = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({samples}, {features}), }}"
    );
    while !(PREFIX + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX); // about 118: two numbers and words
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(length.to_le_bytes());
    header.extend(text.bytes());
    header
}

fn write_little_endian<T: Scalar>(file: &mut dyn Write, numbers: &[T]) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return file.write_all(bytemuck::cast_slice(numbers));
    }
    for number in numbers {
        let mut bytes = bytemuck::bytes_of(number).to_vec();
        bytes.reverse();
        file.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
