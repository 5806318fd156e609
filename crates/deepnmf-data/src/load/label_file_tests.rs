use deepnmf::Matrix;
use tempfile::TempDir;

use super::*;
use crate::Dataset;

fn named(names: &[&str]) -> Dataset<f64> {
    let names = names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let x = Matrix::zeros(1, names.len());
    Dataset { sample_names: Some(names), ..Dataset::new(x) }
}

fn file(text: &str, by: JoinBy) -> (TempDir, LabelFile) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    fs::write(&path, text).unwrap();
    (folder, LabelFile { path, by })
}

fn by(column: &str) -> JoinBy {
    JoinBy::Name(column.into())
}

fn said(text: &str, by: JoinBy, data: &mut Dataset<f64>) -> String {
    let (_folder, file) = file(text, by);
    join(data, &file).unwrap_err().to_string()
}

#[test]
fn rows_follow_the_samples() {
    let (_folder, file) = file("pose,eyes\nup,open\n,shut\n", JoinBy::Row);
    let mut data = Dataset::<f64>::new(Matrix::zeros(3, 2));
    join(&mut data, &file).unwrap();
    assert_eq!(data.attribute("pose").unwrap().codes(), [Some(0), None]);
    assert_eq!(data.attribute("eyes").unwrap().classes(), ["open", "shut"]);
}

#[test]
fn names_find_their_samples_with_or_without_folder_and_extension() {
    let (_folder, file) = file("file,who\nb,2\na/1.png,1\nunused,9\n", by("file"));
    let mut data = named(&["a/1.png", "x/b.png", "c"]);
    join(&mut data, &file).unwrap();
    let who = data.attribute("who").unwrap();
    assert_eq!(who.codes(), [Some(0), Some(1), None]);
    assert!(data.attribute("file").is_none());
}

#[test]
fn an_attribute_of_the_same_name_is_replaced() {
    let (_folder, file) = file("who\nnew\n", JoinBy::Row);
    let mut data = named(&["a"]);
    data.attributes.push(Attribute::from_strings("who", [Some("old")]));
    join(&mut data, &file).unwrap();
    assert_eq!(data.attributes.len(), 1);
    assert_eq!(data.attributes[0].classes(), ["new"]);
}

#[test]
fn label_files_that_do_not_fit_say_why() {
    let message = said("who\n1\n2\n", JoinBy::Row, &mut named(&["a"]));
    assert!(message.contains("there are 2 rows of labels for 1 samples"), "{message}");
    let message = said("name,who\na,1\na,2\n", by("name"), &mut named(&["a"]));
    assert!(message.contains("\"a\" has two rows"), "{message}");
    let message = said("name,who\nz,1\n", by("name"), &mut named(&["a"]));
    assert!(message.contains("the first sample is called \"a\""), "{message}");
    let message = said("name,who\nz,1\n", by("id"), &mut named(&["a"]));
    assert!(message.contains("there is no column \"id\"; there are name, who"), "{message}");
    let message = said("name\na\n", by("name"), &mut Dataset::new(Matrix::zeros(1, 1)));
    assert!(message.contains("join the labels by row"), "{message}");
    let message = said("a,b\n1\n", JoinBy::Row, &mut named(&["a"]));
    assert!(message.contains("line 2 has 1 fields"), "{message}");
    let missing = LabelFile { path: "no/such.csv".into(), by: JoinBy::Row };
    assert!(join(&mut named(&["a"]), &missing).is_err());
}

fn joined(text: &str, samples: usize) -> Vec<Attribute> {
    let (_folder, file) = file(text, JoinBy::Row);
    let mut data = Dataset::<f64>::new(Matrix::zeros(1, samples));
    join(&mut data, &file).unwrap();
    data.attributes
}

#[test]
fn words_for_nothing_are_missing_labels() {
    let pose =
        &joined("pose,n\nup,1\nNA,2\nN/A,3\nnan,4\nNaN,5\nNULL,6\nNone,7\n?,8\n-,9\n,10\n", 10)[0];
    assert_eq!((pose.classes(), pose.missing()), (&["up".to_owned()][..], 9));
}

#[test]
fn blank_lines_of_one_column_are_missing_labels_where_their_number_fits() {
    for (text, samples, codes) in [
        ("pose\nup\n\nleft\n", 3, [Some(1), None, Some(0)]),
        ("pose\r\n\r\nup\r\nleft\r\n", 3, [None, Some(1), Some(0)]),
        ("pose\nleft\nup\n\n", 3, [Some(0), Some(1), None]),
        ("up\n\nleft", 3, [Some(1), None, Some(0)]),
    ] {
        assert_eq!(joined(text, samples)[0].codes(), codes, "{text:?}");
    }
    // As many labels as samples without them: blank lines mean nothing.
    assert_eq!(joined("pose\nup\n\nleft\n\n", 2)[0].codes(), [Some(1), Some(0)]);
}

#[test]
fn a_file_without_a_header_has_as_many_lines_as_there_are_samples() {
    let one = joined("up\nleft\nup\n", 3);
    assert_eq!((one[0].name.as_str(), one[0].classes().len()), ("label", 2));
    let two = joined("up,1\nleft,2\n", 2);
    let names: Vec<_> = two.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["column 1", "column 2"]);
    let (_folder, file) = file("a,up\nb,left\n", by("1"));
    let mut data = named(&["b", "a"]);
    join(&mut data, &file).unwrap();
    assert_eq!(data.attribute("column 2").unwrap().codes(), [Some(0), Some(1)]);
}

#[test]
fn two_columns_of_one_name_are_refused_with_it() {
    let message = said("who,pose,who\n1,2,3\n", JoinBy::Row, &mut named(&["a"]));
    assert!(message.contains("several columns \"who\""), "{message}");
}
