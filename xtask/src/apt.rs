//! Packages of Debian, for what the tests need and a machine lacks.

use std::process::Command;

use crate::say;

/// Installs packages, where that is allowed; says whether all of it went well.
pub(crate) fn install(packages: &[&str]) -> bool {
    say(&format!("== installing (apt-get install {})", packages.join(" ")));
    let flags = ["install", "--yes", "--no-install-recommends"];
    apt(&["update"]) && apt(&[&flags, packages].concat())
}

fn apt(arguments: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    command.arg("--quiet").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command.status().is_ok_and(|status| status.success())
}
