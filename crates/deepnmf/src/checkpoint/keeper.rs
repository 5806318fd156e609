//! Which checkpoints there are, and when the next one is due. All parts of the data ask it together; the first one
//! reads and writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::state::{self, Restored};
use super::{Checkpoints, Identity};
use crate::driver::Algorithm;
use crate::error::{Error, Result};
use crate::matrix::Parts;
use crate::observe::Stage;
use crate::persist::write_atomically;
use crate::stop::StopReason;

/// Writing takes at most one part in so many of the time. Tests write after every iteration.
const SHARE: u32 = if cfg!(test) { 0 } else { 50 };

/// Newest states of a loop that are kept: one may be damaged.
const KEPT: usize = 2;

/// How far a loop has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reached {
    pub(crate) stage: Stage,
    pub(crate) history: Vec<f64>,
    pub(crate) clock: Vec<f64>,
    /// Why it ended, if it has.
    pub(crate) stop: Option<StopReason>,
}

/// Keeps the checkpoints of a session.
#[derive(Debug)]
pub(crate) struct Keeper {
    settings: Checkpoints,
    /// Fits begun in this session.
    fits: usize,
    /// Loops begun in this fit.
    loops: usize,
    last: Instant,
    /// How long the last one took to write.
    cost: Duration,
    /// Whether somebody has stopped a loop of this fit. Those behind it then begin from something else than
    /// they would have, so none of their states is worth keeping.
    stopped: bool,
    /// Why the last state that could not be written could not be.
    trouble: Option<String>,
}

impl Keeper {
    pub(crate) fn new(settings: Checkpoints) -> Self {
        Self {
            settings,
            fits: 0,
            loops: 0,
            last: Instant::now(),
            cost: Duration::ZERO,
            stopped: false,
            trouble: None,
        }
    }

    /// Begins a fit, or takes up one that was begun before.
    pub(crate) fn begin(&mut self, identity: &Identity, parts: Parts<'_>) -> Result<()> {
        self.fits += 1;
        self.loops = 0;
        self.stopped = false;
        parts.first_does(|| self.prepare_folder(identity)).map(drop)
    }

    fn prepare_folder(&self, identity: &Identity) -> Result<()> {
        let folder = &self.settings.folder;
        let io = |action| move |source| Error::Io { action, path: folder.clone(), source };
        fs::create_dir_all(folder).map_err(io("make the folder"))?;
        if self.fits == 1 && !self.settings.resume && !files(folder)?.is_empty() {
            return Err(Error::parameter(
                "the folder of checkpoints",
                folder.display(),
                "it holds those of another fit: resume that one, or choose an empty folder",
            ));
        }
        let path = folder.join(format!("fit-{}.json", self.fits));
        match fs::read(&path) {
            Ok(bytes) => self.compare(identity, &bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let json = serde_json::to_vec_pretty(identity)
                    .map_err(|e| Error::Numerical(format!("a checkpoint: {e}")))?;
                write_atomically(&path, |file| file.write_all(&json))
            }
            Err(error) => Err(io("read")(error)),
        }
    }

    fn compare(&self, identity: &Identity, bytes: &[u8]) -> Result<()> {
        let other: Identity = serde_json::from_slice(bytes).map_err(|_| {
            let accepted =
                "they are damaged, or of another version of deepnmf: choose an empty folder";
            Error::parameter("the folder of checkpoints", self.settings.folder.display(), accepted)
        })?;
        let Some(difference) = identity.difference(&other) else { return Ok(()) };
        Err(Error::parameter(
            "the folder of checkpoints",
            self.settings.folder.display(),
            format!("its fit is another one, {difference}: choose an empty folder"),
        ))
    }

    /// Whether a fit was begun that checkpoints can belong to.
    pub(crate) fn is_at_work(&self) -> bool {
        self.fits > 0
    }

