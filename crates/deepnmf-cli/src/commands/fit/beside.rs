//! Tables that come beside the data: weights of samples and entries, components that stay.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use deepnmf::matrix::Parts;
use deepnmf::{DataMatrix, FixedComponents, Matrix, Scalar};
use deepnmf_data::Values;

use super::given_factors;
use crate::args::{FitArgs, ReadArgs};
use crate::input::samples_of;
use crate::ranks::own_columns;

/// What `export` calls the column with the names of features.
const NAMES: &str = "feature";

/// The weights of the samples of this rank, from a file with one column.
pub(super) fn sample_weights(args: &FitArgs, parts: Parts<'_>) -> Result<Option<Vec<f64>>> {
    let Some(path) = &args.weights_file else { return Ok(None) };
    let weights = table::<f64>("--weights-file", path)?;
    let ((columns, count), n) = (weights.shape(), parts.total());
    if columns != 1 || count != n {
        bail!(
            "--weights-file {}: found {count} rows of {columns} numbers, but one number for each of the {n} samples is \
             needed",
            path.display()
        );
    }
    Ok(Some(weights.as_slice()[parts.range()].to_vec()))
}

/// Samples with a weight for each of their entries.
pub(super) fn entry_weights<T: Scalar>(x: Values<T>, path: &Path) -> Result<Values<T>> {
    let weights = table::<f64>("--entry-weights-file", path)?;
    x.weighted(&weights).with_context(|| format!("--entry-weights-file {}", path.display()))
}

/// Components that stay, with the features of the samples of this rank.
pub(super) fn fixed_components<T: Scalar>(
    args: &FitArgs,
    parts: Parts<'_>,
) -> Result<Option<FixedComponents<T>>> {
    if args.fixed_bases.is_none() && args.fixed_features.is_none() {
        return Ok(None);
    }
    let bases = args.fixed_bases.as_ref().map(|path| bases(path)).transpose()?;
    let features = match &args.fixed_features {
        None => None,
        Some(path) => {
            let features = table::<T>("--fixed-features", path)?;
            let (rows, n) = (features.cols(), parts.total());
            if rows != n {
                let path = path.display();
                bail!("--fixed-features {path}: found {rows} rows, but the data have {n} samples");
            }
            Some(own_columns(features, parts))
        }
    };
    Ok(Some(FixedComponents { bases, features }))
}

/// The bases of a model, or a table of them as `export` writes it: a column for each component.
fn bases<T: Scalar>(path: &Path) -> Result<Matrix<T>> {
    if path.extension().is_none_or(|end| end != "safetensors") {
        let named = begins_with_names(path).then(|| NAMES.to_owned());
        let read = ReadArgs { names_key: named, ..ReadArgs::default() };
        return Ok(table_read("--fixed-bases", path, &read)?.t().to_matrix());
    }
    let factors = given_factors::<T>(path).context("--fixed-bases")?;
    Ok(factors.basis(factors.depth())?)
}

/// Whether the first column of a text table has the names of features.
fn begins_with_names(path: &Path) -> bool {
    let mut start = [0; NAMES.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *NAMES.as_bytes()
}

/// The rows of a file as columns.
fn table<T: Scalar>(flag: &str, path: &Path) -> Result<Matrix<T>> {
    table_read(flag, path, &ReadArgs::default())
}

fn table_read<T: Scalar>(flag: &str, path: &Path, read: &ReadArgs) -> Result<Matrix<T>> {
    let read = samples_of::<T>(path, read);
    let dense = read.and_then(|read| Ok(read.x.own_dense()?));
    dense.with_context(|| format!("{flag} {}", path.display()))
}
