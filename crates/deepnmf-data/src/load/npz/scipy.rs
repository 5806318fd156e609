//! What `scipy.sparse.save_npz` writes: the lists of one sparse table under fixed names.
//!
//! ```text
//! csr, csc    data, indices, indptr                 coo    data, row, col
//! bsr         data (blocks), indices, indptr        dia    data (diagonals), offsets
//! ```

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::{Arc, Mutex};

use deepnmf::{Scalar, Sparse};
use zip::ZipArchive;

use super::{Source, Text, in_file, numbers, with_array};
use crate::error::{Fault, shown};
use crate::load::number_list::{most_of, read_in_file, sorted_in_file};
use crate::load::sparse::{Lists, check_shape, compressed, coordinates, whole, whole_number};
use crate::load::variables::{Variable, Variables};
use crate::load::{LoadOptions, memory};
use crate::{InFile, Values};

/// The arrays of a sparse table.
pub(super) struct Parts<'v> {
    format: &'v Variable<Source>,
    shape: &'v Variable<Source>,
    data: &'v Variable<Source>,
    variables: &'v Variables<Source>,
}

impl<'v> Parts<'v> {
    /// The table, if the archive holds one: nothing else has these three.
    pub(super) fn of(variables: &'v Variables<Source>) -> Option<Self> {
        let find = |name: &str| variables.0.iter().find(|variable| variable.name == name);
        let format = find("format").filter(|format| format.shape.is_empty())?;
        Some(Self { format, shape: find("shape")?, data: find("data")?, variables })
    }

