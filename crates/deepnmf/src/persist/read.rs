//! Reading a model file. Nothing is allocated for the factors before the header is known to agree
//! with itself, with the model it describes and with the length of the file.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use safetensors::tensor::Metadata;

use super::header::{FORMAT_VERSION, Header, KEY, Version, expected_tensors, without_checksum};
use super::write::tensor_dtype;
use crate::error::{Error, Result};
use crate::matrix::{Dtype, Matrix, Scalar};
use crate::models::{Factors, Metric, Model, most_coordinates};
use crate::predict::Predictor;

/// Long histories and many feature names fit; a hostile header does not fill the memory.
const LARGEST_HEADER: u64 = 256 << 20;

/// A model of either number type.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Factors of 32-bit numbers.
    F32(Model<f32>),
    /// Factors of 64-bit numbers.
    F64(Model<f64>),
}

/// Reads a model file.
///
/// ```no_run
/// use deepnmf::persist::{AnyModel, load_model};
/// if let AnyModel::F64(model) = load_model("m.safetensors".as_ref())? {
///     println!("{} layers, error {}", model.factors.depth(), model.summary.error);
/// }
/// # Ok::<(), deepnmf::Error>(())
/// ```
///
/// # Errors
/// If the file cannot be read, is damaged, or is no model file of a version this program knows.
pub fn load_model(path: &Path) -> Result<AnyModel> {
    let io = |source| Error::Io { action: "read", path: path.to_owned(), source };
    // Asked before the file is opened: opening a pipe would wait for its other end.
    let info = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(refuse(path, "there is no such file: name a model that `fit` has written"));
        }
        other => other.map_err(io)?,
    };
    if !info.is_file() {
        return Err(refuse(path, "it is a folder or a device, not a model file"));
    }
    let file = File::open(path).map_err(io)?;
    read_model(path, BufReader::with_capacity(1 << 20, file), info.len())
}

/// Reads what [`Model::to_bytes`] has written, or the content of a model file.
///
/// # Errors
/// As [`load_model`].
pub fn model_from_bytes(bytes: &[u8]) -> Result<AnyModel> {
    read_model(Path::new("these bytes"), bytes, bytes.len() as u64)
}

fn read_model(path: &Path, mut reader: impl Read, length: u64) -> Result<AnyModel> {
    let (header, checksum) = read_header(path, &mut reader, length)?;
    match header.dtype {
        Dtype::F32 => read_factors(path, reader, header, checksum).map(AnyModel::F32),
        Dtype::F64 => read_factors(path, reader, header, checksum).map(AnyModel::F64),
    }
}

/// The checksum of what was read so far, and what it must come to.
struct Checksum {
    so_far: crc32fast::Hasher,
    promised: u32,
}

fn refuse(path: &Path, reason: impl Into<String>) -> Error {
    Error::ModelFile { path: path.to_owned(), reason: reason.into() }
}

