//! Who asks the program to stop: Ctrl-C, a batch system, a terminal that is closed.
//!
//! The first signal ends a fit after its iteration, and the model is written. The second one ends the program
//! at once, or as soon as what the first one was answered with is written.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use anyhow::{Context, Result};
use deepnmf::CancelToken;

/// What is added to the number of a signal to make an exit code.
const CODES: u8 = 128;

/// The number of Ctrl-C's signal.
const INTERRUPT: u8 = 2;

/// The signal that came first.
static FIRST: AtomicU8 = AtomicU8::new(0);

/// Whether another one came after it.
static SECOND: AtomicBool = AtomicBool::new(false);

/// Whether something is being written that must not be lost.
static WRITING: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that was asked to stop: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
pub(crate) fn exit_code() -> u8 {
    match FIRST.load(Ordering::SeqCst) {
        0 => CODES + INTERRUPT,
        signal => CODES + signal,
    }
}

/// A switch that the first signal presses.
pub(crate) fn listen() -> Result<CancelToken> {
    let cancel = CancelToken::new();
    let switch = cancel.clone();
    on_signals(move |signal| {
        if FIRST.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            switch.cancel();
        } else {
            // Whoever is writing looks for it afterwards.
            SECOND.store(true, Ordering::SeqCst);
            end_if_asked_twice();
        }
    })
    .context("cannot listen for signals")?;
    Ok(cancel)
}

/// Writes something that no signal interrupts. A second one that comes meanwhile ends the program when it is written.
pub(crate) fn while_writing<R>(write: impl FnOnce() -> R) -> R {
    WRITING.store(true, Ordering::SeqCst);
    let written = write();
    WRITING.store(false, Ordering::SeqCst);
    end_if_asked_twice();
    written
}

fn end_if_asked_twice() {
    if SECOND.load(Ordering::SeqCst) && !WRITING.load(Ordering::SeqCst) {
        std::process::exit(i32::from(exit_code()));
    }
}

#[cfg(unix)]
fn on_signals(told: impl Fn(u8) + Send + 'static) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            told(u8::try_from(signal).unwrap_or(INTERRUPT));
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn on_signals(told: impl Fn(u8) + Send + 'static) -> Result<()> {
    Ok(ctrlc::set_handler(move || told(INTERRUPT))?)
}
