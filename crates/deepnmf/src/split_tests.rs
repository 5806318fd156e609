//! Every model on samples that are spread over parts equals the same model in one place.
//!
//! The parts are threads (`meeting.rs`). What is compared are the factors of all layers, the errors and the
//! iterations.

mod cases;
mod meeting;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use cases::{Tried, every_setting};
pub(crate) use meeting::on_parts;

use self::cases::{options, samples};
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::init::Start;
use crate::matrix::{
    DataMatrix, Matrix, PartColumns, PartData, Parts, Sparse, SvdMethod, Visit, truncated_svd,
};
use crate::models::{
    AdditiveSemiNmf, Attributes, DeepSemiNmf, Factorization, FitOptions, Model, SemiNmf, Settings,
    WarmStart, WhitenedPca, Wsf,
};
use crate::project::Projection;
use crate::stop::{CancelToken, StopReason, StopRule};
use crate::testing::{distance, normal};
use crate::{FitSession, Observer};

/// One part, two uneven ones, three of which one is empty, three uneven ones.
const SIZES: [&[usize]; 4] = [&[61], &[20, 41], &[7, 0, 54], &[33, 5, 23]];

/// The columns of some samples.
fn part_of(x: &Matrix<f64>, range: Range<usize>) -> Matrix<f64> {
    x.view_columns(range).to_matrix()
}

/// Columns of all parts side by side.
fn joined(parts: Vec<Matrix<f64>>) -> Matrix<f64> {
    let rows = parts[0].rows();
    let columns: usize = parts.iter().map(Matrix::cols).sum();
    let data = parts.into_iter().flat_map(Matrix::into_vec).collect();
    Matrix::from_vec(rows, columns, data).unwrap()
}

/// Fits on parts, which hold their samples in this way; gives the model of the whole.
fn fit_split(tried: &Tried, sizes: &[usize], held: Held) -> Model<f64> {
    let models = on_parts(sizes, |parts| {
        let own = part_of(&tried.x, parts.range());
        let fit = |data: &dyn DataMatrix<f64>| {
            let fitted = tried.fit_some(data, parts.range(), &mut FitSession::new());
            let model = fitted.unwrap_or_else(|error| panic!("{}: {error}", tried.what));
            (model.factors.z.clone(), model.summary.history.clone(), model.gathered(parts).unwrap())
        };
        match held {
            Held::Dense => fit(&PartColumns::new(own.view(), parts)),
            Held::Sparse => {
                let own = Sparse::from_dense(&own);
                fit(&PartData::new(&own, parts).unwrap())
            }
        }
    });
    for (z, history, _) in &models[1..] {
        assert_eq!(*z, models[0].0, "bases are the same on all parts");
        assert_eq!(*history, models[0].1);
    }
    let mut models = models.into_iter().map(|(_, _, model)| model);
    let first = models.next().flatten().expect("the first part has the model");
    assert!(models.all(|model| model.is_none()), "and no other one has");
    first
}

fn assert_same(what: &str, norm: f64, whole: &Model<f64>, split: &Model<f64>) {
    assert_eq!(whole.summary.iterations, split.summary.iterations, "{what}");
    assert_eq!(whole.summary.samples, split.summary.samples, "{what}");
    assert_eq!(whole.summary.notices, split.summary.notices, "{what}");
    assert_eq!(whole.summary.fingerprint, split.summary.fingerprint, "{what}");
    let off = (whole.summary.error - split.summary.error).abs() / norm;
    assert!(off < 1e-10, "{what}: errors differ by {off}");
    for (a, b) in split.factors.z.iter().zip(&whole.factors.z) {
        assert!(distance(a, b) < 1e-10, "{what}: bases differ by {}", distance(a, b));
    }
    for (a, b) in split.factors.h.iter().zip(&whole.factors.h) {
        assert!(distance(a, b) < 1e-10, "{what}: features differ by {}", distance(a, b));
    }
}

