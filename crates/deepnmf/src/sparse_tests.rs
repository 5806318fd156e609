//! Every model on sparse data, stored either way, equals the same model on the same data in dense form.
//!
//! Models and settings are those of `split_tests/cases.rs`, and so are the tolerances: sparse sums have another order.

use crate::graph::{LabelGraph, NeighbourSearch, NeighbourWeights, Neighbours, Search};
use crate::matrix::{DataMatrix, Matrix, Sparse};
use crate::models::{
    AdditiveSemiNmf, DeepSemiNmf, DeepWsf, ElasticNet, Factorization, FitOptions, Gnmf, Model,
    MultilayerNmf, Nmf, NonNegativeOptions, SemiNmf, Settings, WhitenedPca, Wsf,
};
use crate::objective::Divergence;
use crate::project::Projection;
use crate::split_tests::every_setting;
use crate::stop::StopRule;
use crate::testing::{distance, normal};
use crate::{Activation, FitSession, Graph, NeNmf, Start};

/// The same data stored by sample and by feature.
fn both(x: &Matrix<f64>) -> [Sparse<'static, f64>; 2] {
    let by_sample = Sparse::from_dense(x);
    let by_feature = by_sample.turned_around();
    [by_sample, by_feature]
}

/// Data with about two thirds of zeros, an empty feature and an empty sample.
fn sparse_samples(p: usize, n: usize, negative: bool, seed: u64) -> Matrix<f64> {
    let (z, h) = (normal::<f64>(p, 5, seed), normal::<f64>(5, n, seed + 1));
    let (noise, kept) = (normal::<f64>(p, n, seed + 2), normal::<f64>(p, n, seed + 3));
    let model = crate::matrix::product(z.map(f64::abs).view(), h.map(f64::abs).view());
    Matrix::from_fn(p, n, |i, j| {
        if kept[(i, j)] < 0.4 || i == 4 || j == 7 {
            return 0.0;
        }
        let value = model[(i, j)] + 0.3 * noise[(i, j)];
        if negative && i % 3 == 0 { -value } else { value.abs() }
    })
}

/// The largest difference of two factors, relative to the largest entry.
fn apart(a: &Model<f64>, b: &Model<f64>) -> f64 {
    let factors = |model: &Model<f64>| [model.factors.z.clone(), model.factors.h.clone()].concat();
    let pairs = factors(a).into_iter().zip(factors(b));
    pairs.map(|(a, b)| distance(&a, &b)).fold(0.0, f64::max)
}

/// Both are the same up to `rounding`.
fn assert_same(what: &str, dense: &Model<f64>, sparse: &Model<f64>, norm: f64, rounding: f64) {
    assert_eq!(dense.summary.iterations, sparse.summary.iterations, "{what}");
    assert_eq!(dense.summary.notices, sparse.summary.notices, "{what}");
    assert_eq!(dense.summary.fingerprint, sparse.summary.fingerprint, "{what}");
    let off = (dense.summary.error - sparse.summary.error).abs() / norm;
    assert!(off < rounding, "{what}: errors differ by {off}");
    if let (Some(a), Some(b)) = (dense.summary.svd_bound, sparse.summary.svd_bound) {
        // A bound near zero is a root of rounding.
        assert!((a - b).abs() < 1e-8 * norm, "{what}: bounds {a} {b}");
    }
    assert!(apart(sparse, dense) < rounding, "{what}: factors differ by {}", apart(sparse, dense));
}

/// The data have no zeros here: what differs is how they are held.
#[test]
fn every_model_is_the_same_on_sparse_data_as_on_dense() {
    let all = every_setting();
    for tried in &all {
        let dense = tried.fit(&tried.x, &mut FitSession::new()).unwrap();
        for sparse in both(&tried.x) {
            let what = format!("{:?}, {}", sparse.stored(), tried.what);
            let model = tried.fit(&sparse, &mut FitSession::new());
            let model = model.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_same(&what, &dense, &model, tried.x.norm_sq().sqrt(), 1e-10);
        }
    }
    for model in Settings::MODELS {
        let tried = all.iter().any(|tried| tried.settings.name() == model.name);
        assert!(tried, "add {} to split_tests/cases.rs", model.name);
    }
}

