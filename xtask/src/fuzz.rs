//! Runs the fuzz targets in `fuzz/` on the stable compiler: libFuzzer needs to see which code runs,
//! but none of the sanitizers for which cargo-fuzz wants a nightly one.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::say;

/// What makes the compiler count which code runs and what is compared with what. One unit of code a
/// crate, as cargo-fuzz has it.
const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    --cfg fuzzing -Ccodegen-units=1";

/// Memory for everything, a time for one input, and lengths near those of the seeds. What an input
/// may take in memory is checked by the targets themselves, and more strictly.
const LIMITS: [&str; 4] =
    ["-rss_limit_mb=2048", "-timeout=10", "-max_len=24576", "-print_final_stats=1"];

const USAGE: &str = "cargo xtask fuzz [TARGET|all] [--seconds N]";

/// Runs one target or all of them, each for some seconds.
///
/// # Errors
/// If the arguments are wrong, something cannot be built, or a target has found something.
pub(crate) fn run(arguments: &[String], workspace: &Path) -> Result<(), String> {
    let targets = targets(workspace)?;
    let (wanted, seconds) = parse(arguments)?;
    let chosen: Vec<_> =
        targets.iter().filter(|name| wanted == "all" || wanted == **name).collect();
    if chosen.is_empty() {
        return Err(format!("there is no target {wanted:?}: use all or {}", targets.join(", ")));
    }
    let programs = build(workspace, &wanted)?;
    let mut finds = Vec::new();
    for name in chosen {
        say(&format!("== fuzz {name}, {seconds} s"));
        finds.extend(fuzz(workspace, &programs, name, seconds)?);
    }
    for find in &finds {
        say(&format!("== found: {find}"));
    }
    if finds.is_empty() { Ok(()) } else { Err(format!("{} found something", finds.len())) }
}

/// The target, and how long it runs.
fn parse(arguments: &[String]) -> Result<(String, u32), String> {
    let (mut target, mut seconds) = ("all".to_owned(), 60);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let given = rest.next().and_then(|given| given.parse().ok());
            seconds = given.ok_or_else(|| format!("--seconds needs a number: {USAGE}"))?;
        } else if argument.starts_with('-') {
            return Err(format!("there is no {argument}: {USAGE}"));
        } else {
            target.clone_from(argument);
        }
    }
    Ok((target, seconds))
}

/// The names of all targets.
fn targets(workspace: &Path) -> Result<Vec<String>, String> {
    let folder = workspace.join("fuzz/fuzz_targets");
    let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stem = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut names: Vec<_> = files.flatten().filter_map(|file| stem(file.path())).collect();
    names.sort();
    Ok(names)
}

/// Builds the targets; gives the folder with their programs.
fn build(workspace: &Path, wanted: &str) -> Result<PathBuf, String> {
    let host = host()?;
    let built = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let built = built.unwrap_or_else(|| workspace.join("target/fuzz/build"));
    let mut command = Command::new(cargo());
    command.args(["build", "--release", "--manifest-path"]);
    command.arg(workspace.join("fuzz/Cargo.toml"));
    // Naming a platform, even this one, spares build scripts and macros the flags.
    command.args(["--target", &host]).arg("--target-dir").arg(&built).env("RUSTFLAGS", FLAGS);
    if wanted != "all" {
        command.args(["--bin", wanted]);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(built.join(host).join("release")),
        Ok(_) => Err("the targets cannot be built".into()),
        Err(error) => Err(format!("cargo cannot be started: {error}")),
    }
}

fn cargo() -> std::ffi::OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The platform of this machine, as the compiler calls it.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| format!("rustc cannot be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its platform".into())
}

/// Runs a target; gives what to do about its find, if there is one.
fn fuzz(
    workspace: &Path,
    programs: &Path,
    name: &str,
    seconds: u32,
) -> Result<Option<String>, String> {
    let kept = workspace.join("target/fuzz");
    let (corpus, finds) = (kept.join("corpus").join(name), kept.join("finds").join(name));
    for folder in [&corpus, &finds] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let before = files(&finds);
    let mut command = Command::new(programs.join(name));
    // New inputs go into the first folder.
    command.arg(&corpus).arg(workspace.join("fuzz/seeds").join(name)).args(LIMITS);
    command.arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-artifact_prefix={}/", finds.display()));
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() {
        command.env("TMPDIR", in_memory); // every input becomes a file for a moment
    }
    let status = command.status().map_err(|error| format!("{name} cannot be started: {error}"))?;
    if status.success() {
        return Ok(None);
    }
    let find = files(&finds).into_iter().find(|file| !before.contains(file));
    let find = find.map_or("no file".into(), |file| file.display().to_string());
    Ok(Some(format!(
        "{find}\n   again:  {} {find}\n   keep it, once it is mended:  cp {find} \
         fuzz/seeds/{name}/found-WHAT",
        programs.join(name).display()
    )))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.path()).collect()
}
