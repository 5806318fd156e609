//! Every model on samples that are spread over parts equals the same model in one place.
//!
//! The parts are threads (`meeting.rs`). What is compared are the factors of all layers, the errors and the
//! iterations.

mod meeting;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use meeting::on_parts;

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::graph::{LabelGraph, NeighbourSearch, NeighbourWeights};
use crate::init::{NonNegativeStart, Start};
use crate::matrix::{DataMatrix, Matrix, PartColumns, Parts, SvdMethod, Visit, truncated_svd};
use crate::models::{
    AdditiveSemiNmf, Attributes, Cnmf, DeepSemiNmf, DeepWsf, Descent, Dnmf, ElasticNet,
    Factorization, FitOptions, Form, Gnmf, Loss, Model, MultilayerNmf, NeNmf, Neighbourhood, Nmf,
    NonNegativeOptions, NormalForm, Optimizer, Penalties, Pretraining, SemiNmf, Settings, Variant,
    WarmStart, WhitenedPca, Wsf, WsfMa,
};
use crate::objective::Divergence;
use crate::project::Projection;
use crate::stop::{CancelToken, StopReason, StopRule};
use crate::testing::{distance, normal};
use crate::update::HSolver;
use crate::{FitSession, Observer};

const SAMPLES: usize = 61;

/// One part, two uneven ones, three of which one is empty, three uneven ones.
const SIZES: [&[usize]; 4] = [&[61], &[20, 41], &[7, 0, 54], &[33, 5, 23]];

/// Few components and some noise, of any sign or not.
fn samples(negative: bool) -> Matrix<f64> {
    let product = crate::matrix::product(
        normal::<f64>(12, 6, 1).map(f64::abs).view(),
        normal::<f64>(6, SAMPLES, 2).map(f64::abs).view(),
    );
    let noise = normal::<f64>(12, SAMPLES, 3);
    let sign = |i: usize| if negative && i.is_multiple_of(3) { -1.0 } else { 1.0 };
    Matrix::from_fn(12, SAMPLES, |i, j| {
        let value = sign(i) * product[(i, j)] + 0.3 * noise[(i, j)];
        if negative { value } else { value.abs() }
    })
}

/// Labels of three attributes, some missing; one class of the last stands in a single part.
fn labels() -> [Vec<Option<u32>>; 3] {
    let of = |f: &dyn Fn(u32) -> Option<u32>| (0..61).map(f).collect();
    [
        of(&|j| (j % 4 != 1).then_some(j % 3)),
        of(&|j| (j < 40).then_some(10 + j / 9)),
        of(&|j| Some(if j > 57 { 7 } else { j % 2 })),
    ]
}

fn few() -> StopRule {
    StopRule { kappa: 0.0, max_iterations: 4, max_seconds: None }
}

fn options() -> FitOptions {
    FitOptions::default().stop(few())
}

/// One iteration: from the optimal start there is nothing to gain, and rounding would decide on a second.
fn once() -> FitOptions {
    FitOptions::default().stop(StopRule { max_iterations: 1, ..few() })
}

/// From random features, which leave something to gain.
fn random() -> FitOptions {
    options().start(Start::Random)
}

fn near() -> Neighbourhood {
    Neighbourhood::of([3])
}

fn non_negative() -> NonNegativeOptions {
    NonNegativeOptions::default().stop(few())
}

/// A model, and the attributes that it learns from, by their place in [`labels`].
struct Case {
    what: &'static str,
    settings: Settings,
    attributes: Vec<Option<usize>>,
}

fn case(what: &'static str, model: impl Into<Settings>, attributes: &[Option<usize>]) -> Case {
    Case { what, settings: model.into(), attributes: attributes.to_vec() }
}

