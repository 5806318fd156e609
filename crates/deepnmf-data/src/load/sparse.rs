//! Sparse tables of any file: three lists of numbers that must agree with each other.

use deepnmf::matrix::{Stored, Whole};
use deepnmf::{DataMatrix, Scalar, Sparse};

use super::memory;
use super::number::not_finite;
use crate::error::Fault;

/// How a file holds a sparse table of samples x features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    /// The entries of one sample after those of another.
    Rows,
    /// Those of one feature after those of another.
    Columns,
}

/// The shape of a table of samples x features in a file of `length` bytes. Rows without an entry take no byte, so a few
/// bytes could promise any number of them.
///
/// # Errors
/// If the table is empty, or the file does not account for its rows or columns.
pub(super) fn check_shape(samples: usize, features: usize, length: u64) -> Result<(), Fault> {
    if samples == 0 || features == 0 {
        return Err(Fault::EmptyTable { samples, features });
    }
    memory::check_packed(samples, 1, length)?;
    memory::check_packed(features, 1, length)
}

/// The table from its values, their places and the bounds of its rows or columns.
///
/// # Errors
/// If these contradict each other, or a value is not finite.
pub(super) fn compressed<T: Scalar>(
    (samples, features): (usize, usize),
    lists: Lists,
    values: &[f64],
    places: Whole<'_>,
    starts: Whole<'_>,
) -> Result<Sparse<'static, T>, Fault> {
    let stored = match lists {
        Lists::Rows => Stored::BySample,
        Lists::Columns => Stored::ByFeature,
    };
    let narrowed: Vec<T> = values.iter().map(|v| T::from_f64(*v)).collect();
    let shape = (features, samples);
    let made = Sparse::canonical(shape, stored, narrowed, places.clone(), starts.clone());
    let (x, _) = made.map_err(|error| Fault::damaged(error.to_string()))?;
    // A sum of two values at one place may overflow, too.
    match x.find_entry(&|v| !v.finite()) {
        Ok(None) => Ok(x.into_owned()),
        _ => Err(bad_value(shape, stored, values, places, starts, &x)),
    }
}

/// The table from the place of each value.
///
/// # Errors
/// As [`compressed`].
pub(super) fn coordinates<T: Scalar>(
    (samples, features): (usize, usize),
    rows: &Whole<'_>,
    columns: &Whole<'_>,
    values: &[f64],
) -> Result<Sparse<'static, T>, Fault> {
    if let Some(at) = values.iter().position(|v| !T::from_f64(*v).finite()) {
        let (row, column) = (rows.get(at), columns.get(at));
        return Err(not_finite::<T>(
            row.saturating_add(1),
            column.saturating_add(1),
            None,
            values[at],
        ));
    }
    let narrowed: Vec<T> = values.iter().map(|v| T::from_f64(*v)).collect();
    let x = Sparse::from_coordinates((features, samples), columns, rows, &narrowed)
        .map_err(|error| Fault::damaged(error.to_string()))?;
    match x.find_entry(&|v| !v.finite()) {
        Ok(None) => Ok(x),
        found => Err(overflow::<T>(found.ok().flatten())),
    }
}

/// What a value is that the number type cannot hold, as the file has it.
fn bad_value<T: Scalar>(
    shape: (usize, usize),
    stored: Stored,
    values: &[f64],
    places: Whole<'_>,
    starts: Whole<'_>,
    x: &Sparse<'_, T>,
) -> Fault {
    let wide = Sparse::canonical(shape, stored, values, places, starts);
    let found = wide
        .ok()
        .and_then(|(wide, _)| wide.find_entry(&|v| !T::from_f64(v).finite()).ok().flatten());
    overflow::<T>(found.or_else(|| x.find_entry(&|v| !v.finite()).ok().flatten()))
}

fn overflow<T: Scalar>(found: Option<deepnmf::matrix::Entry>) -> Fault {
    match found {
        Some(entry) => not_finite::<T>(entry.sample + 1, entry.feature + 1, None, entry.value),
        None => Fault::damaged("a value that is no number"),
    }
}

/// Whole numbers that a file holds as numbers of any type.
///
/// # Errors
/// If one is none, or below zero.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be whole and in range
pub(super) fn whole(what: &str, numbers: &[f64]) -> Result<Whole<'static>, Fault> {
    const MOST: f64 = 9_007_199_254_740_992.0; // beyond, not every whole number is a floating-point one
    match numbers.iter().find(|n| n.fract() != 0.0 || !(0.0..MOST).contains(*n)) {
        Some(wrong) => Err(Fault::damaged(format!("{what} of a sparse table is {wrong}"))),
        None => Ok(numbers.iter().map(|n| *n as u64).collect::<Vec<u64>>().into()),
    }
}

/// The same for one that is no larger than `most`.
///
/// # Errors
/// As [`whole`].
pub(super) fn whole_number(what: &str, number: f64) -> Result<usize, Fault> {
    let numbers = whole(what, &[number])?;
    Ok(numbers.get(0))
}
