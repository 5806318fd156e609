//! The unit of the data changes nothing but the unit of the result.

use crate::matrix::{Matrix, Scalar, scale_by_power};
use crate::models::{
    DeepSemiNmf, Dnmf, Factorization, FitOptions, Gnmf, Nmf, NonNegativeOptions, Notice, SemiNmf,
    Wsf,
};
use crate::project::Projection;
use crate::split_tests::every_setting;
use crate::stop::{StopReason, StopRule};
use crate::testing::{normal, positive};
use crate::{Activation, FitSession, LabelGraph, Model, NeighbourWeights, ScaleIn};

fn times_power<T: Scalar>(x: &Matrix<T>, exponent: i32) -> Matrix<T> {
    let mut x = x.clone();
    scale_by_power(&mut x, exponent);
    x
}

/// The factors with their unit taken off: features are the same, the first basis is that of the unit.
fn assert_same_but_for_the_unit(
    what: &str,
    plain: &Model<f64>,
    scaled: &Model<f64>,
    exponent: i32,
) {
    let unit = plain.settings.divergence().error_unit(exponent);
    assert_eq!(plain.summary.iterations, scaled.summary.iterations, "{what}");
    assert_eq!(plain.summary.stop, scaled.summary.stop, "{what}");
    assert!(plain.factors.h == scaled.factors.h, "{what}");
    assert!(times_power(&plain.factors.z[0], exponent) == scaled.factors.z[0], "{what}");
    assert!(plain.factors.z[1..] == scaled.factors.z[1..], "{what}");
    // The unit of a divergence can be the root of two, which rounds.
    let rounding = if exponent % 2 != 0 && !plain.settings.divergence().is_usual() { 8 } else { 0 };
    let bits = |error: f64| error.to_bits() >> rounding;
    assert_eq!(bits(plain.summary.error * unit), bits(scaled.summary.error), "{what}");
    assert_eq!(plain.summary.relative_error.to_bits(), scaled.summary.relative_error.to_bits());
    for (a, b) in plain.summary.history.iter().zip(&scaled.summary.history) {
        assert_eq!(bits(a * unit), bits(*b), "{what}");
    }
}

#[test]
fn every_model_gives_the_same_result_in_any_unit() {
    // The penalties of NMF are in the unit of the data, as scikit-learn's are (`nmf/penalties_tests.rs`).
    for tried in every_setting().into_iter().filter(|tried| !tried.what.starts_with("penalties")) {
        let plain = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        for exponent in [-900, -301, -40, -1, 5, 512, 900] {
            let x = times_power(&tried.x, exponent);
            let scaled = tried.fit(&x, &mut FitSession::new()).unwrap();
            assert_same_but_for_the_unit(&tried.what, &plain, &scaled, exponent);
            assert_eq!(scaled.settings, plain.settings, "{}", tried.what);
        }
    }
}

#[test]
fn the_features_carry_the_unit_if_they_were_asked_to() {
    let x = positive::<f64>(9, 40, 1);
    for scale in [ScaleIn::H, ScaleIn::Balanced] {
        let options = FitOptions::default().scale(scale);
        for exponent in [-700, 13] {
            let fit =
                |x: &Matrix<f64>| DeepSemiNmf::new([5, 3]).with(options.clone()).fit(x).unwrap();
            let (plain, scaled) = (fit(&x), fit(&times_power(&x, exponent)));
            let product = |m: &Model<f64>, layer: usize| {
                m.factors.reconstruct(layer, &m.factors.h[layer - 1]).unwrap()
            };
            for layer in [1, 2] {
                assert_eq!(times_power(&product(&plain, layer), exponent), product(&scaled, layer));
            }
            if scale == ScaleIn::H {
                assert_eq!(plain.factors.z, scaled.factors.z);
            }
        }
    }
}

/// A width of a graph is given in the unit of the data.
#[test]
fn a_given_width_is_measured_in_the_unit_of_the_data() {
    let x = positive::<f64>(9, 40, 2);
    let labels: Vec<Option<u32>> = (0..40).map(|j| Some(j % 3)).collect();
    let far = times_power(&x, 300);
    let width = 300f64.exp2();
    let wsf = |x: &Matrix<f64>, sigma| {
        let graph = LabelGraph::Rbf { sigma: Some(sigma) };
        Wsf::new(3, 0.1).graph(graph).fit_labelled(x, &[Some(&labels)]).unwrap()
    };
    let (near, there) = (wsf(&x, 0.7), wsf(&far, 0.7 * width));
    assert_eq!(near.factors.h, there.factors.h);
    assert_ne!(near.factors.h, wsf(&x, 7.0).factors.h);
    let gnmf = |x: &Matrix<f64>, sigma| {
        let weights = NeighbourWeights::Heat { sigma: Some(sigma) };
        Gnmf::new(3).neighbours(4, weights).fit(x).unwrap()
    };
    assert_eq!(gnmf(&x, 0.7).factors.h, gnmf(&far, 0.7 * width).factors.h);
}

#[test]
fn new_samples_are_projected_in_any_unit() {
    let (x, new) = (positive::<f64>(9, 40, 3), positive::<f64>(9, 12, 4));
    for activation in [Activation::Identity, Activation::Relu] {
        let deep = DeepSemiNmf::new([5, 3]).activation(activation);
        let plain = deep.fit(&x).unwrap();
        for exponent in [-900, -7, 900] {
            let scaled = deep.fit(&times_power(&x, exponent)).unwrap();
            let new_there = times_power(&new, exponent);
            for layer in [1, 2] {
                let here = plain.project(&new, layer, Projection::NonNegative).unwrap();
                let there = scaled.project(&new_there, layer, Projection::NonNegative).unwrap();
                assert!(crate::testing::distance(&there, &here) < 1e-9, "{activation} {exponent}");
                let error = plain.factors.reconstruction_error(&new, layer, &here).unwrap();
                let error_there =
                    scaled.factors.reconstruction_error(&new_there, layer, &there).unwrap();
                let unit = f64::from(exponent).exp2();
                assert!((error_there / unit / error - 1.0).abs() < 1e-9, "{activation} {exponent}");
            }
        }
    }
}

