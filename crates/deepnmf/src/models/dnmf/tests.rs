use super::*;
use crate::graph::{Fisher, Graph};
use crate::matrix::Matrix;
use crate::models::Nmf;
use crate::stop::StopRule;
use crate::testing::{normal, positive};
use crate::update::HSolver;

fn labels(n: u32) -> Vec<Option<u32>> {
    (0..n).map(|j| (j % 3 != 1).then_some((j / 2) % 4)).collect()
}

/// `gamma Tr(S_w) - delta Tr(S_b)` by its definition.
fn literal(h: &Matrix<f64>, labels: &[Option<u32>], gamma: f64, delta: f64) -> f64 {
    let mean = |of: &dyn Fn(usize) -> bool| {
        let members: Vec<usize> = (0..h.cols()).filter(|j| of(*j)).collect();
        let sum = |i: usize| members.iter().map(|j| h[(i, *j)]).sum::<f64>();
        (0..h.rows()).map(|i| sum(i) / members.len() as f64).collect::<Vec<f64>>()
    };
    let away = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let all = mean(&|j| labels[j].is_some());
    (0..h.cols())
        .filter(|j| labels[*j].is_some())
        .map(|j| {
            let class = mean(&|l| labels[l] == labels[j]);
            gamma * away(h.col(j), &class) - delta * away(&class, &all)
        })
        .sum()
}

#[test]
fn the_criterion_is_that_of_its_definition() {
    let (h, labels) = (normal::<f64>(4, 40, 1), labels(40));
    for (gamma, delta) in [(1.0, 0.0), (0.3, 0.8), (0.0, 2.0)] {
        let found = Fisher::new(40, &labels, gamma, delta).unwrap().roughness(&h);
        let expected = literal(&h, &labels, gamma, delta);
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
    }
}

#[test]
fn the_objective_never_rises() {
    let (x, labels) = (positive::<f64>(12, 50, 2), labels(50));
    let stop = StopRule { kappa: 0.0, max_iterations: 40, max_seconds: None };
    for solver in [Nmf::LEE_SEUNG, HSolver::MULTIPLICATIVE, HSolver::HALS] {
        for (gamma, delta) in [(0.1, 0.0), (10.0, 0.0), (0.1, 0.01)] {
            let nmf = Nmf::new(4).solver(solver).stop(stop);
            let model = Dnmf::new(4, gamma, delta).with(nmf).fit(&x, &labels).unwrap();
            let history = &model.summary.history;
            let falls = history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
            assert!(falls, "{solver:?} {gamma} {delta} {history:?}");
            assert!(history.len() > 2, "{solver:?} {gamma} {delta}");
        }
    }
}

#[test]
fn without_weights_it_is_nmf_and_with_them_classes_are_tighter() {
    let (x, labels) = (positive::<f64>(12, 50, 3), labels(50));
    // Few rounds: in the long run features rather shrink, as nothing holds their scale.
    let stop = StopRule { kappa: 0.0, max_iterations: 20, max_seconds: None };
    let nmf = Nmf::new(4).solver(Nmf::LEE_SEUNG).stop(stop);
    let plain = nmf.fit(&x).unwrap();
    let fit = |gamma| Dnmf::new(4, gamma, 0.0).with(nmf.clone()).fit(&x, &labels).unwrap();
    assert_eq!(fit(0.0).factors, plain.factors);
    let spread = |h: &Matrix<f64>| literal(h, &labels, 1.0, 0.0) / h.norm_sq();
    let (tight, free) = (spread(&fit(100.0).factors.h[0]), spread(&plain.factors.h[0]));
    assert!(tight < 0.5 * free, "{tight} {free}");
}

#[test]
fn weights_below_zero_are_refused() {
    let x = positive::<f64>(6, 10, 4);
    let message = Dnmf::new(2, -1.0, 0.0).fit(&x, &labels(10)).unwrap_err().to_string();
    assert!(message.contains("gamma is -1"), "{message}");
    assert!(Dnmf::new(2, 1.0, 0.0).fit(&x, &labels(9)).is_err());
}
