use super::*;
use crate::matrix::pseudo_inverse;
use crate::models::{DeepSemiNmf, Factorization, FitOptions, SemiNmf};
use crate::stop::StopRule;
use crate::testing::{distance, literal_error, literal_product, normal, optimality, positive};

fn unfinished(x: &Matrix<f64>) -> Model<f64> {
    let stop = StopRule { max_iterations: 2, ..StopRule::default() };
    let options = FitOptions::default().start(crate::Start::Random).stop(stop);
    DeepSemiNmf::new([8, 4]).with(options).fit(x).unwrap()
}

#[test]
fn the_projected_training_set_never_has_a_larger_error_than_the_fit() {
    for x in [normal::<f64>(20, 60, 1), positive(20, 60, 2)] {
        let model = unfinished(&x);
        for layer in 1..=2 {
            let phi = model.factors.basis(layer).unwrap();
            let h = model.project(&x, layer, Projection::NonNegative).unwrap();
            let fitted = literal_error(&x, &phi, &model.factors.h[layer - 1]);
            assert!(literal_error(&x, &phi, &h) <= fitted * (1.0 + 1e-12));
        }
    }
}

#[test]
fn non_negative_features_satisfy_the_optimality_conditions_at_every_layer() {
    let x = positive::<f64>(20, 60, 3);
    let model = unfinished(&x);
    let fresh = normal::<f64>(20, 100, 4);
    for layer in 1..=2 {
        let phi = model.factors.basis(layer).unwrap();
        let h = model.project(&fresh, layer, Projection::NonNegative).unwrap();
        let gram = literal_product(phi.t(), phi.view());
        let b = literal_product(phi.t(), fresh.view());
        assert!(optimality(&gram, &b, &h) < 1e-8);
    }
}

#[test]
fn the_basis_method_is_the_pseudo_inverse_of_the_basis() {
    let x = normal::<f64>(20, 60, 5);
    let model = unfinished(&x);
    for layer in 1..=2 {
        let phi = model.factors.basis(layer).unwrap();
        let h = model.project(&x, layer, Projection::Basis).unwrap();
        let literal = literal_product(pseudo_inverse(phi.view()).unwrap().view(), x.view());
        assert!(distance(&h, &literal) < 1e-7, "layer {layer}: {}", distance(&h, &literal));
    }
}

#[test]
fn both_methods_agree_on_samples_made_of_the_basis() {
    let x = normal::<f64>(12, 40, 6);
    let model = SemiNmf::new(4).fit(&x).unwrap();
    let h = positive::<f64>(4, 25, 7);
    let made = literal_product(model.factors.z[0].view(), h.view());
    for method in [Projection::Basis, Projection::NonNegative] {
        assert!(distance(&model.project(&made, 1, method).unwrap(), &h) < 1e-8);
    }
}

#[test]
fn single_precision_agrees_with_double() {
    let x = positive::<f64>(20, 60, 8);
    let wide = SemiNmf::new(5).fit(&x).unwrap();
    let mut narrow = SemiNmf::new(5).fit(&x.cast::<f32>()).unwrap();
    narrow.factors.z[0] = wide.factors.z[0].cast();
    for method in [Projection::Basis, Projection::NonNegative] {
        let h = wide.project(&x, 1, method).unwrap();
        let h32 = narrow.project(&x.cast(), 1, method).unwrap();
        assert!(distance(&h32, &h) < 1e-2);
        let error = |h: &Matrix<f64>| literal_error(&x, &wide.factors.z[0], h);
        assert!((error(&h32.cast()) / error(&h) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn samples_and_layers_that_do_not_fit_are_refused_in_words() {
    let x = normal::<f64>(10, 30, 9);
    let model = SemiNmf::new(3).fit(&x).unwrap();
    let told = model.project(&normal(9, 5, 1), 1, Projection::Basis).unwrap_err().to_string();
    assert!(told.contains("found 9, but 10 is needed"), "{told}");
    let told = model.project(&x, 2, Projection::Basis).unwrap_err().to_string();
    assert!(told.contains("the layer is 2: this model has layer 1 only"), "{told}");
    assert!(model.project(&x, 0, Projection::NonNegative).is_err());
}