fn shallow_cases() -> Vec<Case> {
    let mut cases = vec![];
    for start in [Start::Random, Start::KMeans, Start::Svd, Start::Optimal] {
        cases.push(case("starts", SemiNmf::new(4).with(once().start(start)), &[]));
        // More components than the data have rank: random rows are appended. Nothing is left over for a
        // rule to fit, so only the beginning is compared.
        let begun = StopRule { max_iterations: 0, ..few() };
        let spare = SemiNmf::new(14).with(options().start(start).stop(begun));
        cases.push(case("spare components", spare, &[]));
    }
    for solver in [HSolver::HALS, HSolver::ACCELERATED, HSolver::MULTIPLICATIVE] {
        let from_random = options().start(Start::Random).solver(solver);
        cases.push(case("rules", SemiNmf::new(4).with(from_random), &[]));
        let nmf = non_negative().solver(solver);
        cases.push(case("rules", Nmf::new(4).with(nmf.clone()), &[]));
        for gnmf in [Gnmf::new(4), Gnmf::published(4)] {
            let nmf = Nmf::new(4).with(nmf.clone());
            cases.push(case("graph and rules", gnmf.with(nmf), &[]));
        }
        for graph in [LabelGraph::Binary, LabelGraph::Rbf { sigma: None }, LabelGraph::Dot] {
            let wsf = Wsf::new(4, 0.1).graph(graph).with(options().solver(solver));
            cases.push(case("label graphs", wsf.clone().variant(Variant::Printed), &[Some(0)]));
            let from_random = options().solver(solver).start(Start::Random);
            cases.push(case("label graphs", wsf.with(from_random), &[Some(0)]));
        }
    }
    for start in [NonNegativeStart::Random, NonNegativeStart::Nndsvda] {
        let counts = Nmf::new(4).divergence(Divergence::KullbackLeibler);
        let counts = counts.with(non_negative().start(start));
        for nmf in [Nmf::new(4).with(non_negative().start(start)), counts.clone()] {
            let penalty = ElasticNet::new(1e-3, 2e-3, 0.5);
            cases.push(case("penalties", nmf.penalty(penalty), &[]));
        }
        let deep = MultilayerNmf::new([7, 5, 4]).with(counts.clone());
        cases.push(case("divergence of layers", deep, &[]));
        cases.push(case("divergence", counts, &[]));
    }
    let repeated = non_negative().solver(Nmf::MULTIPLICATIVE);
    cases.push(case("repeated rule", Nmf::new(4).with(repeated), &[]));
    for start in [
        NonNegativeStart::Random,
        NonNegativeStart::Nndsvd,
        NonNegativeStart::Nndsvda,
        NonNegativeStart::Nndsvdar,
    ] {
        cases.push(case("starts", Nmf::new(4).with(non_negative().start(start)), &[]));
    }
    for weights in
        [NeighbourWeights::Binary, NeighbourWeights::Heat { sigma: None }, NeighbourWeights::Dot]
    {
        let gnmf = Gnmf::new(4).with(Nmf::new(4).with(non_negative())).neighbours(3, weights);
        cases.push(case("neighbours", gnmf.clone(), &[]));
        cases.push(case("many neighbours", gnmf.search(NeighbourSearch::Approximate), &[]));
    }
    let nmf = || Nmf::lee_seung(4).with(non_negative().solver(Nmf::LEE_SEUNG));
    cases.extend([
        case("published", NeNmf::new(4).with(Nmf::new(4).with(non_negative())), &[]),
        case("labels", Cnmf::new(4).with(nmf()), &[Some(1)]),
        case("without labels", Cnmf::new(4).with(nmf()), &[]),
        case("Fisher", Dnmf::new(4, 0.1, 0.0).with(nmf()), &[Some(2)]),
        case("Fisher, classes apart", Dnmf::new(4, 0.1, 0.01).with(nmf()), &[Some(2)]),
        case("attributes", WsfMa::new(4, [0.1, 0.02]).with(random()), &[Some(1), Some(2)]),
        case("a class in one part", Wsf::new(4, 0.1).with(random()), &[Some(2)]),
        case("neighbours", SemiNmf::new(4).neighbourhood(near()).with(random()), &[]),
        case("both", Wsf::new(4, 0.1).neighbourhood(near()).with(random()), &[Some(2)]),
        case("without labels", Wsf::new(4, 0.1).with(once()), &[]),
        case("decomposition", WhitenedPca::new(4), &[]),
        case("sums of parts", AdditiveSemiNmf::new([5, 3]).with(options()), &[]),
        case("sums of three parts", AdditiveSemiNmf::new([4, 3, 2]).with(options()), &[]),
        case("a deep part", AdditiveSemiNmf::new([vec![7, 4], vec![3]]).with(options()), &[]),
        case("a part with labels", AdditiveSemiNmf::new([4, 0]).with(options()), &[None, Some(1)]),
        case("one part", AdditiveSemiNmf::new([4]).with(random()), &[]),
    ]);
    cases
}

