//! NumPy's `.npz`: a ZIP archive of `.npy` files, each named after its array.

mod in_file;
mod scipy;

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use deepnmf::Scalar;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::choose::{Chosen, NUMPY};
use super::npy::Array;
use super::number::{self, Endian, Kind, Order, Table};
use super::variables::{Class, Variable, Variables};
use super::{LoadOptions, labels, memory, with_labels};
use crate::error::{Fault, shown};
use crate::{AnyDataset, Attribute, DatasetOf, Values};

/// The first bytes of every ZIP archive; the second are those of an empty one.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Where an array is in the archive, and what its header says.
struct Source {
    index: usize,
    array: Array,
}

/// Reads a whole archive.
pub(super) fn read<T: Scalar>(file: File, options: &LoadOptions) -> Result<AnyDataset<T>, Fault> {
    let stored = file.try_clone()?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let variables = list(&mut archive)?;
    if let Some(parts) = scipy::Parts::of(&variables) {
        return parts.read(&mut archive, stored, options).map(DatasetOf::new);
    }
    let Chosen { data, samples, features, labels } = variables.choose(options, &NUMPY)?;
    let table = Table { samples, features, order: Order::Rows };
    let most = in_file::most_of(&mut archive, data, options)?;
    let x = if table.exceeds::<T>(most) {
        Values::InFile(in_file::table(&mut archive, stored, data)?)
    } else {
        // What is packed may be a thousand times as large as the file.
        memory::check_table(samples, features, size_of::<T>())?;
        let x = with_array(&mut archive, data, |bytes, array| {
            array.read_table(bytes, false, options.missing)
        })?;
        Values::Dense(x)
    };
    let labels = match labels {
        Some(labels) => labels.read(|variable| read_labels(&mut archive, variable, samples))?,
        None => None,
    };
    Ok(with_labels(x, labels))
}

/// Looks at the header of every array.
fn list<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<Variables<Source>, Fault> {
    const MOST_ARRAYS: usize = 10_000;
    if archive.len() > MOST_ARRAYS {
        return Err(Fault::damaged(format!("it says it has {} parts", archive.len())));
    }
    let mut variables = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else {
            continue; // not NumPy's: a spreadsheet, or something a user has added
        };
        let length = entry.size();
        let array = Array::read_header(&mut entry, length).map_err(|fault| named(&name, fault))?;
        let class = class(&array);
        variables.push(Variable {
            name,
            class,
            shape: array.shape.clone(),
            source: Source { index, array },
        });
    }
    if variables.is_empty() {
        return Err(Fault::Unsupported {
            format: "a ZIP archive without NumPy arrays",
            instead: "write arrays with numpy.savez, or a table as .csv",
        });
    }
    Ok(Variables(variables))
}

fn class(array: &Array) -> Class {
    match array.encoding() {
        Ok(encoding) => Class::Numeric(match encoding.kind {
            Kind::Bool => "bool",
            Kind::I8 => "int8",
            Kind::U8 => "uint8",
            Kind::I16 => "int16",
            Kind::U16 => "uint16",
            Kind::I32 => "int32",
            Kind::U32 => "uint32",
            Kind::I64 => "int64",
            Kind::U64 => "uint64",
            Kind::F16 => "float16",
            Kind::F32 => "float32",
            Kind::F64 => "float64",
        }),
        Err(_) if Text::parse(&array.descr).is_some() => Class::Text,
        Err(_) => Class::Other("of a type that holds no numbers"),
    }
}

/// Goes to the contents of an array and lets `read` read them.
fn with_array<N, R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    variable: &Variable<Source>,
    read: impl FnOnce(&mut ZipFile<'_, R>, &Array) -> Result<N, Fault>,
) -> Result<N, Fault> {
    let attempt = || {
        let mut entry = archive.by_index(variable.source.index).map_err(damaged)?;
        let length = entry.size();
        let array = Array::read_header(&mut entry, length)?;
        read(&mut entry, &array)
    };
    attempt().map_err(|fault| named(&variable.name, fault))
}

