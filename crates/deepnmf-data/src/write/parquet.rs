//! Tables as Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use deepnmf::{Dtype, Scalar};
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::table::{Body, Cells, Table};

/// Writes one group of rows, packed in memory first: the crate asks for a writer that can change
/// threads.
pub(super) fn put<T: Scalar>(file: &mut dyn Write, table: &Table<'_, T>) -> io::Result<()> {
    let bytes = packed(table).map_err(io::Error::other)?;
    file.write_all(&bytes)
}

fn packed<T: Scalar>(table: &Table<'_, T>) -> Result<Vec<u8>, ParquetError> {
    let columns = schema(table)?;
    let schema = Type::group_type_builder("schema").with_fields(columns).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
    let mut rows = writer.next_row_group()?;
    if let Some((_, words)) = &table.index {
        put_words(&mut rows, words)?;
    }
    match &table.body {
        Body::Matrix { values, .. } => {
            for i in 0..values.rows() {
                let column = values.columns().map(|column| column[i]);
                match T::DTYPE {
                    #[allow(clippy::cast_possible_truncation)] // it is an f32
                    Dtype::F32 => put_column::<FloatType>(
                        &mut rows,
                        &column.map(|v| v.to_f64() as f32).collect::<Vec<_>>(),
                    )?,
                    Dtype::F64 => put_column::<DoubleType>(
                        &mut rows,
                        &column.map(Scalar::to_f64).collect::<Vec<_>>(),
                    )?,
                }
            }
        }
        Body::Columns(columns) => {
            for (_, cells) in columns {
                match cells {
                    Cells::Words(cells) => put_words(&mut rows, cells)?,
                    Cells::Whole(cells) => put_column::<Int64Type>(&mut rows, cells)?,
                    Cells::Numbers(cells) => put_column::<DoubleType>(&mut rows, cells)?,
                }
            }
        }
    }
    rows.close()?;
    writer.close()?;
    Ok(bytes)
}

fn schema<T: Scalar>(table: &Table<'_, T>) -> Result<Vec<TypePtr>, ParquetError> {
    let numbers = match T::DTYPE {
        Dtype::F32 => Physical::FLOAT,
        Dtype::F64 => Physical::DOUBLE,
    };
    let index = table.index.iter().map(|(name, _)| field(name, Physical::BYTE_ARRAY));
    let others: Vec<_> = match &table.body {
        Body::Matrix { names, .. } => names.iter().map(|name| field(name, numbers)).collect(),
        Body::Columns(columns) => {
            let kind = |cells: &Cells| match cells {
                Cells::Words(_) => Physical::BYTE_ARRAY,
                Cells::Whole(_) => Physical::INT64,
                Cells::Numbers(_) => Physical::DOUBLE,
            };
            columns.iter().map(|(name, cells)| field(name, kind(cells))).collect()
        }
    };
    index.chain(others).collect()
}

fn field(name: &str, kind: Physical) -> Result<TypePtr, ParquetError> {
    let is_text = kind == Physical::BYTE_ARRAY;
    let converted = if is_text { ConvertedType::UTF8 } else { ConvertedType::NONE };
    let builder = Type::primitive_type_builder(name, kind).with_repetition(Repetition::REQUIRED);
    Ok(Arc::new(builder.with_converted_type(converted).build()?))
}

fn put_words<W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    words: &[String],
) -> Result<(), ParquetError> {
    let words: Vec<ByteArray> = words.iter().map(|word| word.as_str().into()).collect();
    put_column::<ByteArrayType>(rows, &words)
}

fn put_column<D: DataType>(
    rows: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: &[D::T],
) -> Result<(), ParquetError> {
    let Some(mut column) = rows.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".into()));
    };
    column.typed::<D>().write_batch(values, None, None)?;
    column.close()
}
