//! Any samples of an array in an HDF5 file, chunked or not.

use std::ops::Range;

use deepnmf::Scalar;
use hdf5_reader::Dataset as Array;
use hdf5_reader::datatype_api::H5Type;
use hdf5_reader::{SliceInfo, SliceInfoElem};

use super::super::number::{Kind, Order, Table, not_finite};
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
    let kind = encoding(array.dtype())?.kind;
    if matches!(kind, Kind::Bool | Kind::F16) {
        return Err(Fault::Unsupported {
            format: "a table of half-precision numbers or truth values that exceeds the memory it may take",
            instead: "allow more memory, or write it as float32",
        });
    }
    Ok(InFile::new(ArrayRows { array: array.clone(), table, kind }))
}

impl ArrayRows {
    fn slice<T: Scalar, N: H5Type>(
        &self,
        samples: &Range<usize>,
        number: impl Fn(N) -> f64,
        out: &mut [T],
    ) -> Result<(), Fault> {
        let Table { features: p, order, .. } = self.table;
        let range = |range: Range<usize>| SliceInfoElem::Slice {
            start: range.start as u64,
            end: range.end as u64,
            step: 1,
        };
        let (samples_of_file, features) = (range(samples.clone()), range(0..p));
        let selections = match order {
            Order::Rows => vec![samples_of_file, features],
            Order::Columns => vec![features, samples_of_file],
        };
        let read = self.array.read_slice::<N>(&SliceInfo { selections }).map_err(damaged)?;
        let mut bad = None;
        let numbers = read.into_iter().enumerate().map(|(at, raw)| {
            let value = number(raw);
            let found = T::from_f64(value);
            if !found.finite() && bad.is_none() {
                bad = Some((at, value));
            }
            found
        });
        let count = samples.len();
        match order {
            Order::Rows => out.iter_mut().zip(numbers).for_each(|(out, v)| *out = v),
            Order::Columns => {
                let turned: Vec<T> = numbers.collect();
                for (j, sample) in out.chunks_exact_mut(p).enumerate() {
                    sample.iter_mut().enumerate().for_each(|(i, v)| *v = turned[i * count + j]);
                }
            }
        }
        let place = |at: usize| match order {
            Order::Rows => (samples.start + at / p, at % p),
            Order::Columns => (samples.start + at % count, at / count),
        };
        bad.map_or(Ok(()), |(at, value)| {
            let (sample, feature) = place(at);
            Err(not_finite::<T>(sample + 1, feature + 1, None, value))
        })
    }
}

impl<T: Scalar> Rows<T> for ArrayRows {
    fn shape(&self) -> (usize, usize) {
        (self.table.features, self.table.samples)
    }

    fn read(&self, samples: Range<usize>, out: &mut [T]) -> Result<(), Fault> {
        match self.kind {
            Kind::I8 => self.slice::<T, i8>(&samples, f64::from, out),
            Kind::U8 | Kind::Bool => self.slice::<T, u8>(&samples, f64::from, out),
            Kind::I16 => self.slice::<T, i16>(&samples, f64::from, out),
            Kind::U16 | Kind::F16 => self.slice::<T, u16>(&samples, f64::from, out),
            Kind::I32 => self.slice::<T, i32>(&samples, f64::from, out),
            Kind::U32 => self.slice::<T, u32>(&samples, f64::from, out),
            Kind::I64 => self.slice::<T, i64>(&samples, |v| v as f64, out),
            Kind::U64 => self.slice::<T, u64>(&samples, |v| v as f64, out),
            Kind::F32 => self.slice::<T, f32>(&samples, f64::from, out),
            Kind::F64 => self.slice::<T, f64>(&samples, |v| v, out),
        }
    }
}
