//! A table that is to be written, in any format.

use std::io::{self, Write};
use std::path::Path;

use deepnmf::persist::write_atomically;
use deepnmf::{Matrix, Scalar};

use super::{TableFormat, archive, npy, text};
use crate::DataError;

/// The cells of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Words.
    Words(Vec<String>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Any numbers.
    Numbers(Vec<f64>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Words(cells) => cells.len(),
            Self::Whole(cells) => cells.len(),
            Self::Numbers(cells) => cells.len(),
        }
    }
}

/// Columns under names, with a first column that names the rows where they have names.
///
/// ```
/// use deepnmf::Matrix;
/// use deepnmf_data::{Table, TableFormat};
/// let h = Matrix::from_vec(2, 1, vec![0.5, 2.0])?; // a column is a row of the table
/// let table = Table::of_matrix(&h, vec!["component_1".into(), "component_2".into()])
///     .indexed("sample", vec!["anna".into()]);
/// let mut text = Vec::new();
/// table.write_text(&mut text, TableFormat::Csv)?;
/// assert_eq!(text, b"sample,component_1,component_2\nanna,0.5,2.0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table<'a, T> {
    pub(super) index: Option<(String, Vec<String>)>,
    pub(super) body: Body<'a, T>,
}

#[derive(Debug, Clone)]
pub(super) enum Body<'a, T> {
    /// Numbers of one type; a column of the matrix is a row of the table.
    Matrix { names: Vec<String>, values: &'a Matrix<T> },
    /// Anything.
    Columns(Vec<(String, Cells)>),
}

impl<'a, T: Scalar> Table<'a, T> {
    /// The columns of `values` as rows, and the names of their entries as a header.
    pub fn of_matrix(values: &'a Matrix<T>, names: Vec<String>) -> Self {
        Self { index: None, body: Body::Matrix { names, values } }
    }

    /// Columns of any kind with their names.
    pub fn of_columns(columns: Vec<(String, Cells)>) -> Self {
        Self { index: None, body: Body::Columns(columns) }
    }

    /// The same with a first column of this name that names the rows.
    #[must_use]
    pub fn indexed(self, name: impl Into<String>, words: Vec<String>) -> Self {
        Self { index: Some((name.into(), words)), ..self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match &self.body {
            Body::Matrix { values, .. } => values.cols(),
            Body::Columns(columns) => columns.first().map_or(0, |(_, cells)| cells.len()),
        }
    }

    /// Writes the table in the format that the name of the file asks for.
    ///
    /// # Errors
    /// If the name asks for no format that can hold the table, or the file cannot be written; a
    /// file that was there before is then still there, unchanged.
    pub fn write(&self, path: &Path) -> Result<(), DataError> {
        let format = TableFormat::of(path)?;
        self.check(path, format)?;
        Ok(write_atomically(path, |file| self.put(file, format))?)
    }

    /// Writes the table as text, where no file is meant.
    ///
    /// # Errors
    /// If the columns differ in length, or `out` takes no more.
    pub fn write_text(&self, out: &mut dyn Write, format: TableFormat) -> io::Result<()> {
        self.check(Path::new("the table"), format).map_err(io::Error::other)?;
        text::put(out, self, if format == TableFormat::Tsv { b'\t' } else { b',' })
    }

    fn put(&self, file: &mut dyn Write, format: TableFormat) -> io::Result<()> {
        match format {
            TableFormat::Csv => text::put(file, self, b','),
            TableFormat::Tsv => text::put(file, self, b'\t'),
            TableFormat::Npy => self.put_npy(file),
            TableFormat::Npz => archive::put(file, self),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => super::parquet::put(file, self),
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => Err(io::Error::other("this program was built without Parquet")),
        }
    }

    /// One array has no room for names.
    fn put_npy(&self, file: &mut dyn Write) -> io::Result<()> {
        match &self.body {
            Body::Matrix { values, .. } => npy::put_matrix(file, values),
            Body::Columns(columns) => match columns.as_slice() {
                [(_, Cells::Whole(cells))] => npy::put_whole(file, cells),
                [(_, Cells::Numbers(cells))] => npy::put_numbers(file, cells),
                _ => Err(io::Error::other("one array cannot hold this table")),
            },
        }
    }

    fn check(&self, path: &Path, format: TableFormat) -> Result<(), DataError> {
        let refuse =
            |why: &str| Err(DataError::OutputFormat { path: path.to_owned(), why: why.to_owned() });
        let rows = self.rows();
        let fits = match &self.body {
            Body::Matrix { names, values } => names.len() == values.rows(),
            Body::Columns(columns) => columns.iter().all(|(_, cells)| cells.len() == rows),
        };
        if !fits || self.index.as_ref().is_some_and(|(_, words)| words.len() != rows) {
            return refuse("the columns or their names differ in number: give one for each");
        }
        let is_one_array = match &self.body {
            Body::Matrix { .. } => true,
            Body::Columns(columns) => {
                matches!(columns.as_slice(), [(_, Cells::Whole(_) | Cells::Numbers(_))])
            }
        };
        if format == TableFormat::Npy && !is_one_array {
            return refuse(
                "a .npy file holds one array of numbers, and this table has several columns of \
                 different kinds: use .csv, .tsv, .npz or .parquet",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
