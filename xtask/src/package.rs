//! The Python package: built as a wheel, installed and tested with the newest and with the oldest
//! versions of what it needs.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{OLDEST, pip_install, run, target};
use crate::say;

/// Where the package is.
const FOLDER: &str = "crates/deepnmf-python";

type Part<'a> = &'a dyn Fn() -> Result<(), String>;

/// Does everything with the package, beside a program that has been built; gives what has failed.
pub(crate) fn test(workspace: &Path, python: &Path) -> Vec<String> {
    let package = Package { workspace, folder: workspace.join(FOLDER), python };
    let wheel = match package.build() {
        Ok(wheel) => wheel,
        Err(why) => return vec![why],
    };
    let parts: [(&str, Part<'_>); 4] = [
        ("tests and examples, newest versions", &|| package.test(python, &wheel)),
        ("lints and types", &|| package.lint()),
        ("pages of the documentation", &|| package.render()),
        ("tests and examples, oldest versions", &|| {
            package.test(&OLDEST.interpreter(workspace)?, &wheel)
        }),
    ];
    let mut failed = Vec::new();
    for (name, part) in parts {
        say(&format!("== Python package: {name}"));
        failed.extend(part().err());
    }
    failed
}

struct Package<'a> {
    workspace: &'a Path,
    folder: PathBuf,
    python: &'a Path,
}

impl Package<'_> {
    /// Builds the wheel, with checks on and from what the tests have compiled already.
    fn build(&self) -> Result<PathBuf, String> {
        say("== Python package: the wheel");
        let wheels = target(self.workspace).join("wheels");
        let _ = fs::remove_dir_all(&wheels);
        let same = ["--profile", "dev", "--all-features"]; // as `cargo test` has
        let mut build = self.module("maturin", ["build", "--quiet"]);
        run(build.args(same).arg("--out").arg(&wheels))?;
        let found = fs::read_dir(&wheels).map_err(|e| format!("{}: {e}", wheels.display()))?;
        let mut found = found.flatten().map(|entry| entry.path());
        found.next().ok_or_else(|| format!("{} holds no wheel", wheels.display()))
    }

    /// Installs the wheel, and nothing else, and tests what is installed.
    fn test(&self, python: &Path, wheel: &Path) -> Result<(), String> {
        run(pip_install(python).args(["--force-reinstall", "--no-deps"]).arg(wheel))?;
        let program = target(self.workspace).join("debug/deepnmf");
        run(Command::new(python)
            .args(["-m", "pytest", "--quiet", "--doctest-modules", "--pyargs", "deepnmf", "tests"])
            .current_dir(&self.folder)
            .env("DEEPNMF_PROGRAM", program))
    }

    fn lint(&self) -> Result<(), String> {
        let style = ["--quiet", ".", "../../docs/python"];
        run(self.module("ruff", ["check"]).args(style))?;
        run(self.module("ruff", ["format", "--check"]).args(style))?;
        run(&mut self.module("mypy", ["--strict"]))?;
        run(self.module("pyright", ["--pythonpath"]).arg(self.python))
    }

    /// Runs the scripts of the documentation; their pages go where nobody reads them.
    fn render(&self) -> Result<(), String> {
        let pages = target(self.workspace).join("pages");
        fs::create_dir_all(&pages).map_err(|e| format!("{}: {e}", pages.display()))?;
        let script = self.workspace.join("docs/python/render.py");
        run(Command::new(self.python).arg(script).arg(pages))
    }

    fn module<S: AsRef<OsStr>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(self.python);
        command.args(["-m", name]).args(arguments).current_dir(&self.folder);
        command
    }
}
