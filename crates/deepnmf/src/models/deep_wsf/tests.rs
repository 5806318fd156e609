use super::*;
use crate::activation::Activation;
use crate::driver::FitSession;
use crate::graph::{Graph, LabelGraph, NeighbourWeights, Neighbours};
use crate::matrix::Matrix;
use crate::models::{
    DeepSemiNmf, Factorization, FitOptions, Form, Loss, Model, Optimizer, Variant, WarmStart, Wsf,
};
use crate::stop::{StopReason, StopRule};
use crate::testing::{DenseGraph, distance, literal_product, normal, positive};
use crate::update::HSolver;

fn labels(n: u32, classes: u32) -> Vec<Option<u32>> {
    (0..n).map(|j| (j % 5 != 2).then_some((j / 2) % classes)).collect()
}

fn data() -> Matrix<f64> {
    positive(12, 60, 1)
}

/// Every kind of deep model, on few iterations.
fn kinds() -> Vec<DeepSemiNmf> {
    let stop = StopRule { kappa: 1e-6, max_iterations: 15, max_seconds: None };
    let options = FitOptions::default().stop(stop);
    let deep = DeepSemiNmf::new([8, 4]).with(options);
    vec![
        deep.clone(),
        deep.clone().form(Form::Literal),
        deep.clone().optimizer(Optimizer::Varpro),
        deep.clone().activation(Activation::Relu),
        deep.clone().activation(Activation::Stanh).optimizer(Optimizer::Apg { joint: true }),
        deep.clone().loss(Loss::Layer),
        deep.clone().loss(Loss::Data),
        deep.clone().loss(Loss::Layer).activation(Activation::Softplus),
        deep.loss(Loss::Data).activation(Activation::Relu),
    ]
}

/// The literal form is one of Algorithm 2.
fn has(deep: &DeepSemiNmf, variant: Variant) -> bool {
    variant != Variant::ScaleFree || deep.form != Form::Literal
}

#[test]
fn without_weights_or_without_labels_it_is_deep_semi_nmf_bit_for_bit() {
    let (x, labels) = (data(), labels(60, 3));
    for deep in kinds() {
        let plain = deep.fit(&x).unwrap();
        for variant in [Variant::ScaleFree, Variant::Printed] {
            if !has(&deep, variant) {
                continue;
            }
            let twin = |lambda: [f64; 2], labels: Option<&crate::Labels>| {
                let model = DeepWsf::of(deep.clone(), lambda).variant(variant);
                model.fit_labelled(&x, &[labels, labels]).unwrap()
            };
            assert_eq!(twin([0.0, 0.0], Some(&labels)).factors, plain.factors, "{deep:?}");
            assert_eq!(twin([0.3, 0.1], Some(&[None; 60])).factors, plain.factors, "{deep:?}");
            assert_eq!(twin([0.3, 0.1], None).factors, plain.factors, "{deep:?}");
        }
    }
}

/// Where rising sweeps are taken back this says little: block descent has a test of its own for them.
#[test]
fn the_objective_never_rises_whatever_lowers_it() {
    let (x, labels) = (data(), labels(60, 3));
    for deep in kinds() {
        if deep.form == Form::Literal {
            continue; // as printed it lowers the objective of each layer, not their sum
        }
        for graph in [LabelGraph::Binary, LabelGraph::Rbf { sigma: None }, LabelGraph::Dot] {
            for variant in [Variant::ScaleFree, Variant::Printed] {
                let model = DeepWsf::of(deep.clone(), [1e-3, 1e-2]).graph(graph).variant(variant);
                let model = model.fit_labelled(&x, &[Some(&labels), Some(&labels)]).unwrap();
                for run in &model.summary.runs {
                    let falls =
                        run.history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
                    assert!(falls, "{deep:?} {graph:?} {variant:?} {:?}", run.history);
                }
            }
        }
    }
}

#[test]
fn one_layer_is_wsf() {
    let (x, labels) = (data(), labels(60, 3));
    let deep = DeepWsf::new([4], [0.05]).fit_labelled(&x, &[Some(&labels)]).unwrap();
    let shallow = Wsf::new(4, 0.05).fit_labelled(&x, &[Some(&labels)]).unwrap();
    assert_eq!(deep.factors, shallow.factors);
    assert!((deep.summary.error / shallow.summary.error - 1.0).abs() < 1e-12);
}

