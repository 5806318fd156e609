use crate::Error;
use proptest::prelude::*;

use super::groups::Groups;
use super::literal::{
    all_graphs, check, dense, inside, labels, literal_distance, literal_dot, literal_heat,
    literal_neighbours, literal_penalty,
};
use super::*;
use crate::testing::{distance, normal, positive};

/// More samples than a tile has columns, in classes with more samples than features and less.
#[test]
fn every_graph_equals_its_dense_form() {
    for (p, n) in [(3, 700), (300, 600), (5, 40), (1, 2)] {
        for x in [normal::<f64>(p, n, 1), positive(p, n, 2)] {
            for (name, graph, w) in all_graphs(&x, &labels(n, 3), 1.max(n / 20)) {
                check(name, graph.as_ref(), &w);
            }
        }
    }
}

#[test]
fn every_graph_equals_its_dense_form_in_f32() {
    for (p, n) in [(3, 700), (300, 400), (5, 40)] {
        for x in [normal::<f32>(p, n, 1), positive(p, n, 2)] {
            for (name, graph, w) in all_graphs(&x, &labels(n, 3), 4) {
                check(name, graph.as_ref(), &w);
            }
        }
    }
}

#[test]
fn classes_are_in_the_order_of_their_codes_and_members_ascend() {
    let labels = [Some(u32::MAX), Some(2), None, Some(u32::MAX), Some(2), Some(9)];
    let groups = Groups::new(&labels, Parts::whole(6)).unwrap();
    let members: Vec<_> = (0..groups.count()).map(|c| groups.members(c)).collect();
    assert_eq!(members, [&[1, 4][..], &[5], &[0, 3]]);
    let classes: Vec<_> = (0..6).map(|j| groups.class_of(j)).collect();
    assert_eq!(classes, [Some(2), Some(0), None, Some(2), Some(0), Some(1)]);
}

#[test]
fn without_labels_there_are_no_ties() {
    for labels in [vec![None; 9], vec![]] {
        let x = normal::<f64>(4, labels.len(), 1);
        for kind in [LabelGraph::Binary, LabelGraph::Rbf { sigma: None }, LabelGraph::Dot] {
            let graph = kind.build(&x, &labels).unwrap();
            check("unlabelled", graph.as_ref(), &Matrix::zeros(labels.len(), labels.len()));
        }
    }
}

#[test]
fn a_sample_alone_in_its_class_is_tied_to_nothing() {
    let x = normal::<f64>(4, 3, 1);
    for kind in [LabelGraph::Binary, LabelGraph::Rbf { sigma: None }, LabelGraph::Dot] {
        let graph = kind.build(&x, &[Some(1), Some(2), None]).unwrap();
        assert!(graph.penalty(&normal(5, 3, 2)).unwrap().abs() < 1e-12, "{kind:?}");
    }
}

#[test]
fn kept_and_recomputed_weights_agree() {
    let labels = labels(900, 4);
    let x = normal::<f64>(6, 900, 5);
    let h = normal::<f64>(3, 900, 6);
    let product = |largest_kept: usize| {
        let graph = Rbf::keeping(&x, &labels, Some(1.3), largest_kept).unwrap();
        let mut out = Matrix::zeros(3, 900);
        graph.add_product(1.0, &h, &mut out).unwrap();
        (out, Matrix::from_vec(1, 900, graph.degrees().to_vec()).unwrap())
    };
    let (kept, degrees) = product(usize::MAX);
    for largest_kept in [0, 250] {
        let (recomputed, same_degrees) = product(largest_kept);
        assert!(distance(&recomputed, &kept) < 1e-13);
        assert!(distance(&same_degrees, &degrees) < 1e-13);
    }
    let dense = inside(&labels, |j, l| literal_heat(&x, 1.3, j, l));
    check("recomputed", &Rbf::keeping(&x, &labels, Some(1.3), 0).unwrap(), &dense);
    let narrow = x.cast::<f32>();
    let dense = inside(&labels, |j, l| literal_heat(&narrow, 1.3, j, l));
    check("in f32", &Rbf::keeping(&narrow, &labels, Some(1.3), 0).unwrap(), &dense);
}

