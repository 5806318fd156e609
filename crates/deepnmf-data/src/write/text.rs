//! Tables as text.

use std::io::{self, Write};

use csv::{Writer, WriterBuilder};
use deepnmf::Scalar;

use super::table::{Body, Cells, Table};

/// Writes a header and a line for each row.
pub(super) fn put<T: Scalar>(
    out: &mut dyn Write,
    table: &Table<'_, T>,
    delimiter: u8,
) -> io::Result<()> {
    let mut lines = WriterBuilder::new().delimiter(delimiter).from_writer(out);
    if let Some((name, _)) = &table.index {
        lines.write_field(name)?;
    }
    match &table.body {
        Body::Matrix { names, .. } => names.iter().try_for_each(|name| lines.write_field(name))?,
        Body::Columns(columns) => {
            columns.iter().try_for_each(|(name, _)| lines.write_field(name))?;
        }
    }
    end(&mut lines)?;
    for row in 0..table.rows() {
        if let Some((_, words)) = &table.index {
            lines.write_field(&words[row])?;
        }
        put_row(&mut lines, &table.body, row)?;
        end(&mut lines)?;
    }
    lines.flush()
}

fn put_row<T: Scalar, W: Write>(
    lines: &mut Writer<W>,
    body: &Body<'_, T>,
    row: usize,
) -> io::Result<()> {
    // `{:?}` writes the fewest digits that give the same number again, large ones as 1e300.
    match body {
        Body::Matrix { values, .. } => {
            values.col(row).iter().try_for_each(|v| lines.write_field(format!("{v:?}")))?;
        }
        Body::Columns(columns) => {
            for (_, cells) in columns {
                match cells {
                    Cells::Words(cells) => lines.write_field(&cells[row])?,
                    Cells::Whole(cells) => lines.write_field(cells[row].to_string())?,
                    Cells::Numbers(cells) => lines.write_field(format!("{:?}", cells[row]))?,
                }
            }
        }
    }
    Ok(())
}

fn end<W: Write>(lines: &mut Writer<W>) -> io::Result<()> {
    Ok(lines.write_record(None::<&[u8]>)?)
}
