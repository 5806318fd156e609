//! All of it: plan, run, write, one experiment after the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use deepnmf::CancelToken;
use deepnmf::persist::write_atomically;
use serde::Serialize;

use crate::Experiment;
use crate::cell::Cell;
use crate::error::{PaperError, Result, io_error};
use crate::exhibit;
use crate::experiments::{Bench, Results};
use crate::page::{self, Head};
use crate::record::Machine;
use crate::runner::{Runner, Watch, lock};
use crate::section::Section;
use crate::sets::{DataOptions, Library};
use crate::store::Store;
use crate::time_left::TimeLeft;

/// What to run, on what, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The experiments, in this order.
    pub experiments: Vec<Experiment>,
    /// Where to look for data.
    pub data: DataOptions,
    /// How often to repeat what is repeated; each experiment has its own default.
    pub repeats: Option<usize>,
    /// Whether to run small models on small drawn data only.
    pub quick: bool,
    /// How many cells to run at a time; one for each core by default.
    pub workers: Option<usize>,
}

/// What an experiment would take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The experiment.
    pub experiment: Experiment,
    /// Its cells, as far as there are data for them.
    pub cells: usize,
    /// Seconds by the clock, from counts of operations.
    pub seconds: f64,
}

/// What became of a run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The experiments.
    pub sections: Vec<Section>,
    /// The files, below the folder.
    pub files: Vec<PathBuf>,
    /// Cells that failed, with the reason.
    pub failures: Vec<String>,
    /// Whether somebody has stopped it.
    pub interrupted: bool,
}

/// A planned run.
pub struct Reproduction {
    plans: Vec<(Experiment, Vec<Cell>)>,
    options: Options,
    workers: usize,
}

