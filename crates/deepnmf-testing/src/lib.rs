//! What the tests of several crates need: the real data and a Python to compare with, or a word
//! that they are missing.

use std::env;
use std::path::{Path, PathBuf};

/// The file or folder `name` below the folder that `DEEPNMF_DATA` names. Where there is none the
/// test should end: that it is skipped has been said.
///
/// A relative `DEEPNMF_DATA` counts from the root of the workspace, for tests run elsewhere.
///
/// # Panics
/// With `CI=true`, where nothing may be skipped.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let Some(folder) = env::var_os("DEEPNMF_DATA") else {
        return skip(name, "DEEPNMF_DATA is not set");
    };
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join(folder).join(name);
    if path.exists() { Some(path) } else { skip(name, "DEEPNMF_DATA names no folder that has it") }
}

/// The Python interpreter that `DEEPNMF_PYTHON` names; it has NumPy, SciPy and scikit-learn.
/// Where there is none the test should end: that it is skipped has been said.
///
/// # Panics
/// With `CI=true`, where nothing may be skipped.
pub fn python() -> Option<PathBuf> {
    match env::var_os("DEEPNMF_PYTHON") {
        Some(python) => Some(python.into()),
        None => skip("Python with scikit-learn", "DEEPNMF_PYTHON is not set"),
    }
}

#[allow(clippy::panic, clippy::print_stderr)] // tests may
fn skip(name: &str, why: &str) -> Option<PathBuf> {
    assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "no {name}: {why}");
    eprintln!("SKIPPED: no {name}: {why}");
    None
}
