//! A progress bar for those who watch, and Ctrl-C for those who have seen enough.

use std::time::{Duration, Instant};

use deepnmf::observe::Stage;
use deepnmf::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// Between two lines about progress, where nobody watches a bar; shorter fits have none.
const EVERY: Duration = Duration::from_secs(5);

/// Draws one bar per part of the fit on standard error, or writes a line now and then if that is no
/// terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    stage: Option<Stage>,
    output: Output,
    began: Instant,
    told: Instant,
}

impl Progress {
    pub(crate) fn new(output: Output) -> Self {
        let bar = ProgressBar::new_spinner();
        if output.shows_progress() {
            bar.enable_steady_tick(Duration::from_millis(100));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let now = Instant::now();
        Self { bar, stage: None, output, began: now, told: now }
    }

    /// Says what takes a while, where no iterations can be counted.
    pub(crate) fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Counts what is done of things that are all alike.
    pub(crate) fn counting(&mut self, done: usize, known: usize, what: impl Fn() -> String) {
        self.stage = None;
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} [{elapsed}]")
        {
            self.bar.set_style(style);
        }
        self.bar.set_length(known as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(what());
        self.log(|| format!("{}, {done} of {known} fits", what()));
    }

    /// Writes a line, if the last one was long ago.
    fn log(&mut self, line: impl FnOnce() -> String) {
        if self.output.logs_progress() && self.told.elapsed() >= EVERY {
            self.told = Instant::now();
            let seconds = self.began.elapsed().as_secs();
            self.output.remark(format!("{}, {seconds} s", line()));
        }
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
                self.log(|| {
                    format!("{stage}: iteration {iteration} of {max_iterations}, error {error:.5}")
                });
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
