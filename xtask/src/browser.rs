//! Opens report pages in a real browser, without a window, and uses them as people do.
//!
//! The browser is Debian's Chromium, driven by Playwright for Python. What is missing is installed
//! where that is allowed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt;
use crate::python::{BROWSER, run, target};

/// Where Debian and others put the browser.
const BROWSERS: [&str; 4] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/snap/bin/chromium",
];

/// What the tests of the page need.
pub(crate) struct Tools {
    browser: PathBuf,
    python: PathBuf,
}

impl Tools {
    /// Finds them, or installs them.
    ///
    /// # Errors
    /// If one is missing and cannot be installed.
    pub(crate) fn find(workspace: &Path) -> Result<Self, String> {
        Ok(Self { browser: browser()?, python: BROWSER.interpreter(workspace)? })
    }

    /// Opens pages of the program that the tests before have built; screenshots are left in
    /// `target/report-screenshots`.
    ///
    /// # Errors
    /// If a test fails.
    pub(crate) fn test(&self, workspace: &Path) -> Result<(), String> {
        let target = target(workspace);
        let mut command = Command::new(&self.python);
        command.arg(workspace.join("crates/deepnmf-report/tests/browser/run.py"));
        command.arg("--browser").arg(&self.browser);
        command.arg("--program").arg(target.join("debug/deepnmf"));
        command.arg("--screenshots").arg(target.join("report-screenshots"));
        run(&mut command)
    }
}

/// The browser that `DEEPNMF_BROWSER` names, one that is installed, or one that is installed now.
fn browser() -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("DEEPNMF_BROWSER") {
        return Ok(named.into());
    }
    let installed = || BROWSERS.iter().map(PathBuf::from).find(|path| path.exists());
    if let Some(found) = installed() {
        return Ok(found);
    }
    let done = apt::install(&["chromium"]);
    installed().filter(|_| done).ok_or_else(|| {
        "there is no Chromium, and it could not be installed: install it (on Debian as root with \
         `apt-get install chromium`), or name a browser with DEEPNMF_BROWSER"
            .into()
    })
}
