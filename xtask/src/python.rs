//! Python environments below `target/`, made once and again when what they hold changes.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An environment: its folder below `target/`, and the file that lists what it holds.
pub(crate) struct Environment {
    pub(crate) folder: &'static str,
    pub(crate) requirements: &'static str,
}

/// What tests compare with, and the newest versions that the package is tested with.
pub(crate) const NEWEST: Environment =
    Environment { folder: "python", requirements: "xtask/requirements.txt" };

/// The oldest versions that the package supports and this Python has.
pub(crate) const OLDEST: Environment =
    Environment { folder: "python-oldest", requirements: "xtask/requirements-oldest.txt" };

/// What drives a browser.
pub(crate) const BROWSER: Environment =
    Environment { folder: "python-browser", requirements: "xtask/requirements-browser.txt" };

impl Environment {
    /// The interpreter of the environment, which is made if need be.
    pub(crate) fn interpreter(&self, workspace: &Path) -> Result<PathBuf, String> {
        let folder = workspace.join("target").join(self.folder);
        let python = folder.join("bin/python");
        let marker = folder.join("installed.txt");
        let requirements = workspace.join(self.requirements);
        let wanted = fs::read_to_string(&requirements)
            .map_err(|e| format!("{}: {e}", requirements.display()))?;
        if fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
            return Ok(python);
        }
        // What an earlier attempt has left behind may be half an environment.
        let _ = fs::remove_dir_all(&folder);
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .map_err(|why| format!("{why}: install Python 3 (on Debian with python3-venv)"))?;
        let mut install = pip_install(&python);
        run(install.arg("--requirement").arg(&requirements))?;
        fs::write(&marker, wanted).map_err(|e| format!("{}: {e}", marker.display()))?;
        Ok(python)
    }
}

/// `pip install`, with nothing but what it is given.
pub(crate) fn pip_install(python: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    command
}

/// Where cargo builds.
pub(crate) fn target(workspace: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status();
    let shown = format!("{command:?}");
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status})")),
        Err(error) => Err(format!("`{shown}` cannot be started: {error}")),
    }
}
