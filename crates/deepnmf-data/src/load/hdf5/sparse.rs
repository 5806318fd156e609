//! Compressed sparse rows and columns of an `AnnData` file.

use deepnmf::Scalar;
use hdf5_reader::group::Group;

use super::super::LoadOptions;
use super::super::number_list::{NumberList, most_of, read_in_file};
use super::super::sparse::{Lists, check_shape, compressed, whole};
use super::rows::ArrayList;
use super::{damaged, group_word, numbers};
use crate::Values;
use crate::error::Fault;

/// Reads the group of a sparse table of samples x features from a file of `length` bytes.
///
/// # Errors
/// If its parts contradict each other.
///
/// A table of more bytes than it may take stays in its file; one that stands feature after feature is sorted into a temporary
/// one.
pub(super) fn read<T: Scalar>(
    group: &Group,
    length: u64,
    options: &LoadOptions,
) -> Result<Values<T>, Fault> {
    let lists = match group_word(group, "encoding-type").as_deref() {
        Some("csr_matrix") => Lists::Rows,
        Some("csc_matrix") => Lists::Columns,
        _ => return Err(Fault::damaged("\"X\" is a group, but not of a sparse table")),
    };
    let shape = shape(group)?;
    check_shape(shape.0, shape.1, length)?;
    let list = |name| ArrayList::new(group.dataset(name).map_err(damaged)?);
    if let Some(most) = most_of(lists, options) {
        let (values, places, bounds) = (list("data")?, list("indices")?, list("indptr")?);
        if values.len().saturating_mul(size_of::<T>() as u64 + 4) > most {
            let memory = options.memory.unwrap_or(0);
            return read_in_file(shape, lists, values, places, &bounds, memory).map(Values::InFile);
        }
    }
    let part = |name| numbers(&group.dataset(name).map_err(damaged)?);
    let places = whole("an index", &part("indices")?)?;
    let starts = whole("a bound", &part("indptr")?)?;
    compressed(shape, lists, &part("data")?, places, starts).map(Values::Sparse)
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
