//! Names of features from a text file of their own.

use std::fs;
use std::path::Path;

use super::unreadable;
use crate::error::{DataError, Fault};
use crate::{Columns, DatasetOf};

/// Gives the features the names in a file, one a line.
pub(super) fn add<X: Columns>(data: &mut DatasetOf<X>, path: &Path) -> Result<(), DataError> {
    let bytes = fs::read(path).map_err(|source| unreadable(path, source))?;
    let refuse = |why: String| Fault::FeatureNames { why }.in_file(path);
    let text =
        String::from_utf8(bytes).map_err(|_| refuse("save the file as UTF-8 text".into()))?;
    if data.feature_names.is_some() {
        return Err(refuse(
            "the data name their features already; leave --feature-names out".into(),
        ));
    }
    let lines = text.trim_start_matches('\u{feff}').lines();
    let names: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
    let (found, needed) = (names.len(), data.features());
    if found != needed {
        return Err(refuse(format!(
            "it has {found} lines for {needed} features; give every feature its line"
        )));
    }
    if let Some(line) = names.iter().position(String::is_empty) {
        return Err(refuse(format!("line {} is blank; give every feature a name", line + 1)));
    }
    data.feature_names = Some(names);
    Ok(())
}