/// All numbers of an array, row after row, whatever its shape.
fn numbers<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    variable: &Variable<Source>,
) -> Result<Vec<f64>, Fault> {
    with_array(archive, variable, |bytes, array| {
        let encoding = array.encoding()?;
        let count = array.shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
        array.check_size(count, encoding.kind.size())?;
        let count = count.ok_or(Fault::Memory { bytes: u64::MAX })?;
        memory::check_table(count, 1, size_of::<f64>())?;
        number::read_numbers(bytes, encoding, count, false, |_, _| None)
    })
}

fn read_labels<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    variable: &Variable<Source>,
    samples: usize,
) -> Result<Attribute, Fault> {
    let name = &variable.name;
    if let Some(text) = Text::parse(&variable.source.array.descr) {
        let words = with_array(archive, variable, |bytes, array| {
            array.check_size(Some(samples), text.size())?;
            (0..samples).map(|_| text.read(bytes)).collect::<Result<Vec<_>, _>>()
        })?;
        let words = words.iter().map(|word| (!labels::is_missing_label(word)).then_some(word));
        return Ok(Attribute::from_strings(name, words));
    }
    let numbers: Vec<f64> = with_array(archive, variable, |bytes, array| {
        let encoding = array.encoding()?;
        array.check_size(Some(samples), encoding.kind.size())?;
        number::read_numbers(bytes, encoding, samples, false, |_, _| None)
    })?;
    labels::from_numbers(name, &numbers)
}

/// NumPy's text of a fixed length: `<U5` (four bytes a character) or `|S5` (one byte).
#[derive(Clone, Copy)]
struct Text {
    characters: usize,
    wide: Option<Endian>,
}

impl Text {
    fn parse(descr: &str) -> Option<Self> {
        const LONGEST: usize = 4096; // no label is longer
        let (order, rest) = descr.split_at_checked(1)?;
        let (kind, length) = rest.split_at_checked(1)?;
        let characters = length.parse().ok().filter(|&length| length <= LONGEST)?;
        let wide = match (order, kind) {
            ("<", "U") => Some(Endian::Little),
            (">", "U") => Some(Endian::Big),
            (_, "S") => None,
            _ => return None,
        };
        Some(Self { characters, wide })
    }

    /// Bytes of one label.
    fn size(self) -> usize {
        self.characters * if self.wide.is_some() { 4 } else { 1 }
    }

    fn read(self, bytes: &mut impl Read) -> Result<String, Fault> {
        let mut raw = vec![0; self.size()];
        bytes.read_exact(&mut raw)?;
        let text: String = match self.wide {
            None => String::from_utf8_lossy(&raw).into_owned(),
            Some(endian) => {
                let (characters, _) = raw.as_chunks();
                let character = |&raw| char::from_u32(endian.u32(raw)).unwrap_or('\u{fffd}');
                characters.iter().map(character).collect()
            }
        };
        Ok(text.trim_end_matches('\0').to_owned())
    }
}

/// Says which array is at fault.
fn named(name: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Damaged { what } => Fault::damaged(format!("{:?}: {what}", shown(name))),
        // The archive is in memory or on disk, but what is packed in it may be cut short.
        Fault::Read(error) => {
            let Fault::Damaged { what } = number::cut_short(&error) else {
                return Fault::Read(error);
            };
            Fault::damaged(format!("{:?}: {what}", shown(name)))
        }
        fault => fault,
    }
}

fn damaged(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => number::cut_short(&error),
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            Fault::Unsupported {
                format: "a ZIP archive that is encrypted or packed in an unusual way",
                instead: "write it with numpy.savez or numpy.savez_compressed",
            }
        }
        error => Fault::damaged(shown(&error.to_string())),
    }
}

#[cfg(test)]
#[path = "npz_tests.rs"]
mod tests;
