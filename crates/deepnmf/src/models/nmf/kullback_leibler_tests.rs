use super::{EntryPenalties, Nmf};
use crate::driver::Algorithm;
use crate::init::{NonNegativeStart, begin_non_negative};
use crate::matrix::{DataMatrix, Matrix, Sparse};
use crate::models::extrapolation::tests::only_rounding;
use crate::models::factors::Pair;
use crate::models::nmf::kullback_leibler::KlAlternation;
use crate::models::{Cnmf, Dnmf, Factorization, Gnmf, Model, NeNmf, NonNegativeOptions, Settings};
use crate::objective::Divergence;
use crate::project::Projection;
use crate::stop::StopRule;
use crate::testing::{literal_product, positive};
use crate::update::{Fixed, HSolver};

fn nmf(k: usize) -> Nmf {
    Nmf::new(k).divergence(Divergence::KullbackLeibler)
}

/// Counts with many zeros.
fn counts(p: usize, n: usize, seed: u64) -> Matrix<f64> {
    let (z, h) = (positive::<f64>(p, 3, seed), positive::<f64>(3, n, seed + 1));
    let (model, noise) = (literal_product(z.view(), h.view()), positive::<f64>(p, n, seed + 2));
    Matrix::from_fn(p, n, |i, j| (model[(i, j)] * noise[(i, j)] * 1.5 - 0.6).max(0.0).ceil())
}

fn literal_error(x: &Matrix<f64>, z: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let y = literal_product(z.view(), h.view());
    let term = |(x, y): (&f64, &f64)| if *x > 0.0 { x * (x / y).ln() - x + y } else { *y };
    (2.0 * x.as_slice().iter().zip(y.as_slice()).map(term).sum::<f64>()).sqrt()
}