    /// Reads it: a row is a sample.
    pub(super) fn read<T: Scalar, R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        stored: File,
        options: &LoadOptions,
    ) -> Result<Values<T>, Fault> {
        for (option, given) in
            [("--data-key", &options.data_key), ("--labels-key", &options.labels_key)]
        {
            if given.is_some() {
                let format = "what scipy.sparse.save_npz writes, which holds one table";
                return Err(Fault::UselessOption { option, format });
            }
        }
        let format = self.word(archive)?;
        let shape = numbers(archive, self.shape)?;
        let &[samples, features] = shape.as_slice() else {
            return Err(Fault::damaged("a sparse table without its two lengths"));
        };
        let shape = (whole_number("a length", samples)?, whole_number("a length", features)?);
        check_shape(shape.0, shape.1, self.bytes())?;
        if let Some(x) = self.read_in_file(archive, stored, &format, shape, options)? {
            return Ok(Values::InFile(x));
        }
        let table = match format.as_str() {
            "csr" => self.lists(archive, shape, Lists::Rows)?,
            "csc" => self.lists(archive, shape, Lists::Columns)?,
            "coo" => self.coordinates(archive, shape)?,
            "bsr" => self.blocks(archive, shape)?,
            "dia" => self.diagonals(archive, shape)?,
            other => {
                let found = format!("a sparse table of the format {:?}", shown(other));
                return Err(Fault::ArrayType { found });
            }
        };
        Ok(Values::Sparse(table))
    }

    /// Bytes of all arrays, unpacked.
    fn bytes(&self) -> u64 {
        self.variables.0.iter().map(|variable| variable.source.array.bytes()).sum()
    }

    /// The word that names the format.
    fn word<R: Read + Seek>(&self, archive: &mut ZipArchive<R>) -> Result<String, Fault> {
        let text = Text::parse(&self.format.source.array.descr)
            .ok_or_else(|| Fault::damaged("a sparse table whose format is no word"))?;
        with_array(archive, self.format, |bytes, array| {
            array.check_size(Some(1), text.size())?;
            text.read(bytes)
        })
    }

    fn find(&self, name: &str) -> Result<&'v Variable<Source>, Fault> {
        let found = self.variables.0.iter().find(|variable| variable.name == name);
        found.ok_or_else(|| Fault::damaged(format!("a sparse table without {name:?}")))
    }

    fn part<R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        name: &str,
    ) -> Result<Vec<f64>, Fault> {
        numbers(archive, self.find(name)?)
    }

    /// The table of a format that need not be read all at once, if it takes more memory than it may.
    fn read_in_file<T: Scalar, R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        stored: File,
        format: &str,
        shape: (usize, usize),
        options: &LoadOptions,
    ) -> Result<Option<InFile<T>>, Fault> {
        let lists = match format {
            "csr" => Some(Lists::Rows),
            "csc" => Some(Lists::Columns),
            "coo" => None,
            _ => return Ok(None),
        };
        // What is packed would have to be unpacked first.
        let most = match in_file::most_of(archive, self.data, options)? {
            Some(_) => most_of(lists.unwrap_or(Lists::Columns), options),
            None => options.memory,
        };
        let held = self.data.shape.first().copied().unwrap_or(0) as u64;
        let Some(_) = most.filter(|most| held * (size_of::<T>() as u64 + 4) > *most) else {
            return Ok(None);
        };
        let (memory, stored) = (options.memory.unwrap_or(0), Arc::new(Mutex::new(stored)));
        let mut list = |name| in_file::list(archive, &stored, self.find(name)?);
        let values = list("data")?;
        let x = if let Some(lists) = lists {
            let (places, bounds) = (list("indices")?, list("indptr")?);
            read_in_file(shape, lists, values, places, &bounds, memory)?
        } else {
            sorted_in_file(shape, [&list("row")?, &list("col")?, &values], memory)?
        };
        Ok(Some(x))
    }

    fn lists<T: Scalar, R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        shape: (usize, usize),
        lists: Lists,
    ) -> Result<Sparse<'static, T>, Fault> {
        let places = whole("an index", &self.part(archive, "indices")?)?;
        let starts = whole("a bound", &self.part(archive, "indptr")?)?;
        compressed(shape, lists, &numbers(archive, self.data)?, places, starts)
    }

    fn coordinates<T: Scalar, R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        shape: (usize, usize),
    ) -> Result<Sparse<'static, T>, Fault> {
        let rows = whole("a row", &self.part(archive, "row")?)?;
        let columns = whole("a column", &self.part(archive, "col")?)?;
        let values = numbers(archive, self.data)?;
        if [rows.len(), columns.len()] != [values.len(); 2] {
            return Err(Fault::damaged("a sparse table with more values than places, or fewer"));
        }
        coordinates(shape, &rows, &columns, &values)
    }

    /// Blocks of `r x c` numbers; `indices` and `indptr` say where.
    fn blocks<T: Scalar, R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        shape: (usize, usize),
    ) -> Result<Sparse<'static, T>, Fault> {
        let &[_, r, c] = self.data.shape.as_slice() else {
            return Err(Fault::damaged("a sparse table of blocks that are no tables"));
        };
        let values = numbers(archive, self.data)?;
        let indices = whole("an index", &self.part(archive, "indices")?)?;
        let starts = whole("a bound", &self.part(archive, "indptr")?)?;
        let size = r.saturating_mul(c).max(1);
        let fits = indices.len().checked_mul(size) == Some(values.len());
        if !fits || starts.is_empty() || starts.get(starts.len() - 1) != indices.len() {
            return Err(Fault::damaged("a sparse table whose blocks contradict their bounds"));
        }
        memory::check_table(values.len(), 2, size_of::<u64>())?;
        let (mut rows, mut columns) = (vec![], vec![]);
        for band in 0..starts.len() - 1 {
            let (from, to) = (starts.get(band), starts.get(band + 1));
            if from > to || to > indices.len() {
                return Err(Fault::damaged("a sparse table whose rows do not follow each other"));
            }
            for block in from..to {
                for (i, j) in (0..r).flat_map(|i| (0..c).map(move |j| (i, j))) {
                    rows.push((band as u64).saturating_mul(r as u64).saturating_add(i as u64));
                    let first = (indices.get(block) as u64).saturating_mul(c as u64);
                    columns.push(first.saturating_add(j as u64));
                }
            }
        }
        if rows.len() != values.len() {
            return Err(Fault::damaged("a sparse table whose blocks contradict their bounds"));
        }
        coordinates(shape, &rows.into(), &columns.into(), &values)
    }

    /// Diagonals: entry `j` of the one with offset `o` stands in row `j - o` and column `j`.
    fn diagonals<T: Scalar, R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
        (samples, features): (usize, usize),
    ) -> Result<Sparse<'static, T>, Fault> {
        let &[count, length] = self.data.shape.as_slice() else {
            return Err(Fault::damaged("a sparse table of diagonals that are no table"));
        };
        let (values, offsets) = (numbers(archive, self.data)?, self.part(archive, "offsets")?);
        if offsets.len() != count || offsets.iter().any(|o| o.fract() != 0.0) {
            return Err(Fault::damaged("a sparse table with another number of diagonals"));
        }
        let (mut rows, mut columns, mut kept) = (vec![], vec![], vec![]);
        for (diagonal, offset) in values.chunks_exact(length.max(1)).zip(&offsets) {
            for (column, value) in diagonal.iter().enumerate().take(features) {
                let row = column as f64 - offset;
                if (0.0..samples as f64).contains(&row) && *value != 0.0 {
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a row
                    rows.push(row as u64);
                    columns.push(column as u64);
                    kept.push(*value);
                }
            }
        }
        coordinates((samples, features), &rows.into(), &columns.into(), &kept)
    }
}
