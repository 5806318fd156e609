use super::*;
use crate::graph::{Fisher, Graph};
use crate::matrix::{Matrix, Parts};
use crate::models::{Factorization, Nmf, NonNegativeOptions};
use crate::stop::StopRule;
use crate::testing::{in_common_unit, literal_error, normal, positive};
use crate::update::HSolver;

fn labels(n: u32) -> Vec<Option<u32>> {
    (0..n).map(|j| (j % 3 != 1).then_some((j / 2) % 4)).collect()
}

/// `gamma Tr(S_w) + delta (|H|^2 - Tr(S_b))` over the samples with a label, by its definition.
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
            let size: f64 = h.col(j).iter().map(|v| v * v).sum();
            gamma * away(h.col(j), &class) + delta * (size - away(&class, &all))
        })
        .sum()
}

#[test]
fn the_criterion_is_that_of_its_definition() {
    let (h, labels) = (normal::<f64>(4, 40, 1), labels(40));
    for (gamma, delta) in [(1.0, 0.0), (0.3, 0.8), (0.0, 2.0)] {
        let fisher = Fisher::new(Parts::whole(40), &labels, gamma, delta).unwrap();
        let found = fisher.penalty(&h).unwrap();
        let expected = literal(&h, &labels, gamma, delta);
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
    }
}

/// That no sweep raises it is a test of NMF, whose loop this is.
#[test]
fn the_objective_falls_and_is_what_it_says() {
    let (x, labels) = (in_common_unit(positive::<f64>(12, 50, 2)), labels(50));
    let stop = StopRule { kappa: 0.0, max_iterations: 40, max_seconds: None };
    for solver in [Nmf::LEE_SEUNG, HSolver::MULTIPLICATIVE, HSolver::HALS] {
        for (gamma, delta) in [(0.1, 0.0), (10.0, 0.0), (0.1, 0.01), (0.1, 5.0)] {
            let nmf = Nmf::new(4).with(NonNegativeOptions::default().solver(solver).stop(stop));
            let dnmf = Dnmf::new(4, gamma, delta).with(nmf);
            let model = dnmf.fit_labelled(&x, &[Some(&labels)]).unwrap();
            let (history, h) = (&model.summary.history, &model.factors.h[0]);
            let last = history[history.len() - 1];
            assert!(last < history[0], "{solver:?} {gamma} {delta} {history:?}");
            assert!(history.len() > 2, "{solver:?} {gamma} {delta}");
            let error = literal_error(&x, &model.factors.z[0], h);
            let objective = (error * error + literal(h, &labels, gamma, delta)).sqrt();
            assert!((last / objective - 1.0).abs() < 1e-9, "{solver:?} {gamma} {delta}");
        }
    }
}

#[test]
fn without_weights_it_is_nmf_and_with_them_classes_are_tighter() {
    let (x, labels) = (positive::<f64>(12, 50, 3), labels(50));
    // Few rounds: in the long run features rather shrink, as nothing holds their scale.
    let stop = StopRule { kappa: 0.0, max_iterations: 20, max_seconds: None };
    let nmf = Nmf::new(4).with(NonNegativeOptions::default().solver(Nmf::LEE_SEUNG).stop(stop));
    let plain = nmf.fit(&x).unwrap();
    let fit = |gamma| {
        let dnmf = Dnmf::new(4, gamma, 0.0).with(nmf.clone());
        dnmf.fit_labelled(&x, &[Some(&labels)]).unwrap()
    };
    assert_eq!(fit(0.0).factors, plain.factors);
    let spread = |h: &Matrix<f64>| literal(h, &labels, 1.0, 0.0) / h.norm_sq();
    let (tight, free) = (spread(&fit(100.0).factors.h[0]), spread(&plain.factors.h[0]));
    assert!(tight < 0.5 * free, "{tight} {free}");
}

/// With the published criterion, the error was above the norm of the data and the history ended in 0.
#[test]
fn with_any_weight_between_classes_the_objective_is_bounded_and_the_error_below_the_norm() {
    let (x, labels) = (positive::<f64>(12, 60, 5), labels(60));
    for delta in [1e-3, 1.0, 1e3] {
        let model = Dnmf::new(4, 0.1, delta).fit_labelled(&x, &[Some(&labels)]).unwrap();
        let summary = &model.summary;
        assert!(summary.relative_error <= 1.0, "{delta} {}", summary.relative_error);
        assert!(summary.history.iter().all(|value| *value > 0.0), "{delta}");
        assert!(summary.history.windows(2).all(|w| w[1] <= w[0]), "{delta}");
        assert!(model.factors.z[0].columns().all(|z| {
            let length = crate::matrix::dot(z, z).sqrt();
            (length / model.factors.z[0].col(0).iter().map(|v| v * v).sum::<f64>().sqrt() - 1.0)
                .abs()
                < 1e-9
        }));
    }
    let apart = |delta| {
        let model = Dnmf::new(4, 0.0, delta).fit_labelled(&x, &[Some(&labels)]).unwrap();
        let h = &model.factors.h[0];
        let labelled: f64 = (0..60)
            .filter(|j| labels[*j].is_some())
            .map(|j| crate::matrix::dot(h.col(j), h.col(j)))
            .sum();
        1.0 - literal(h, &labels, 0.0, 1.0) / labelled
    };
    assert!(apart(1.0) > apart(1e-6), "{} {}", apart(1.0), apart(1e-6));
}

#[test]
fn weights_below_zero_are_refused() {
    let x = positive::<f64>(6, 10, 4);
    let refused = |gamma, n| {
        let fitted = Dnmf::new(2, gamma, 0.0).fit_labelled(&x, &[Some(&labels(n))]);
        fitted.unwrap_err().to_string()
    };
    let message = refused(-1.0, 10);
    assert!(message.contains("gamma is -1"), "{message}");
    assert!(refused(1.0, 9).contains("found 9 of them"));
}
