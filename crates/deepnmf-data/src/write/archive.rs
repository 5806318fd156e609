//! NumPy's `.npz`: a table of numbers as the array `X`, as the reader expects it, with its names
//! beside it; any other table as an array for each column.

use std::io::{self, Cursor, Seek, Write};

use deepnmf::Scalar;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::npy::{put_matrix, put_numbers, put_whole, put_words};
use super::table::{Body, Cells, Table};

pub(super) fn put<T: Scalar>(file: &mut dyn Write, table: &Table<'_, T>) -> io::Result<()> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    match &table.body {
        Body::Matrix { names, values } => {
            begin(&mut archive, "X")?;
            put_matrix(&mut archive, values)?;
            begin(&mut archive, "columns")?;
            put_words(&mut archive, names)?;
        }
        Body::Columns(columns) => {
            for (name, cells) in columns {
                begin(&mut archive, name)?;
                match cells {
                    Cells::Words(cells) => put_words(&mut archive, cells)?,
                    Cells::Whole(cells) => put_whole(&mut archive, cells)?,
                    Cells::Numbers(cells) => put_numbers(&mut archive, cells)?,
                }
            }
        }
    }
    if let Some((name, words)) = &table.index {
        begin(&mut archive, name)?;
        put_words(&mut archive, words)?;
    }
    file.write_all(archive.finish()?.get_ref())
}

fn begin(archive: &mut ZipWriter<impl Write + Seek>, name: &str) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .large_file(true); // more than 4 GB may follow
    Ok(archive.start_file(format!("{name}.npy"), options)?)
}
