//! Options of built-in data sets as written on a command line: `key=value,key=value`.

use std::str::FromStr;

use super::BuiltinError;

/// Gives every option to `set`.
///
/// # Errors
/// If a piece is not `key=value`, a key is given twice, or `set` refuses one.
pub(super) fn for_each_option(
    options: &str,
    mut set: impl FnMut(&str, &str) -> Result<(), BuiltinError>,
) -> Result<(), BuiltinError> {
    let mut given = Vec::new();
    let pieces = options.split(',').map(str::trim);
    for piece in pieces.filter(|_| !options.trim().is_empty()) {
        let (key, value) = piece
            .split_once('=')
            .ok_or_else(|| BuiltinError::NotKeyValue { text: piece.into() })?;
        let (key, value) = (key.trim(), value.trim());
        set(key, value)?;
        if given.contains(&key) {
            return Err(BuiltinError::Twice { key: key.into() });
        }
        given.push(key);
    }
    Ok(())
}

/// The value of an option.
pub(super) fn number<N: FromStr>(key: &str, value: &str) -> Result<N, BuiltinError> {
    let kind = match key {
        "noise" | "sigma" | "distance" => "a number such as 0.05",
        _ => "a whole number from 0 on",
    };
    value.parse().map_err(|_| out_of_range(key, &value, kind.into()))
}

pub(super) fn out_of_range(key: &str, value: &impl ToString, accepted: String) -> BuiltinError {
    BuiltinError::OutOfRange { key: key.into(), value: value.to_string(), accepted }
}
