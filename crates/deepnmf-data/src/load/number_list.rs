//! Lists of numbers in a file, of which any piece can be read.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use deepnmf::matrix::Whole;
use deepnmf::{DataMatrix, Scalar};

use super::LoadOptions;
use super::number::{Encoding, Endian, Kind, fill};
use super::scratch;
use super::sparse::{Lists, whole};
use crate::InFile;
use crate::error::Fault;
use crate::in_file::{Entries, Piece};

/// Numbers of which any piece can be read.
pub(super) trait NumberList: Send + Sync {
    /// How many there are.
    fn len(&self) -> u64;

    /// The numbers of this range as a `T`, with the place and value of one that is not finite as such.
    fn values<T: Scalar>(&self, range: Range<u64>) -> Result<Found<T>, Fault>;

    /// The numbers of this range, which are whole.
    fn places(&self, range: Range<u64>) -> Result<Whole<'static>, Fault> {
        whole("an index", &self.values::<f64>(range)?.0)
    }
}

/// Numbers, and the place and value of one that is not finite.
pub(super) type Found<T> = (Vec<T>, Option<(usize, f64)>);

/// A list whose bare numbers stand in a file.
pub(super) struct NumberFile {
    /// Several lists may stand in one file, whose place of reading they share.
    file: Arc<Mutex<File>>,
    start: u64,
    count: u64,
    encoding: Encoding,
}

impl NumberFile {
    /// So many numbers from `start` on.
    pub(super) fn new(file: Arc<Mutex<File>>, start: u64, count: u64, encoding: Encoding) -> Self {
        Self { file, start, count, encoding }
    }

    /// Lets `read` read the bytes of these numbers.
    fn with<R>(
        &self,
        range: &Range<u64>,
        read: impl FnOnce(&mut dyn Read) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let size = self.encoding.kind.size() as u64;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start + range.start * size))?;
        let bytes = (&mut *file).take((range.end - range.start) * size);
        read(&mut BufReader::with_capacity(1 << 18, bytes)).map_err(shorter)
    }

    /// Whole numbers as they stand in memory.
    fn bare<N: bytemuck::Pod>(&self, range: &Range<u64>) -> Result<Vec<N>, Fault> {
        let mut numbers = vec![N::zeroed(); length(range)?];
        self.with(range, |bytes| {
            Ok(bytes.read_exact(bytemuck::cast_slice_mut(numbers.as_mut_slice()))?)
        })?;
        Ok(numbers)
    }
}

/// Says what the end of a file means that was long enough before.
pub(super) fn shorter(fault: Fault) -> Fault {
    match fault {
        Fault::Read(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Fault::damaged("it has become shorter while it was read")
        }
        fault => fault,
    }
}

/// How many numbers a range has.
pub(super) fn length(range: &Range<u64>) -> Result<usize, Fault> {
    usize::try_from(range.end - range.start).map_err(|_| Fault::Memory { bytes: u64::MAX })
}

impl NumberList for NumberFile {
    fn len(&self) -> u64 {
        self.count
    }

    fn values<T: Scalar>(&self, range: Range<u64>) -> Result<Found<T>, Fault> {
        let mut values = vec![T::ZERO; length(&range)?];
        let bad = self.with(&range, |bytes| fill(bytes, self.encoding, &mut values))?;
        Ok((values, bad))
    }

    fn places(&self, range: Range<u64>) -> Result<Whole<'static>, Fault> {
        let negative = || Fault::damaged("an index of a sparse table is negative");
        match (self.encoding.kind, self.encoding.endian) {
            (kind @ (Kind::I32 | Kind::U32), Endian::NATIVE) => {
                let places: Vec<u32> = self.bare(&range)?;
                if kind == Kind::I32 && places.iter().any(|place| place.cast_signed() < 0) {
                    return Err(negative());
                }
                Ok(places.into())
            }
            (kind @ (Kind::I64 | Kind::U64), Endian::NATIVE) => {
                let places: Vec<u64> = self.bare(&range)?;
                if kind == Kind::I64 && places.iter().any(|place| place.cast_signed() < 0) {
                    return Err(negative());
                }
                Ok(places.into())
            }
            _ => whole("an index", &self.values::<f64>(range)?.0),
        }
    }
}

