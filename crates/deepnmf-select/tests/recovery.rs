//! The answer where it is known.

#![allow(clippy::unwrap_used, clippy::panic)] // as in every test

use deepnmf::matrix::{Incomplete, product};
use deepnmf::rng::{generator, uniform};
use deepnmf::{DataMatrix, FitOptions, Matrix, Nmf, SemiNmf, Settings, Sparse, StopReason};
use deepnmf_select::{Choice, Outcome, Progress, Selection, Task};

fn drawn(rows: usize, cols: usize, seed: u64, power: i32) -> Matrix<f64> {
    let mut rng = generator(seed, 7);
    Matrix::from_fn(rows, cols, |_, _| uniform(&mut rng).powi(power))
}

/// Products of so many components, and noise with this share of their standard deviation.
fn planted(p: usize, n: usize, k: usize, noise: f64, seed: u64) -> Matrix<f64> {
    let clean = product(drawn(p, k, seed, 2).view(), drawn(k, n, seed + 1000, 3).view());
    let mean = clean.as_slice().iter().sum::<f64>() / (p * n) as f64;
    let variance = clean.as_slice().iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let size = noise * (12.0 * variance / (p * n) as f64).sqrt();
    let error = drawn(p, n, seed + 2000, 1);
    Matrix::from_fn(p, n, |i, j| clean[(i, j)] + size * (error[(i, j)] - 0.5))
}

fn semi(task: Task) -> Settings {
    let mut options = FitOptions::default().seed(task.mask as u64);
    options.measure_bound = false;
    SemiNmf::new(task.size).with(options).into()
}

fn choose(x: &dyn DataMatrix<f64>, most: usize, seed: u64) -> Choice {
    let selection = Selection { seed, ..Selection::default() };
    match selection.choose(x, 1..=most, &semi, &mut |_| (), None).unwrap() {
        Outcome::Answer(choice) => choice,
        Outcome::Waiting { .. } => panic!("nobody to wait for"),
    }
}

#[test]
fn planted_ranks_are_found() {
    for (k, noise) in [(3, 0.1), (3, 0.5), (8, 0.2)] {
        let found = choose(&planted(60, 200, k, noise, 1), 20, 0);
        assert_eq!(found.chosen, k, "noise {noise}: {}", found.reason);
    }
}

#[test]
fn noise_has_no_structure() {
    for seed in 0..3 {
        let found = choose(&drawn(40, 100, seed, 1), 20, seed);
        assert_eq!(found.chosen, 0, "{}", found.reason);
        assert!(found.reason.starts_with("no structure"), "{}", found.reason);
    }
}

#[test]
fn sparse_counts_have_the_rank_of_their_means() {
    // Counts about the products of four components, most of them zero.
    let means = planted(80, 400, 4, 0.0, 3).map(|v| 5.0 * v);
    let mut rng = generator(9, 9);
    let mut count = |mean: f64| {
        let (limit, mut product, mut count) = ((-mean).exp(), uniform(&mut rng), 0.0);
        while product > limit {
            product *= uniform(&mut rng);
            count += 1.0;
        }
        count
    };
    let dense = Matrix::from_fn(80, 400, |i, j| count(means[(i, j)]));
    let sparse = Sparse::from_dense(&dense);
    let settings = |task: Task| {
        let mut options = FitOptions::default().seed(task.mask as u64);
        options.measure_bound = false;
        SemiNmf::new(task.size).with(options).into()
    };
    let answer = |x: &dyn DataMatrix<f64>| {
        Selection::default().choose(x, 1..=9, &settings, &mut |_| (), None).unwrap()
    };
    let (Outcome::Answer(of_sparse), Outcome::Answer(of_dense)) = (answer(&sparse), answer(&dense))
    else {
        panic!("nobody to wait for")
    };
    assert_eq!(of_sparse.chosen, 4, "{}", of_sparse.reason);
    for (a, b) in of_sparse.curve.iter().zip(&of_dense.curve) {
        assert!((a.held_out - b.held_out).abs() < 1e-6 * b.held_out, "{a:?} {b:?}");
    }
}