    /// Begins the next loop: with the newest state of it that can be read.
    pub(crate) fn take_up<'a>(
        &mut self,
        stage: Stage,
        parts: Parts<'a>,
    ) -> Result<Option<(Reached, Restored<'a>)>> {
        self.loops += 1;
        if self.stopped {
            return Ok(None);
        }
        let readable = parts.first_does(|| {
            Ok(self.of_this_loop()?.into_iter().rev().find_map(|path| {
                let found = state::read(&path).ok();
                found.filter(|(reached, _)| reached.stage == stage && !reached.history.is_empty())
            }))
        })?;
        Restored::shared(readable.flatten(), parts)
    }

    /// Writes the state of the loop if that is due.
    pub(crate) fn keep(
        &mut self,
        algorithm: &dyn Algorithm,
        reached: &Reached,
        parts: Parts<'_>,
    ) -> Result<()> {
        if !self.stopped && parts.first_says(self.is_due())? {
            self.write(algorithm, reached, parts);
        }
        Ok(())
    }

    /// Why states could not be written, if that was so.
    pub(crate) fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// Whether another one is wanted, and would not take more than its share of the time.
    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.settings.every.max(self.cost * SHARE)
    }

    /// Writes the state of the loop as it ends, if somebody has stopped it or one is due. Otherwise its last
    /// iterations are run again.
    pub(crate) fn end(
        &mut self,
        algorithm: &dyn Algorithm,
        reached: &Reached,
        parts: Parts<'_>,
    ) -> Result<()> {
        let early = matches!(reached.stop, Some(StopReason::Cancelled | StopReason::TimeBudget));
        let before = self.stopped;
        self.stopped |= early;
        // Before the first iteration there is nothing to keep, and where somebody has stopped the
        // initialization it is not even what a whole fit begins with.
        let begun = reached.history.len() > 1;
        if !before && begun && (early || parts.first_says(self.is_due())?) {
            // What was stopped early goes on when it is resumed.
            let stop = reached.stop.filter(|_| !early);
            self.write(algorithm, &Reached { stop, ..reached.clone() }, parts);
        }
        Ok(())
    }

    /// A state that cannot be written is no reason to lose the fit: it goes on, and says so when it ends.
    /// Who cannot reach the others finds out in the next iteration.
    fn write(&mut self, algorithm: &dyn Algorithm, reached: &Reached, parts: Parts<'_>) {
        let begun = Instant::now();
        if let Err(error) = self.try_to_write(algorithm, reached, parts) {
            self.trouble = Some(error.to_string());
        }
        (self.last, self.cost) = (Instant::now(), begun.elapsed());
    }

    fn try_to_write(
        &self,
        algorithm: &dyn Algorithm,
        reached: &Reached,
        parts: Parts<'_>,
    ) -> Result<()> {
        let iteration = reached.history.len() - 1;
        let place = match reached.stop {
            Some(_) => "done".to_owned(),
            None => format!("{iteration:08}"),
        };
        let path = self.settings.folder.join(format!("{}{place}.state", self.prefix()));
        state::write(&path, algorithm, reached, parts)?;
        if !parts.is_first() {
            return Ok(());
        }
        let mut older = self.of_this_loop()?;
        older.truncate(older.len().saturating_sub(KEPT));
        for path in older {
            let _ = fs::remove_file(path); // it is in nobody's way
        }
        Ok(())
    }

    fn prefix(&self) -> String {
        format!("fit-{}-loop-{:03}-", self.fits, self.loops)
    }

    /// The states of this loop, the newest last.
    fn of_this_loop(&self) -> Result<Vec<PathBuf>> {
        let prefix = self.prefix();
        let mut found = files(&self.settings.folder)?;
        found.retain(|path| name_of(path).starts_with(&prefix));
        Ok(found)
    }
}

/// All files of checkpoints in a folder, in the order of their names: digits stand before "done".
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let io = |source| Error::Io { action: "read", path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        other => other.map_err(io)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(io)?.path();
        let ours = path.extension().is_some_and(|end| end == "state" || end == "json");
        if ours && name_of(&path).starts_with("fit-") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
