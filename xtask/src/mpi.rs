//! MPI, with which a fit spreads over many processes. It is the one feature that needs a library of the system.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::apt;

/// The feature that needs it.
const FEATURE: &str = "mpi";

/// What Debian calls the library, what starts it, and the parser of its headers.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Where systems keep libclang; LLVM has a folder for each version below the first.
const LIBRARIES: [&str; 5] = [
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
];

/// Finds MPI, or installs it.
///
/// # Errors
/// If it is missing and cannot be installed.
pub(crate) fn find() -> Result<(), String> {
    if is_there() || apt::install(&PACKAGES) && is_there() {
        return Ok(());
    }
    Err(format!(
        "there is no MPI, and it could not be installed: install it (on Debian as root with `apt-get install {}`)",
        PACKAGES.join(" ")
    ))
}

fn is_there() -> bool {
    let answers = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    answers("mpicc") && answers("mpirun") && has_libclang()
}

fn has_libclang() -> bool {
    let inside = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let is_it = |name: &OsStr| name.to_string_lossy().starts_with("libclang");
    let of_llvm = inside("/usr/lib".into()).map(|entry| entry.path().join("lib"));
    let mut folders = LIBRARIES.map(PathBuf::from).into_iter().chain(of_llvm);
    env::var_os("LIBCLANG_PATH").is_some()
        || folders.any(|folder| inside(folder).any(|entry| is_it(&entry.file_name())))
}

/// What cargo is told instead of `--all-features`, where there is no MPI: all others.
pub(crate) fn features_without(workspace: &Path) -> Vec<String> {
    let mut features = Vec::new();
    for krate in fs::read_dir(workspace.join("crates")).into_iter().flatten().flatten() {
        let manifest = fs::read_to_string(krate.path().join("Cargo.toml")).unwrap_or_default();
        let lines = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
        for line in lines.take_while(|line| !line.starts_with('[')) {
            let name = line.split_once(" = ").map(|(name, _)| name);
            if let Some(name) =
                name.filter(|name| !name.starts_with(['#', ' ']) && *name != FEATURE)
            {
                features.push(format!("{}/{name}", krate.file_name().to_string_lossy()));
            }
        }
    }
    vec!["--features".into(), features.join(",")]
}
