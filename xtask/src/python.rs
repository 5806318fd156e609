//! The Python that tests compare with, in an environment of its own below `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the environment holds; a change of it makes a new one.
const REQUIREMENTS: &str = include_str!("../requirements.txt");

/// The interpreter of the environment, which is made if need be.
pub(crate) fn interpreter(workspace: &Path) -> Result<PathBuf, String> {
    let folder = workspace.join("target/python");
    let python = folder.join("bin/python");
    let marker = folder.join("installed.txt");
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == REQUIREMENTS) {
        return Ok(python);
    }
    let text = |path: &Path| path.display().to_string();
    // What an earlier attempt has left behind may be half an environment.
    let _ = fs::remove_dir_all(&folder);
    run("python3", &["-m", "venv", &text(&folder)])
        .map_err(|why| format!("{why}: install Python 3 (on Debian with python3-venv)"))?;
    let requirements = text(&workspace.join("xtask/requirements.txt"));
    run(&text(&python), &["-m", "pip", "install", "--quiet", "--requirement", &requirements])?;
    fs::write(&marker, REQUIREMENTS).map_err(|e| format!("{}: {e}", marker.display()))?;
    Ok(python)
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    match Command::new(program).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status})")),
        Err(error) => Err(format!("`{shown}` cannot be started: {error}")),
    }
}
