//! NumPy's `.npy`.

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
    write_atomically(path, |file| put_matrix(file, samples_as_rows))
}

/// A table of numbers.
pub(super) fn put_matrix<T: Scalar>(out: &mut dyn Write, rows: &Matrix<T>) -> io::Result<()> {
    let (features, samples) = rows.shape();
    let descr = match T::DTYPE {
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
    };
    out.write_all(&header(descr, &format!("({samples}, {features})")))?;
    put_little_endian(out, rows.as_slice())
}

/// A list of numbers.
pub(super) fn put_numbers(out: &mut dyn Write, numbers: &[f64]) -> io::Result<()> {
    out.write_all(&header("<f8", &format!("({},)", numbers.len())))?;
    put_little_endian(out, numbers)
}

/// A list of whole numbers.
pub(super) fn put_whole(out: &mut dyn Write, numbers: &[i64]) -> io::Result<()> {
    out.write_all(&header("<i8", &format!("({},)", numbers.len())))?;
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// A list of words. NumPy gives each the same room, four bytes a character.
pub(super) fn put_words(out: &mut dyn Write, words: &[String]) -> io::Result<()> {
    let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
    out.write_all(&header(&format!("<U{longest}"), &format!("({},)", words.len())))?;
    for word in words {
        let characters = word.chars().map(u32::from).chain(std::iter::repeat(0));
        for character in characters.take(longest) {
            out.write_all(&character.to_le_bytes())?;
        }
    }
    Ok(())
}

/// The header of version 1.0, padded as NumPy does so that the numbers start at a multiple of 64.
fn header(descr: &str, shape: &str) -> Vec<u8> {
    const PREFIX: usize = 10;
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
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

fn put_little_endian<T: Scalar>(file: &mut dyn Write, numbers: &[T]) -> io::Result<()> {
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
#[path = "npy_tests.rs"]
mod tests;
