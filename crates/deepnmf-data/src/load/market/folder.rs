//! Folders of 10x Genomics: `matrix.mtx`, whose rows are features, with `features.tsv` (or `genes.tsv`) and
//! `barcodes.tsv`, each packed with gzip or not.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use deepnmf::Scalar;
use flate2::read::MultiGzDecoder;

use super::super::{LoadOptions, memory, stored, unreadable};
use super::{BANNER, Rows};
use crate::error::{DataError, Fault};
use crate::{AnyDataset, Columns, DatasetOf, Values};

/// The files of such a folder.
pub(in crate::load) struct Folder {
    matrix: PathBuf,
    features: PathBuf,
    barcodes: Option<PathBuf>,
}

impl Folder {
    /// The folder at a path, or around the matrix at that path, if it is one.
    pub(in crate::load) fn at(path: &Path) -> Option<Self> {
        let is_matrix =
            path.file_name().is_some_and(|name| name == "matrix.mtx" || name == "matrix.mtx.gz");
        let folder = if path.is_dir() { path } else { path.parent().filter(|_| is_matrix)? };
        let find = |name: &str| {
            let names = [folder.join(name), folder.join(format!("{name}.gz"))];
            names.into_iter().find(|path| path.is_file())
        };
        Some(Self {
            matrix: if path.is_dir() { find("matrix.mtx")? } else { path.to_path_buf() },
            features: find("features.tsv").or_else(|| find("genes.tsv"))?,
            barcodes: find("barcodes.tsv"),
        })
    }

    /// Reads the table and the names.
    pub(in crate::load) fn read<T: Scalar>(
        &self,
        options: &LoadOptions,
    ) -> Result<AnyDataset<T>, DataError> {
        let given = [
            ("--data-key", options.data_key.is_some()),
            ("--labels-key", options.labels_key.is_some()),
            ("--image", options.image_shape.is_some()),
        ];
        let given = given.into_iter().chain(options.table.given().map(|option| (option, true)));
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            let format = "a folder of 10x Genomics, which holds one table with its names";
            return Err(Fault::UselessOption { option, format }.in_file(&self.matrix));
        }
        let x = read_matrix(&self.matrix, options.memory);
        let x = x.map_err(|fault| fault.in_file(&self.matrix))?;
        let mut data = DatasetOf::new(x);
        data.feature_names = Some(names(&self.features, Column::Name, data.x.features())?);
        if let Some(barcodes) = &self.barcodes {
            data.sample_names = Some(names(barcodes, Column::First, data.x.samples())?);
        }
        Ok(data)
    }
}

fn read_matrix<T: Scalar>(path: &Path, most: Option<u64>) -> Result<Values<T>, Fault> {
    let (file, length) = unpacked(path)?;
    let mut file = BufReader::new(file);
    if !file.fill_buf()?.starts_with(BANNER) {
        let (extension, format) = (".mtx", "a Matrix Market file");
        return Err(Fault::WrongContent {
            extension,
            format,
            instead: "write it with scipy.io.mmwrite",
        });
    }
    super::read(&mut file, length, Rows::Features, most)
}

/// A file and its length, unpacked on disk first if it is packed.
fn unpacked(path: &Path) -> Result<(File, u64), Fault> {
    let file = File::open(path)?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        let length = file.metadata()?.len();
        return Ok((file, length));
    }
    stored(&mut MultiGzDecoder::new(BufReader::new(file)))
}

/// Which column of a file of names is meant.
#[derive(Clone, Copy)]
enum Column {
    First,
    /// The second, which names what the first numbers; the first where names come twice or there is no second.
    Name,
}

/// The names in a file, one a line.
fn names(path: &Path, column: Column, needed: usize) -> Result<Vec<String>, DataError> {
    fs::metadata(path).map_err(|source| unreadable(path, source))?;
    let read = || {
        let (file, length) = unpacked(path)?;
        memory::check(length)?;
        let mut text = String::new();
        BufReader::new(file).read_to_string(&mut text).map_err(|error| Fault::FeatureNames {
            why: format!("save {} as UTF-8 text ({error})", path.display()),
        })?;
        let field = |line: &str, place: usize| line.split('\t').nth(place).map(str::to_owned);
        let first: Vec<String> = text.lines().filter_map(|line| field(line, 0)).collect();
        if first.len() != needed {
            let found = first.len();
            let why = format!("it has {found} lines, but the matrix {needed} of them");
            return Err(Fault::FeatureNames {
                why: format!("{why}; give the file of this matrix"),
            });
        }
        let second: Option<Vec<String>> = match column {
            Column::First => None,
            Column::Name => text.lines().map(|line| field(line, 1)).collect(),
        };
        let unique = second.filter(|names| {
            let mut seen = std::collections::HashSet::new();
            names.iter().all(|name| seen.insert(name.as_str()))
        });
        Ok(unique.unwrap_or(first))
    };
    read().map_err(|fault: Fault| fault.in_file(path))
}