#[test]
fn missing_entries_stay_missing() {
    let x = planted(40, 150, 3, 0.2, 2);
    let mut rng = generator(3, 3);
    let holes: Vec<(usize, usize)> = (0..150)
        .flat_map(|j| (0..40).map(move |i| (i, j)))
        .filter(|_| uniform(&mut rng) < 0.3)
        .collect();
    // Whatever stands at a hole: nobody looks.
    let mut other = x.clone();
    for place in &holes {
        other[*place] = 1e6;
    }
    let of = |x: &Matrix<f64>| choose(&Incomplete::with_holes(x, &holes).unwrap(), 6, 0);
    let (a, b) = (of(&x), of(&other));
    assert_eq!(a.chosen, 3, "{}", a.reason);
    for (a, b) in a.curve.iter().zip(&b.curve) {
        assert_eq!(a.held_out.to_bits(), b.held_out.to_bits());
    }
    // The same entries as those of sparse data whose zeros are missing.
    let mut entries = vec![];
    for j in 0..150 {
        entries.extend((0..40).filter(|i| !holes.contains(&(*i, j))).map(|i| (i, j, x[(i, j)])));
    }
    let held = Sparse::from_entries((40, 150), &entries).unwrap();
    let c = choose(&Incomplete::of_held(&held), 6, 0);
    for (a, c) in a.curve.iter().zip(&c.curve) {
        assert!((a.held_out - c.held_out).abs() < 1e-6 * a.held_out, "{a:?} {c:?}");
    }
}

#[test]
fn workers_come_to_the_answer_of_one_and_work_goes_on() {
    let x = planted(40, 90, 3, 0.3, 5);
    let alone = choose(&x, 9, 0);
    let folder = tempfile::tempdir().unwrap();
    let worker = |index| Selection {
        records: Some(folder.path().join("records")),
        worker: Some((index, 3)),
        ..Selection::default()
    };
    let mut fits = 0;
    let mut count = |progress: Progress<'_>| fits += usize::from(progress.done > 0);
    let first = worker(0).choose(&x, 1..=9, &semi, &mut count, None).unwrap();
    assert_eq!(first, Outcome::Waiting { missing: 30 });
    assert_eq!(fits, 15);
    worker(2).choose(&x, 1..=9, &semi, &mut |_| (), None).unwrap();
    let last = worker(1).choose(&x, 1..=9, &semi, &mut |_| (), None).unwrap();
    let Outcome::Answer(together) = last else { panic!("all fits are there") };
    // Only the seconds differ.
    assert_eq!((together.chosen, &together.reason), (alone.chosen, &alone.reason));
    for (a, b) in together.curve.iter().zip(&alone.curve) {
        assert_eq!(a.held_out.to_bits(), b.held_out.to_bits());
        assert_eq!(a.stability, b.stability);
    }
    // Other data, or other settings, do not mix with these.
    let other = planted(40, 90, 3, 0.3, 6);
    let error = worker(0).choose(&other, 1..=9, &semi, &mut |_| (), None).unwrap_err();
    assert!(error.to_string().contains("of other data"), "{error}");
    let error = worker(0)
        .choose(&x, 1..=9, &|task| Nmf::new(task.size).into(), &mut |_| (), None)
        .unwrap_err();
    assert!(error.to_string().contains("with other settings"), "{error}");
    // A record that was cut short is named.
    let record = folder.path().join("records/size-2-mask-0.safetensors");
    let bytes = std::fs::read(&record).unwrap();
    std::fs::write(&record, &bytes[..bytes.len() / 2]).unwrap();
    let error = worker(0).choose(&x, 1..=9, &semi, &mut |_| (), None).unwrap_err();
    assert!(error.to_string().contains("size-2-mask-0"), "{error}");
}

#[test]
fn what_cannot_be_is_refused() {
    let x = planted(10, 20, 2, 0.1, 1);
    let refused = |selection: Selection, allowed| {
        selection.choose(&x, allowed, &semi, &mut |_| (), None).unwrap_err().to_string()
    };
    let usual = Selection::default;
    assert!(refused(Selection { share: 0.0, ..usual() }, 1..=3).contains("between 0 and 1"));
    assert!(refused(Selection { masks: 0, ..usual() }, 1..=3).contains("at least 1"));
    assert!(refused(usual(), 0..=3).contains("from 1 on"));
    assert!(refused(Selection { worker: Some((2, 2)), ..usual() }, 1..=3).contains("from 0"));
    assert!(refused(Selection { worker: Some((1, 2)), ..usual() }, 1..=3).contains("folder"));
    let cancel = deepnmf::CancelToken::new();
    cancel.cancel();
    let stopped = usual().choose(&x, 1..=3, &semi, &mut |_| (), Some(cancel));
    let told = deepnmf::Error::Interrupted(StopReason::Cancelled).to_string();
    assert_eq!(stopped.unwrap_err().to_string(), told);
}
