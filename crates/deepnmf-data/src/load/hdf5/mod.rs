//! Files on HDF5: MATLAB v7.3, `AnnData`, and plain tables under names.
//!
//! The crate that decodes HDF5 bounds what it reads by limits given here; numbers are taken from
//! it as raw bytes and go through the same conversion as those of every other format.

mod h5ad;
mod kind;
mod rows;
mod sparse;
mod tables;

use std::fs::File;
use std::sync::Arc;

use deepnmf::Scalar;
use hdf5_reader::group::Group;
use hdf5_reader::storage::{BlockCacheStorage, DynStorage, FileStorage};
use hdf5_reader::{Dataset as Array, Hdf5File, OpenOptions};

use self::kind::encoding;
use super::number::{self, Encoding, Table};
use super::{LoadOptions, memory};
use crate::error::{Fault, shown};
use crate::{AnyDataset, Values};

/// A file as the decoder wants it: read piece by piece, not mapped, since a mapped file that
/// somebody else cuts short kills the process.
pub(super) fn storage(file: File) -> Result<DynStorage, Fault> {
    const BLOCK: usize = 1 << 20;
    const BLOCKS: usize = 32;
    let file = FileStorage::from_file(file).map_err(damaged)?;
    Ok(Arc::new(BlockCacheStorage::new(Arc::new(file), BLOCK, BLOCKS)))
}

/// Reads a whole file; `matlab` says whether MATLAB wrote it.
pub(super) fn read<T: Scalar>(
    storage: DynStorage,
    matlab: bool,
    options: &LoadOptions,
) -> Result<AnyDataset<T>, Fault> {
    let length = storage.len();
    let limits = limits(length);
    let file = Hdf5File::from_storage_with_options(storage, limits).map_err(damaged)?;
    check_whole(file.superblock().eof_address, length)?;
    let root = file.root_group().map_err(damaged)?;
    if matlab {
        tables::read_matlab(&root, options, length)
    } else if h5ad::is_anndata(&root) {
        h5ad::read(&root, options, length)
    } else {
        tables::read_plain(&root, options)
    }
}

/// Every file says where it ends. Without what stood behind the cut, names and columns would be missing
/// in silence.
fn check_whole(end: u64, length: u64) -> Result<(), Fault> {
    if length >= end {
        return Ok(());
    }
    Err(Fault::damaged(format!("{length} bytes of {end}")))
}

/// No compression that HDF5 knows packs more than about a thousand bytes into one.
fn limits(length: u64) -> OpenOptions {
    const BEST_COMPRESSION: u64 = 1032;
    const ALWAYS: u64 = 1 << 20;
    // Tables are read from front to back.
    const CHUNKS: usize = 32 << 20;
    let most = length.saturating_mul(BEST_COMPRESSION).saturating_add(ALWAYS);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let usual = OpenOptions::default();
    OpenOptions {
        max_chunk_bytes: usual.max_chunk_bytes.min(most),
        max_read_bytes: most,
        chunk_cache_bytes: CHUNKS,
        ..usual
    }
}

/// The shape of an array, if memory could hold as many numbers.
fn shape(array: &Array) -> Result<Vec<usize>, Fault> {
    let lengths = array.shape().iter().map(|&length| usize::try_from(length).ok());
    lengths.collect::<Option<_>>().ok_or(Fault::Memory { bytes: u64::MAX })
}

/// The bytes of an array of numbers, in the order of the file, and what they mean.
fn raw(array: &Array) -> Result<(Vec<u8>, Encoding), Fault> {
    let encoding = encoding(array.dtype())?;
    let bytes = array.raw_byte_len().map_err(damaged)?;
    memory::check(bytes as u64)?;
    let bytes = array.read_raw_bytes().map_err(damaged)?;
    Ok((bytes, encoding))
}

/// The table that an array is; one of more bytes than it may take stays in its file, unless entries may be missing.
fn read_table<T: Scalar>(
    array: &Array,
    table: Table,
    options: &LoadOptions,
) -> Result<Values<T>, Fault> {
    table.check()?;
    if !options.missing && table.exceeds::<T>(options.most_in_memory()) {
        return rows::in_file(array, table).map(Values::InFile);
    }
    memory::check_table(table.samples, table.features, size_of::<T>())?;
    let (bytes, encoding) = raw(array)?;
    table.read(&mut bytes.as_slice(), encoding, true, options.missing).map(Values::Dense)
}

/// All numbers of an array.
fn numbers(array: &Array) -> Result<Vec<f64>, Fault> {
    let (bytes, encoding) = raw(array)?;
    let count = bytes.len() / encoding.kind.size();
    number::read_numbers(&mut bytes.as_slice(), encoding, count, true, |_, _| None)
}

/// All words of an array of text.
fn words(array: &Array) -> Result<Vec<String>, Fault> {
    let bytes = array.raw_byte_len().map_err(damaged)?;
    memory::check(bytes as u64)?;
    array.read_strings().map_err(damaged)
}

/// A word that a group carries.
fn group_word(group: &Group, name: &str) -> Option<String> {
    group.attribute(name).ok()?.read_string().ok()
}

/// A word that an array carries.
fn array_word(array: &Array, name: &str) -> Option<String> {
    array.attribute(name).ok()?.read_string().ok()
}

/// What the decoder says, as a fault of the file.
fn damaged(error: hdf5_reader::error::Error) -> Fault {
    match error {
        hdf5_reader::error::Error::Io(error) => number::cut_short(&error),
        error => {
            let text = error.to_string();
            if text.contains("filter") {
                return Fault::Unsupported {
                    format: "an HDF5 file packed in an unusual way, or damaged",
                    instead: "write it with gzip or no compression",
                };
            }
            Fault::damaged(long(&text))
        }
    }
}

/// Where decoders nest their messages, the end says most.
fn long(text: &str) -> String {
    const LONGEST: usize = 160;
    if text.len() <= LONGEST { text.escape_debug().to_string() } else { shown(text) }
}

#[cfg(test)]
mod tests;
