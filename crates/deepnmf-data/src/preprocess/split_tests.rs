use deepnmf::Matrix;
use proptest::prelude::*;

use super::*;
use crate::Attribute;

fn labelled(labels: &[Option<i64>]) -> Dataset<f64> {
    let x = Matrix::from_fn(1, labels.len(), |_, j| j as f64);
    let attributes = vec![Attribute::from_ints("who", labels.iter().copied())];
    Dataset { attributes, ..Dataset::new(x) }
}

#[test]
fn every_class_gives_its_share() {
    let labels: Vec<_> = (0..100).map(|i| Some(i64::from(i % 10 == 0))).collect();
    let data = labelled(&labels);
    let split = Split::stratified(&data, Some("who"), 0.3, 1).unwrap();
    let test = data.select(&split.test).unwrap();
    assert_eq!(test.attributes[0].counts(), [27, 3]);
    assert_eq!(data.select(&split.train).unwrap().attributes[0].counts(), [63, 7]);
}

#[test]
fn classes_keep_their_codes_in_every_part() {
    let data = labelled(&[Some(1), Some(2), Some(3)]);
    let part = data.select(&[2]).unwrap();
    assert_eq!(part.attributes[0].class_of(0), Some("3"));
    assert_eq!(part.attributes[0].classes(), ["1", "2", "3"]);
    assert!(data.select(&[3]).is_err());
}

#[test]
fn splits_that_cannot_be_made_say_why() {
    let data = labelled(&[Some(1), Some(2)]);
    for share in [0.0, 1.0, -1.0, f64::NAN, 1e-9] {
        assert!(Split::stratified(&data, None, share, 0).is_err(), "{share}");
    }
    let message = Split::stratified(&data, Some("pose"), 0.5, 0).unwrap_err().to_string();
    assert!(message.contains("no attribute \"pose\"; there are who"), "{message}");
}

proptest! {
    #[test]
    fn every_sample_is_on_one_side_and_the_seed_decides(
        labels in prop::collection::vec(prop::option::of(0..4i64), 4..60),
        share in 0.2..0.8f64,
        seed: u64,
    ) {
        let data = labelled(&labels);
        let split = Split::stratified(&data, Some("who"), share, seed).unwrap();
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..labels.len()).collect::<Vec<_>>());
        let expected = (labels.len() as f64 * share).round();
        prop_assert!((split.test.len() as f64 - expected).abs() < 1.0);
        prop_assert_eq!(&Split::stratified(&data, Some("who"), share, seed).unwrap(), &split);
    }
    #[test]
    fn a_share_of_the_labels_is_kept_and_no_other(
        labels in prop::collection::vec(prop::option::of(0..4i64), 4..60),
        share in 0.0..1.0f64,
        seed: u64,
    ) {
        let whole = Attribute::from_ints("who", labels.iter().copied());
        let few = keep_labels(&whole, share, seed);
        let known = labels.iter().flatten().count();
        let kept = few.len() - few.missing();
        prop_assert!((kept as f64 - (known as f64 * share).round()).abs() < 0.5, "{kept}");
        for (few, whole) in few.codes().iter().zip(whole.codes()) {
            prop_assert!(few.is_none() || few == whole);
        }
        prop_assert_eq!(few.classes(), whole.classes());
        prop_assert_eq!(&keep_labels(&whole, 1.0, seed), &whole);
        prop_assert_eq!(&keep_labels(&whole, share, seed), &few);
    }
}
