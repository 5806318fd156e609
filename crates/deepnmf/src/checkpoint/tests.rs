use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::driver::FitSession;
use crate::init::Start;
use crate::matrix::incomplete::tests::incomplete_data;
use crate::matrix::{DataMatrix, Incomplete, Matrix, PartColumns};
use crate::models::{Factorization, FitOptions, Model, Nmf, NonNegativeOptions, SemiNmf};
use crate::observe::Event;
use crate::split_tests::{Tried, every_setting, on_parts};
use crate::stop::{CancelToken, StopReason, StopRule};
use crate::testing::{distance, normal, positive};

fn at_every_iteration(folder: &Path) -> Checkpoints {
    Checkpoints::new(folder).every(Duration::ZERO).resume(true)
}

/// Fits with checkpoints and stops after so many iterations in all loops together, if it gets there.
fn fit_until(tried: &Tried, folder: &Path, iterations: usize) -> Model<f64> {
    fit_data_until(tried, &tried.x, folder, iterations)
}

fn fit_data_until(
    tried: &Tried,
    x: &dyn DataMatrix<f64>,
    folder: &Path,
    iterations: usize,
) -> Model<f64> {
    let cancel = CancelToken::new();
    let (mut seen, switch) = (0, cancel.clone());
    let mut count = |event: &Event| {
        seen += usize::from(matches!(event, Event::Iteration { iteration, .. } if *iteration > 0));
        if seen >= iterations {
            switch.cancel();
        }
    };
    let mut session = FitSession::new()
        .observed_by(&mut count)
        .stopped_by(cancel)
        .checkpointed(at_every_iteration(folder));
    tried.fit(x, &mut session).unwrap()
}

fn assert_same_bits(what: &str, a: &Model<f64>, b: &Model<f64>) {
    assert!(a.factors == b.factors, "{what}");
    let facts = |m: &Model<f64>| {
        let runs: Vec<_> =
            m.summary.runs.iter().map(|r| (r.stage, r.stop, r.history.clone())).collect();
        (runs, m.summary.error.to_bits(), m.summary.notices.clone(), m.summary.svd_bound)
    };
    assert!(facts(a) == facts(b), "{what}");
}

fn states(folder: &Path) -> Vec<PathBuf> {
    let mut files = keeper::files(folder).unwrap();
    files.retain(|path| path.extension().is_some_and(|e| e == "state"));
    files
}

#[test]
fn every_model_resumed_anywhere_ends_with_the_same_bits() {
    for (i, tried) in every_setting().into_iter().enumerate() {
        let undisturbed = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        let steps: usize = undisturbed.summary.runs.iter().map(|run| run.iterations).sum();
        // Some places of every setting, others for the next one.
        for stop in [1 + i % 3, steps / 2 + 1, steps.max(1)] {
            let folder = tempfile::tempdir().unwrap();
            fit_until(&tried, folder.path(), stop);
            let resumed = fit_until(&tried, folder.path(), usize::MAX);
            assert_same_bits(&format!("{} after {stop}", tried.what), &resumed, &undisturbed);
        }
    }
}

/// What was filled in follows from the factors.
#[test]
fn every_model_of_incomplete_data_resumed_anywhere_ends_with_the_same_bits() {
    for (i, tried) in every_setting().into_iter().enumerate() {
        let x = Incomplete::from_nan(incomplete_data(&tried.x)).unwrap();
        let undisturbed = tried.fit(&x, &mut FitSession::new()).unwrap();
        let steps: usize = undisturbed.summary.runs.iter().map(|run| run.iterations).sum();
        for stop in [1 + i % 3, steps / 2 + 1, steps.max(1)] {
            let folder = tempfile::tempdir().unwrap();
            fit_data_until(&tried, &x, folder.path(), stop);
            let resumed = fit_data_until(&tried, &x, folder.path(), usize::MAX);
            assert_same_bits(&format!("{} after {stop}", tried.what), &resumed, &undisturbed);
        }
    }
}

/// Fits on parts of these sizes, with checkpoints, until so many iterations are done.
fn fit_on_parts(tried: &Tried, sizes: &[usize], folder: &Path, iterations: usize) -> Model<f64> {
    let models = on_parts(sizes, |parts| {
        let own = tried.x.view_columns(parts.range());
        let cancel = CancelToken::new();
        let (mut seen, switch) = (0, cancel.clone());
        let mut count = |event: &Event| {
            let counts = matches!(event, Event::Iteration { iteration, .. } if *iteration > 0);
            seen += usize::from(counts);
            // The last part is told to stop, and the first one writes.
            if seen >= iterations && parts.range().end == parts.total() {
                switch.cancel();
            }
        };
        let mut session = FitSession::new()
            .observed_by(&mut count)
            .stopped_by(cancel)
            .checkpointed(at_every_iteration(folder));
        let data = PartColumns::new(own, parts);
        let model = tried.fit_some(&data, parts.range(), &mut session).unwrap();
        model.gathered(parts).unwrap()
    });
    models.into_iter().flatten().next().unwrap()
}