#[test]
fn the_width_is_the_median_distance_within_classes() {
    let x = Matrix::from_vec(1, 5, vec![0.0, 1.0, 4.0, 100.0, 9.0]).unwrap();
    let is = |x: &Matrix<f64>, labels: &[Option<u32>], wanted: f64| {
        let sigma = Rbf::new(x, labels, None).unwrap().sigma();
        assert!((sigma - wanted).abs() < 1e-15, "{sigma} is not {wanted}");
    };
    is(&x, &[Some(1), Some(1), Some(1), Some(2), None], 3.0); // of 1, 3 and 4
    is(&x, &[Some(1), Some(1), Some(2), None, Some(2)], 3.0); // of 1 and 5
    is(&x, &[Some(1), Some(2), None, None, None], 1.0); // of none
    is(&Matrix::zeros(3, 4), &[Some(1); 4], 1.0); // copies only
}

#[test]
fn the_width_from_random_pairs_is_near_that_of_all_pairs() {
    let n = 600;
    let x = normal::<f64>(3, n, 8);
    let labels: Vec<_> = (0..n).map(|j| Some(u32::from(j % 5 == 0))).collect();
    let mut all: Vec<f64> = (0..n)
        .flat_map(|j| (0..j).map(move |l| (j, l)))
        .filter(|(j, l)| labels[*j] == labels[*l])
        .map(|(j, l)| literal_distance(&x, j, l))
        .collect();
    all.sort_by(f64::total_cmp);
    let sigma = Rbf::new(&x, &labels, None).unwrap().sigma();
    assert!((sigma / all[all.len() / 2] - 1.0).abs() < 0.03, "{sigma}");
}

/// Far from the origin the digits in which samples differ are the last ones.
#[test]
fn distances_survive_data_far_from_the_origin() {
    let x = normal::<f64>(4, 300, 1).map(|v| 1e8 + v);
    let labels = vec![Some(1); 300];
    let dense = inside(&labels, |j, l| literal_heat(&x, 2.0, j, l));
    check("far", &Rbf::new(&x, &labels, Some(2.0)).unwrap(), &dense);
    let near = Neighbours::new(&x, 5, NeighbourWeights::Binary).unwrap();
    check("far", &near, &literal_neighbours(&x, 5, |_, _| 1.0));
}

/// Distances from products alone would put these neighbours in any order.
#[test]
fn copies_and_near_copies_are_ranked_properly() {
    let n = 520;
    let centres = normal::<f64>(6, 7, 1);
    let shift = |j: usize| if j < 300 { 0.0 } else { 1e-9 * ((j * 37) % n) as f64 };
    let x = Matrix::from_fn(6, n, |i, j| 50.0 * centres[(i, j % 7)] + shift(j));
    for count in [1, 4, 60, 100] {
        let graph = Neighbours::new(&x, count, NeighbourWeights::Binary).unwrap();
        check("copies", &graph, &literal_neighbours(&x, count, |_, _| 1.0));
    }
    let same = Matrix::<f32>::zeros(3, 300);
    let graph = Neighbours::new(&same, 3, NeighbourWeights::Heat { sigma: None }).unwrap();
    check("all the same", &graph, &literal_neighbours(&same, 3, |_, _| 1.0));
}

/// Samples near a curved sheet, as real ones are near some surface of few dimensions.
fn sheet(n: usize) -> Matrix<f64> {
    let (place, rough) = (normal::<f64>(3, n, 1), normal::<f64>(40, n, 2));
    let bend = normal::<f64>(40, 3, 3);
    Matrix::from_fn(40, n, |i, j| {
        let along: f64 = (0..3).map(|l| bend[(i, l)] * place[(l, j)]).sum();
        along.sin() + 0.05 * rough[(i, j)]
    })
}

fn search(neighbours: usize, method: NeighbourSearch, seed: u64) -> Search {
    let weights = NeighbourWeights::Binary;
    Search { neighbours, weights, method, seed, normalised: false, mutual: false }
}

#[test]
fn an_approximate_search_finds_nearly_all_neighbours_at_any_number_of_threads() {
    let x = sheet(3000);
    let find = |method, seed| Neighbours::found_by(search(5, method, seed), &x).unwrap();
    let exact = find(NeighbourSearch::Exact, 0);
    let others = |graph: &Neighbours<f64>| -> Vec<Vec<usize>> {
        (0..3000).map(|j| graph.of(j).map(|(other, _)| other).collect()).collect()
    };
    let truth = others(&exact);
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| others(&find(NeighbourSearch::Approximate, 7)))
    };
    let found = of(1);
    assert_eq!(found, of(3));
    let hits = |(truth, found): (&Vec<usize>, &Vec<usize>)| {
        truth.iter().filter(|other| found.contains(other)).count()
    };
    let hits: usize = truth.iter().zip(&found).map(hits).sum();
    let all: usize = truth.iter().map(Vec::len).sum();
    assert!(hits as f64 >= 0.99 * all as f64, "{hits} of {all}");
}

