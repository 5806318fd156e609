//! The types of HDF5 as ours.

use hdf5_reader::{ByteOrder, Datatype};

use super::super::number::{Encoding, Endian, Kind};
use super::super::variables::Class;
use crate::error::Fault;

/// How the numbers of an array are written down.
///
/// # Errors
/// If it does not hold numbers.
pub(super) fn encoding(kind: &Datatype) -> Result<Encoding, Fault> {
    let refused = || Fault::ArrayType { found: words(kind).into() };
    let (kind, order) = match *kind {
        Datatype::FixedPoint { size, signed, byte_order } => (integer(size, signed), byte_order),
        Datatype::FloatingPoint { size, byte_order } => (float(size), byte_order),
        // Truth values, as h5py writes them.
        Datatype::Enum { ref base, .. } => return encoding_of_base(base).ok_or_else(refused),
        _ => (None, ByteOrder::LittleEndian),
    };
    let endian = match order {
        ByteOrder::LittleEndian => Endian::Little,
        ByteOrder::BigEndian => Endian::Big,
    };
    Ok(Encoding { kind: kind.ok_or_else(refused)?, endian })
}

/// The type behind an enumeration, which can only be a whole number; nothing nests deeper.
fn encoding_of_base(base: &Datatype) -> Option<Encoding> {
    match base {
        Datatype::FixedPoint { .. } => encoding(base).ok(),
        _ => None,
    }
}

fn integer(size: u8, signed: bool) -> Option<Kind> {
    Some(match (size, signed) {
        (1, true) => Kind::I8,
        (1, false) => Kind::U8,
        (2, true) => Kind::I16,
        (2, false) => Kind::U16,
        (4, true) => Kind::I32,
        (4, false) => Kind::U32,
        (8, true) => Kind::I64,
        (8, false) => Kind::U64,
        _ => return None,
    })
}

fn float(size: u8) -> Option<Kind> {
    Some(match size {
        2 => Kind::F16,
        4 => Kind::F32,
        8 => Kind::F64,
        _ => return None,
    })
}

/// Whether an array holds words.
pub(super) fn is_text(kind: &Datatype) -> bool {
    match kind {
        Datatype::String { .. } => true,
        Datatype::VarLen { base, .. } => base.is_vlen_string_base(),
        _ => false,
    }
}

/// What an array holds, for choosing among several.
pub(super) fn class(kind: &Datatype) -> Class {
    match encoding(kind) {
        Ok(encoding) => Class::Numeric(match encoding.kind {
            Kind::F16 | Kind::F32 | Kind::F64 => "floating-point",
            _ => "whole-number",
        }),
        Err(_) if is_text(kind) => Class::Text,
        Err(_) => Class::Other(words(kind)),
    }
}

fn words(kind: &Datatype) -> &'static str {
    match kind {
        Datatype::String { .. } => "text",
        Datatype::Compound { .. } => "records of several fields",
        Datatype::Reference { .. } => "references",
        Datatype::VarLen { .. } => "lists or text",
        Datatype::Enum { .. } => "names of an enumeration",
        Datatype::FixedPoint { .. } | Datatype::FloatingPoint { .. } => {
            "numbers of an unusual size"
        }
        _ => "something that is no numbers",
    }
}
