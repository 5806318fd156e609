#![allow(clippy::float_cmp)] // equal means equal here

use proptest::prelude::*;

use super::*;
use deepnmf::matrix::dot;
use deepnmf::rng::{generator, uniform};

fn random(p: usize, n: usize, seed: u64) -> Matrix<f64> {
    let mut rng = generator(seed, 0);
    Matrix::from_fn(p, n, |_, _| 4.0 * uniform(&mut rng) - 2.0)
}

/// Samples whose class depends on the first features, with some labels wrong.
fn noisy(p: usize, n: usize, classes: usize, seed: u64) -> (Matrix<f64>, Vec<usize>) {
    let x = random(p, n, seed);
    let mut rng = generator(seed, 1);
    let label = |j: usize, wrong: f64| {
        let best = (0..classes).max_by(|a, b| x[(*a % p, j)].total_cmp(&x[(*b % p, j)]));
        if wrong < 0.1 { j % classes } else { best.unwrap() }
    };
    let labels = (0..n).map(|j| label(j, uniform(&mut rng))).collect();
    (x, labels)
}

/// 1/2 |w|^2 + C sum max(0, 1 - y w^T x)^2, the intercept being a weight.
fn primal(x: &Matrix<f64>, positive: &[bool], c: f64, w: &[f64], b: f64) -> f64 {
    let loss = |(x, positive): (&[f64], &bool)| {
        let y = if *positive { 1.0 } else { -1.0 };
        (1.0 - y * (dot(w, x) + b)).max(0.0).powi(2)
    };
    0.5 * (dot(w, w) + b * b) + c * x.columns().zip(positive).map(loss).sum::<f64>()
}

fn dual(solution: &Solution, c: f64) -> f64 {
    let (w, b, a) = (&solution.weights, solution.intercept, &solution.multipliers);
    a.iter().sum::<f64>() - 0.5 * (dot(w, w) + b * b) - dot(a, a) / (4.0 * c)
}

fn descend(x: &Matrix<f64>, positive: &[bool], c: f64) -> f64 {
    let p = x.rows();
    let (mut w, mut b) = (vec![0.0; p], 0.0);
    let curvature = 1.0 + 2.0 * c * (x.norm_sq() + x.cols() as f64);
    for _ in 0..20_000 {
        let (mut gradient, mut along_b) = (w.clone(), b);
        for (x, positive) in x.columns().zip(positive) {
            let y = if *positive { 1.0 } else { -1.0 };
            let slack = (1.0 - y * (dot(&w, x) + b)).max(0.0);
            for (g, x) in gradient.iter_mut().zip(x) {
                *g -= 2.0 * c * y * slack * x;
            }
            along_b -= 2.0 * c * y * slack;
        }
        w.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= g / curvature);
        b -= along_b / curvature;
    }
    primal(x, positive, c, &w, b)
}

fn solve(x: &Matrix<f64>, positive: &[bool], c: f64, tolerance: f64) -> Solution {
    Problem::new(x, c).unwrap().solve(positive, tolerance, 1_000_000, generator(0, 0))
}

#[test]
fn the_duality_gap_closes_and_gradient_descent_finds_nothing_better() {
    for (seed, c) in [(0, 0.1), (1, 1.0), (2, 10.0)] {
        let (x, labels) = noisy(4, 60, 2, seed);
        let positive: Vec<bool> = labels.iter().map(|l| *l == 1).collect();
        let found = solve(&x, &positive, c, 1e-10);
        let value = primal(&x, &positive, c, &found.weights, found.intercept);
        assert!(found.converged);
        assert!((value - dual(&found, c)).abs() <= 1e-8 * value);
        assert!(value <= descend(&x, &positive, c) * (1.0 + 1e-9));
    }
}

#[test]
fn every_multiplier_meets_its_optimality_condition() {
    let (x, labels) = noisy(6, 120, 2, 5);
    let positive: Vec<bool> = labels.iter().map(|l| *l == 1).collect();
    let found = solve(&x, &positive, 1.0, 1e-9);
    for ((x, positive), a) in x.columns().zip(&positive).zip(&found.multipliers) {
        let y = if *positive { 1.0 } else { -1.0 };
        let gradient = y * (dot(&found.weights, x) + found.intercept) - 1.0 + 0.5 * a;
        assert!(*a >= 0.0);
        assert!(if *a > 0.0 { gradient.abs() < 1e-8 } else { gradient > -1e-8 });
    }
}

#[test]
fn two_classes_are_mirror_images() {
    let (x, labels) = noisy(3, 50, 2, 1);
    let model = LinearSvm::new().fit(&x, &labels).unwrap();
    assert_eq!(model.classes, [0, 1]);
    for (a, b) in model.weights.col(0).iter().zip(model.weights.col(1)) {
        assert_eq!(*a, -b);
    }
}

#[test]
fn the_same_bits_at_any_number_of_threads() {
    let (x, labels) = noisy(5, 200, 6, 2);
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| LinearSvm::new().seed(3).fit(&x, &labels).unwrap())
    };
    assert_eq!(fit(1), fit(4));
}

#[test]
fn separable_classes_are_told_apart() {
    let x = Matrix::from_fn(3, 90, |i, j| if i == j % 3 { 5.0 } else { 0.1 * (j / 3) as f64 });
    let labels: Vec<usize> = (0..90).map(|j| 10 + j % 3).collect();
    let model = LinearSvm::new().fit(&x, &labels).unwrap();
    assert_eq!(model.accuracy(&x, &labels).unwrap(), 1.0);
    assert_eq!(model.decision_values(&x).unwrap().shape(), (3, 90));
}

#[test]
fn what_cannot_be_learned_is_refused_in_words() {
    let x = random(2, 3, 0);
    let says = |result: Result<SvmModel>| result.unwrap_err().to_string();
    assert_eq!(
        says(LinearSvm::new().fit(&x, &[1, 1, 1])),
        "classes: at least 2 needed, but there are 1"
    );
    assert!(says(LinearSvm::new().fit(&x, &[1, 2])).contains("one per sample"));
    assert!(says(LinearSvm::new().c(0.0).fit(&x, &[1, 2, 1])).starts_with("C is 0"));
    assert!(LinearSvm::new().c(f64::NAN).fit(&x, &[1, 2, 1]).is_err());
    assert!(LinearSvm::new().max_iterations(0).fit(&x, &[1, 2, 1]).is_err());
    let huge = x.map(|v| v * 1e300);
    assert!(says(LinearSvm::new().fit(&huge, &[1, 2, 1])).contains("overflow"));
    let model = LinearSvm::new().fit(&x, &[1, 2, 1]).unwrap();
    assert!(model.predict(&random(3, 1, 0)).is_err());
    let nan = Matrix::from_vec(2, 1, vec![0.0, f64::NAN]).unwrap();
    assert!(model.predict(&nan).unwrap_err().to_string().contains("sample 1, feature 2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_visits_does_not_change_the_plane(seed in any::<u64>(), c in 0.01f64..5.0) {
        let (x, labels) = noisy(3, 40, 3, 11);
        let fit = |seed| {
            let settings = LinearSvm::new().c(c).tolerance(1e-10).max_iterations(1_000_000);
            settings.seed(seed).fit(&x, &labels).unwrap()
        };
        let (a, b) = (fit(0), fit(seed));
        for (a, b) in a.weights.as_slice().iter().zip(b.weights.as_slice()) {
            prop_assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()));
        }
    }
}
