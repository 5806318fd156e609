use super::*;

#[test]
fn numbers_sort_by_size_and_before_words() {
    let labels = ["10", "b", "9", "a", "-1"].map(Some);
    let attribute = Attribute::from_strings("kind", labels);
    assert_eq!(attribute.classes(), ["-1", "9", "10", "a", "b"]);
    let numbers = Attribute::from_ints("kind", [Some(10), Some(9), Some(-1)]);
    assert_eq!(numbers.classes(), ["-1", "9", "10"]);
}

#[test]
fn codes_lead_back_to_the_labels() {
    let labels = [Some(3), None, Some(1), Some(3)];
    let attribute = Attribute::from_ints("kind", labels);
    for (sample, label) in labels.iter().enumerate() {
        assert_eq!(attribute.class_of(sample), label.map(|l| l.to_string()).as_deref());
    }
    assert_eq!(attribute.class_of(4), None);
    assert_eq!(attribute.counts(), [1, 2]);
    assert_eq!(attribute.missing(), 1);
    assert_eq!(attribute.len(), 4);
    assert!(!attribute.is_empty());
}

#[test]
fn labels_that_differ_in_writing_differ() {
    let attribute = Attribute::from_strings("kind", ["1", "01", "1"].map(Some));
    assert_eq!(attribute.classes(), ["01", "1"]);
    assert_eq!(attribute.codes(), [Some(1), Some(0), Some(1)]);
}

fn set(values: &[f64], kind: &str) -> Dataset<f64> {
    let x = Matrix::from_vec(2, values.len() / 2, values.to_vec()).unwrap();
    let samples = x.cols();
    let attributes = vec![Attribute::from_strings(kind, vec![Some("x"); samples])];
    Dataset { attributes, ..Dataset::new(x) }
}

#[test]
fn samples_of_several_sets_follow_each_other_with_their_labels() {
    let mut first = set(&[1.0, 2.0, 3.0, 4.0], "pose");
    first.sample_names = Some(vec!["a".into(), "b".into()]);
    let mut second = set(&[5.0, 6.0], "who");
    let sets = |first: &Dataset<f64>, second: &Dataset<f64>| {
        Dataset::concat(&[("a.npy".into(), first.clone()), ("b.npy".into(), second.clone())])
    };
    let both = sets(&first, &second).unwrap();
    assert_eq!(both.x.as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(both.attribute("pose").unwrap().codes(), [Some(0), Some(0), None]);
    assert_eq!(both.attribute("who").unwrap().codes(), [None, None, Some(0)]);
    assert_eq!(both.sample_names, None, "the second has none");
    second.sample_names = Some(vec!["c".into()]);
    assert_eq!(sets(&first, &second).unwrap().sample_names.unwrap(), ["a", "b", "c"]);
}

#[test]
fn sets_with_other_features_do_not_go_together() {
    let mut first = set(&[1.0, 2.0], "pose");
    let mut second = first.clone();
    first.feature_names = Some(vec!["p".into(), "q".into()]);
    second.feature_names = Some(vec!["q".into(), "p".into()]);
    let wide = Dataset::new(Matrix::zeros(3, 1));
    for (other, word) in [(second, "feature 1 is \"q\""), (wide, "3 features, not 2")] {
        let sets = [("a.npy".into(), first.clone()), ("b.npy".into(), other)];
        let message = Dataset::concat(&sets).unwrap_err().to_string();
        assert!(message.starts_with("b.npy does not go with a.npy") && message.contains(word));
    }
}

#[test]
fn labels_that_name_samples_are_an_identifier() {
    let labels =
        |n: i64, classes: i64| Attribute::from_ints("a", (0..n).map(|i| Some(i % classes)));
    assert!(labels(30, 30).is_identifier() && labels(100, 91).is_identifier());
    assert!(!labels(100, 90).is_identifier(), "nine of ten is not nearly all");
    assert!(!labels(20, 20).is_identifier(), "few samples may well differ");
    let missing = (0..100).map(|i| (i < 10).then_some(i));
    assert!(!Attribute::from_ints("a", missing).is_identifier(), "only ten are labelled");
}
