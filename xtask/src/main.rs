//! The project's own chores. `cargo xtask test` checks everything and installs what that needs.

mod apt;
mod browser;
mod faults;
mod fuzz;
mod mpi;
mod package;
mod python;
mod site;
mod wheel;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Every feature that can be built here stands for this one.
const ALL_FEATURES: &str = "--all-features";

/// One thing that must hold.
struct Part {
    name: &'static str,
    cargo: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

/// In order of how soon they can fail.
const PARTS: [Part; 6] = [
    Part { name: "formatting", cargo: &["fmt", "--all", "--check"], environment: &[] },
    Part {
        name: "lints",
        cargo: &[
            "clippy",
            "--workspace",
            "--all-targets",
            ALL_FEATURES,
            "--",
            "--deny",
            "warnings",
        ],
        environment: &[],
    },
    Part {
        name: "unit, property and end-to-end tests",
        // Not the examples, which clippy has seen: they take long to compile and test nothing.
        cargo: &["test", "--workspace", ALL_FEATURES, "--tests", "--no-fail-fast"],
        environment: &[],
    },
    Part {
        name: "documentation tests",
        cargo: &["test", "--workspace", ALL_FEATURES, "--doc"],
        environment: &[],
    },
    Part {
        name: "documentation",
        cargo: &["doc", "--workspace", "--no-deps", ALL_FEATURES],
        environment: &[("RUSTDOCFLAGS", "--deny warnings")],
    },
    Part {
        name: "crates as they would be published",
        // Not compiled once more: what is packed is what the tests have seen.
        cargo: &["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--quiet"],
        environment: &[],
    },
];

const HELP: &str = "\
cargo xtask COMMAND

