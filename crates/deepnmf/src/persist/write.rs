//! Writing a model file.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use safetensors::tensor::{Metadata, TensorInfo};

use super::atomic::write_atomically;
use super::header::{FORMAT_VERSION, Header, KEY, expected_tensors, with_checksum};
use crate::error::{Error, Result};
use crate::matrix::{Dtype, Matrix, Scalar};
use crate::models::{Factors, Model};

impl<T: Scalar> Model<T> {
    /// Writes the model to `path`, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let unsound = |reason: String| Error::ModelFile { path: path.to_owned(), reason };
        let header = self.header_bytes().map_err(unsound)?;
        write_atomically(path, |file| self.write_behind(&header, file))
    }

    /// What [`save`](Self::save) writes to a file, for [`model_from_bytes`](super::model_from_bytes).
    ///
    /// # Errors
    /// If the settings cannot be put into words, which those of no fit do.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = self.header_bytes().map_err(Error::Numerical)?;
        let mut bytes = Vec::new();
        self.write_behind(&header, &mut bytes).map_err(|e| Error::Numerical(e.to_string()))?;
        Ok(bytes)
    }

    fn write_behind(&self, header: &[u8], file: &mut dyn Write) -> io::Result<()> {
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(header)?;
        self.tensors().try_for_each(|tensor| file.write_all(bytemuck::cast_slice(tensor)))
    }

    /// The numbers of every tensor, in the order of the file.
    fn tensors(&self) -> impl Iterator<Item = &[T]> {
        let Factors { z, h, offset, readings, seen, metric, .. } = &self.factors;
        let factors = z.iter().chain(h).map(Matrix::as_slice);
        let readings = readings.iter().flatten().chain(seen).map(Matrix::as_slice);
        let machines = self.predictors.iter().flat_map(|p| [&p.weights, &p.means, &p.cells]);
        let machines = machines.map(Matrix::as_slice);
        let metric = metric.iter().map(|metric| metric.map.as_slice());
        factors.chain(offset.as_deref()).chain(readings).chain(metric).chain(machines)
    }

    /// CRC-32 of the metadata and of all tensors.
    fn checksum_behind(&self, metadata: &str) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(metadata.as_bytes());
        self.tensors().for_each(|tensor| sum.update(bytemuck::cast_slice(tensor)));
        sum.finalize()
    }

    fn header_bytes(&self) -> std::result::Result<Vec<u8>, String> {
        let header = Header {
            format_version: FORMAT_VERSION,
            written_by: env!("CARGO_PKG_VERSION").to_owned(),
            dtype: T::DTYPE,
            settings: self.settings.clone(),
            summary: self.summary.without_times(),
            provenance: self.provenance.clone(),
            predictors: self.predictors.iter().map(|p| p.info.clone()).collect(),
        };
        let ours = serde_json::to_string(&header).map_err(|e| e.to_string())?;
        let ours = with_checksum(&ours, self.checksum_behind(&ours));
        let mut offset = 0;
        let tensors = expected_tensors(&self.settings, &self.summary, &header.predictors)
            .into_iter()
            .map(|(name, shape)| {
                let begin = offset;
                offset += shape[0] * shape[1] * size_of::<T>();
                let dtype = tensor_dtype(T::DTYPE);
                (name, TensorInfo { dtype, shape: shape.to_vec(), data_offsets: (begin, offset) })
            })
            .collect();
        let metadata = Metadata::new(Some(HashMap::from([(KEY.to_owned(), ours)])), tensors)
            .map_err(|e| e.to_string())?;
        let mut bytes = serde_json::to_vec(&metadata).map_err(|e| e.to_string())?;
        // Tensors begin at a multiple of eight bytes, so that they can be mapped.
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        Ok(bytes)
    }
}

/// Our number type in the words of the format.
pub(super) fn tensor_dtype(dtype: Dtype) -> safetensors::Dtype {
    match dtype {
        Dtype::F32 => safetensors::Dtype::F32,
        Dtype::F64 => safetensors::Dtype::F64,
    }
}
