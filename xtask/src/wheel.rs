//! `cargo xtask wheel`: the wheel for others, for any Linux of the last years, tried where there is nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::python::{Environment, pip_install, run, target};
use crate::say;

/// What builds the wheel and looks at it.
const RELEASE: Environment =
    Environment { folder: "python-release", requirements: "xtask/requirements-release.txt" };

/// The oldest C library that it runs with: Debian 10, Ubuntu 20.04, RHEL 8 and newer.
const PLATFORM: &str = "manylinux_2_28";

/// Wheels stay below this.
const MOST_BYTES: u64 = 15_000_000;

/// Builds it, checks it, and tries it in an environment that holds nothing but what it asks for.
pub(crate) fn build(workspace: &Path) -> Result<(), String> {
    let python = RELEASE.interpreter(workspace)?;
    let wheels = target(workspace).join("wheels-release");
    let _ = fs::remove_dir_all(&wheels);
    say("== the wheel (with optimisation over all crates, which takes minutes)");
    let mut maturin = Command::new(&python);
    maturin.args(["-m", "maturin", "build", "--profile", "dist"]);
    if cfg!(target_os = "linux") {
        // Zig links against the symbols of an older C library than that of this machine.
        maturin.args(["--zig", "--compatibility", PLATFORM]);
    }
    let package = workspace.join("crates/deepnmf-python");
    run(maturin.arg("--out").arg(&wheels).current_dir(package).env("PATH", path_with(&python)))?;
    let wheel = only_file(&wheels)?;
    check(&python, &wheel)?;
    try_it(workspace, &wheel)?;
    say(&format!("wrote {}", wheel.display()));
    Ok(())
}

/// Where tools of the environment come first: maturin looks for Zig there.
fn path_with(python: &Path) -> std::ffi::OsString {
    let own = python.parent().map(Path::to_path_buf).unwrap_or_default();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(own).chain(std::env::split_paths(&others));
    std::env::join_paths(all).unwrap_or(others)
}

fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let found = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found = found.flatten().map(|entry| entry.path());
    found.next().ok_or_else(|| format!("{} holds no wheel", folder.display()))
}

/// Its size, its name and what it says of itself.
fn check(python: &Path, wheel: &Path) -> Result<(), String> {
    let bytes = fs::metadata(wheel).map_err(|e| format!("{}: {e}", wheel.display()))?.len();
    let name = wheel.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    say(&format!("{name}: {:.1} MB", bytes as f64 / 1e6));
    if bytes > MOST_BYTES {
        return Err(format!("{name} has {bytes} bytes, more than {MOST_BYTES}"));
    }
    if cfg!(target_os = "linux") && !(name.contains("abi3") && name.contains(PLATFORM)) {
        return Err(format!("{name} is no abi3 wheel for {PLATFORM}"));
    }
    run(Command::new(python).args(["-m", "twine", "check", "--strict"]).arg(wheel))
}

/// Installs it without a compiler in sight, and runs the first example of the README.
fn try_it(workspace: &Path, wheel: &Path) -> Result<(), String> {
    let folder = target(workspace).join("python-empty");
    let _ = fs::remove_dir_all(&folder);
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let python = folder.join("bin/python");
    let begun = Instant::now();
    run(pip_install(&python).args(["--only-binary", ":all:"]).arg(wheel).env("PATH", "/nowhere"))?;
    say(&format!("installed with what it needs in {:.1} s", begun.elapsed().as_secs_f64()));
    let times = "import sys, time, numpy, sklearn.base, sklearn.utils.validation; t = time.perf_counter(); \
                 import deepnmf; print(f'import takes {1000 * (time.perf_counter() - t):.0f} ms beside NumPy and scikit-learn')";
    run(Command::new(&python).args(["-c", times]))?;
    let example = folder.join("example.py");
    let readme = fs::read_to_string(workspace.join("README.md")).map_err(|e| e.to_string())?;
    fs::write(&example, python_block(&readme)?).map_err(|e| e.to_string())?;
    run(Command::new(&python).arg("example.py").current_dir(&folder))
}

/// The first Python block of a page.
fn python_block(page: &str) -> Result<&str, String> {
    let behind = page.split_once("```python\n").ok_or("README.md has no Python example")?.1;
    Ok(behind.split_once("```").ok_or("an example of README.md does not end")?.0)
}