/// How a part holds its samples.
#[derive(Debug, Clone, Copy)]
enum Held {
    Dense,
    Sparse,
}

fn check(held: Held) {
    for tried in every_setting() {
        let whole = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        for sizes in SIZES {
            let what = format!("{held:?} on {sizes:?}, {}", tried.what);
            let split = fit_split(&tried, sizes, held);
            assert_same(&what, tried.x.norm_sq().sqrt(), &whole, &split);
        }
    }
}

#[test]
fn every_model_is_the_same_on_parts_as_in_one_place() {
    check(Held::Dense);
}

#[test]
fn every_model_is_the_same_on_parts_of_sparse_data_as_in_one_place() {
    check(Held::Sparse);
}

#[test]
fn every_model_is_among_those_tried_on_parts() {
    let cases = every_setting();
    for model in Settings::MODELS {
        let tried = cases.iter().any(|case| case.settings.name() == model.name);
        assert!(tried, "add {} to split_tests/cases.rs", model.name);
    }
}

/// New samples are projected by a model of the whole.
#[test]
fn projections_are_the_same_on_parts_as_in_one_place() {
    let models: [Settings; 5] = [
        SemiNmf::new(4).with(options()).into(),
        DeepSemiNmf::new([7, 4]).with(options()).into(),
        DeepSemiNmf::new([7, 4]).with(options()).activation(Activation::Relu).into(),
        WhitenedPca::new(4).into(),
        AdditiveSemiNmf::new([5, 3]).with(options()).into(),
    ];
    let (x, new) = (samples(true), normal::<f64>(12, 23, 9));
    for settings in models {
        let model = Factorization::fit(&settings, &x).unwrap();
        for layer in 1..=model.factors.depth() {
            for method in [Projection::Basis, Projection::NonNegative] {
                let Ok(whole) = model.project(&new, layer, method) else { continue };
                let split = on_parts(&[9, 0, 14], |parts| {
                    let own = part_of(&new, parts.range());
                    model.project(&PartColumns::new(own.view(), parts), layer, method).unwrap()
                });
                let off = distance(&joined(split), &whole);
                assert!(off < 1e-10, "{} layer {layer} {method:?}: {off}", settings.name());
            }
        }
    }
}

#[test]
fn warm_starts_are_the_same_on_parts_as_in_one_place() {
    let x = samples(true);
    let deep = DeepSemiNmf::new([7, 4]).with(options());
    let other = deep.clone().fit(&normal::<f64>(12, 40, 5)).unwrap().factors.z;
    let bases = || WarmStart::Bases(other.clone());
    let whole = deep.fit_from(&x, bases(), &mut FitSession::new()).unwrap();
    let split = on_parts(&[20, 41], |parts| {
        let own = part_of(&x, parts.range());
        let data = PartColumns::new(own.view(), parts);
        deep.fit_from(&data, bases(), &mut FitSession::new()).unwrap()
    });
    assert!(distance(&split[1].factors.z[0], &whole.factors.z[0]) < 1e-10);
    assert!((split[0].summary.error / whole.summary.error - 1.0).abs() < 1e-10);
}

#[test]
fn randomized_decompositions_are_the_same_on_parts_as_in_one_place() {
    let x = normal::<f64>(40, 300, 4);
    let randomized = SvdMethod::Randomized { tolerance: 1e-7 };
    let whole = truncated_svd(&x, 5, randomized, 7).unwrap();
    let split = on_parts(&[120, 0, 180], |parts| {
        let own = part_of(&x, parts.range());
        truncated_svd(&PartColumns::new(own.view(), parts), 5, randomized, 7).unwrap()
    });
    assert!(distance(&split[2].u, &whole.u) < 1e-10);
    let right = joined(split.into_iter().map(|svd| svd.v.t().to_matrix()).collect());
    assert!(distance(&right, &whole.v.t().to_matrix()) < 1e-10);
}

