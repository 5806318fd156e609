//! Our numbers beside those of SciPy and scikit-learn.
//!
//! `DEEPNMF_PYTHON` names a Python interpreter that has both.

use std::io::Write;
use std::process::{Command, Stdio};

use deepnmf::Matrix;
use deepnmf_eval::metrics::{self, Average};
use deepnmf_eval::stats::{Verdict, paired_t_test};
use deepnmf_eval::{KMeans, LinearSvm, NearestNeighbour};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// What Python answers, or `None` after a word about why the test is skipped.
fn reference(request: &Value) -> Option<Value> {
    let python = deepnmf_testing::python()?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference.py");
    let mut child = Command::new(python)
        .arg(script)
        .env("OMP_NUM_THREADS", "1") // several of these run at once, and none is large
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("DEEPNMF_PYTHON names a program");
    // The script reads all of its input before it writes, so neither side waits for the other.
    let mut input = child.stdin.take().unwrap();
    input.write_all(request.to_string().as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "reference.py failed");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn unit(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / f64::from(u32::MAX)
}

fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    rng.next_u32() as usize % bound
}

/// Samples around one centre per class, overlapping.
fn classes(p: usize, n: usize, k: usize, seed: u64) -> (Matrix<f64>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let centres = Matrix::from_fn(p, k, |_, _| 2.0 * unit(&mut rng));
    let labels: Vec<usize> = (0..n).map(|_| below(&mut rng, k)).collect();
    let x = Matrix::from_fn(p, n, |i, j| centres[(i, labels[j])] + 2.0 * unit(&mut rng) - 1.0);
    (x, labels)
}

fn rows(x: &Matrix<f64>) -> Vec<&[f64]> {
    x.columns().collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn labels(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).unwrap()
}

#[track_caller]
fn assert_close(ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{ours} is not {theirs}");
}

/// Pairs of labelings: unrelated, related, equal, of one class, of a class per sample.
fn labelings() -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let pair = |case: usize| {
        let n = 1 + below(&mut rng, 200);
        let (a, b) = (1 + below(&mut rng, 12), 1 + below(&mut rng, 15));
        let first: Vec<usize> = (0..n).map(|_| below(&mut rng, a)).collect();
        let second = match case % 4 {
            0 => (0..n).map(|_| below(&mut rng, b)).collect(),
            1 => first.iter().map(|f| (f + below(&mut rng, 4) / 3) % b).collect(),
            2 => first.iter().map(|f| 100 - f).collect(),
            _ => (0..n).collect(),
        };
        (first, second)
    };
    (0..400).map(pair).collect()
}

#[test]
fn ac_nmi_ari_and_purity_are_those_of_scipy_and_scikit_learn() {
    let pairs = labelings();
    let Some(answers) = reference(&json!({"task": "metrics", "pairs": pairs})) else { return };
    for ((classes, clusters), answer) in pairs.iter().zip(answers.as_array().unwrap()) {
        let value = |name: &str| answer[name].as_f64().unwrap();
        assert_close(metrics::accuracy(classes, clusters).unwrap(), value("ac"), 1e-12);
        assert_close(metrics::ari(classes, clusters).unwrap(), value("ari"), 1e-12);
        assert_close(metrics::purity(classes, clusters).unwrap(), value("purity"), 1e-12);
        let averages = [Average::Geometric, Average::Arithmetic, Average::Min, Average::Max];
        for (average, theirs) in averages.into_iter().zip(numbers(&answer["nmi"])) {
            assert_close(metrics::nmi_with(average, classes, clusters).unwrap(), theirs, 1e-12);
        }
    }
}

#[test]
fn the_linear_svm_has_the_coefficients_and_the_predictions_of_linear_svc() {
    for (p, n, k, c) in [(5, 80, 2, 1.0), (10, 150, 4, 1.0), (30, 60, 3, 0.1), (8, 200, 5, 10.0)] {
        let (x, y) = classes(p, n, k, 7);
        let (test, _) = classes(p, 300, k, 8);
        let request = json!({"task": "svm", "x": rows(&x), "y": y, "c": c, "tolerance": 1e-10,
            "test": rows(&test)});
        let Some(answer) = reference(&request) else { return };
        let settings = LinearSvm::new().c(c).tolerance(1e-10).max_iterations(2_000_000);
        let model = settings.fit(&x, &y).unwrap();
        // With two classes there is one plane, that of the second.
        let skipped = usize::from(k == 2);
        for (row, coefficients) in answer["coef"].as_array().unwrap().iter().enumerate() {
            let theirs = numbers(coefficients);
            let largest = theirs.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            for (ours, theirs) in model.weights.col(row + skipped).iter().zip(theirs) {
                assert_close(*ours, theirs, 1e-6 * largest);
            }
            let intercept = answer["intercept"][row].as_f64().unwrap();
            assert_close(model.intercepts[row + skipped], intercept, 1e-6 * largest.max(1.0));
        }
        assert_eq!(model.predict(&test).unwrap(), labels(&answer["predicted"]));
    }
}

#[test]
fn k_means_reaches_the_inertia_of_scikit_learn() {
    for (p, n, k) in [(2, 300, 5), (20, 600, 12), (40, 1000, 30)] {
        let (x, _) = classes(p, n, k, 3);
        let request = json!({"task": "kmeans", "x": rows(&x), "k": k, "restarts": 20});
        let Some(answer) = reference(&request) else { return };
        let ours = KMeans::new(k).restarts(20).fit(&x).unwrap().inertia;
        let theirs = answer["inertia"].as_f64().unwrap();
        // Where both find the same clusters, only the tolerance of the last round tells them apart.
        assert!(ours <= (1.0 + 1e-6) * theirs, "{ours} against {theirs}");
    }
}

#[test]
fn the_nearest_neighbour_is_that_of_scikit_learn() {
    let (x, y) = classes(6, 300, 4, 5);
    let (test, _) = classes(6, 500, 4, 6);
    let request = json!({"task": "neighbour", "x": rows(&x), "y": y, "test": rows(&test)});
    let Some(answer) = reference(&request) else { return };
    let ours = NearestNeighbour::fit(&x, &y).unwrap().predict(&test).unwrap();
    assert_eq!(ours, labels(&answer["predicted"]));
}

#[test]
fn the_paired_t_test_is_that_of_scipy() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut list = |n: usize| (0..n).map(|_| unit(&mut rng)).collect::<Vec<f64>>();
    let pairs: Vec<_> = (2..40).map(|n| (list(n), list(n))).collect();
    let Some(answers) = reference(&json!({"task": "paired", "pairs": pairs})) else { return };
    for ((first, second), answer) in pairs.iter().zip(answers.as_array().unwrap()) {
        let test = paired_t_test(first, second).unwrap();
        let Verdict::Tested { t, p, .. } = test.verdict else { panic!("{}", test.explain()) };
        let theirs = numbers(answer);
        assert_close(t, theirs[0], 1e-10 * theirs[0].abs().max(1.0));
        assert_close(p, theirs[1], 1e-10);
    }
}
