//! Settings of every model, with samples and labels to try them on. They see what users of the library see, so that
//! the tests of other crates try the same.

use std::ops::Range;

use deepnmf::matrix::product;
use deepnmf::rng::generator;
use deepnmf::{
    Activation, AdditiveSemiNmf, Cnmf, DataMatrix, DeepSemiNmf, DeepWsf, Descent, Divergence, Dnmf,
    ElasticNet, FitOptions, FitSession, Form, Gnmf, HSolver, LabelGraph, Loss, Matrix, Model,
    MultilayerNmf, NeNmf, NeighbourSearch, NeighbourWeights, Neighbourhood, Nmf,
    NonNegativeOptions, NonNegativeStart, NormalForm, Optimizer, Penalties, Pretraining, Result,
    SemiNmf, Settings, Start, StopRule, Variant, WhitenedPca, Wsf, WsfMa,
};
use rand_distr::{Distribution, StandardNormal};

/// Standard normal numbers.
fn normal(rows: usize, cols: usize, seed: u64) -> Matrix<f64> {
    let mut rng = generator(seed, 1);
    Matrix::from_fn(rows, cols, |i, j| {
        if i == 0 {
            rng.set_word_pos((j as u128) << 24);
        }
        StandardNormal.sample(&mut rng)
    })
}

pub(crate) const SAMPLES: usize = 61;

/// Few components and some noise, of any sign or not.
pub(crate) fn samples(negative: bool) -> Matrix<f64> {
    let product =
        product(normal(12, 6, 1).map(f64::abs).view(), normal(6, SAMPLES, 2).map(f64::abs).view());
    let noise = normal(12, SAMPLES, 3);
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

pub(crate) fn options() -> FitOptions {
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

/// Settings of a model with the data and labels they are tried on, for laws that hold for all of them.
pub(crate) struct Tried {
    pub(crate) what: String,
    pub(crate) settings: Settings,
    pub(crate) x: Matrix<f64>,
    labels: Vec<Option<Vec<Option<u32>>>>,
}

impl Tried {
    /// Fits to all samples.
    pub(crate) fn fit(
        &self,
        x: &dyn DataMatrix<f64>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<f64>> {
        self.fit_some(x, 0..SAMPLES, session)
    }

    /// Fits to the samples in this range, which `x` holds.
    pub(crate) fn fit_some(
        &self,
        x: &dyn DataMatrix<f64>,
        samples: Range<usize>,
        session: &mut FitSession<'_>,
    ) -> Result<Model<f64>> {
        let some =
            |labels: &Option<Vec<Option<u32>>>| Some(labels.as_ref()?[samples.clone()].to_vec());
        let labels: Vec<_> = self.labels.iter().map(some).collect();
        let labels: Vec<_> = labels.iter().map(Option::as_deref).collect();
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