fn distance_of_factors(a: &Model<f64>, b: &Model<f64>) -> f64 {
    let all = |m: &Model<f64>| [m.factors.z.clone(), m.factors.h.clone()].concat();
    all(a).iter().zip(&all(b)).map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

#[test]
fn every_model_is_resumed_on_another_number_of_parts() {
    const SIZES: [&[usize]; 5] = [&[61], &[20, 41], &[33, 5, 23], &[7, 0, 54], &[16, 15, 15, 15]];
    for (i, tried) in every_setting().into_iter().enumerate() {
        let undisturbed = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        let steps: usize = undisturbed.summary.runs.iter().map(|run| run.iterations).sum();
        let (before, after) = (SIZES[i % 5], SIZES[(i + 1 + i / 5 % 4) % 5]);
        let what = format!("{before:?} to {after:?}, {}", tried.what);
        let norm = tried.x.norm_sq().sqrt();
        let folder = tempfile::tempdir().unwrap();
        fit_on_parts(&tried, before, folder.path(), 1 + i % steps.max(1));
        let resumed = fit_on_parts(&tried, after, folder.path(), usize::MAX);
        // Where nothing is left to gain, rounding may decide on one more iteration; its error is the same.
        for (a, b) in resumed.summary.runs.iter().zip(&undisturbed.summary.runs) {
            assert_eq!(a.stage, b.stage, "{what}");
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * norm;
            assert!(a.history.iter().zip(&b.history).all(same), "{what}: {a:?} {b:?}");
        }
        let off = distance_of_factors(&resumed, &undisturbed);
        assert!(off < 1e-10, "{what}: {off}");
    }
}

#[test]
fn a_fit_that_is_resumed_on_as_many_parts_ends_with_the_same_bits() {
    for tried in every_setting().into_iter().step_by(4) {
        let sizes = &[33, 5, 23];
        let [whole, parted] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let undisturbed = fit_on_parts(&tried, sizes, whole.path(), usize::MAX);
        fit_on_parts(&tried, sizes, parted.path(), 3);
        let resumed = fit_on_parts(&tried, sizes, parted.path(), usize::MAX);
        assert_same_bits(&tried.what, &resumed, &undisturbed);
    }
}

#[test]
fn all_parts_refuse_checkpoints_that_the_first_one_refuses() {
    let tried = slow();
    let folder = tempfile::tempdir().unwrap();
    fit_on_parts(&tried, &[20, 41], folder.path(), 2);
    let refused = on_parts(&[20, 41], |parts| {
        let own = tried.x.view_columns(parts.range());
        let checkpoints = Checkpoints::new(folder.path());
        let mut session = FitSession::new().checkpointed(checkpoints);
        let data = PartColumns::new(own, parts);
        tried.fit_some(&data, parts.range(), &mut session).unwrap_err().to_string()
    });
    assert!(refused[0].contains("resume that one"), "{}", refused[0]);
    assert_eq!(refused[1], "the first part has failed");
}

fn slow() -> Tried {
    every_setting().into_iter().find(|tried| tried.what.starts_with("closed form")).unwrap()
}

#[test]
fn a_damaged_checkpoint_costs_time_and_nothing_else() {
    let tried = slow();
    let undisturbed = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
    let damages: [fn(&Path); 4] = [
        |path| fs::write(path, b"").unwrap(),
        |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        },
        |path| {
            let mut bytes = fs::read(path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            fs::write(path, bytes).unwrap();
        },
        |path| fs::remove_file(path).unwrap(),
    ];
    for damage in damages {
        for all in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            fit_until(&tried, folder.path(), 7);
            let found = states(folder.path());
            assert!(found.len() > 2, "{found:?}");
            let damaged = if all { &found[..] } else { &found[found.len() - 1..] };
            for path in damaged {
                damage(path);
            }
            let resumed = fit_until(&tried, folder.path(), usize::MAX);
            assert_same_bits("damaged", &resumed, &undisturbed);
        }
    }
}