/// And here most of the data are zeros. How far rounding carries a descent is measured by data whose entries are moved
/// by one unit in their last place.
#[test]
fn every_model_is_the_same_where_most_entries_are_zero() {
    for mut tried in every_setting() {
        tried.x = sparse_samples(12, 61, tried.settings.abilities().negative_data, 21);
        let sign = |i: usize, j: usize| if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 };
        let moved =
            Matrix::from_fn(12, 61, |i, j| tried.x[(i, j)] * (1.0 + sign(i, j) * f64::EPSILON));
        let fit = |x: &dyn DataMatrix<f64>| tried.fit(x, &mut FitSession::new()).unwrap();
        let dense = fit(&tried.x);
        let rounding = (10.0 * apart(&fit(&moved), &dense)).clamp(1e-10, 1e-6);
        for sparse in both(&tried.x) {
            let what = format!("{:?}, {}", sparse.stored(), tried.what);
            assert_same(&what, &dense, &fit(&sparse), tried.x.norm_sq().sqrt(), rounding);
        }
    }
}

/// Above some hundred features a decomposition to begin with is a rough one. How far rounding carries a descent is
/// measured as above.
#[test]
fn nmf_of_many_features_begins_the_same_on_sparse_data_as_on_dense() {
    let x = sparse_samples(800, 900, false, 91);
    let moved = Matrix::from_fn(800, 900, |i, j| {
        x[(i, j)] * (1.0 + if (i + j) % 2 == 0 { f64::EPSILON } else { -f64::EPSILON })
    });
    let few = StopRule { max_iterations: 2, ..StopRule::default() };
    let few = NonNegativeOptions::default().stop(few);
    for divergence in [Divergence::Frobenius, Divergence::KullbackLeibler] {
        let nmf = Nmf::new(6).divergence(divergence).with(few.clone());
        let dense = nmf.fit(&x).unwrap();
        let rounding = (10.0 * apart(&nmf.fit(&moved).unwrap(), &dense)).clamp(1e-10, 1e-6);
        for sparse in both(&x) {
            let model = nmf.fit(&sparse).unwrap();
            assert_same(&format!("{divergence:?}"), &dense, &model, x.norm_sq().sqrt(), rounding);
        }
    }
}

#[test]
fn graphs_are_the_same_on_sparse_data_as_on_dense() {
    let x = sparse_samples(40, 300, true, 31);
    let labels: Vec<Option<u32>> = (0..300).map(|j| (j % 5 != 1).then_some(j % 3)).collect();
    let h = normal::<f64>(3, 300, 32);
    let product = |graph: &dyn Graph<f64>| {
        let mut out = Matrix::zeros(3, 300);
        graph.add_product(1.0, &h, &mut out).unwrap();
        (out, Matrix::from_vec(1, 300, graph.degrees().to_vec()).unwrap())
    };
    let assert_equal = |what: String, sparse: &dyn Graph<f64>, dense: &dyn Graph<f64>| {
        let ((a, a_degrees), (b, b_degrees)) = (product(sparse), product(dense));
        assert!(distance(&a, &b) < 1e-10, "{what}: {}", distance(&a, &b));
        assert!(distance(&a_degrees, &b_degrees) < 1e-10, "{what}");
    };
    let weights = [
        NeighbourWeights::Binary,
        NeighbourWeights::Heat { sigma: None },
        NeighbourWeights::Dot,
        NeighbourWeights::Cosine,
    ];
    for sparse in both(&x) {
        for weights in weights {
            let (mutual, normalised, seed) = (false, false, 1);
            let method = NeighbourSearch::Exact;
            let search = Search { neighbours: 5, weights, method, seed, normalised, mutual };
            let of = |x: &dyn DataMatrix<f64>| Neighbours::found_by(search, x).unwrap();
            assert_equal(format!("{weights:?}"), &of(&sparse), &of(&x));
        }
        for graph in [LabelGraph::Binary, LabelGraph::Rbf { sigma: None }, LabelGraph::Dot] {
            let of = graph.build(&sparse, &labels).unwrap();
            assert_equal(
                format!("{graph:?}"),
                of.as_ref(),
                graph.build(&x, &labels).unwrap().as_ref(),
            );
        }
        // Few samples of a class for their entries: weights are kept instead of samples.
        let few: Vec<Option<u32>> = (0..300).map(|j| (j < 9).then_some(0)).collect();
        let of = LabelGraph::Dot.build(&sparse, &few).unwrap();
        let dense = LabelGraph::Dot.build(&x, &few).unwrap();
        assert_equal("few".into(), of.as_ref(), dense.as_ref());
    }
}