#[test]
fn an_approximate_search_copes_with_few_samples_and_copies() {
    for (n, count) in [(2, 1), (3, 2), (12, 5)] {
        let x = normal::<f64>(4, n, 1);
        let search = search(count, NeighbourSearch::Approximate, 0);
        let graph = Neighbours::found_by(search, &x).unwrap();
        check("few", &graph, &literal_neighbours(&x, count, |_, _| 1.0));
    }
    let same = Matrix::<f32>::zeros(3, 300);
    let search = search(3, NeighbourSearch::Approximate, 0);
    let graph = Neighbours::found_by(search, &same).unwrap();
    assert!((0..300).all(|j| graph.of(j).len() >= 3));
}

#[test]
fn the_width_between_neighbours_is_their_median_distance() {
    let x = Matrix::from_vec(1, 4, vec![0.0, 1.0, 10.0, 13.0]).unwrap(); // edges of 1 and 3
    let graph = Neighbours::new(&x, 1, NeighbourWeights::Heat { sigma: None }).unwrap();
    let edges: Vec<(usize, f64)> = graph.of(0).collect();
    assert_eq!(edges, [(1, (-0.125f64).exp())]);
}

/// Denormal weights would slow every product down.
#[test]
fn weights_too_small_to_count_are_zero() {
    let x = Matrix::from_vec(1, 3, vec![0.0f32, 1.0, 14.0]).unwrap(); // exp(-84.5) = 2e-37
    let rbf = Rbf::new(&x, &[Some(1); 3], Some(1.0)).unwrap();
    assert_eq!(rbf.degrees()[2..], [1.0]);
    let near = Neighbours::new(&x, 1, NeighbourWeights::Heat { sigma: Some(1.0) }).unwrap();
    assert_eq!(near.degrees()[2..], [0.0]);
    let narrowest = Rbf::new(&x, &[Some(1); 3], Some(f64::MIN_POSITIVE)).unwrap();
    assert_eq!(narrowest.degrees(), &[1.0; 3]);
}

fn boxed<T: Scalar>(labels: &Labels) -> Box<dyn Graph<T>> {
    Box::new(SameLabel::new(labels, Parts::whole(labels.len())).unwrap())
}

fn sum<T: Scalar>(
    terms: Vec<(f64, Box<dyn Graph<T>>)>,
    samples: usize,
) -> Result<WeightedSum<'static, T>> {
    let terms = terms.into_iter().map(|(weight, graph)| Weighted { weight, graph });
    WeightedSum::new(terms.collect(), Parts::whole(samples))
}

#[test]
fn a_sum_of_graphs_equals_the_sum_of_their_dense_forms() {
    let x = normal::<f64>(5, 60, 1);
    let (one, two) = (labels(60, 1), labels(60, 2));
    let near = Neighbours::new(&x, 3, NeighbourWeights::Dot).unwrap();
    let w = [
        inside(&one, |_, _| 1.0),
        inside(&two, |j, l| literal_dot(&x, j, l)),
        literal_neighbours(&x, 3, |j, l| literal_dot(&x, j, l)),
    ];
    // Weights of one sign on every edge: then degrees of the sum are those of its dense form.
    let both = sum(vec![(0.5, boxed(&one)), (0.0, Box::new(near.clone()))], 60).unwrap();
    assert!(both.is_positive() && !both.is_empty());
    check("one part", &both, &dense(60, |j, l| 0.5 * w[0][(j, l)]));
    let terms: Vec<(f64, Box<dyn Graph<f64>>)> = vec![
        (0.5, boxed(&one)),
        (2.0, Box::new(DotProduct::new(&x, &two).unwrap())),
        (0.1, Box::new(near)),
    ];
    let all = sum(terms, 60);
    let (all, h) = (all.unwrap(), normal::<f64>(4, 60, 3));
    assert!(!all.is_positive());
    let parts = [0.5, 2.0, 0.1].iter().zip(&w).map(|(l, w)| l * literal_penalty(w, &h));
    let wanted: f64 = parts.sum();
    assert!((all.penalty(&h).unwrap() / wanted - 1.0).abs() < 1e-12);
}