#[test]
fn single_precision_is_resumed_with_the_same_bits() {
    let x = normal::<f32>(12, 80, 1);
    let stop = StopRule { kappa: 0.0, max_iterations: 20, max_seconds: None };
    let model = SemiNmf::new(4).with(FitOptions::default().start(Start::Random).stop(stop));
    let undisturbed = model.fit(&x).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let fit = |stop: StopRule| {
        let model = SemiNmf { options: model.options.clone().stop(stop), ..model.clone() };
        let mut session = FitSession::new().checkpointed(at_every_iteration(folder.path()));
        model.fit_in(&x, &[], &mut session).unwrap()
    };
    // Another time budget is the same fit.
    let hasty = fit(StopRule { max_seconds: Some(1e-3), ..stop });
    assert!(hasty.summary.iterations <= undisturbed.summary.iterations);
    assert!(fit(stop).factors == undisturbed.factors);
}

#[test]
fn another_fit_is_refused_with_the_difference() {
    let x = positive::<f64>(8, 30, 1);
    let folder = tempfile::tempdir().unwrap();
    let fit = |model: &Nmf, x: &Matrix<f64>, resume: bool| {
        let checkpoints = at_every_iteration(folder.path()).resume(resume);
        let mut session = FitSession::new().checkpointed(checkpoints);
        model.fit_in(x, &[], &mut session).map_err(|error| error.to_string())
    };
    let model = Nmf::new(3);
    fit(&model, &x, false).unwrap();
    let said = |message: std::result::Result<Model<f64>, String>, words: &str| {
        let message = message.unwrap_err();
        assert!(message.contains(words), "{message}");
    };
    said(fit(&model, &x, false), "resume");
    said(fit(&model, &x.map(|v| 2.0 * v), true), "the fingerprint of the data");
    said(fit(&model, &positive::<f64>(8, 31, 1), true), "the number of samples is 31, but 30");
    said(fit(&Nmf::new(4), &x, true), "the setting components is 4, but 3 there");
    let seeded = Nmf::new(3).with(NonNegativeOptions::default().seed(9));
    said(fit(&seeded, &x, true), "the setting seed is 9, but 0 there");
    fit(&model, &x, true).unwrap();
    at_every_iteration(folder.path()).remove().unwrap();
    fit(&Nmf::new(4), &x, false).unwrap();
}

#[test]
fn removing_checkpoints_leaves_what_is_not_ours() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("notes.txt");
    fs::write(&other, "keep me").unwrap();
    fit_until(&slow(), folder.path(), 3);
    assert!(!states(folder.path()).is_empty());
    Checkpoints::new(folder.path()).remove().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(other.exists());
}

#[test]
fn quick_fits_write_next_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = FitSession::new().checkpointed(Checkpoints::new(folder.path()));
    let model = SemiNmf::new(3).fit_in(&positive::<f64>(8, 30, 1), &[], &mut session).unwrap();
    assert_eq!(model.summary.stop, StopReason::Converged);
    assert!(states(folder.path()).is_empty());
}

/// A fit that is stopped during its initialization begins from random features; a checkpoint of that would lead
/// the resumed fit astray.
#[test]
fn a_fit_that_is_stopped_before_its_first_iteration_leaves_nothing_to_resume_from() {
    for tried in every_setting() {
        let undisturbed = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let cancel = CancelToken::new();
        cancel.cancel();
        let checkpoints = at_every_iteration(folder.path());
        let mut session = FitSession::new().stopped_by(cancel).checkpointed(checkpoints);
        // A graph that nobody waits for is an error, everything else a model.
        let _ = tried.fit(&tried.x, &mut session);
        assert!(states(folder.path()).is_empty(), "{}", tried.what);
        let resumed = fit_until(&tried, folder.path(), usize::MAX);
        assert_same_bits(&tried.what, &resumed, &undisturbed);
    }
}

#[test]
fn checkpoints_that_cannot_be_written_do_not_end_the_fit() {
    let tried = slow();
    let undisturbed = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gone");
    let mut remove = |_: &Event| {
        let _ = fs::remove_dir_all(&path); // as if the disk had gone away
    };
    let checkpoints = at_every_iteration(&path);
    let mut session = FitSession::new().observed_by(&mut remove).checkpointed(checkpoints);
    let model = tried.fit(&tried.x, &mut session).unwrap();
    assert!(model.factors == undisturbed.factors);
    let said = |notice: &crate::Notice| matches!(notice, crate::Notice::NoCheckpoint { .. });
    assert!(model.summary.notices.iter().any(said), "{:?}", model.summary.notices);
}
