//! Ctrl-C and closed pipes: what was found so far is kept, and nobody sees a panic.

use std::io;
#[cfg(target_os = "linux")]
use std::io::Write;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{FACES, Folder, Run, number, tensors};
use serde_json::Value;

/// The longest wait before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A fit that would take for ever: it starts badly, improves slowly, and never slowly enough. It
/// ends after a while all the same, lest a test that fails leave it behind.
pub(crate) const ENDLESS: &str = "fit builtin:faces:identities=10 --layers 60,20 --init random --kappa 0 \
                       --solver multiplicative --max-iter 1000000000 --max-seconds 600";

/// The number of the signal that Ctrl-C sends.
const SIGINT: i32 = 2;

/// Waits until something has come about.
pub(crate) fn wait_until(what: &str, mut come: impl FnMut() -> bool) {
    let start = Instant::now();
    while !come() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        sleep(Duration::from_millis(10));
    }
}

/// Waits until the program has ended.
pub(crate) fn ended(mut child: Child) -> Output {
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

/// Presses Ctrl-C.
fn interrupt(child: &Child) {
    send("INT", child);
}

/// Sends a signal.
pub(crate) fn send(signal: &str, child: &Child) {
    // A process that has ended is still there until it is waited for.
    let kill = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Waits until the program listens to Ctrl-C, or has ended.
pub(crate) fn wait_until_it_listens(child: &mut Child, pause: Duration) {
    if !cfg!(target_os = "linux") {
        return sleep(pause);
    }
    wait_until("the program listens to Ctrl-C", || {
        child.try_wait().unwrap().is_some() || listens(child.id())
    });
}

/// Whether a process listens to Ctrl-C.
pub(crate) fn listens(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    caught & (1 << (SIGINT - 1)) != 0
}

/// Starts the program and interrupts it once it listens.
fn interrupted(folder: &Folder, arguments: &str) -> Run {
    let mut pause = Duration::from_millis(200);
    let start = Instant::now();
    loop {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until_it_listens(&mut child, pause);
        interrupt(&child);
        let output = ended(child);
        // Before the program listens, the signal just ends it: too early.
        if output.status.signal() != Some(SIGINT) {
            return Run::new(arguments, &output);
        }
        assert!(start.elapsed() < PATIENCE, "the program never listens to Ctrl-C");
        pause *= 2;
    }
}

/// A demo that is interrupted. Demos end by themselves; one that was too fast is made larger.
fn interrupted_demo(folder: &Folder) -> Run {
    for identities in [20, 40, 80, 160] {
        let demo = format!("demo --faces identities={identities} --out demo --json");
        let run = interrupted(folder, &demo);
        if run.code != Some(0) {
            return run;
        }
    }
    panic!("every demo ends before it can be interrupted");
}

/// Standard output that takes nothing, and the other end, which nobody reads.
#[cfg(target_os = "linux")]
fn full() -> (UnixStream, UnixStream) {
    let (mut writer, reader) = UnixStream::pair().unwrap();
    writer.set_nonblocking(true).unwrap();
    // Large pieces first, then the last gaps.
    for size in [4096, 1] {
        while writer.write(&vec![0; size]).is_ok() {}
    }
    writer.set_nonblocking(false).unwrap();
    (writer, reader)
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
fn an_interrupted_demo_still_leaves_everything_it_promises() {
    let folder = Folder::new();
    let run = interrupted_demo(&folder);
    assert_eq!(run.code, Some(130), "{run}");
    assert!(run.stderr.contains("interrupted"), "{run}");
    let demo: Value = run.json();
    let files = demo["files"].as_array().unwrap();
    assert_eq!(folder.listing().len(), files.len() + 1, "the files in a folder");
    for file in files {
        assert!(!folder.read(&format!("demo/{}", file.as_str().unwrap())).is_empty());
    }
    let info = folder.run("info demo/model.safetensors");
    assert!(info.stdout.contains("interrupted"), "{info}");
    folder.json("transform demo/model.safetensors demo/faces.npy --out h.npy");
}

/// The program has heard the first Ctrl-C when its model is there. Then it cannot get rid of its
/// result, and would wait for ever.
#[test]
#[cfg(target_os = "linux")] // elsewhere one cannot see whether the program listens
fn a_second_interrupt_ends_the_program_at_once() {
    let folder = Folder::new();
    let (stdout, reader) = full();
    let mut command = folder.command(&format!("{ENDLESS} --out m.safetensors"));
    let mut child = command.stdout(OwnedFd::from(stdout)).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(&mut child, PATIENCE);
    interrupt(&child);
    wait_until("the model is written", || folder.path("m.safetensors").exists());
    assert!(child.try_wait().unwrap().is_none(), "nobody has read its result");
    interrupt(&child);
    let output = ended(child);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    drop(reader);
    assert_eq!(tensors(&folder.read("m.safetensors")).len(), 4);
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