fn deep_cases() -> Vec<Case> {
    // From random features: the optimal ones leave nothing for pre-training to do but rounding, and which
    // features rounding leaves at zero decides on the active set of a gradient method.
    let deep = || {
        let descent = Descent { max_iterations: 4, ..Descent::default() };
        DeepSemiNmf::new([7, 4]).with(options().start(Start::Random)).descent(descent)
    };
    let penalties = Penalties { ridge: 1e-2, sparsity: 1e-3, ..Penalties::default() };
    let of_basis = Penalties { normal_form: NormalForm::Basis, ..Penalties::default() };
    let of_features = Penalties { normal_form: NormalForm::Features, ..Penalties::default() };
    let mut cases = vec![
        case("closed form", deep(), &[]),
        case("three layers", DeepSemiNmf::new([8, 5, 3]).with(options()), &[]),
        case("as printed", deep().form(Form::Literal), &[]),
        case("normal form", deep().penalties(of_basis), &[]),
        case("normal form", deep().penalties(of_features), &[]),
        case("layers' loss", deep().loss(Loss::Layer), &[]),
        case("data's loss", deep().loss(Loss::Data).penalties(penalties), &[]),
        case("sparse", deep().loss(Loss::Layer).penalties(penalties), &[]),
        case("layers", MultilayerNmf::new([7, 4]).with(Nmf::new(1).with(non_negative())), &[]),
    ];
    for activation in [Activation::Relu, Activation::Stanh, Activation::Square] {
        let nonlinear = deep().activation(activation);
        cases.push(case("nonlinear", nonlinear.clone(), &[]));
        cases.push(case("nonlinear layers", nonlinear.loss(Loss::Layer).penalties(penalties), &[]));
    }
    let optimizers = [
        Optimizer::Varpro,
        Optimizer::Apg { joint: true },
        Optimizer::Apg { joint: false },
        Optimizer::Adam { step: 1e-3 },
    ];
    for optimizer in optimizers {
        let relu = deep().activation(Activation::Relu).optimizer(optimizer);
        cases.push(case("optimizers", relu.clone().loss(Loss::Data), &[]));
        cases.push(case("optimizers", relu, &[]));
    }
    let wsf = || DeepWsf::of(deep(), [0.05, 0.1]);
    let printed = || wsf().variant(Variant::Printed);
    let both = [Some(0), Some(2)];
    cases.extend([
        case("layer after layer", wsf(), &both),
        case("one layer with labels", wsf(), &[None, Some(1)]),
        case("without labels", wsf(), &[None, None]),
        case("label graphs", wsf().graph(LabelGraph::Dot), &both),
        case("Algorithm 2", printed(), &both),
        case("as released", wsf().variant(Variant::Released), &both),
        case("Semi-NMF first", printed().pretraining(Pretraining::SemiNmf), &both),
        case("label graphs", printed().graph(LabelGraph::Dot), &both),
    ]);
    let near = |neighbours: &[usize]| deep().neighbourhood(Neighbourhood::of(neighbours));
    cases.extend([
        case("neighbours in features", near(&[0, 4]), &[]),
        case("neighbours in the data", near(&[4, 0]), &[]),
        case("neighbours and labels", DeepWsf::of(near(&[3, 4]), [0.05, 0.1]), &both),
    ]);
    for loss in [Loss::Paper, Loss::Layer, Loss::Data] {
        for variant in [Variant::ScaleFree, Variant::Printed] {
            let linear = deep().loss(loss);
            let wsf = DeepWsf::of(linear.clone(), [0.05, 0.1]).variant(variant);
            cases.push(case("losses", wsf, &both));
            let relu = DeepWsf::of(linear.activation(Activation::Relu), [0.05, 0.1]);
            cases.push(case("nonlinear losses", relu.variant(variant), &both));
        }
    }
    cases
}

