//! The documentation site, and what a release is made of: built and looked at without a network.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::python::{Environment, run, target};
use crate::say;

/// What builds the site, and looks at workflows and packages.
const DOCS: Environment =
    Environment { folder: "python-docs", requirements: "xtask/requirements-docs.txt" };

type Part<'a> = (&'a str, &'a dyn Fn() -> Result<(), String>);

/// Tests the site beside a program and a package that have been built; gives what has failed. `python` has the package.
pub(crate) fn test(workspace: &Path, python: &Path) -> Vec<String> {
    let docs = match DOCS.interpreter(workspace) {
        Ok(docs) => docs,
        Err(why) => return vec![why],
    };
    let own =
        |arguments: &[&OsStr]| run(Command::new(&docs).args(arguments).current_dir(workspace));
    let program = target(workspace).join("debug/deepnmf");
    let wheels = target(workspace).join("wheels");
    let parts: [Part<'_>; 4] = [
        ("documentation site", &|| {
            let build = ["-m", "mkdocs", "build", "--strict", "--quiet", "-f", "docs/mkdocs.yml"];
            own(&build.map(OsStr::new))
        }),
        ("code and links of the documentation site", &|| {
            let mut check = Command::new(python);
            check.arg("docs/site/check.py").arg("--program").arg(&program);
            run(check.current_dir(workspace))
        }),
        ("workflows and recipe", &|| own(&[OsStr::new("xtask/lint_workflows.py")])),
        ("what the wheel says of itself", &|| {
            let wheels = std::fs::read_dir(&wheels).map_err(|e| e.to_string())?;
            let mut check = Command::new(&docs);
            check.args(["-m", "twine", "check", "--strict"]);
            run(check.args(wheels.flatten().map(|entry| entry.path())))
        }),
    ];
    let mut failed = Vec::new();
    for (name, part) in parts {
        say(&format!("== {name}"));
        failed.extend(part().err());
    }
    failed
}