/// Reads and checks everything but the factors.
fn read_header(
    path: &Path,
    reader: &mut impl Read,
    file_length: u64,
) -> Result<(Header, Option<Checksum>)> {
    let foreign = || refuse(path, "it is not a model file of deepnmf, or it has been cut short");
    if file_length == 0 {
        return Err(refuse(path, "the file is empty: write the model again"));
    }
    let mut length = [0; 8];
    reader.read_exact(&mut length).map_err(|_| foreign())?;
    let length = u64::from_le_bytes(length);
    if length > LARGEST_HEADER || length.checked_add(8).is_none_or(|end| end > file_length) {
        return Err(foreign());
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes).map_err(|source| Error::Io {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    let metadata: Metadata = serde_json::from_slice(&bytes)
        .map_err(|e| refuse(path, format!("its header is damaged, write it again ({e})")))?;
    let (header, checksum) = our_header(path, &metadata)?;
    check_tensors(path, &header, &metadata)?;
    let expected = 8 + length + metadata.data_len() as u64;
    if expected != file_length {
        let reason = format!("it has {file_length} bytes but should have {expected}: truncated?");
        return Err(refuse(path, reason));
    }
    Ok((header, checksum))
}

fn our_header(path: &Path, metadata: &Metadata) -> Result<(Header, Option<Checksum>)> {
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or_else(|| {
        refuse(path, "it is a safetensors file, but not a model of deepnmf (no such metadata)")
    })?;
    let damaged = |e: serde_json::Error| {
        refuse(path, format!("its metadata are damaged, write it again ({e})"))
    };
    let version: Version = serde_json::from_str(text).map_err(damaged)?;
    if version.format_version != FORMAT_VERSION {
        let reason = format!(
            "its format has version {}, this program reads version {FORMAT_VERSION}",
            version.format_version
        );
        return Err(refuse(path, reason));
    }
    let checksum = without_checksum(text).map(|(text, promised)| {
        let mut so_far = crc32fast::Hasher::new();
        so_far.update(text.as_bytes());
        Checksum { so_far, promised }
    });
    let header: Header = serde_json::from_str(text).map_err(damaged)?;
    // Versions that knew no checksum knew no fingerprint either.
    if checksum.is_none() && header.summary.fingerprint.is_some() {
        return Err(refuse(path, "its checksum is missing: the file is damaged, write it again"));
    }
    Ok((header, checksum))
}

/// Every tensor of the model is there, of the right type and shape, in our order; no other is.
fn check_tensors(path: &Path, header: &Header, metadata: &Metadata) -> Result<()> {
    let layers = header.settings.layers();
    let expected = expected_tensors(&header.settings, &header.summary, &header.predictors);
    let found = metadata.offset_keys();
    if layers.is_empty() || !found.iter().eq(expected.iter().map(|(name, _)| name)) {
        let names: Vec<_> = expected.into_iter().map(|(name, _)| name).collect();
        let reason = format!("it holds {found:?}, but the model it describes has {names:?}");
        return Err(refuse(path, reason));
    }
    for (name, shape) in expected {
        let Some(info) = metadata.info(&name) else { continue };
        if info.shape != shape || info.dtype != tensor_dtype(header.dtype) {
            let reason = format!(
                "{name} is {:?} {:?}, but the model it describes needs {:?} {shape:?}",
                info.dtype,
                info.shape,
                tensor_dtype(header.dtype)
            );
            return Err(refuse(path, reason));
        }
    }
    Ok(())
}

fn read_factors<T: Scalar>(
    path: &Path,
    mut reader: impl Read,
    header: Header,
    mut checksum: Option<Checksum>,
) -> Result<Model<T>> {
    let layers = header.settings.layers();
    let mut z = expected_tensors(&header.settings, &header.summary, &header.predictors)
        .into_iter()
        .map(|(name, [rows, cols])| {
            // Stored transposed: its columns are our rows.
            let mut matrix = Matrix::zeros(cols, rows);
            reader
                .read_exact(bytemuck::cast_slice_mut(matrix.as_mut_slice()))
                .map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })?;
            if let Some(checksum) = &mut checksum {
                checksum.so_far.update(bytemuck::cast_slice(matrix.as_slice()));
            }
            if matrix.as_slice().iter().all(|v: &T| v.finite()) {
                Ok(matrix)
            } else {
                Err(refuse(path, format!("{name} holds a value that is not finite")))
            }
        })
        .collect::<Result<Vec<_>>>()?;
    if checksum.is_some_and(|Checksum { so_far, promised }| so_far.finalize() != promised) {
        return Err(refuse(path, "its checksum is wrong: the file is damaged, write it again"));
    }
    let mut h = z.split_off(layers.len());
    let mut others = h.split_off(layers.len()).into_iter();
    let any_sign = header.settings.abilities().centred;
    let offset = if any_sign { others.next().map(Matrix::into_vec) } else { None };
    let readings = match header.settings.neighbours() {
        Some(of) if of.reads_features(layers.len()) => (1..=layers.len())
            .map(|layer| if of.reads_features(layer) { others.next() } else { None })
            .collect(),
        _ => vec![],
    };
    let seen = if header.settings.compares_data() { others.next() } else { None };
    let (parts, sizes) = (header.settings.parts_in(1), header.settings.part_sizes());
    if sizes.iter().any(|part| part.layers().is_empty() || part.layers().contains(&0)) {
        return Err(refuse(path, "a part of it has no clusters, which no fit leaves behind"));
    }
    let coordinates = most_coordinates(&parts, header.summary.features, header.summary.samples);
    let metric = coordinates.and_then(|_| others.next());
    let metric = metric.map(|map| Metric { parts, map });
    let negative = |h: &Matrix<T>| h.as_slice().iter().any(|v| *v < T::ZERO);
    if !any_sign && h.last().is_some_and(negative) {
        return Err(refuse(path, "its features have negative entries, which no fit leaves behind"));
    }
    let mut predictors = Vec::with_capacity(header.predictors.len());
    for info in header.predictors {
        if info.classes.len() < 2 {
            return Err(refuse(path, "a machine of it has less than two classes: write it again"));
        }
        if !info.cells.is_sorted() {
            return Err(refuse(
                path,
                "the combinations of a machine are in disorder: write it again",
            ));
        }
        if let (Some(weights), Some(means)) = (others.next(), others.next()) {
            let none = || Matrix::zeros(means.rows(), 0);
            let cells =
                if info.cells.is_empty() { none() } else { others.next().unwrap_or_else(none) };
            predictors.push(Predictor { info, weights, means, cells });
        }
    }
    let activation = header.settings.activation();
    Ok(Model {
        settings: header.settings,
        factors: Factors { z, h, offset, activation, readings, seen, metric },
        summary: header.summary,
        provenance: header.provenance,
        predictors,
    })
}