/// An absolute 1 in the stopping rule made tiny data converge at once, with an error of 100%, or a false 0%.
#[test]
fn tiny_data_do_not_converge_early() {
    let x = positive::<f64>(20, 100, 5);
    let error = |scale: f64| Nmf::new(5).fit(&x.map(|v| v * scale)).unwrap().summary.relative_error;
    let plain = error(1.0);
    for scale in [1e-5, 1e-30, 1e-300, 1e250] {
        assert!((error(scale) / plain - 1.0).abs() < 1e-2, "{scale}: {} {plain}", error(scale));
    }
}

#[test]
fn numbers_too_small_for_single_precision_are_said() {
    let x = positive::<f32>(6, 30, 6).map(|v| v * 1e-38);
    let model = SemiNmf::new(2).with(FitOptions::default().scale(ScaleIn::Z)).fit(&x).unwrap();
    let relative = SemiNmf::new(2).fit(&x.map(|v| v * 1e38)).unwrap().summary.relative_error;
    assert!((model.summary.relative_error / relative - 1.0).abs() < 0.05);
    // Numbers of 1e-44 and below are zero in f32.
    let tiny = positive::<f32>(6, 30, 6).map(|v| v * 1e-44);
    let model = SemiNmf::new(2).fit(&tiny).unwrap();
    let said = |n: &Notice| matches!(n, Notice::Underflow { .. });
    assert!(model.summary.notices.iter().any(said), "{:?}", model.summary.notices);
}

/// From some hundred thousand samples on, `f32` took most components for rounding and began from random ones.
#[test]
fn single_precision_agrees_with_double_for_many_samples() {
    let (p, n) = (12, 150_000);
    let z = positive::<f64>(p, 4, 8);
    let h = positive::<f64>(4, n, 9);
    let noise = positive::<f64>(p, n, 10);
    let mut x = crate::matrix::product(z.view(), h.view());
    crate::matrix::add_scaled(&mut x, 0.05, &noise);
    // One component is a hundred times smaller than the others.
    for j in 0..n {
        x.col_mut(j)[0] *= 0.01;
    }
    let narrow = x.cast::<f32>();
    let models: [crate::Settings; 3] =
        [SemiNmf::new(4).into(), DeepSemiNmf::new([6, 3]).into(), Nmf::new(4).into()];
    for settings in models {
        let wide = Factorization::fit(&settings, &x).unwrap().summary;
        let narrow = Factorization::fit(&settings, &narrow).unwrap().summary;
        let off = |a: f64, b: f64| (a / b - 1.0).abs();
        let reached = [narrow.error, wide.error];
        assert!(off(narrow.error, wide.error) < 1e-4, "{settings:?} {reached:?}");
        assert!(off(narrow.history[0], wide.history[0]) < 1e-4, "{settings:?}");
        let bound = |s: &crate::Summary| s.svd_bound.unwrap();
        assert!(off(bound(&narrow), bound(&wide)) < 1e-4, "{settings:?}");
        assert!(bound(&narrow) <= narrow.error * (1.0 + 1e-6), "{settings:?}");
    }
}

/// The bound is a difference of sums of squares, of which `f32` has no digits left here.
#[test]
fn the_bound_of_single_precision_data_of_low_rank_is_a_bound() {
    let x =
        crate::matrix::product(normal::<f64>(60, 10, 11).view(), normal::<f64>(10, 200, 12).view());
    let narrow = x.cast::<f32>();
    let (found, truth) = (
        crate::smallest_error(&narrow, 10, 0).unwrap(),
        crate::smallest_error(&narrow.cast::<f64>(), 10, 0).unwrap(),
    );
    assert!((found / truth - 1.0).abs() < 1e-4, "{found} {truth}");
    let reached = SemiNmf::new(11).fit(&narrow).unwrap().summary.error;
    assert!(crate::smallest_error(&narrow, 11, 0).unwrap() <= reached, "{reached}");
}

/// NNDSVDa begins far above the norm of the data, and a time limit returned that.
#[test]
fn a_fit_without_time_is_no_worse_than_zeros() {
    let x = normal::<f64>(20, 80, 7).map(|v| (5.0 * v).max(0.0).powi(3));
    let stop = StopRule { max_seconds: Some(0.0), ..StopRule::default() };
    let options = NonNegativeOptions::default().stop(stop);
    let models: [crate::Settings; 3] = [
        Nmf::new(6).with(options.clone()).into(),
        crate::NeNmf::new(6).with(Nmf::new(6).with(options.clone())).into(),
        Dnmf::new(6, 0.1, 0.5).with(Nmf::new(6).with(options)).into(),
    ];
    for settings in models {
        let model = Factorization::fit(&settings, &x).unwrap();
        assert_eq!(model.summary.stop, StopReason::TimeBudget);
        assert!(model.summary.relative_error <= 1.0, "{settings:?}");
        let h = model.factors.top_features();
        let error = model.factors.reconstruction_error(&x, 1, h).unwrap();
        assert!((error / model.summary.error - 1.0).abs() < 1e-9);
        assert!(
            model
                .summary
                .notices
                .iter()
                .any(|n| { matches!(n, Notice::InitializationCutShort { .. }) })
        );
    }
}
