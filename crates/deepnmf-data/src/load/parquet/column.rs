//! One column of a Parquet file, value by value.

use parquet::basic::{ConvertedType as C, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::FileReader;
use parquet::schema::types::ColumnDescriptor;

use super::damaged;
use crate::error::{Fault, shown};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    /// Whole numbers that are stored with a sign they do not have.
    Unsigned,
    Text,
    /// Anything else, in words.
    Other(&'static str),
}

/// A column, and what the schema says of it.
#[derive(Debug)]
pub(super) struct Column {
    /// Its place in the file.
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) kind: Kind,
    nullable: bool,
}

impl Column {
    pub(super) fn new(at: usize, schema: &ColumnDescriptor) -> Self {
        let name = schema.path().string();
        Self { at, name, kind: kind(schema), nullable: schema.max_def_level() > 0 }
    }

    pub(super) fn wrong_length(&self, samples: usize) -> Fault {
        let name = shown(&self.name);
        Fault::damaged(format!("column {name:?} does not have {samples} values like the table"))
    }

    fn refused(&self, found: &str) -> Fault {
        Fault::NotANumberColumn { name: shown(&self.name), found: found.into() }
    }

    /// Gives every number to `put`; a missing one is `None`.
    pub(super) fn numbers(
        &self,
        reader: &dyn FileReader,
        mut put: impl FnMut(Option<f64>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if let Kind::Other(found) = self.kind {
            return Err(self.refused(found));
        }
        let unsigned = self.kind == Kind::Unsigned;
        self.each_group(reader, |group| match group {
            ColumnReader::BoolColumnReader(r) => {
                self.values(r, |v| f64::from(u8::from(v)), &mut put)
            }
            ColumnReader::Int32ColumnReader(r) if unsigned => {
                self.values(r, |v| f64::from(v.cast_unsigned()), &mut put)
            }
            ColumnReader::Int32ColumnReader(r) => self.values(r, f64::from, &mut put),
            ColumnReader::Int64ColumnReader(r) if unsigned => {
                self.values(r, |v| v.cast_unsigned() as f64, &mut put)
            }
            ColumnReader::Int64ColumnReader(r) => self.values(r, |v| v as f64, &mut put),
            ColumnReader::FloatColumnReader(r) => self.values(r, f64::from, &mut put),
            ColumnReader::DoubleColumnReader(r) => self.values(r, |v| v, &mut put),
            _ => Err(self.refused("text or bytes")),
        })
    }

    /// Gives every word to `put`; a missing one is `None`.
    pub(super) fn words(
        &self,
        reader: &dyn FileReader,
        mut put: impl FnMut(Option<String>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.each_group(reader, |group| match group {
            ColumnReader::ByteArrayColumnReader(r) => {
                self.values(r, |v| String::from_utf8_lossy(v.data()).into_owned(), &mut put)
            }
            _ => Err(self.refused("no text")),
        })
    }

    /// A file is cut into groups of rows; each has a reader of its own for every column.
    fn each_group(
        &self,
        reader: &dyn FileReader,
        mut read: impl FnMut(ColumnReader) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(|error| damaged(&error))?;
            if self.at >= group.num_columns() {
                return Err(Fault::damaged("a group of rows lacks columns"));
            }
            read(group.get_column_reader(self.at).map_err(|error| damaged(&error))?)?;
        }
        Ok(())
    }

    fn values<D: DataType, V>(
        &self,
        mut reader: ColumnReaderImpl<D>,
        convert: impl Fn(D::T) -> V,
        put: &mut impl FnMut(Option<V>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        const BATCH: usize = 4096;
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let (records, ..) = reader
                .read_records(BATCH, self.nullable.then_some(&mut levels), None, &mut values)
                .map_err(|error| damaged(&error))?;
            if records == 0 {
                return Ok(());
            }
            let mut values = values.drain(..);
            if self.nullable {
                // Columns of records are refused, so a level is either 0 (missing) or 1.
                for &level in &levels {
                    let value = if level == 0 { None } else { values.next() };
                    put(value.map(&convert))?;
                }
            } else {
                values.by_ref().try_for_each(|value| put(Some(convert(value))))?;
            }
        }
    }
}

fn kind(schema: &ColumnDescriptor) -> Kind {
    if schema.max_rep_level() > 0 || schema.max_def_level() > 1 {
        return Kind::Other("lists or records");
    }
    let is_time = match schema.converted_type() {
        C::DATE | C::TIME_MILLIS | C::TIME_MICROS | C::TIMESTAMP_MILLIS | C::TIMESTAMP_MICROS => {
            true
        }
        // Times in billionths of a second have no old name.
        C::NONE => schema.physical_type() == Type::INT64 && schema.logical_type_ref().is_some(),
        _ => false,
    };
    if is_time {
        return Kind::Other("dates or times");
    }
    match (schema.physical_type(), schema.converted_type()) {
        (_, C::DECIMAL) => Kind::Other("decimals"),
        (Type::INT32 | Type::INT64, C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64) => {
            Kind::Unsigned
        }
        (Type::BYTE_ARRAY, _) => Kind::Text,
        (Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY, _) => Kind::Other("bytes"),
        _ => Kind::Number,
    }
}
