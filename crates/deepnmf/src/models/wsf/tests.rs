use proptest::prelude::*;

use super::*;
use crate::graph::LabelGraph;
use crate::init::Start;
use crate::matrix::Matrix;
use crate::models::{Factorization, FitOptions, SemiNmf, Variant};
use crate::stop::{StopReason, StopRule};
use crate::testing::{DenseGraph, distance, literal_error, literal_product, normal, positive};
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

/// The penalty by its definition, with binary weights.
fn literal_penalty(
    lambda: f64,
    labels: &[Option<u32>],
    variant: Variant,
    z: &Matrix<f64>,
    h: &Matrix<f64>,
) -> f64 {
    if variant == Variant::Printed {
        return DenseGraph::of_labels(lambda, labels).literal_penalty(h);
    }
    normalised(lambda, labels).literal_penalty(&literal_product(z.view(), h.view()))
}

/// `lambda / n_c` between samples of a class.
fn normalised(lambda: f64, labels: &[Option<u32>]) -> DenseGraph {
    let size = |label| labels.iter().filter(|l| **l == label).count() as f64;
    let same = |j: usize, l: usize| labels[j].is_some() && labels[j] == labels[l];
    DenseGraph::new(Matrix::from_fn(labels.len(), labels.len(), |j, l| {
        if same(j, l) { lambda / size(labels[j]) } else { 0.0 }
    }))
}

/// `|X|^2` less the largest eigenvalues of `X (I + L)^-1 X^T` is the least that any product of rank `k` can reach.
#[test]
fn the_fit_of_non_negative_data_is_the_global_minimum() {
    let (x, labels) = (data(), labels(60, 3));
    for lambda in [1e-3, 0.3, 1.0, 30.0] {
        let graph = normalised(lambda, &labels);
        let smooth = crate::graph::smoothed(&graph, &x).unwrap();
        let gram = literal_product(smooth.view(), x.t());
        let (values, _) = crate::matrix::symmetric_eigen(&gram).unwrap();
        let least = (x.norm_sq() - values[..4].iter().sum::<f64>()).sqrt();
        let model = Wsf::new(4, lambda).fit_labelled(&x, &[Some(&labels)]).unwrap();
        let history = &model.summary.history;
        assert!((history[0] / least - 1.0).abs() < 1e-9, "{lambda}: {} {least}", history[0]);
        assert!(model.summary.iterations <= 3);
        assert_eq!(model.summary.stop, StopReason::Converged);
    }
}

/// More samples of the same kind, larger classes or another unit: `lambda` means the same.
#[test]
fn the_weight_of_labels_means_the_same_on_any_data() {
    let (x, labels) = (data(), labels(60, 3));
    let fit = |x: &Matrix<f64>, labels: &[Option<u32>]| {
        let model = Wsf::new(4, 0.7).fit_labelled(x, &[Some(labels)]).unwrap();
        model.factors.reconstruct(1, &model.factors.h[0]).unwrap()
    };
    let once = fit(&x, &labels);
    let twice = Matrix::from_fn(12, 120, |i, j| x[(i, j % 60)]);
    let twice = fit(&twice, &[labels.clone(), labels.clone()].concat());
    assert!(distance(&twice.view_columns(0..60).to_matrix(), &once) < 1e-8);
    let scaled = fit(&x.map(|v| 1e-5 * v), &labels);
    assert!(distance(&scaled.map(|v| 1e5 * v), &once) < 1e-8);
}

/// Classes of one sample, samples without neighbours and labels that nobody shares.
#[test]
fn classes_of_one_sample_have_no_effect() {
    let x = data();
    let alone: Vec<Option<u32>> = (0..60).map(|j| (j % 2 == 0).then_some(j)).collect();
    let labelled = Wsf::new(4, 5.0).fit_labelled(&x, &[Some(&alone)]).unwrap();
    let plain = SemiNmf::new(4).fit(&x).unwrap();
    assert!((labelled.summary.error / plain.summary.error - 1.0).abs() < 1e-9);
}

proptest! {
    /// The error lies between the SVD bound and the norm, the penalty falls as its weight grows, and a fit that has
    /// converged is at a minimum: more iterations change nothing.
    #[test]
    fn any_weight_gives_a_sound_fit(
        (p, n, k) in (3usize..9, 8usize..30, 1usize..4),
        classes in 1u32..6,
        negative in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let x = if negative { normal::<f64>(p, n, seed) } else { positive::<f64>(p, n, seed) };
        let x = crate::testing::in_common_unit(x);
        let noise = normal::<f64>(1, n, seed + 1);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let label = |j: usize| (noise[(0, j)] < 0.8).then_some((noise[(0, j)].abs() * 7.0) as u32 % classes);
        let labels: Vec<Option<u32>> = (0..n).map(label).collect();
        let mut before = f64::INFINITY;
        for lambda in [1e-4, 1e-2, 1.0, 100.0] {
            let model = Wsf::new(k, lambda).fit_labelled(&x, &[Some(&labels)]).unwrap();
            let summary = &model.summary;
            prop_assert!(summary.relative_error <= 1.0 + 1e-9, "{}", summary.relative_error);
            prop_assert!(summary.error >= summary.svd_bound.unwrap() * (1.0 - 1e-9));
            prop_assert!(summary.stop == StopReason::Converged || summary.iterations == 1000);
            let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
            let penalty = normalised(1.0, &labels).literal_penalty(&literal_product(z.view(), h.view()));
            // Without a positive vector in the row space the fit is a local minimum only.
            if !negative {
                prop_assert!(penalty <= before * (1.0 + 1e-6) + 1e-12, "{} {}", penalty, before);
            }
            before = penalty;
        }
    }
}

#[test]
fn the_objective_never_rises_and_is_what_it_says() {
    let (lambda, labels) = (0.05, labels(60, 3));
    for (seed, x) in [data(), crate::testing::in_common_unit(normal(12, 60, 2))].iter().enumerate()
    {
        for solver in SOLVERS {
            for graph in GRAPHS {
                for variant in [Variant::ScaleFree, Variant::Printed] {
                    for start in [Start::Optimal, Start::Random] {
                        let stop = StopRule { kappa: 0.0, max_iterations: 40, max_seconds: None };
                        let options = FitOptions::default().solver(solver).stop(stop).start(start);
                        let options = options.seed(seed as u64);
                        let wsf = Wsf::new(4, lambda).graph(graph).variant(variant).with(options);
                        let model = wsf.fit_labelled(x, &[Some(&labels)]).unwrap();
                        let history = &model.summary.history;
                        let falls =
                            history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
                        assert!(falls, "{solver:?} {graph:?} {variant:?} {history:?}");
                        let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
                        let error = literal_error(x, z, h);
                        assert!((model.summary.error / error - 1.0).abs() < 1e-9);
                        if graph == LabelGraph::Binary {
                            let objective = (error * error
                                + literal_penalty(lambda, &labels, variant, z, h))
                            .sqrt();
                            assert!((history[history.len() - 1] / objective - 1.0).abs() < 1e-9);
                        }
                    }
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
