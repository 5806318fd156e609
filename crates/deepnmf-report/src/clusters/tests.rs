use proptest::prelude::*;

use super::*;

fn known(codes: &[u32], classes: usize) -> Known {
    Known {
        name: "kind".into(),
        classes: (0..classes).map(|c| c.to_string()).collect(),
        codes: codes.iter().map(|&code| Some(code)).collect(),
        usable: true,
    }
}

fn found(labels: Vec<usize>, k: usize) -> Found {
    Found { layer: 0, attribute: None, own: false, labels, centres: Matrix::zeros(1, k) }
}

fn clustering(labels: Vec<usize>, k: usize) -> deepnmf_eval::Clustering<f64> {
    deepnmf_eval::Clustering {
        labels,
        centroids: Matrix::from_fn(1, k, |_, j| j as f64),
        inertia: 0.0,
        iterations: 0,
        converged: true,
        restart: 0,
        inertias: vec![],
    }
}

proptest! {
    #[test]
    fn flows_account_for_every_sample(labels in prop::collection::vec((0usize..4, 0usize..5), 1..80)) {
        let (below, above): (Vec<_>, Vec<_>) = labels.iter().copied().unzip();
        let flows = flows(&found(below.clone(), 4), &found(above.clone(), 5)).unwrap();
        prop_assert_eq!(flows.iter().map(|f| f.2).sum::<u64>(), labels.len() as u64);
        for cluster in 0..4 {
            let out: u64 = flows.iter().filter(|f| f.0 == cluster).map(|f| f.2).sum();
            prop_assert_eq!(out, below.iter().filter(|l| **l == cluster).count() as u64);
        }
        for cluster in 0..5 {
            let into: u64 = flows.iter().filter(|f| f.1 == cluster).map(|f| f.2).sum();
            prop_assert_eq!(into, above.iter().filter(|l| **l == cluster).count() as u64);
        }
    }
}

#[test]
fn clusters_stand_in_the_order_of_their_classes() {
    let known = known(&[0, 0, 1, 1, 2, 2], 3);
    let clusters = clustering(vec![2, 2, 0, 0, 1, 1], 3);
    let found = Found::new(0, Some((0, &known)), &clusters).unwrap();
    assert_eq!(found.labels, [0, 0, 1, 1, 2, 2]);
    assert_eq!(found.centres.as_slice(), [2.0, 0.0, 1.0]);
}

#[test]
fn without_classes_the_largest_cluster_is_first() {
    let found = Found::new(0, None, &clustering(vec![0, 1, 1, 1, 2, 2], 3)).unwrap();
    assert_eq!(found.labels, [2, 0, 0, 0, 1, 1]);
}

#[test]
fn a_cluster_is_described_by_majority_examples_and_top_features() {
    let known = [known(&[0, 0, 1, 1, 1, 1], 2)];
    let data = Matrix::from_vec(
        2,
        6,
        [[0.0, 5.0]; 3].concat().into_iter().chain([[9.0, 5.0]; 3].concat()).collect::<Vec<f64>>(),
    )
    .unwrap();
    let h = Matrix::from_vec(1, 6, vec![0.0, 0.1, 0.4, 1.0, 1.1, 1.2]).unwrap();
    let found = Found {
        layer: 1,
        attribute: Some(0),
        own: false,
        labels: vec![0, 0, 0, 1, 1, 1],
        centres: Matrix::from_vec(1, 2, vec![0.0, 1.1]).unwrap(),
    };
    let material = Material { known: &known, shown: &[0, 2, 4, 5], data: Some(&data) };
    let told = material.describe(&found, &h).unwrap();
    assert_eq!(told.labels, [0, 0, 1, 1]);
    assert_eq!(told.clusters[0].mostly, [Some((0, 0.6667))]);
    assert_eq!(told.clusters[1].mostly, [Some((1, 1.0))]);
    assert_eq!(told.clusters[1].examples, [2, 3], "the nearest first, by number on the page");
    assert_eq!(told.clusters[0].top_features, [(0, -1.0)], "a constant feature is left out");
    assert_eq!(told.confusion, [(0, 0, 2), (1, 0, 1), (1, 1, 3)]);
}
