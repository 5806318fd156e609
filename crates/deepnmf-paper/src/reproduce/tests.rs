use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::Progress;

/// Counts cells, and stops the run after some of them.
struct Counter {
    cells: AtomicUsize,
    most: usize,
    cancel: CancelToken,
}

impl Counter {
    fn new(most: usize) -> Self {
        Self { cells: AtomicUsize::new(0), most, cancel: CancelToken::new() }
    }

    fn cells(&self) -> usize {
        self.cells.load(Ordering::Relaxed)
    }
}

impl Watch for Counter {
    fn progress(&self, progress: &Progress) {
        assert!(progress.done <= progress.total && progress.seconds_left >= 0.0);
        if self.cells.fetch_add(1, Ordering::Relaxed) + 1 >= self.most {
            self.cancel.cancel();
        }
    }
}

fn quick(experiments: &[Experiment], workers: usize) -> Reproduction {
    let (experiments, workers) = (experiments.to_vec(), Some(workers));
    let data = DataOptions::default();
    Reproduction::plan(Options { experiments, data, repeats: Some(2), quick: true, workers })
        .unwrap()
}

fn run(run: &Reproduction, out: &Path, most: usize) -> (Report, usize) {
    let counter = Counter::new(most);
    let report = run.run(out, &counter.cancel, &counter).unwrap();
    (report, counter.cells())
}

#[test]
fn an_interrupted_run_goes_on_where_it_was_and_never_twice() {
    let folder = tempfile::tempdir().unwrap();
    let plan = quick(&[Experiment::Reconstruction], 1);
    let cells = plan.estimates()[0].cells;
    let (report, first) = run(&plan, folder.path(), 3);
    assert!(report.interrupted && first == 3);
    assert_eq!(report.sections[0].done, 3);
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains(&format!("{} of {cells} cells are not finished", cells - 3)));
    let (report, second) = run(&plan, folder.path(), usize::MAX);
    assert_eq!((report.interrupted, second), (false, cells - 3));
    assert_eq!(run(&plan, folder.path(), usize::MAX).1, 0, "all is done");
    let lines = fs::read_to_string(folder.path().join("records.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), cells);
}

#[test]
fn numbers_do_not_depend_on_how_many_cells_run_at_a_time() {
    let outputs = [1, 3].map(|workers| {
        let folder = tempfile::tempdir().unwrap();
        run(&quick(&[Experiment::Pretraining], workers), folder.path(), usize::MAX);
        fs::read_to_string(folder.path().join("tables/pretraining-ac.csv")).unwrap()
    });
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn every_experiment_runs_quickly_and_writes_what_it_promises() {
    let folder = tempfile::tempdir().unwrap();
    let plan = quick(&Experiment::ALL, 2);
    let (report, _) = run(&plan, folder.path(), usize::MAX);
    assert_eq!(report.failures, Vec::<String>::new());
    for section in &report.sections {
        assert_eq!(section.done, section.cells, "{}", section.experiment);
        assert!(!section.claims.is_empty() && !section.tables.is_empty());
        assert!(!section.seeds.is_empty() && section.command.contains("--quick"));
        // The figures of XOR are of data that are the paper's own.
        let stand_in = section.experiment != Experiment::Xor;
        assert!(section.claims.iter().all(|claim| claim.stand_in_for.is_some() == stand_in));
        assert!(section.data.iter().all(|data| data.contains("stand-in for") == stand_in));
    }
    for file in &report.files {
        assert!(folder.path().join(file).metadata().unwrap().len() > 0, "{}", file.display());
    }
    for name in [
        "index.html",
        "reproduction.md",
        "cells.csv",
        "figures/pretraining-ac.svg",
        "models/small-drawn-faces-c-pixels-deep-wsf-12-12-12.html",
    ] {
        assert!(report.files.contains(&name.into()), "{name}");
    }
}

#[test]
fn a_model_worth_it_has_a_page_that_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let plan = quick(&[Experiment::Attributes], 2);
    let (report, _) = run(&plan, folder.path(), usize::MAX);
    let page = folder.path().join(&report.sections[0].models[0]);
    let html = fs::read_to_string(&page).unwrap();
    for word in ["stand-in for Multi-PIE", "samples that were not in the fit", "expression"] {
        assert!(html.contains(word), "{word}");
    }
    fs::write(&page, "kept").unwrap();
    run(&plan, folder.path(), usize::MAX);
    assert_eq!(fs::read_to_string(&page).unwrap(), "kept");
    fs::remove_file(&page).unwrap();
    run(&plan, folder.path(), usize::MAX);
    assert!(page.exists(), "what was removed is made again");
}

#[test]
fn without_pie_what_needs_it_cannot_be_tested_and_says_how_to_get_it() {
    let options = |experiments: &[Experiment]| Options {
        experiments: experiments.to_vec(),
        data: DataOptions::default(),
        repeats: None,
        quick: false,
        workers: Some(1),
    };
    let refused = Reproduction::plan(options(&[Experiment::Reconstruction])).err().unwrap();
    assert!(refused.to_string().contains("datasets fetch pie-pose27"), "{refused}");
    let plan = Reproduction::plan(options(&[Experiment::Xor, Experiment::Reconstruction])).unwrap();
    let section = plan.section(Experiment::Reconstruction, &Results::new(vec![])).unwrap();
    assert_eq!(section.claims[0].told(), "cannot be tested here");
    assert!(section.claims[0].evidence.contains("datasets fetch pie-pose27"));
}

#[test]
fn fits_of_the_clusterings_are_not_done_again_for_other_experiments() {
    let folder = tempfile::tempdir().unwrap();
    // Data, layers and seeds are the same in both.
    run(&quick(&[Experiment::Clustering], 2), folder.path(), usize::MAX);
    let plan = quick(&[Experiment::Reconstruction], 2);
    let (report, cells) = run(&plan, folder.path(), usize::MAX);
    assert_eq!(report.sections[0].done, report.sections[0].cells);
    assert_eq!(cells, 2, "only GNMF by coordinate descent is not in the other");
}
