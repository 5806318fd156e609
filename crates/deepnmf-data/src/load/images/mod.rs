//! Folders of pictures: every picture is a sample, every pixel a feature.

mod decode;
mod folder;
mod tiff;

use std::path::Path;

use deepnmf::{Matrix, Scalar};

use self::decode::Picture;
use self::folder::Entry;
use super::pattern::Pattern;
use super::{LoadOptions, memory};
use crate::error::{DataError, Fault};
use crate::{Attribute, Dataset, ImageShape, PixelOrder};

/// Reads all pictures of a folder and of the folders in it, in the order of their names.
pub(super) fn read_folder<T: Scalar>(
    path: &Path,
    options: &LoadOptions,
) -> Result<Dataset<T>, DataError> {
    let in_folder = |fault: Fault| fault.in_file(path);
    refuse_useless(options).map_err(in_folder)?;
    let pattern = options.images.pattern.as_deref().map(Pattern::parse).transpose();
    let pattern = pattern.map_err(in_folder)?;
    let entries = folder::list(path, pattern.as_ref())?;
    let (x, shape) = read_pictures(&entries, options.images.resize, in_folder)?;
    Ok(Dataset {
        sample_names: Some(entries.iter().map(|entry| entry.name.clone()).collect()),
        attributes: attributes(&entries, pattern.as_ref()),
        image_shape: Some(shape),
        ..Dataset::new(x)
    })
}

fn refuse_useless(options: &LoadOptions) -> Result<(), Fault> {
    let format = "a folder of pictures";
    if let Some(option) = options.table.given() {
        return Err(Fault::UselessOption { option, format });
    }
    if options.data_key.is_some() {
        return Err(Fault::UselessOption { option: "--data-key", format });
    }
    if options.labels_key.is_some() {
        let format = "a folder of pictures, whose labels are in the names of files and folders";
        return Err(Fault::UselessOption { option: "--labels-key", format });
    }
    if options.image_shape.is_some() {
        let format = "a folder of pictures, which know their size";
        return Err(Fault::UselessOption { option: "--image", format });
    }
    match options.images.resize {
        Some((0, _) | (_, 0)) => Err(Fault::EmptyTable { samples: 1, features: 0 }),
        _ => Ok(()),
    }
}

fn read_pictures<T: Scalar>(
    entries: &[Entry],
    resize: Option<(usize, usize)>,
    in_folder: impl Fn(Fault) -> DataError,
) -> Result<(Matrix<T>, ImageShape), DataError> {
    let mut first: Option<(usize, usize)> = None;
    let mut data: Vec<T> = Vec::new();
    for entry in entries {
        let picture = decode::read(&entry.path).map_err(|fault| fault.in_file(&entry.path))?;
        let picture = match resize {
            Some(size) => picture.resize(size),
            None => picture,
        };
        let Picture { width, height, pixels } = picture;
        let (first_width, first_height) = *first.get_or_insert((width, height));
        if (width, height) != (first_width, first_height) {
            let (path, first) = (entry.path.clone(), entries[0].path.clone());
            let fault =
                Fault::PictureSize { path, width, height, first, first_width, first_height };
            return Err(in_folder(fault));
        }
        if data.is_empty() {
            let space = memory::check_table(entries.len(), pixels.len(), size_of::<T>());
            space.map_err(&in_folder)?;
        }
        data.extend(pixels.iter().map(|&pixel| T::from_f64(pixel)));
    }
    let (width, height) = first.unwrap_or_default();
    let x = Matrix::from_vec(width * height, entries.len(), data);
    let x = x.map_err(|error| in_folder(Fault::damaged(error.to_string())))?;
    Ok((x, ImageShape { width, height, order: PixelOrder::RowMajor }))
}

/// What the names say: the attributes of the pattern, or the sub-folder if there are any.
fn attributes(entries: &[Entry], pattern: Option<&Pattern>) -> Vec<Attribute> {
    match pattern {
        Some(pattern) => {
            let names = pattern.attributes().enumerate();
            let values = |i: usize| entries.iter().map(move |entry| entry.values.get(i));
            names.map(|(i, name)| Attribute::from_strings(name, values(i))).collect()
        }
        None if entries.iter().any(|entry| entry.folder.is_some()) => {
            let folders = entries.iter().map(|entry| entry.folder.as_ref());
            vec![Attribute::from_strings("folder", folders)]
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
