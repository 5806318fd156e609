//! Arrays of an archive that are not read all at once: where nothing is packed they stay where they are, else they are
//! unpacked into temporary files.

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::{Arc, Mutex};

use deepnmf::Scalar;
use zip::{CompressionMethod, ZipArchive};

use super::{Source, damaged, named};
use crate::InFile;
use crate::error::Fault;
use crate::load::npy::Array;
use crate::load::number_list::NumberFile;
use crate::load::table_rows::TableRows;
use crate::load::variables::Variable;
use crate::load::{LoadOptions, scratch};

/// Bytes that a dense table may take in memory: one that would have to be unpacked is not left in its file for nothing.
pub(super) fn most_of<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    variable: &Variable<Source>,
    options: &LoadOptions,
) -> Result<Option<u64>, Fault> {
    let entry = archive.by_index(variable.source.index).map_err(damaged)?;
    let stored = entry.compression() == CompressionMethod::Stored;
    Ok(if stored { options.most_in_memory() } else { options.memory })
}

/// Where the numbers of an array stand: in a file, from some byte on.
fn place<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    variable: &Variable<Source>,
) -> Result<(Option<File>, u64, Array), Fault> {
    let mut entry = archive.by_index(variable.source.index).map_err(damaged)?;
    let length = entry.size();
    let stored = entry.compression() == CompressionMethod::Stored;
    let start = entry.data_start().filter(|_| stored);
    let array = Array::read_header(&mut entry, length)?;
    match start {
        Some(start) => Ok((None, start + length - array.bytes(), array)),
        None => Ok((Some(scratch::copy_of(&mut entry)?), 0, array)),
    }
}

/// The samples of a dense table; `stored` is the archive.
pub(super) fn table<T: Scalar, R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    stored: File,
    variable: &Variable<Source>,
) -> Result<InFile<T>, Fault> {
    let attempt = || {
        let (unpacked, start, array) = place(archive, variable)?;
        let (encoding, table) = array.table()?;
        let rows = TableRows::new(unpacked.unwrap_or(stored), start, table, encoding)?;
        Ok(InFile::dense(rows))
    };
    attempt().map_err(|fault| named(&variable.name, fault))
}

/// The numbers of an array of any shape; `stored` is the archive.
pub(super) fn list<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    stored: &Arc<Mutex<File>>,
    variable: &Variable<Source>,
) -> Result<NumberFile, Fault> {
    let mut attempt = || {
        let (unpacked, start, array) = place(archive, variable)?;
        let encoding = array.encoding()?;
        let count = array.shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
        array.check_size(count, encoding.kind.size())?;
        let file = unpacked.map_or_else(|| stored.clone(), |file| Arc::new(Mutex::new(file)));
        Ok(NumberFile::new(file, start, count.unwrap_or(0) as u64, encoding))
    };
    attempt().map_err(|fault| named(&variable.name, fault))
}