#[test]
fn a_sum_without_ties_is_empty() {
    let none = || boxed::<f64>(&[None; 4]);
    assert!(sum::<f64>(vec![], 4).unwrap().is_empty());
    assert!(sum(vec![(3.0, none())], 4).unwrap().is_empty());
    let unweighted = sum(vec![(0.0, boxed::<f64>(&[Some(1); 4]))], 4).unwrap();
    assert!(unweighted.is_empty() && unweighted.samples() == 4);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (n, k) = (1500, 7);
    let labels = labels(n, 1);
    let x = normal::<f64>(40, n, 2);
    let h = normal::<f64>(k, n, 3);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut graphs: Vec<Box<dyn Graph<f64>>> = vec![
                boxed(&labels),
                boxed(&vec![Some(1); n]),
                Box::new(DotProduct::new(&x, &labels).unwrap()),
                Box::new(Rbf::keeping(&x, &labels, None, 0).unwrap()),
                Box::new(Rbf::keeping(&x, &labels, None, n).unwrap()),
            ];
            let heat = NeighbourWeights::Heat { sigma: None };
            graphs.push(Box::new(Neighbours::new(&x, 6, heat).unwrap()));
            let answers = graphs.iter().map(|graph| {
                let mut out = Matrix::zeros(k, n);
                graph.add_product(0.3, &h, &mut out).unwrap();
                (graph.degrees().to_vec(), out, graph.penalty(&h).unwrap())
            });
            answers.collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(one == run(2));
    assert!(one == run(3));
}

#[test]
fn settings_without_meaning_are_refused() {
    let x = normal::<f64>(3, 5, 1);
    let message = |error: Option<Error>| error.unwrap().to_string();
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let rbf = message(Rbf::new(&x, &[Some(1); 5], Some(sigma)).err());
        assert!(rbf.contains(&format!("sigma of the graph is {sigma}: it must be")), "{rbf}");
        let heat = NeighbourWeights::Heat { sigma: Some(sigma) };
        assert!(Neighbours::new(&x, 2, heat).is_err());
    }
    for neighbours in [0, 5, 6] {
        let found = message(Neighbours::new(&x, neighbours, NeighbourWeights::Binary).err());
        assert!(found.contains("with 5 samples it must be from 1 to 4"), "{found}");
    }
    let alone = Neighbours::new(&normal::<f64>(3, 1, 1), 1, NeighbourWeights::Binary);
    assert!(message(alone.err()).contains("at least 2 samples"));
    assert!(message(LabelGraph::Dot.build(&x, &[None; 4]).err()).contains("found 4 of them"));
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        let one = sum(vec![(weight, boxed::<f64>(&[None]))], 1);
        assert!(message(one.err()).contains("the weight of graph 1 is"));
    }
    let sizes = vec![(1.0, boxed::<f64>(&[None; 3])), (0.0, boxed(&[None; 4]))];
    let found = message(sum(sizes, 3).err());
    assert_eq!(
        found,
        "graph 2: found 4 samples, but 3, one for each sample of the data, is needed"
    );
}

#[test]
fn kinds_of_graphs_have_names_in_files() {
    let json = |kind: NeighbourWeights| serde_json::to_string(&kind).unwrap();
    assert_eq!(json(NeighbourWeights::Binary), r#"{"weights":"binary"}"#);
    let heat = NeighbourWeights::Heat { sigma: Some(2.0) };
    assert_eq!(json(heat), r#"{"weights":"heat","sigma":2.0}"#);
    assert_eq!(serde_json::from_str::<NeighbourWeights>(&json(heat)).unwrap(), heat);
    let label = serde_json::to_string(&LabelGraph::Rbf { sigma: None }).unwrap();
    assert_eq!(label, r#"{"weights":"rbf","sigma":null}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn graphs_of_any_shape_equal_their_dense_forms(
        p in 1usize..9, n in 2usize..40, seed in 0u64..1000, coarse in any::<bool>(),
    ) {
        // Coarse data have many ties and copies.
        let x = normal::<f64>(p, n, seed).map(|v| if coarse { v.round() } else { v });
        let neighbours = 1 + usize::try_from(seed).unwrap() % (n - 1);
        for (name, graph, w) in all_graphs(&x, &labels(n, seed), neighbours) {
            check(name, graph.as_ref(), &w);
        }
    }
}
