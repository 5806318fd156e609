use super::*;
use crate::graph::LabelGraph;
use crate::matrix::Matrix;
use crate::models::{Factorization, FitOptions, SemiNmf};
use crate::stop::StopRule;
use crate::testing::{DenseGraph, literal_error, normal, positive};
use crate::update::HSolver;

const GRAPHS: [LabelGraph; 3] =
    [LabelGraph::Binary, LabelGraph::Rbf { sigma: None }, LabelGraph::Dot];
const SOLVERS: [HSolver; 3] = [HSolver::MULTIPLICATIVE, HSolver::HALS, HSolver::ACCELERATED];

fn labels(n: u32, classes: u32) -> Vec<Option<u32>> {
    (0..n).map(|j| (j % 5 != 2).then_some(j % classes)).collect()
}

fn data() -> Matrix<f64> {
    crate::testing::in_common_unit(positive(12, 60, 1))
}

#[test]
fn without_a_weight_or_without_labels_it_is_semi_nmf_bit_for_bit() {
    let x = data();
    let plain = SemiNmf::new(4).fit(&x).unwrap();
    for graph in GRAPHS {
        let zero = Wsf::new(4, 0.0).graph(graph).fit_labelled(&x, &[Some(&labels(60, 3))]).unwrap();
        let unknown = Wsf::new(4, 0.7).graph(graph).fit_labelled(&x, &[Some(&[None; 60])]).unwrap();
        let none = WsfMa::new(4, []).graph(graph).fit(&x).unwrap();
        for model in [zero, unknown, none] {
            assert_eq!(model.factors, plain.factors);
            assert_eq!(model.summary.history, plain.summary.history);
        }
    }
}

#[test]
fn with_one_attribute_wsf_ma_is_wsf() {
    let (x, labels) = (data(), labels(60, 3));
    for graph in GRAPHS {
        let one = Wsf::new(4, 0.05).graph(graph).fit_labelled(&x, &[Some(&labels)]).unwrap();
        let many = WsfMa::new(4, [0.05]).graph(graph).fit_labelled(&x, &[Some(&labels)]).unwrap();
        assert_eq!(one.factors, many.factors);
        // An attribute without weight is none.
        let more = WsfMa::new(4, [0.05, 0.0])
            .graph(graph)
            .fit_labelled(&x, &[Some(&labels[..]); 2])
            .unwrap();
        assert_eq!(one.factors, more.factors);
    }
}

#[test]
fn the_objective_never_rises_and_is_what_it_says() {
    let (lambda, labels) = (0.05, labels(60, 3));
    for (seed, x) in [data(), crate::testing::in_common_unit(normal(12, 60, 2))].iter().enumerate()
    {
        for solver in SOLVERS {
            for graph in GRAPHS {
                let stop = StopRule { kappa: 0.0, max_iterations: 40, max_seconds: None };
                let options = FitOptions::default().solver(solver).stop(stop).seed(seed as u64);
                let wsf = Wsf::new(4, lambda).graph(graph).with(options);
                let model = wsf.fit_labelled(x, &[Some(&labels)]).unwrap();
                let history = &model.summary.history;
                let falls = history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
                assert!(falls, "{solver:?} {graph:?} {history:?}");
                let error = literal_error(x, &model.factors.z[0], &model.factors.h[0]);
                assert!((model.summary.error / error - 1.0).abs() < 1e-9);
                if graph == LabelGraph::Binary {
                    let dense = DenseGraph::of_labels(lambda, &labels);
                    let penalty = dense.literal_penalty(&model.factors.h[0]);
                    let objective = (error * error + penalty).sqrt();
                    assert!((history[history.len() - 1] / objective - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn labels_make_features_of_a_class_more_alike() {
    let (x, labels) = (data(), labels(60, 3));
    let dense = DenseGraph::of_labels(1.0, &labels);
    let relative = |lambda: f64| {
        let h = &Wsf::new(4, lambda).fit_labelled(&x, &[Some(&labels)]).unwrap().factors.h[0];
        dense.literal_penalty(h) / h.norm_sq()
    };
    assert!(relative(1.0) < 0.5 * relative(0.0), "{} {}", relative(1.0), relative(0.0));
}

#[test]
fn single_precision_agrees_with_double() {
    let (x, labels) = (data(), labels(60, 3));
    for graph in GRAPHS {
        let wsf = Wsf::new(4, 0.05).graph(graph);
        let wide = wsf.fit_labelled(&x, &[Some(&labels)]).unwrap();
        let narrow = wsf.fit_labelled(&x.cast::<f32>(), &[Some(&labels)]).unwrap();
        assert!((wide.summary.error / narrow.summary.error - 1.0).abs() < 1e-3);
    }
}

#[test]
fn labels_and_weights_that_do_not_fit_are_refused_in_words() {
    let x = data();
    let message =
        |model: &Wsf, n| model.fit_labelled(&x, &[Some(&labels(n, 3))]).unwrap_err().to_string();
    let short = message(&Wsf::new(4, 0.1), 59);
    assert!(short.contains("59") && short.contains("60 samples"), "{short}");
    assert!(message(&Wsf::new(4, -1.0), 60).contains("lambda is -1"));
    assert!(message(&Wsf::new(4, f64::NAN), 60).contains("lambda is NaN"));
    let sigma = Wsf::new(4, 0.1).graph(LabelGraph::Rbf { sigma: Some(0.0) });
    assert!(message(&sigma, 60).contains("sigma"));
    let labels = labels(60, 3);
    let two =
        WsfMa::new(4, [0.1]).fit_labelled(&x, &[Some(&labels[..]); 2]).unwrap_err().to_string();
    assert!(two.contains("2 attributes"), "{two}");
    let nan = Matrix::from_fn(3, 60, |i, j| if (i, j) == (1, 4) { f64::NAN } else { 1.0 });
    assert!(
        Wsf::new(2, 0.1)
            .fit_labelled(&nan, &[Some(&labels)])
            .unwrap_err()
            .to_string()
            .contains("sample 5")
    );
}