#[test]
fn all_parts_refuse_the_same_first_bad_entry() {
    let mut x = samples(true);
    (x[(3, 50)], x[(2, 44)]) = (f64::NAN, f64::INFINITY);
    let errors = on_parts(&[20, 20, 21], |parts| {
        let own = part_of(&x, parts.range());
        SemiNmf::new(3).fit(&PartColumns::new(own.view(), parts)).unwrap_err().to_string()
    });
    assert!(errors[0].starts_with("sample 45, feature 3 is inf"), "{}", errors[0]);
    assert!(errors.iter().all(|error| *error == errors[0]));
}

#[test]
fn who_is_told_to_stop_stops_all_parts_after_the_same_iteration() {
    let x = samples(true);
    let rule = StopRule { kappa: 0.0, max_iterations: 1000, max_seconds: None };
    let model = SemiNmf::new(4).with(FitOptions::default().start(Start::Random).stop(rule));
    let runs = on_parts(&[20, 41], |parts| {
        let own = part_of(&x, parts.range());
        let (cancel, mut seen) = (CancelToken::new(), 0);
        let mut watch = |_: &crate::Event| {
            seen += 1;
            if parts.rank() == 1 && seen == 5 {
                cancel.cancel();
            }
        };
        let watch: &mut dyn Observer = &mut watch;
        let mut session = FitSession::new().observed_by(watch).stopped_by(cancel.clone());
        model.fit_in(&PartColumns::new(own.view(), parts), &[], &mut session).unwrap().summary
    });
    for summary in &runs {
        assert_eq!(summary.stop, StopReason::Cancelled);
        assert_eq!(summary.iterations, runs[0].iterations);
    }
    assert!(runs[0].iterations < 10);
}

#[test]
fn a_time_budget_ends_all_parts_after_the_same_iteration() {
    let x = samples(true);
    let models = on_parts(&[20, 41], |parts| {
        let own = part_of(&x, parts.range());
        // One part's clock has run out, the other's never does.
        let max_seconds = Some(if parts.rank() == 0 { 0.0 } else { 1e6 });
        let rule = StopRule { kappa: 0.0, max_iterations: 50, max_seconds };
        let model = SemiNmf::new(4).with(FitOptions::default().stop(rule));
        model.fit(&PartColumns::new(own.view(), parts)).unwrap().summary
    });
    assert!(models.iter().all(|m| (m.stop, m.iterations) == (StopReason::TimeBudget, 0)));
}

/// Data of which one part cannot be read any more after some products.
struct Failing<'a> {
    data: PartColumns<'a, f64>,
    left: AtomicUsize,
}

impl DataMatrix<f64> for Failing<'_> {
    fn shape(&self) -> (usize, usize) {
        self.data.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.data.parts()
    }

    fn tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            return Err(Error::Numerical("the disk is gone".into()));
        }
        self.data.tr_mul(z, out)
    }

    fn mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.data.mul_tr(h, out)
    }

    fn blocks(&self, visit: &mut Visit<'_, f64>) -> Result<()> {
        self.data.blocks(visit)
    }
}

#[test]
fn a_part_that_fails_alone_leaves_no_other_waiting() {
    let x = samples(true);
    for settings in [
        Settings::from(SemiNmf::new(4).with(options())),
        DeepSemiNmf::new([7, 4]).with(options()).activation(Activation::Relu).into(),
        Wsf::new(4, 0.1).with(options()).into(),
    ] {
        let errors = on_parts(&[20, 20, 21], |parts| {
            let own = part_of(&x, parts.range());
            let left = AtomicUsize::new(if parts.rank() == 1 { 1 } else { usize::MAX });
            let data = Failing { data: PartColumns::new(own.view(), parts), left };
            let none: &Attributes<'_> = &[];
            settings.fit(&data, none, &mut FitSession::new()).unwrap_err().to_string()
        });
        assert_eq!(errors[1], "the disk is gone");
        assert_eq!(errors[0], "another part has failed: the disk is gone");
        assert_eq!(errors[2], errors[0]);
    }
}