/// Settings of every model with the data and labels they are tried on, for laws that hold for all of them.
pub(crate) struct Tried {
    pub(crate) what: String,
    pub(crate) settings: Settings,
    pub(crate) x: Matrix<f64>,
    labels: Vec<Option<Vec<Option<u32>>>>,
}

impl Tried {
    pub(crate) fn fit(
        &self,
        x: &dyn DataMatrix<f64>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<f64>> {
        let labels: Vec<_> = self.labels.iter().map(|labels| labels.as_deref()).collect();
        self.settings.fit(x, &labels, session)
    }
}

pub(crate) fn every_setting() -> Vec<Tried> {
    let labels = labels();
    let tried = |Case { what, settings, attributes }: Case| Tried {
        what: format!("{what}: {}", serde_json::to_string(&settings).unwrap()),
        x: samples(settings.abilities().negative_data),
        labels: attributes.iter().map(|place| place.map(|p| labels[p].clone())).collect(),
        settings,
    };
    shallow_cases().into_iter().chain(deep_cases()).map(tried).collect()
}

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

/// Fits on parts; gives the model of the whole.
fn fit_split(case: &Case, x: &Matrix<f64>, sizes: &[usize]) -> Model<f64> {
    let labels = labels();
    let mut models = on_parts(sizes, |parts| {
        let own = part_of(x, parts.range());
        let data = PartColumns::new(own.view(), parts);
        let of_part = |place: &Option<usize>| place.map(|place| &labels[place][parts.range()]);
        let attributes: Vec<_> = case.attributes.iter().map(of_part).collect();
        let fitted = case.settings.fit(&data, &attributes, &mut FitSession::new());
        fitted.unwrap_or_else(|error| panic!("{}: {error}", case.what))
    });
    let depth = models[0].factors.depth();
    let h = (0..depth)
        .map(|layer| joined(models.iter().map(|m| m.factors.h[layer].clone()).collect()))
        .collect();
    for model in &models[1..] {
        assert_eq!(model.factors.z, models[0].factors.z, "bases are the same on all parts");
        assert_eq!(model.summary.history, models[0].summary.history);
    }
    let mut model = models.swap_remove(0);
    model.factors.h = h;
    model
}

fn assert_same(case: &Case, sizes: &[usize], norm: f64, whole: &Model<f64>, split: &Model<f64>) {
    let settings = serde_json::to_string(&case.settings).unwrap();
    let what = format!("{} on {sizes:?}, {settings}", case.what);
    assert_eq!(whole.summary.iterations, split.summary.iterations, "{what}");
    assert_eq!(whole.summary.samples, split.summary.samples, "{what}");
    assert_eq!(whole.summary.notices, split.summary.notices, "{what}");
    let off = (whole.summary.error - split.summary.error).abs() / norm;
    assert!(off < 1e-10, "{what}: errors differ by {off}");
    for (a, b) in split.factors.z.iter().zip(&whole.factors.z) {
        assert!(distance(a, b) < 1e-10, "{what}: bases differ by {}", distance(a, b));
    }
    for (a, b) in split.factors.h.iter().zip(&whole.factors.h) {
        assert!(distance(a, b) < 1e-10, "{what}: features differ by {}", distance(a, b));
    }
}

fn check(cases: &[Case]) {
    let labels = labels();
    for case in cases {
        let x = samples(case.settings.abilities().negative_data);
        let attributes: Vec<_> =
            case.attributes.iter().map(|place| place.map(|p| labels[p].as_slice())).collect();
        let whole = case.settings.fit(&x, &attributes, &mut FitSession::new()).unwrap();
        for sizes in SIZES {
            assert_same(case, sizes, x.norm_sq().sqrt(), &whole, &fit_split(case, &x, sizes));
        }
    }
}

#[test]
fn models_with_one_layer_are_the_same_on_parts_as_in_one_place() {
    check(&shallow_cases());
}

#[test]
fn deep_models_are_the_same_on_parts_as_in_one_place() {
    check(&deep_cases());
}

#[test]
fn every_model_is_among_those_tried_on_parts() {
    let cases: Vec<Case> = shallow_cases().into_iter().chain(deep_cases()).collect();
    for model in Settings::MODELS {
        let tried = cases.iter().any(|case| case.settings.name() == model.name);
        assert!(tried, "add {} to the cases of split_tests.rs", model.name);
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