#[test]
fn the_error_is_the_root_of_twice_the_divergence_and_never_rises() {
    let x = counts(14, 40, 1);
    for start in [
        NonNegativeStart::Random,
        NonNegativeStart::Nndsvd,
        NonNegativeStart::Nndsvda,
        NonNegativeStart::Nndsvdar,
    ] {
        let model = nmf(4).with(NonNegativeOptions::default().start(start)).fit(&x).unwrap();
        let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
        assert!(z.as_slice().iter().chain(h.as_slice()).all(|v| *v >= 0.0));
        let literal = literal_error(&x, z, h);
        assert!((model.summary.error / literal - 1.0).abs() < 1e-9, "{start:?}");
        assert!((model.error_of(&x, 1, h).unwrap() / literal - 1.0).abs() < 1e-9);
        let history = &model.summary.history;
        assert!(history.len() > 5 && history.windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!((model.summary.svd_bound, model.summary.gap), (None, None));
        let relative = model.relative(&x, model.summary.error).unwrap();
        assert_eq!(relative.to_bits(), model.summary.relative_error.to_bits());
    }
}

/// Sweeps without momentum, far beyond where they converge.
#[test]
fn no_sweep_rises_but_by_rounding() {
    for x in [counts(12, 30, 3), positive(12, 30, 4)] {
        for start in [NonNegativeStart::Random, NonNegativeStart::Nndsvd] {
            let started = begin_non_negative(&x, 4, start, 0).unwrap();
            let pair = Pair { z: started.z, h: started.h };
            let mut descent =
                KlAlternation::begin(&x, pair, 3, EntryPenalties::NONE, Fixed::default()).unwrap();
            let before = descent.error();
            (0..200).for_each(|_| descent.step().unwrap());
            assert!(descent.error() < before);
            assert!(only_rounding(&descent.rising), "{:?}", descent.rising);
        }
    }
}

/// The sums of features and samples decide on one component.
#[test]
fn one_component_is_the_product_of_the_sums() {
    let x = counts(9, 25, 5);
    let model = nmf(1).fit(&x).unwrap();
    assert!((model.summary.relative_error - 1.0).abs() < 1e-9, "{}", model.summary.relative_error);
    let all: f64 = x.as_slice().iter().sum();
    let (z, h) = (&model.factors.z[0], &model.factors.h[0]);
    for i in 0..9 {
        let of_feature: f64 = (0..25).map(|j| x[(i, j)]).sum();
        for j in 0..25 {
            let expected = of_feature * x.col(j).iter().sum::<f64>() / all;
            assert!((z[(i, 0)] * h[(0, j)] - expected).abs() < 1e-6 * all);
        }
    }
}

#[test]
fn a_product_of_non_negative_factors_is_found_again_in_its_divergence() {
    let x = literal_product(positive::<f64>(15, 3, 3).view(), positive(3, 60, 4).view());
    let stop = StopRule { kappa: 1e-12, max_iterations: 5000, max_seconds: None };
    let model = nmf(3).with(NonNegativeOptions::default().stop(stop)).fit(&x).unwrap();
    assert!(model.summary.relative_error < 1e-3, "{}", model.summary.relative_error);
}

#[test]
fn projected_samples_of_the_fit_are_no_worse_than_the_fit() {
    for x in [counts(14, 40, 7), positive(14, 40, 8)] {
        let model = nmf(4).fit(&x).unwrap();
        for x in [&x as &dyn DataMatrix<f64>, &Sparse::from_dense(&x)] {
            let h = model.project(x, 1, Projection::NonNegative).unwrap();
            let error = model.error_of(x, 1, &h).unwrap();
            assert!(error <= model.summary.error * (1.0 + 1e-9), "{error}");
        }
        let refused = model.project(&x, 1, Projection::Basis).unwrap_err().to_string();
        assert!(refused.contains("Kullback-Leibler") && refused.contains("nonnegative"));
        let negative = model.project(&x.map(|v| v - 1.0), 1, Projection::NonNegative);
        assert!(negative.unwrap_err().to_string().contains("negative"));
    }
}

#[test]
fn single_precision_agrees_with_double_in_the_divergence() {
    let x = counts(14, 60, 9);
    let (wide, narrow) = (nmf(3).fit(&x).unwrap(), nmf(3).fit(&x.cast::<f32>()).unwrap());
    assert!((wide.summary.error / narrow.summary.error - 1.0).abs() < 1e-3);
}

#[test]
fn empty_samples_features_and_data_are_sound() {
    let mut x = counts(8, 20, 11);
    x.col_mut(4).fill(0.0);
    (0..20).for_each(|j| x[(2, j)] = 0.0);
    for x in [x, Matrix::zeros(8, 20)] {
        for start in [NonNegativeStart::Nndsvda, NonNegativeStart::Nndsvd, NonNegativeStart::Random]
        {
            let model: Model<f64> =
                nmf(3).with(NonNegativeOptions::default().start(start)).fit(&x).unwrap();
            let reconstruction = model.factors.reconstruct(1, &model.factors.h[0]).unwrap();
            assert!(reconstruction.col(4).iter().all(|v| *v < 1e-9), "{:?}", reconstruction.col(4));
            assert!((0..20).all(|j| reconstruction[(2, j)] < 1e-9));
            assert!(model.summary.error.is_finite() && model.summary.notices.is_empty());
        }
    }
}

#[test]
fn rules_and_models_without_this_divergence_say_so() {
    let x = counts(8, 20, 13);
    for solver in [HSolver::ACCELERATED, Nmf::LEE_SEUNG] {
        let refused = nmf(2).with(NonNegativeOptions::default().solver(solver)).fit(&x);
        assert!(refused.unwrap_err().to_string().contains("use hals"));
    }
    let labels: Vec<Option<u32>> = (0..20).map(|j| Some(j % 2)).collect();
    let models: [(Settings, bool); 4] = [
        (Gnmf::new(2).with(nmf(2)).into(), false),
        (NeNmf::new(2).with(nmf(2)).into(), false),
        (Cnmf::new(2).with(nmf(2)).into(), true),
        (Dnmf::new(2, 0.0, 0.0).with(nmf(2)).into(), true),
    ];
    for (settings, labelled) in models {
        let attributes: &[_] = if labelled { &[Some(&labels[..])] } else { &[] };
        let refused = settings.fit_labelled(&x, attributes).unwrap_err().to_string();
        assert!(refused.contains("kullback-leibler"), "{}: {refused}", settings.name());
    }
}

#[test]
fn files_of_before_have_the_usual_divergence_and_others_name_it() {
    let text = serde_json::to_string(&Settings::from(Nmf::new(3))).unwrap();
    assert!(!text.contains("divergence"), "{text}");
    let Settings::Nmf(read) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
    assert_eq!(read, Nmf::new(3));
    let text = serde_json::to_string(&Settings::from(nmf(3))).unwrap();
    assert!(text.contains(r#""divergence":"kullback-leibler""#), "{text}");
    let Settings::Nmf(read) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
    assert_eq!(read, nmf(3));
}