  test    formatting, lints, all tests, the documentation and its site, the report page in a browser, the
          Python package and what is released
  browser the report page in a browser alone
  python  the Python package alone: its wheel, tests, types and pages
  site    the documentation site alone, beside a package that was tested before: its code and its links
  wheel   the wheel for others, for any Linux of the last years, tried in an empty environment
  bench   the benchmarks of crates/deepnmf, with GFLOP/s beside a plain product
  fuzz    [TARGET|all] [--seconds N]: hostile files for every parser, 60 s for each
  faults  [PERCENT]: kills, signals, full disks, damaged and foreign files, counted; about ten minutes

Tests on real data look for it in the folder that DEEPNMF_DATA names.
";

fn main() -> ExitCode {
    let command = env::args().nth(1);
    match command.as_deref() {
        Some("test") => test(),
        Some("bench") => {
            let bench = &["bench", "--package", "deepnmf", "--bench", "iteration"];
            if run(bench, &[], None) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some("python") => alone(test_package),
        Some("site") => alone(test_site),
        Some("browser") => alone(test_page),
        Some("wheel") => wheel(),
        Some("fuzz") => fuzz(),
        Some("faults") => faults(),
        Some("help" | "--help" | "-h") => {
            say(HELP);
            ExitCode::SUCCESS
        }
        _ => {
            say(HELP);
            ExitCode::from(2)
        }
    }
}

fn fuzz() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(2).collect();
    match fuzz::run(&arguments, &workspace()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("xtask: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn wheel() -> ExitCode {
    match wheel::build(&workspace()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("xtask: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn faults() -> ExitCode {
    let share = env::args().nth(2).and_then(|share| share.parse().ok()).unwrap_or(100);
    if !run(&["build", "--release", "--package", "deepnmf-cli"], &[], None) {
        return ExitCode::FAILURE;
    }
    let target = workspace().join("target");
    let program = target.join("release/deepnmf");
    let prepared = fs::create_dir_all(target.join("faults"))
        .and_then(|()| Ok((fs::canonicalize(program)?, fs::canonicalize(target.join("faults"))?)));
    let done = prepared
        .map_err(|error| error.to_string())
        .and_then(|(program, folder)| faults::run(&program, &folder, share));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("xtask: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn test() -> ExitCode {
    tell_what_will_be_skipped();
    let python = python_to_compare_with();
    let (features, mut failed) = features();
    for part in &PARTS {
        let cargo = with_features(part.cargo, &features);
        say(&format!("== {} (cargo {})", part.name, cargo.join(" ")));
        if !run(&cargo, part.environment, python.as_ref()) {
            failed.push(part.name.to_owned());
        }
    }
    failed.extend(test_page());
    failed.extend(test_package());
    failed.extend(test_site());
    sum_up(&failed)
}

/// What cargo is told so that it builds every feature that can be built here, and what then is not tested.
fn features() -> (Vec<String>, Vec<String>) {
    match mpi::find() {
        Ok(()) => (vec![ALL_FEATURES.into()], vec![]),
        Err(why) => {
            (mpi::features_without(&workspace()), untested("a fit on several processes", &why))
        }
    }
}

fn with_features<'a>(cargo: &[&'a str], features: &'a [String]) -> Vec<&'a str> {
    let features: Vec<&str> = features.iter().map(String::as_str).collect();
    let each = |argument| if argument == ALL_FEATURES { features.clone() } else { vec![argument] };
    cargo.iter().flat_map(|argument| each(*argument)).collect()
}

fn sum_up(failed: &[String]) -> ExitCode {
    for name in failed {
        say(&format!("== failed: {name}"));
    }
    say(&format!("xtask: {} failed", failed.len()));
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Something that uses the program, without the other tests, which would have built it.
fn alone(test: fn() -> Vec<String>) -> ExitCode {
    // With MPI or without: what is tested then is the same.
    let formats = ["--features", "fetch,parquet"];
    let program = [&["build", "--package", "deepnmf-cli"][..], &formats].concat();
    if run(&program, &[], None) { sum_up(&test()) } else { ExitCode::FAILURE }
}

/// What has failed of the report page, which is opened in a browser.
fn test_page() -> Vec<String> {
    say("== report page in a browser (screenshots in target/report-screenshots)");
    match browser::Tools::find(&workspace()) {
        Ok(tools) => tools.test(&workspace()).err().into_iter().collect(),
        Err(why) => untested("the report page", &why),
    }
}

/// What has failed of the Python package, which is installed in an environment of its own.
fn test_package() -> Vec<String> {
    match python::NEWEST.interpreter(&workspace()) {
        Ok(python) => package::test(&workspace(), &python),
        Err(why) => untested("the Python package", &why),
    }
}

/// What has failed of the documentation site and of what is released.
fn test_site() -> Vec<String> {
    match python::NEWEST.interpreter(&workspace()) {
        Ok(python) => site::test(&workspace(), &python),
        Err(why) => untested("the documentation site", &why),
    }
}

/// What cannot be tested is a failure where everything has to be.
fn untested(what: &str, why: &str) -> Vec<String> {
    if env::var_os("CI").is_some_and(|ci| ci == "true") {
        return vec![format!("{what}: {why}")];
    }
    say(&format!("note: {why}; {what} is not tested (with CI=true it fails)"));
    vec![]
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Tests report themselves as skipped where nobody sees it; here it is seen.
fn tell_what_will_be_skipped() {
    let found = env::var_os("DEEPNMF_DATA").is_some_and(|folder| Path::new(&folder).is_dir());
    if !found {
        say("note: DEEPNMF_DATA names no folder, so tests on real data are skipped \
             (with CI=true they fail)");
    }
}

/// The Python that `DEEPNMF_PYTHON` names, or one made here.
fn python_to_compare_with() -> Option<OsString> {
    if let Some(python) = env::var_os("DEEPNMF_PYTHON") {
        return Some(python);
    }
    say("== Python environment (target/python)");
    match python::NEWEST.interpreter(&workspace()) {
        Ok(python) => Some(python.into()),
        Err(why) => {
            say(&format!(
                "note: {why}; comparisons with scikit-learn are skipped (with CI=true they fail)"
            ));
            None
        }
    }
}

fn run(arguments: &[&str], environment: &[(&str, &str)], python: Option<&OsString>) -> bool {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).envs(environment.iter().copied());
    if let Some(python) = python {
        command.env("DEEPNMF_PYTHON", python);
    }
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            say(&format!("cargo cannot be started: {error}"));
            false
        }
    }
}

#[allow(clippy::print_stdout)] // a program may
fn say(text: &str) {
    println!("{text}");
}
