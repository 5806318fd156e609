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