impl Reproduction {
    /// Finds the data and plans all cells.
    ///
    /// # Errors
    /// If data cannot be read, or nothing can be run with those that there are.
    pub fn plan(options: Options) -> Result<Self> {
        let library = Library::open(options.data.clone(), options.quick)?;
        let mut bench = Bench { library, repeats: options.repeats };
        let mut plans = Vec::with_capacity(options.experiments.len());
        for &experiment in &options.experiments {
            plans.push((experiment, experiment.study().plan(&mut bench)?));
        }
        if plans.iter().all(|(_, cells)| cells.is_empty()) {
            return Err(PaperError::Missing(
                "PIE_pose27.mat was not found, and nothing else was asked for: name its folder with \
                 --data, or get it with `deepnmf datasets fetch pie-pose27`"
                    .into(),
            ));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = options.workers.unwrap_or(cores).max(1);
        Ok(Self { plans, options, workers })
    }

    /// What every experiment would take.
    pub fn estimates(&self) -> Vec<Estimate> {
        let one = |(experiment, cells): &(Experiment, Vec<Cell>)| Estimate {
            experiment: *experiment,
            cells: cells.len(),
            seconds: TimeLeft::of(cells.iter().filter(|c| self.is_own(c))).seconds(self.workers),
        };
        self.plans.iter().map(one).collect()
    }

    /// Whether a cell has to be run itself, because no other will do for it.
    fn is_own(&self, cell: &Cell) -> bool {
        let mut others = self.plans.iter().flat_map(|(_, cells)| cells);
        !others.any(|other| cell.is_covered_by(other))
    }

    /// The data of all experiments, each with what it stands in for.
    pub fn data(&self) -> Vec<String> {
        let all = Results::new(self.plans.iter().flat_map(|(_, c)| c).map(|c| (c, None)).collect());
        let mut titles: Vec<String> = all.all_sets().iter().map(|set| set.title()).collect();
        titles.dedup();
        titles
    }

    /// Runs what has not been run yet and writes everything to the folder, after each experiment and
    /// after an interruption as well.
    ///
    /// # Errors
    /// If the folder cannot be written, or what is in it is not this program's.
    pub fn run(&self, out: &Path, cancel: &CancelToken, watch: &dyn Watch) -> Result<Report> {
        for folder in ["figures", "tables", exhibit::FOLDER] {
            let folder = out.join(folder);
            fs::create_dir_all(&folder).map_err(io_error("make", folder))?;
        }
        let store = Store::open(&out.join("records.jsonl"))?;
        let all = self.plans.iter().flat_map(|(_, cells)| cells);
        let open = all.filter(|cell| self.is_own(cell) && cell.found_in(&store).is_none());
        let time_left = Mutex::new(TimeLeft::of(open));
        let (workers, cancel) = (self.workers, cancel.clone());
        let runner = Runner { store: Mutex::new(store), time_left, workers, cancel, watch };
        let mut failures = Vec::new();
        let mut report = None;
        let mut plans: Vec<&(Experiment, Vec<Cell>)> = self.plans.iter().collect();
        // Others can use what the clusterings have fitted.
        plans.sort_by_key(|(experiment, _)| *experiment != Experiment::Clustering);
        for (experiment, cells) in plans {
            let study = experiment.study();
            failures.extend(runner.run(cells, &|cell, cancel| study.run(cell, cancel))?);
            failures.extend(runner.exhibit(study, cells, out)?);
            report = Some(self.write(out, &lock(&runner.store))?);
            if runner.cancel.is_cancelled() {
                break;
            }
        }
        let (sections, files) = report.unwrap_or_default();
        Ok(Report { sections, files, failures, interrupted: runner.cancel.is_cancelled() })
    }

    /// Writes what there is; the files, below the folder.
    fn write(&self, out: &Path, store: &Store) -> Result<(Vec<Section>, Vec<PathBuf>)> {
        let mut sections = Vec::new();
        let mut records = Vec::new();
        let mut written = vec![PathBuf::from("records.jsonl")];
        for (experiment, cells) in &self.plans {
            let found = cells.iter().map(|cell| (cell, cell.found_in(store))).collect();
            let results = Results::new(found);
            let exhibited = experiment.study().exhibited(cells).into_iter();
            let models = exhibited.filter(|c| exhibit::is_done(c, out, store)).map(exhibit::file);
            let models: Vec<String> = models.collect();
            written.extend(models.iter().map(PathBuf::from));
            sections.push(Section { models, ..self.section(*experiment, &results)? });
            // What was taken from another experiment stands there.
            records.extend(results.records().filter(|r| r.experiment == experiment.name()));
        }
        let head =
            Head { quick: self.options.quick, machine: Machine::this(), workers: self.workers };
        let mut write = |name: String, text: &str| -> Result<()> {
            write_atomically(&out.join(&name), |file| file.write_all(text.as_bytes()))?;
            written.push(name.into());
            Ok(())
        };
        write("index.html".into(), &page::html(&head, &sections))?;
        write("reproduction.md".into(), &page::markdown(&head, &sections))?;
        write("cells.csv".into(), &page::cells(records.into_iter()))?;
        for section in &sections {
            for figure in &section.figures {
                write(format!("figures/{}.svg", figure.name), &figure.svg)?;
            }
            for table in &section.tables {
                write(format!("tables/{}.csv", table.name), &page::table(table))?;
            }
        }
        Ok((sections, written))
    }

    fn section(&self, experiment: Experiment, results: &Results<'_>) -> Result<Section> {
        let told = experiment.study().sum_up(results)?;
        let titles = results.all_sets().into_iter().map(|set| {
            let (p, n) = set.x.shape();
            format!("{}, {n} samples of {p} features", set.title())
        });
        let data: Vec<String> = titles.collect();
        Ok(Section {
            experiment,
            title: experiment.title().into(),
            place: experiment.place().into(),
            protocol: told.protocol,
            data: if data.is_empty() { vec!["none at hand".into()] } else { data },
            command: self.command(experiment),
            seeds: told.seeds,
            claims: told.claims,
            tables: told.tables,
            figures: told.figures,
            models: vec![],
            explanations: told.explanations,
            done: results.done(),
            cells: results.total(),
            seconds: results.seconds_of(experiment),
        })
    }

    /// The command that gives the numbers of an experiment again.
    fn command(&self, experiment: Experiment) -> String {
        let mut command = vec![format!("deepnmf reproduce {}", experiment.name())];
        let data = &self.options.data;
        if self.options.quick {
            command.push("--quick".into());
        } else if data.folder.is_some() && experiment != Experiment::Xor {
            command.push("--data FOLDER".into());
        }
        for (flag, given) in [("--xm2vts", &data.xm2vts), ("--multi-pie", &data.multi_pie)] {
            if given.is_some() && !self.options.quick {
                command.push(format!("{flag} FOLDER"));
            }
        }
        command.extend(self.options.repeats.map(|repeats| format!("--repeats {repeats}")));
        command.join(" ")
    }
}

#[cfg(test)]
mod tests;