/// Without zeros they would take a thousand times the memory.
#[test]
fn graphs_of_large_samples_about_an_offset_are_refused() {
    let x = Sparse::from_entries((50_000, 400), &[(3, 5, 1.0), (49_999, 399, 2.0)]).unwrap();
    let offset = vec![0.5; 50_000];
    let centred = crate::matrix::Centred::new(&x, &offset);
    let error = Neighbours::new(&centred, 3, NeighbourWeights::Binary).unwrap_err().to_string();
    assert!(error.contains("50000 x 400 numbers"), "{error}");
    let labels: Vec<Option<u32>> = (0..400).map(|j| Some(j % 2)).collect();
    assert!(LabelGraph::Dot.build(&centred, &labels).is_err());
    assert!(LabelGraph::Binary.build(&centred, &labels).is_ok());
    assert!(Neighbours::new(&x, 3, NeighbourWeights::Binary).is_ok());
}

/// Among many samples; both searches may miss some, not the same ones.
#[test]
fn approximate_neighbours_of_sparse_data_are_nearly_all_found() {
    let x = sparse_samples(60, 3000, false, 33);
    let search = |method| Search {
        neighbours: 5,
        weights: NeighbourWeights::Binary,
        method,
        seed: 1,
        normalised: false,
        mutual: false,
    };
    let exact = Neighbours::found_by(search(NeighbourSearch::Exact), &x).unwrap();
    for sparse in both(&x) {
        let found = Neighbours::found_by(search(NeighbourSearch::Approximate), &sparse).unwrap();
        let edges = |graph: &Neighbours<f64>, j| graph.of(j).map(|e| e.0).collect::<Vec<_>>();
        let (mut hits, mut all) = (0, 0);
        for j in 0..3000 {
            let near = edges(&found, j);
            all += edges(&exact, j).len();
            hits += edges(&exact, j).iter().filter(|l| near.contains(l)).count();
        }
        let share = hits as f64 / all as f64;
        assert!(share > 0.97 && found.share_found() > 0.97, "{share} {}", found.share_found());
    }
}

#[test]
fn projections_are_the_same_on_sparse_data_as_on_dense() {
    let options = || {
        let stop = StopRule { kappa: 0.0, max_iterations: 4, max_seconds: None };
        FitOptions::default().stop(stop).start(Start::KMeans)
    };
    let near = crate::Neighbourhood::of([3, 2]);
    let penalty = ElasticNet::new(1e-3, 2e-3, 0.5);
    let counts = Nmf::new(4).divergence(Divergence::KullbackLeibler);
    let models: [Settings; 13] = [
        SemiNmf::new(4).with(options()).into(),
        Nmf::new(4).into(),
        counts.clone().into(),
        counts.clone().penalty(penalty).into(),
        Nmf::new(4).penalty(penalty).into(),
        MultilayerNmf::new([6, 4]).with(counts).into(),
        NeNmf::new(3).into(),
        Gnmf::new(3).into(),
        DeepSemiNmf::new([7, 4]).with(options()).into(),
        DeepSemiNmf::new([7, 4]).with(options()).activation(Activation::Relu).into(),
        DeepSemiNmf::new([7, 4]).with(options()).neighbourhood(near).into(),
        WhitenedPca::new(4).into(),
        AdditiveSemiNmf::new([5, 3]).with(options()).into(),
    ];
    let (x, new) = (sparse_samples(12, 61, false, 41), sparse_samples(12, 23, false, 45));
    for settings in models {
        let model = Factorization::fit(&settings, &x).unwrap();
        for layer in 1..=model.factors.depth() {
            for method in [Projection::Basis, Projection::NonNegative] {
                let Ok(dense) = model.project(&new, layer, method) else { continue };
                for sparse in both(&new) {
                    let found = model.project(&sparse, layer, method).unwrap();
                    let off = distance(&found, &dense);
                    assert!(off < 1e-9, "{} layer {layer} {method:?}: {off}", settings.name());
                    let error = |x: &dyn DataMatrix<f64>| {
                        model.factors.reconstruction_error(x, layer, &dense).unwrap()
                    };
                    assert!((error(&sparse) / error(&new) - 1.0).abs() < 1e-9);
                }
            }
        }
        assert!(both(&x).iter().all(|x| model.was_fitted_to(x).unwrap()));
    }
}

