//! Temporary files: tables that can only be read from front to back, or that stand feature after feature, become ones of
//! which any samples can be read. The system removes these files when the process ends, however it ends.

use std::env;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::sync::{Arc, Mutex};

use deepnmf::Scalar;

use super::number::{Encoding, Endian, Kind, Table, not_finite};
use super::number_list::{NumberFile, entries_in_file};
use super::table_rows::TableRows;
use crate::error::Fault;
use crate::{InFile, Values};

/// Numbers that are written one after another.
pub(super) struct Scratch {
    file: BufWriter<File>,
    encoding: Encoding,
    count: u64,
}

/// Says where there was no room.
fn no_room(source: io::Error) -> Fault {
    Fault::Scratch { folder: env::temp_dir(), source }
}

impl Scratch {
    fn new(kind: Kind) -> Result<Self, Fault> {
        let file = tempfile::tempfile().map_err(no_room)?;
        let encoding = Encoding { kind, endian: Endian::NATIVE };
        Ok(Self { file: BufWriter::with_capacity(1 << 16, file), encoding, count: 0 })
    }

    fn of<T: Scalar>() -> Result<Self, Fault> {
        Self::new(match size_of::<T>() {
            4 => Kind::F32,
            _ => Kind::F64,
        })
    }

    fn write<N: bytemuck::NoUninit>(&mut self, numbers: &[N]) -> Result<(), Fault> {
        self.count += numbers.len() as u64;
        self.file.write_all(bytemuck::cast_slice(numbers)).map_err(no_room)
    }

    fn finish(self) -> Result<File, Fault> {
        self.file.into_inner().map_err(|error| no_room(error.into_error()))
    }

    fn into_list(self) -> Result<NumberFile, Fault> {
        let (count, encoding) = (self.count, self.encoding);
        Ok(NumberFile::new(Arc::new(Mutex::new(self.finish()?)), 0, count, encoding))
    }
}

/// A copy of bytes.
pub(super) fn copy_of(bytes: &mut dyn Read) -> Result<File, Fault> {
    let mut file = tempfile::tempfile().map_err(no_room)?;
    let mut piece = vec![0; 1 << 18];
    loop {
        match bytes.read(&mut piece)? {
            0 => break,
            read => file.write_all(&piece[..read]).map_err(no_room)?,
        }
    }
    file.rewind()?;
    Ok(file)
}

/// The numbers of a dense table as they come: in memory as long as they take no more of it than they may, then in a
/// temporary file.
pub(super) struct Collected<T> {
    held: Vec<T>,
    most: Option<u64>,
    scratch: Option<Scratch>,
}

impl<T: Scalar> Collected<T> {
    /// Numbers that are in memory at a time, once they are in a file.
    const FEW: usize = 1 << 16;

    pub(super) fn within(most: Option<u64>) -> Self {
        Self { held: vec![], most, scratch: None }
    }

