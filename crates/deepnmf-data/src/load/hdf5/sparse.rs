//! Compressed sparse rows and columns, made dense.

use deepnmf::{Matrix, Scalar};
use hdf5_reader::group::Group;

use super::super::memory;
use super::super::number::not_finite;
use super::{damaged, group_word, numbers};
use crate::error::Fault;

/// Reads the group of a sparse table of samples x features from a file of `length` bytes.
///
/// # Errors
/// If its parts contradict each other, or the dense table is too large.
pub(super) fn read<T: Scalar>(group: &Group, length: u64) -> Result<Matrix<T>, Fault> {
    let rows_first = match group_word(group, "encoding-type").as_deref() {
        Some("csr_matrix") => true,
        Some("csc_matrix") => false,
        _ => return Err(Fault::damaged("\"X\" is a group, but not of a sparse table")),
    };
    let (samples, features) = shape(group)?;
    if samples == 0 || features == 0 {
        return Err(Fault::EmptyTable { samples, features });
    }
    memory::check_packed(samples, features, length)?;
    memory::check_table(samples, features, size_of::<T>())?;
    let part = |name| numbers(&group.dataset(name).map_err(damaged)?);
    let (values, indices, starts) = (part("data")?, part("indices")?, part("indptr")?);
    let (outer, inner) = if rows_first { (samples, features) } else { (features, samples) };
    let starts = checked_starts(&starts, outer, values.len())?;
    if indices.len() != values.len() {
        return Err(Fault::damaged("a sparse table with more values than indices, or fewer"));
    }
    let mut x = Matrix::zeros(features, samples);
    for (i, range) in starts.windows(2).enumerate() {
        for at in range[0]..range[1] {
            let j = index(indices[at], inner)?;
            let (sample, feature) = if rows_first { (i, j) } else { (j, i) };
            // The same place may be named twice; its values then count together.
            let entry: &mut T = &mut x[(feature, sample)];
            *entry = T::from_f64(entry.to_f64() + values[at]);
            if !entry.finite() {
                return Err(not_finite::<T>(sample + 1, feature + 1, None, values[at]));
            }
        }
    }
    Ok(x)
}

fn shape(group: &Group) -> Result<(usize, usize), Fault> {
    let attribute = group.attribute("shape").map_err(damaged)?;
    // Whole numbers of whatever size the writer has taken.
    let lengths = match attribute.read_1d::<i64>() {
        Ok(lengths) => lengths,
        Err(_) => {
            attribute.read_1d::<i32>().map_err(damaged)?.into_iter().map(Into::into).collect()
        }
    };
    let lengths: Vec<_> = lengths.iter().filter_map(|&l| usize::try_from(l).ok()).collect();
    match lengths.as_slice() {
        &[samples, features] => Ok((samples, features)),
        _ => Err(Fault::damaged("a sparse table without its two lengths")),
    }
}

/// Where each row or column starts among the values; the last entry is the end.
fn checked_starts(starts: &[f64], outer: usize, values: usize) -> Result<Vec<usize>, Fault> {
    let wrong = || Fault::damaged("a sparse table whose rows do not follow each other");
    let starts = starts
        .iter()
        .map(|&start| index(start, values.saturating_add(1)))
        .collect::<Result<Vec<_>, _>>()?;
    let fits = starts.len().checked_sub(1) == Some(outer) && starts.is_sorted();
    if fits && starts.first() == Some(&0) && starts.last() == Some(&values) {
        Ok(starts)
    } else {
        Err(wrong())
    }
}

/// A number as an index below `length`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and within the length
fn index(number: f64, length: usize) -> Result<usize, Fault> {
    if number.fract() == 0.0 && number >= 0.0 && number < length as f64 {
        Ok(number as usize)
    } else {
        Err(Fault::damaged(format!("a sparse table of length {length} with the index {number}")))
    }
}