#[test]
fn predictions_are_the_same_on_sparse_data_as_on_dense() {
    let (x, new) = (sparse_samples(12, 61, true, 51), sparse_samples(12, 23, true, 55));
    let labels: Vec<Option<u32>> = (0..61).map(|j| (j % 4 != 1).then_some(j % 3)).collect();
    let two: Vec<Option<u32>> = (0..61).map(|j| Some(j / 31)).collect();
    let wsf: Settings = Wsf::new(4, 0.1).into();
    let deep: Settings = DeepWsf::of(DeepSemiNmf::new([6, 4]), [0.1, 0.1]).into();
    for (settings, attributes) in
        [(wsf, vec![Some(&labels[..])]), (deep, vec![Some(&labels[..]), Some(&two[..])])]
    {
        let dense = settings.fit(&x, &attributes, &mut FitSession::new()).unwrap();
        for (sparse, new_sparse) in both(&x).iter().zip(both(&new)) {
            let model = settings.fit(sparse, &attributes, &mut FitSession::new()).unwrap();
            for attribute in 0..attributes.len() {
                let (a, b) = (
                    model.predict(&new_sparse, attribute).unwrap(),
                    dense.predict(&new, attribute).unwrap(),
                );
                assert_eq!(a.classes, b.classes);
            }
        }
    }
}

#[test]
fn refused_sparse_data_are_named_as_dense_ones_are() {
    let mut x = sparse_samples(12, 61, false, 61);
    (x[(3, 50)], x[(2, 44)], x[(5, 44)]) = (f64::NAN, f64::INFINITY, f64::NAN);
    let negative = sparse_samples(12, 61, true, 62);
    for (settings, x) in [(Settings::from(SemiNmf::new(3)), &x), (Nmf::new(3).into(), &negative)] {
        let dense = Factorization::fit(&settings, x).unwrap_err().to_string();
        for sparse in both(x) {
            assert_eq!(Factorization::fit(&settings, &sparse).unwrap_err().to_string(), dense);
        }
    }
    let empty = Sparse::<f64>::from_entries((3, 0), &[]).unwrap();
    assert!(SemiNmf::new(1).fit(&empty).is_err());
}

#[test]
fn the_number_of_threads_changes_no_bit_of_a_fit_to_sparse_data() {
    let x = sparse_samples(60, 700, false, 71);
    for sparse in both(&x) {
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let stop = StopRule { kappa: 0.0, max_iterations: 5, max_seconds: None };
                let semi = SemiNmf::new(5).with(FitOptions::default().stop(stop));
                let nmf = Nmf::new(5).fit(&sparse).unwrap();
                let counts = Nmf::new(5).divergence(Divergence::KullbackLeibler);
                let counts = counts.fit(&sparse).unwrap();
                let gnmf = Gnmf::new(4).fit(&sparse).unwrap();
                [semi.fit(&sparse).unwrap(), nmf, counts, gnmf].map(|m| (m.factors.z, m.factors.h))
            })
        };
        let one = fit(1);
        for threads in [2, 3] {
            assert!(fit(threads) == one, "{:?} on {threads}", sparse.stored());
        }
    }
}