    pub(super) fn push(&mut self, number: T) -> Result<(), Fault> {
        self.held.push(number);
        let is_full = match &self.scratch {
            Some(_) => self.held.len() >= Self::FEW,
            None => self.most.is_some_and(|most| size_of_val(&self.held[..]) as u64 > most),
        };
        if is_full { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), Fault> {
        if self.scratch.is_none() {
            self.scratch = Some(Scratch::of::<T>()?);
        }
        if let Some(scratch) = &mut self.scratch {
            scratch.write(&self.held)?;
        }
        // What was grown in memory goes back.
        self.held.clear();
        self.held.shrink_to(Self::FEW);
        Ok(())
    }

    /// The table that the numbers are.
    pub(super) fn finish(mut self, table: Table) -> Result<Values<T>, Fault> {
        if self.scratch.is_some() {
            self.spill()?;
        }
        let Some(scratch) = self.scratch else {
            return table.into_matrix(self.held).map(Values::Dense);
        };
        let encoding = scratch.encoding;
        Ok(Values::InFile(InFile::dense(TableRows::new(scratch.finish()?, 0, table, encoding)?)))
    }
}

/// Takes an entry: sample, feature, value.
pub(super) type Put<'a> = dyn FnMut(usize, usize, f64) -> Result<(), Fault> + 'a;

/// Memory for sorting where nobody says how much.
const SORTED: u64 = 64 << 20;

/// More temporary files than this are never open together.
const MOST_BUCKETS: u64 = 128;

/// The entries of a sparse table in any order, sorted by sample into temporary files. `replay` gives all of them, in the
/// same order, every time it is called.
///
/// Samples that follow each other share a bucket, as many as memory has room for. First the entries of each sample are
/// counted, then each entry goes to its bucket, and then each bucket is sorted.
///
/// # Errors
/// Those of `replay`, or if there is no room.
pub(super) fn sorted<T: Scalar>(
    (samples, features): (usize, usize),
    memory: u64,
    replay: &mut dyn FnMut(&mut Put<'_>) -> Result<(), Fault>,
) -> Result<InFile<T>, Fault> {
    if u32::try_from(features).is_err() {
        return Err(Fault::Unsupported {
            format: "a sparse table of more than four thousand million features that exceeds the memory it may take",
            instead: "allow more memory",
        });
    }
    let mut starts = vec![0u64; samples + 1];
    replay(&mut |sample, _, _| {
        starts[sample + 1] += 1;
        Ok(())
    })?;
    (0..samples).for_each(|j| starts[j + 1] += starts[j]);
    let memory = if memory == 0 { SORTED } else { memory };
    let bounds = bounds_of(&starts, memory / (4 * size_of::<f64>() as u64));
    let mut buckets: Vec<Bucket> =
        bounds.windows(2).map(|_| Bucket::new::<T>()).collect::<Result<_, _>>()?;
    replay(&mut |sample, feature, value| {
        let number = T::from_f64(value);
        if !number.finite() {
            return Err(not_finite::<T>(sample + 1, feature + 1, None, value));
        }
        let bucket = bounds.partition_point(|bound| *bound <= sample) - 1;
        buckets[bucket].put(sample - bounds[bucket], feature, number)
    })?;
    let (mut values, mut places) = (Scratch::of::<T>()?, Scratch::new(Kind::U32)?);
    for (bucket, bound) in buckets.into_iter().zip(bounds.windows(2)) {
        bucket.sort::<T>(&starts[bound[0]..=bound[1]], &mut values, &mut places)?;
    }
    entries_in_file((samples, features), values.into_list()?, places.into_list()?, starts)
}

/// The first sample of each bucket, and the end of the last one: so many entries each, or those of one sample.
fn bounds_of(starts: &[u64], entries: u64) -> Vec<usize> {
    let all = starts.last().copied().unwrap_or(0);
    let most = entries.max(all.div_ceil(MOST_BUCKETS)).max(1);
    let mut bounds = vec![0];
    for sample in 0..starts.len() - 1 {
        let first = bounds.last().copied().unwrap_or(0);
        if sample > first && starts[sample + 1] - starts[first] > most {
            bounds.push(sample);
        }
    }
    bounds.push(starts.len() - 1);
    bounds
}

/// Entries of some samples in any order: sample (within the bucket) and feature, values beside.
struct Bucket {
    places: Scratch,
    values: Scratch,
}

impl Bucket {
    fn new<T: Scalar>() -> Result<Self, Fault> {
        Ok(Self { places: Scratch::new(Kind::U32)?, values: Scratch::of::<T>()? })
    }

    #[allow(clippy::cast_possible_truncation)] // fewer features, and fewer samples in a bucket
    fn put<T: Scalar>(&mut self, sample: usize, feature: usize, value: T) -> Result<(), Fault> {
        self.places.write(&[sample as u32, feature as u32])?;
        self.values.write(&[value])
    }

    /// Appends the entries, sample after sample; those of a sample stay in their order.
    fn sort<T: Scalar>(
        self,
        starts: &[u64],
        values: &mut Scratch,
        places: &mut Scratch,
    ) -> Result<(), Fault> {
        use super::number_list::{NumberList, length};
        let count = self.values.count;
        let (from, at) = (self.values.into_list()?, self.places.into_list()?);
        let held = length(&(0..count))?;
        let mut next: Vec<u64> = starts.iter().map(|start| start - starts[0]).collect();
        let (mut sorted, mut features) = (vec![T::ZERO; held], vec![0u32; held]);
        for first in (0..count).step_by(Collected::<T>::FEW) {
            let end = count.min(first + Collected::<T>::FEW as u64);
            let (piece, both) = (from.values::<T>(first..end)?.0, at.places(2 * first..2 * end)?);
            for (i, value) in piece.into_iter().enumerate() {
                let place = &mut next[both.get(2 * i)];
                #[allow(clippy::cast_possible_truncation)] // it was written so
                let to = *place as usize;
                *place += 1;
                #[allow(clippy::cast_possible_truncation)]
                let feature = both.get(2 * i + 1) as u32;
                (sorted[to], features[to]) = (value, feature);
            }
        }
        values.write(&sorted)?;
        places.write(&features)
    }
}

#[cfg(test)]
mod tests {
    use deepnmf::{DataMatrix, Matrix};

    use super::*;

    /// Entries in no order, samples without any, two at the same place.
    fn entries() -> Vec<(usize, usize, f64)> {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from((state >> 33) % below).unwrap()
        };
        (0..4000).map(|_| (random(90) * 3, random(40), random(100) as f64 + 1.0)).collect()
    }

    #[test]
    fn entries_in_any_order_are_sorted_with_little_memory() {
        let (samples, features) = (300, 40);
        let mut wanted = Matrix::<f64>::zeros(features, samples);
        for (j, i, v) in entries() {
            wanted[(i, j)] += v;
        }
        for memory in [0, 1, 1 << 12, 1 << 30] {
            let mut times = 0;
            let x = sorted::<f64>((samples, features), memory, &mut |put| {
                times += 1;
                entries().into_iter().try_for_each(|(j, i, v)| put(j, i, v))
            });
            assert_eq!(x.unwrap().own_dense().unwrap(), wanted, "{memory}");
            assert_eq!(times, 2);
        }
    }

    #[test]
    fn buckets_hold_what_memory_has_room_for() {
        let starts: Vec<u64> = (0..=1000).map(|j| 10 * j).collect();
        assert_eq!(bounds_of(&starts, 1_000_000), [0, 1000]);
        assert_eq!(bounds_of(&starts, 2_500), [0, 250, 500, 750, 1000]);
        assert_eq!(bounds_of(&starts, 1).len(), 1 + 1000usize.div_ceil(7));
        assert_eq!(bounds_of(&[0, 0, 5, 5], 1), [0, 1, 2, 3].map(|j| j));
    }

    #[test]
    fn numbers_that_are_too_many_go_to_a_file() {
        use super::super::number::Order;
        for (order, samples, features) in
            [(Order::Rows, 5000, 40), (Order::Columns, 5000, 40), (Order::Rows, 1, 1)]
        {
            let table = Table { samples, features, order };
            let number = |at: usize| (at % 1013) as f64;
            let collected = |most| {
                let mut numbers = Collected::<f64>::within(most);
                (0..samples * features).try_for_each(|at| numbers.push(number(at))).unwrap();
                numbers.finish(table).unwrap()
            };
            let (held, kept) = (collected(None), collected(Some(10)));
            assert!(matches!(held, Values::Dense(_)));
            assert_eq!(kept.in_file().is_some(), samples > 1);
            assert_eq!(held.own_dense().unwrap(), kept.own_dense().unwrap());
        }
    }
}