/// The entries of a sparse table by sample, each list of its own.
struct EntryLists<L> {
    features: usize,
    values: L,
    places: L,
    starts: Vec<u64>,
}

/// The samples of a sparse table, left in their file.
///
/// # Errors
/// If the lists contradict each other.
pub(super) fn entries_in_file<T: Scalar, L: NumberList + 'static>(
    (samples, features): (usize, usize),
    values: L,
    places: L,
    starts: Vec<u64>,
) -> Result<InFile<T>, Fault> {
    let held = values.len();
    let rise = starts.first() == Some(&0) && starts.is_sorted();
    if starts.len() != samples + 1 || !rise || starts.last() != Some(&held) || places.len() != held
    {
        return Err(Fault::damaged("the lists of a sparse table contradict each other"));
    }
    Ok(InFile::sparse(EntryLists { features, values, places, starts }))
}

/// Bytes that a sparse table may take in memory: one that would have to be sorted is not left in its file for nothing.
pub(super) fn most_of(lists: Lists, options: &LoadOptions) -> Option<u64> {
    match lists {
        Lists::Rows => options.most_in_memory(),
        Lists::Columns => options.memory,
    }
}

/// The samples of a sparse table whose lists stand in a file: left there if they stand sample after sample, else sorted
/// into a temporary file.
///
/// # Errors
/// As [`entries_in_file`], or if there is no room.
pub(super) fn read_in_file<T: Scalar, L: NumberList + 'static>(
    shape: (usize, usize),
    lists: Lists,
    values: L,
    places: L,
    bounds: &L,
    memory: u64,
) -> Result<InFile<T>, Fault> {
    let starts = starts_of(bounds)?;
    if lists == Lists::Rows {
        return entries_in_file(shape, values, places, starts);
    }
    let turned: InFile<f64> = entries_in_file((shape.1, shape.0), values, places, starts)?;
    scratch::sorted(shape, memory, &mut |put| {
        let mut done = Ok(());
        let read = turned.sparse_blocks(&mut |first, block| {
            block.for_each(|sample, feature, value| {
                if done.is_ok() {
                    done = put(sample, first + feature, value);
                }
            });
            Ok(())
        });
        done.and(read.map(drop).map_err(|error| Fault::damaged(error.to_string())))
    })
}

/// The samples of a sparse table that a file holds as the sample, the feature and the value of each entry, sorted into a
/// temporary file.
///
/// # Errors
/// If the lists contradict each other, or there is no room.
pub(super) fn sorted_in_file<T: Scalar>(
    (samples, features): (usize, usize),
    [rows, columns, values]: [&impl NumberList; 3],
    memory: u64,
) -> Result<InFile<T>, Fault> {
    const TOGETHER: usize = 1 << 16;
    let held = values.len();
    if [rows.len(), columns.len()] != [held; 2] {
        return Err(Fault::damaged("a sparse table with more values than places, or fewer"));
    }
    scratch::sorted((samples, features), memory, &mut |put| {
        for first in (0..held).step_by(TOGETHER) {
            let range = first..held.min(first + TOGETHER as u64);
            let (rows, columns) = (rows.places(range.clone())?, columns.places(range.clone())?);
            let (values, _) = values.values::<f64>(range)?;
            for (at, value) in values.into_iter().enumerate() {
                let (sample, feature) = (rows.get(at), columns.get(at));
                if sample >= samples || feature >= features {
                    return Err(Fault::damaged(format!(
                        "an entry in row {sample} and column {feature} (counted from 0) of a sparse table of \
                         {samples} x {features}"
                    )));
                }
                put(sample, feature, value)?;
            }
        }
        Ok(())
    })
}

/// The bounds of the rows or columns of a sparse table.
pub(super) fn starts_of(list: &impl NumberList) -> Result<Vec<u64>, Fault> {
    let starts = list.places(0..list.len())?;
    Ok((0..starts.len()).map(|at| starts.get(at) as u64).collect())
}

impl<T: Scalar, L: NumberList> Entries<T> for EntryLists<L> {
    fn features(&self) -> usize {
        self.features
    }

    fn starts(&self) -> &[u64] {
        &self.starts
    }

    fn read(&self, entries: Range<u64>) -> Result<Piece<T>, Fault> {
        let (values, bad) = self.values.values(entries.clone())?;
        Ok(Piece { values, places: self.places.places(entries)?, bad })
    }
}
