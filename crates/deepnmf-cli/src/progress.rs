//! A progress bar for those who watch, and Ctrl-C for those who have seen enough.

use std::time::Duration;

use anyhow::{Context, Result};
use deepnmf::observe::Stage;
use deepnmf::{CancelToken, Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// Draws one bar per part of the fit on standard error.
pub(crate) struct Progress {
    bar: ProgressBar,
    stage: Option<Stage>,
}

impl Progress {
    pub(crate) fn new(output: Output) -> Self {
        let bar = ProgressBar::new_spinner();
        if output.shows_progress() {
            bar.enable_steady_tick(Duration::from_millis(100));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bar, stage: None }
    }

    /// Says what takes a while, where no iterations can be counted.
    pub(crate) fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    fn enter(&mut self, stage: Stage) {
        if self.stage == Some(stage) {
            return;
        }
        self.stage = Some(stage);
        self.bar.set_style(ProgressStyle::default_spinner());
        self.bar.set_message(format!("{stage}: initializing"));
    }
}

impl Observer for Progress {
    fn on_event(&mut self, event: &Event) {
        match *event {
            Event::Starting { stage } => self.enter(stage),
            Event::Iteration { stage, iteration, max_iterations, error } => {
                self.enter(stage);
                if iteration == 0 {
                    let template = "{msg} {wide_bar} {pos}/{len} [{elapsed}]";
                    if let Ok(style) = ProgressStyle::with_template(template) {
                        self.bar.set_style(style);
                    }
                    self.bar.set_length(max_iterations as u64);
                }
                self.bar.set_position(iteration as u64);
                self.bar.set_message(format!("{stage}: error {error:.5}"));
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A switch that the first Ctrl-C presses; the second one ends the program at once.
pub(crate) fn cancelled_by_interrupt() -> Result<CancelToken> {
    let cancel = CancelToken::new();
    let switch = cancel.clone();
    ctrlc::set_handler(move || {
        if switch.is_cancelled() {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
        switch.cancel();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(cancel)
}
