//! Any samples of an array in an HDF5 file, chunked or not.

use std::ops::Range;

use deepnmf::Scalar;
use hdf5_reader::Dataset as Array;
use hdf5_reader::datatype_api::H5Type;
use hdf5_reader::{SliceInfo, SliceInfoElem};

use super::super::number::{Kind, Order, Table, not_finite};
use super::super::number_list::{Found, NumberList, length};
use super::{damaged, encoding};
use crate::InFile;
use crate::error::Fault;
use crate::in_file::Rows;

/// An array that stays where it is.
struct ArrayRows {
    array: Array,
    table: Table,
    kind: Kind,
}

/// The samples of an array, left in their file.
///
/// # Errors
/// If the table is empty, or of numbers that can only be read all at once.
pub(super) fn in_file<T: Scalar>(array: &Array, table: Table) -> Result<InFile<T>, Fault> {
    table.check()?;
    Ok(InFile::dense(ArrayRows { array: array.clone(), table, kind: kind_of(array)? }))
}

/// The type of the numbers, if any piece of them can be read.
fn kind_of(array: &Array) -> Result<Kind, Fault> {
    let kind = encoding(array.dtype())?.kind;
    if matches!(kind, Kind::Bool | Kind::F16) {
        return Err(Fault::Unsupported {
            format: "a table of half-precision numbers or truth values that exceeds the memory it may take",
            instead: "allow more memory, or write it as float32",
        });
    }
    Ok(kind)
}

/// Gives every number of a piece of an array to `put`, in the order of the file.
fn each_number(
    array: &Array,
    kind: Kind,
    ranges: &[Range<u64>],
    mut put: impl FnMut(f64),
) -> Result<(), Fault> {
    fn each<N: H5Type>(
        array: &Array,
        ranges: &[Range<u64>],
        put: impl FnMut(N),
    ) -> Result<(), Fault> {
        let slice = |range: &Range<u64>| SliceInfoElem::Slice {
            start: range.start,
            end: range.end,
            step: 1,
        };
        let selections = ranges.iter().map(slice).collect();
        let read = array.read_slice::<N>(&SliceInfo { selections }).map_err(damaged)?;
        read.into_iter().for_each(put);
        Ok(())
    }
    match kind {
        Kind::I8 => each(array, ranges, |v: i8| put(v.into())),
        Kind::U8 | Kind::Bool => each(array, ranges, |v: u8| put(v.into())),
        Kind::I16 => each(array, ranges, |v: i16| put(v.into())),
        Kind::U16 | Kind::F16 => each(array, ranges, |v: u16| put(v.into())),
        Kind::I32 => each(array, ranges, |v: i32| put(v.into())),
        Kind::U32 => each(array, ranges, |v: u32| put(v.into())),
        Kind::I64 => each(array, ranges, |v: i64| put(v as f64)),
        Kind::U64 => each(array, ranges, |v: u64| put(v as f64)),
        Kind::F32 => each(array, ranges, |v: f32| put(v.into())),
        Kind::F64 => each(array, ranges, put),
    }
}

/// A list of numbers that stays where it is.
pub(super) struct ArrayList {
    array: Array,
    kind: Kind,
    count: u64,
}

impl ArrayList {
    /// # Errors
    /// If it is no list, or one of numbers that can only be read all at once.
    pub(super) fn new(array: Array) -> Result<Self, Fault> {
        let &[count] = array.shape() else {
            return Err(Fault::damaged("a list of a sparse table is no list"));
        };
        let kind = kind_of(&array)?;
        Ok(Self { array, kind, count })
    }
}

impl NumberList for ArrayList {
    fn len(&self) -> u64 {
        self.count
    }

    fn values<T: Scalar>(&self, range: Range<u64>) -> Result<Found<T>, Fault> {
        let (mut values, mut bad) = (Vec::with_capacity(length(&range)?), None);
        each_number(&self.array, self.kind, &[range], |value| {
            let number = T::from_f64(value);
            if !number.finite() && bad.is_none() {
                bad = Some((values.len(), value));
            }
            values.push(number);
        })?;
        Ok((values, bad))
    }
}

impl<T: Scalar> Rows<T> for ArrayRows {
    fn shape(&self) -> (usize, usize) {
        (self.table.features, self.table.samples)
    }

    fn read(&self, samples: Range<usize>, out: &mut [T]) -> Result<(), Fault> {
        let Table { features: p, order, .. } = self.table;
        let of_file = samples.start as u64..samples.end as u64;
        let ranges = match order {
            Order::Rows => [of_file, 0..p as u64],
            Order::Columns => [0..p as u64, of_file],
        };
        let (count, mut at, mut bad) = (samples.len(), 0, None);
        each_number(&self.array, self.kind, &ranges, |value| {
            let number = T::from_f64(value);
            let (sample, feature) = match order {
                Order::Rows => (at / p, at % p),
                Order::Columns => (at % count, at / count),
            };
            if !number.finite() && bad.is_none() {
                bad = Some((sample, feature, value));
            }
            out[sample * p + feature] = number;
            at += 1;
        })?;
        bad.map_or(Ok(()), |(sample, feature, value)| {
            Err(not_finite::<T>(samples.start + sample + 1, feature + 1, None, value))
        })
    }
}