/// Algorithm 2 runs to the same bases and top features in both forms.
#[test]
fn the_closed_form_of_algorithm_2_is_the_printed_one() {
    let (x, labels) = (data(), labels(60, 3));
    let stop = StopRule { kappa: 0.0, max_iterations: 12, max_seconds: None };
    for solver in [HSolver::MULTIPLICATIVE, HSolver::HALS] {
        let options = FitOptions::default().stop(stop).solver(solver);
        for layers in [vec![8, 4], vec![9, 6, 3]] {
            let fit = |form| {
                let lambda = vec![1e-2; layers.len()];
                let deep = DeepSemiNmf::new(layers.clone()).with(options.clone()).form(form);
                let all = vec![Some(labels.as_slice()); layers.len()];
                let model = DeepWsf::of(deep, lambda).variant(Variant::Printed);
                model.fit_labelled(&x, &all).unwrap().factors
            };
            let (fast, literal) = (fit(Form::Fast), fit(Form::Literal));
            assert!(distance(fast.top_features(), literal.top_features()) < 1e-7);
            let m = layers.len();
            assert!(distance(&fast.basis(m).unwrap(), &literal.basis(m).unwrap()) < 1e-7);
        }
    }
}

#[test]
fn any_layer_may_have_no_attribute_and_any_sample_no_label() {
    let x = data();
    let pose: Vec<Option<u32>> = (0..60).map(|j| (j < 30).then_some(j % 2)).collect();
    let identity: Vec<Option<u32>> = (0..60).map(|j| (j >= 30).then_some(j % 3)).collect();
    for deep in kinds() {
        let variant =
            if has(&deep, Variant::ScaleFree) { Variant::ScaleFree } else { Variant::Printed };
        let model = DeepWsf::of(deep, [1e-3, 1e-3]).variant(variant);
        for attributes in [[Some(&pose[..]), Some(&identity[..])], [None, Some(&identity[..])]] {
            let fitted = model.fit_labelled(&x, &attributes).unwrap();
            assert!(fitted.summary.relative_error < 0.6, "{:?}", fitted.summary.relative_error);
        }
    }
}

#[test]
fn labels_shape_the_layer_they_belong_to() {
    let (x, labels) = (data(), labels(60, 3));
    let dense = DenseGraph::of_labels(1.0, &labels);
    let relative = |h: &Matrix<f64>| dense.literal_penalty(h) / h.norm_sq();
    for deep in [
        DeepSemiNmf::new([8, 4]),
        DeepSemiNmf::new([8, 4]).activation(Activation::Relu),
        DeepSemiNmf::new([8, 4]).loss(Loss::Data),
    ] {
        for (variant, lambda) in [(Variant::ScaleFree, 3.0), (Variant::Printed, 0.3)] {
            // As printed it is the scatter of features, else that of what they stand for.
            let scatter = |model: &Model<f64>, layer: usize| match variant {
                Variant::ScaleFree => {
                    let basis = model.factors.basis(layer).unwrap();
                    relative(&literal_product(basis.view(), model.factors.h[layer - 1].view()))
                }
                _ => relative(&model.factors.h[layer - 1]),
            };
            let plain = deep.fit(&x).unwrap();
            for layer in [1, 2] {
                let mut weights = [0.0; 2];
                weights[layer - 1] = lambda;
                let model = DeepWsf::of(deep.clone(), weights).variant(variant);
                let labelled = model.fit_labelled(&x, &[Some(&labels), Some(&labels)]).unwrap();
                let (before, after) = (scatter(&plain, layer), scatter(&labelled, layer));
                assert!(after < 0.8 * before, "layer {layer} {deep:?}: {before} {after}");
            }
        }
    }
}

/// The paper's protocol ended 4,811 times above the norm of the data.
#[test]
fn every_layer_of_a_linear_model_lies_between_its_bound_and_the_norm() {
    let x = data();
    let attributes: Vec<Vec<Option<u32>>> = (2..5).map(|classes| labels(60, classes)).collect();
    let attributes: Vec<_> = attributes.iter().map(|labels| Some(labels.as_slice())).collect();
    let mut before = [f64::INFINITY; 3];
    for lambda in [1e-4, 1e-2, 0.1, 1.0, 10.0] {
        let model = DeepWsf::new([9, 6, 4], [lambda; 3]).fit_labelled(&x, &attributes).unwrap();
        assert_eq!(model.summary.stop, StopReason::Converged);
        for layer in 1..=3 {
            let h = &model.factors.h[layer - 1];
            let error = model.factors.reconstruction_error(&x, layer, h).unwrap();
            let bound = crate::models::smallest_error(&x, [9, 6, 4][layer - 1], 0).unwrap();
            assert!(error >= bound * (1.0 - 1e-9), "{lambda} {layer}: {error} {bound}");
            assert!(error <= x.norm_sq().sqrt());
            let graph = DenseGraph::of_labels(1.0, attributes[layer - 1].unwrap());
            let penalty = graph.literal_penalty(&model.factors.reconstruct(layer, h).unwrap());
            assert!(penalty < before[layer - 1], "{lambda} {layer}: {penalty} {before:?}");
            before[layer - 1] = penalty;
        }
    }
}

