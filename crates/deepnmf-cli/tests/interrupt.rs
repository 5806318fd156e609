//! Ctrl-C and closed pipes: what was found so far is kept, and nobody sees a panic.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // as in every test

#[allow(dead_code)] // each test file uses a part of it
mod common;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{FACES, Folder, Run, number, tensors};
use serde_json::Value;

/// The longest wait before a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A fit that would take for ever: it starts badly, improves slowly, and never slowly enough.
const ENDLESS: &str = "fit builtin:faces:identities=10 --layers 60,20 --init random \
                       --solver multiplicative --kappa 0 --max-iter 1000000000";

/// The number of the signal that Ctrl-C sends.
const SIGINT: i32 = 2;

/// Waits until the program has ended.
fn ended(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the program goes on after an interrupt");
        }
        sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// Starts the program and interrupts it once it listens.
fn interrupted(folder: &Folder, arguments: &str) -> Run {
    let mut pause = Duration::from_millis(200);
    let start = Instant::now();
    loop {
        let mut command = folder.command(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        sleep(pause);
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success(), "the program ended by itself");
        let output = ended(child);
        // Before the program listens, the signal just ends it: too early.
        if output.status.signal() != Some(SIGINT) {
            return Run::new(arguments, &output);
        }
        assert!(start.elapsed() < PATIENCE, "the program never listens to Ctrl-C");
        pause *= 2;
    }
}

#[test]
fn an_interrupted_fit_keeps_the_best_so_far_and_says_so() {
    let folder = Folder::new();
    let run = interrupted(&folder, &format!("{ENDLESS} --out m.safetensors --json"));
    assert_eq!(run.code, Some(130), "{run}");
    assert!(run.stderr.contains("interrupted"), "{run}");
    let fit: Value = run.json();
    assert!(number(&fit, "relative_error") <= 1.0);
    assert_eq!(folder.listing().len(), 1, "only the model is left");
    assert_eq!(tensors(&folder.read("m.safetensors")).len(), 4);
    let info = folder.run("info m.safetensors");
    assert_eq!(info.code, Some(0), "{info}");
    assert!(info.stdout.contains("interrupted"), "{info}");
    assert_eq!(folder.json("info m.safetensors")["error"], fit["error"]);
}

#[test]
fn an_interrupted_fit_can_be_continued() {
    let folder = Folder::new();
    let run = interrupted(&folder, &format!("{ENDLESS} --out m.safetensors --json"));
    let before = number(&run.json(), "error");
    let more = folder.fit(
        "builtin:faces:identities=10 --layers 60,20 --init-from m.safetensors --max-iter 2 \
         --out m.safetensors",
    );
    assert!(number(&more, "error") <= before * (1.0 + 1e-9), "{more}");
}

#[test]
fn a_reader_who_has_seen_enough_is_no_failure() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 4 --out m.safetensors"));
    for arguments in [
        "info m.safetensors",
        "info m.safetensors --json",
        "completions bash",
        "--help",
        "transform m.safetensors builtin:faces:size=12 --out h.npy",
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = folder.command(arguments).stdout(writer).output().unwrap();
        let run = Run::new(arguments, &output);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
    }
}

#[test]
#[cfg(target_os = "linux")] // elsewhere no device is always full
fn a_full_disk_behind_standard_output_is_a_failure() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 4 --out m.safetensors"));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = folder.command("info m.safetensors").stdout(full).output().unwrap();
    let run = Run::new("info m.safetensors > /dev/full", &output);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("standard output"), "{run}");
}
