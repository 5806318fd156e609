//! Which files of a folder are pictures, and what their names say.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::pattern::Pattern;
use crate::error::{DataError, Fault};

/// A picture to be read.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    /// Its path below the folder, with `/` in between.
    pub(super) name: String,
    /// The sub-folder it is in.
    pub(super) folder: Option<String>,
    /// The values of the pattern's attributes.
    pub(super) values: Vec<String>,
}

/// All pictures in a folder and the folders in it, in the order of their names; only those that fit
/// the pattern if there is one.
pub(super) fn list(path: &Path, pattern: Option<&Pattern>) -> Result<Vec<Entry>, DataError> {
    let mut found = Vec::new();
    for child in children(path)? {
        if child.is_dir() {
            let folder = file_name(&child);
            // One level only: deeper ones (and circles of links) have no meaning as labels.
            found.extend(children(&child)?.into_iter().filter(|c| !c.is_dir()).map(|path| {
                let name = format!("{folder}/{}", file_name(&path));
                Entry { path, name, folder: Some(folder.clone()), values: Vec::new() }
            }));
        } else {
            let name = file_name(&child);
            found.push(Entry { path: child, name, folder: None, values: Vec::new() });
        }
    }
    let mut entries = Vec::new();
    for mut entry in found {
        if fits(&mut entry, pattern) && is_picture(&entry.path)? {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return Err(none(pattern).in_file(path));
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn none(pattern: Option<&Pattern>) -> Fault {
    match pattern {
        Some(_) => Fault::NoPictures {
            which: " whose name fits the pattern".into(),
            hint: ", or change the pattern (it leaves out the extension)",
        },
        None => Fault::NoPictures { which: String::new(), hint: "" },
    }
}

/// What is in a folder, except for what is hidden.
fn children(path: &Path) -> Result<Vec<PathBuf>, DataError> {
    let failed = |source| DataError::Io { action: "read", path: path.into(), source };
    let mut children = Vec::new();
    for child in fs::read_dir(path).map_err(failed)? {
        let child = child.map_err(failed)?;
        if !child.file_name().to_string_lossy().starts_with('.') {
            children.push(child.path());
        }
    }
    Ok(children)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether the name fits the pattern, if there is one; keeps the values then.
fn fits(entry: &mut Entry, pattern: Option<&Pattern>) -> bool {
    let Some(pattern) = pattern else {
        return true;
    };
    let name = match &entry.folder {
        Some(_) if !pattern.has_folder() => entry.name.split_once('/').map_or("", |(_, n)| n),
        _ => entry.name.as_str(),
    };
    let stem = match Path::new(name).extension() {
        Some(extension) => &name[..name.len() - extension.len() - 1],
        None => name,
    };
    let values = pattern.values(stem).map(|v| v.into_iter().map(str::to_owned).collect());
    let fits = values.is_some();
    entry.values = values.unwrap_or_default();
    fits
}

/// Whether a file is a picture by its first bytes, or promises to be one by its extension.
fn is_picture(path: &Path) -> Result<bool, DataError> {
    const EXTENSIONS: [&str; 9] = ["pgm", "pnm", "ppm", "png", "jpg", "jpeg", "tif", "tiff", "bmp"];
    let failed = |source| DataError::Io { action: "read", path: path.into(), source };
    // Devices and pipes have no length, and opening one may wait for ever.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Ok(false);
    }
    let extension = super::super::extension(path);
    if EXTENSIONS.contains(&extension.as_str()) {
        return Ok(true);
    }
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(16).read_to_end(&mut head)).map_err(failed)?;
    Ok(super::decode::format(&head).is_some())
}