/// Each layer is shaped by its own labels alone: those of others change it only through the space they leave.
#[test]
fn a_layer_without_labels_is_semi_nmf_in_the_space_of_the_layer_below() {
    let (x, labels) = (data(), labels(60, 3));
    let model = DeepWsf::new([8, 4], [0.0, 1.0]).fit_labelled(&x, &[None, Some(&labels)]).unwrap();
    let alone = crate::models::SemiNmf::new(8).fit(&x).unwrap();
    let error = model.factors.reconstruction_error(&x, 1, &model.factors.h[0]).unwrap();
    assert!((error / alone.summary.error - 1.0).abs() < 1e-9);
}

#[test]
fn other_graphs_can_be_given() {
    let x = data();
    let near = Neighbours::new(&x, 5, NeighbourWeights::Binary).unwrap();
    let graphs = [None, Some(&near as &dyn Graph<f64>)];
    let model = DeepWsf::new([8, 4], [0.0, 0.0]);
    let fitted = model.fit_with_graphs(&x, &graphs, &mut FitSession::new()).unwrap();
    let history = &fitted.summary.history;
    assert!(history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{history:?}");
    let other = Neighbours::new(&positive::<f64>(12, 50, 3), 5, NeighbourWeights::Binary).unwrap();
    let graphs = [None, Some(&other as &dyn Graph<f64>)];
    let wrong = model.fit_with_graphs(&x, &graphs, &mut FitSession::new()).unwrap_err();
    assert!(wrong.to_string().contains("50 samples"), "{wrong}");
}

#[test]
fn supervised_pre_training_begins_where_the_auxiliary_model_ends() {
    let (auxiliary, primary) = (data(), positive::<f64>(12, 45, 7));
    let labels = labels(60, 3);
    let attributes = [None, Some(labels.as_slice())];
    let supervised = DeepWsf::new([8, 4], [0.0, 0.01]);
    for then in [DeepSemiNmf::new([8, 4]), DeepSemiNmf::new([8, 4]).activation(Activation::Relu)] {
        let mut session = FitSession::new();
        let (first, second) =
            supervised.fit_then(&auxiliary, &attributes, &then, &primary, &mut session).unwrap();
        let alone = supervised.fit_labelled(&auxiliary, &attributes).unwrap();
        assert_eq!(first.factors, alone.factors);
        let bases = WarmStart::Bases(first.factors.z);
        let by_hand = then.fit_from(&primary, bases, &mut FitSession::new());
        assert_eq!(second.factors, by_hand.unwrap().factors);
    }
    let fit_then = |then: &DeepSemiNmf, primary: &Matrix<f64>| {
        let mut session = FitSession::new();
        let both = supervised.fit_then(&auxiliary, &attributes, then, primary, &mut session);
        both.unwrap_err().to_string()
    };
    assert!(fit_then(&DeepSemiNmf::new([7, 4]), &primary).contains("8-4"));
    assert!(fit_then(&DeepSemiNmf::new([8, 4]), &normal(11, 45, 1)).contains("11 features"));
}

#[test]
fn lists_of_the_wrong_length_are_refused_in_words() {
    let (x, labels) = (data(), labels(60, 3));
    let message = |lambda: &[f64], attributes: &[Option<&crate::Labels>]| {
        DeepWsf::new([8, 4], lambda).fit_labelled(&x, attributes).unwrap_err().to_string()
    };
    assert!(message(&[0.1], &[None, None]).contains("2 layers"));
    assert!(message(&[0.1, 0.1], &[Some(&labels)]).contains("2 layers"));
    assert!(message(&[0.1, f64::INFINITY], &[None, None]).contains("lambda is inf"));
}
