#![allow(clippy::float_cmp)] // equal means equal here

use super::*;

/// Two classes side by side, in features of very different size.
fn two_classes() -> (Matrix<f64>, Vec<Option<usize>>) {
    let x = Matrix::from_fn(2, 40, |i, j| {
        let wiggle = ((7 * j + 3 * i) % 11) as f64;
        if i == 0 { 100.0 * wiggle } else { 5.0 * (j % 2) as f64 + 0.1 * wiggle }
    });
    let labels = (0..40).map(|j| (j % 5 != 4).then_some(j % 2)).collect();
    (x, labels)
}

#[test]
fn scaling_decides_and_is_recorded() {
    let (x, labels) = two_classes();
    let plain = cluster(&x, &labels, &ClusterOptions::default()).unwrap();
    let scale = Scaling::Whitened;
    let white = cluster(&x, &labels, &ClusterOptions { scale, ..Default::default() }).unwrap();
    assert!(plain.ac < 0.8 && white.ac == 1.0, "{plain:?} {white:?}");
    assert_eq!((white.k, white.labelled), (2, 32));
    let json = serde_json::to_value(&white).unwrap();
    assert_eq!(json["options"]["scale"], "whitened");
    assert_eq!(serde_json::from_value::<ClusterScore>(json).unwrap(), white);
}

#[test]
fn both_classifiers_learn_from_labelled_samples_only() {
    let (x, labels) = two_classes();
    for classifier in [Classifier::LinearSvm, Classifier::NearestNeighbour] {
        let scale = Scaling::Whitened;
        let options = ClassifyOptions { classifier, scale, ..Default::default() };
        let score = classify(&x, &labels, &x, &labels, &options).unwrap();
        assert_eq!(score.accuracy, 1.0);
        assert_eq!((score.trained_on, score.tested_on), (32, 32));
        assert_eq!(score.confusion.counts, [[16, 0], [0, 16]]);
    }
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let (x, labels) = two_classes();
    assert!(cluster(&x, &labels[1..], &ClusterOptions::default()).is_err());
    let none = vec![None::<usize>; 40];
    assert!(cluster(&x, &none, &ClusterOptions::default()).is_err());
    let error = classify(&x, &labels, &x, &none, &ClassifyOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("test samples with a class"));
}
