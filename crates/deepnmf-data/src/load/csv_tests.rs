use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::Dataset;
use crate::load::{Header, TableOptions};

fn keyed(labels_key: Option<&str>) -> LoadOptions {
    LoadOptions { labels_key: labels_key.map(str::to_owned), ..LoadOptions::default() }
}

fn read_text(text: &str, labels_key: Option<&str>) -> Result<Dataset<f64>, Fault> {
    read_with(text, &keyed(labels_key))
}

fn read_with(text: &str, options: &LoadOptions) -> Result<Dataset<f64>, Fault> {
    let delimiter = Delimiter::sniff(text.as_bytes()).unwrap_or(Delimiter::Comma);
    read(Cursor::new(text), delimiter, options).map(|data| data.into_dense().unwrap())
}

fn table(change: impl FnOnce(&mut TableOptions)) -> LoadOptions {
    let mut options = LoadOptions::default();
    change(&mut options.table);
    options
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn line_of(fault: &Fault) -> u64 {
    match fault {
        Fault::NotANumber { cell, .. } | Fault::MissingValue { cell } | Fault::NotText { cell } => {
            cell.line
        }
        Fault::Ragged { line, .. } => *line,
        fault => panic!("no line in {fault}"),
    }
}

#[test]
fn a_line_is_a_sample_with_a_header_or_without() {
    for text in ["1,2,3.0\n4,5,6\n", "a,b,c\n1,2,3\n4,5,6", "\u{feff}a,b,c\r\n1, 2 ,3\r\n4,5,6\r\n"]
    {
        let data = read_text(text, None).unwrap();
        assert_eq!(data.x.shape(), (3, 2));
        assert_eq!(data.x.as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let names = text.contains('a').then(|| vec!["a".into(), "b".into(), "c".into()]);
        assert_eq!(data.feature_names, names);
    }
}

#[test]
fn numbers_may_be_written_in_any_usual_way() {
    let data = read_text("1e3,-.5,+2.,007,\"1.5\"\n", None).unwrap();
    assert_eq!(data.x.as_slice(), [1000.0, -0.5, 2.0, 7.0, 1.5]);
}

#[test]
fn a_first_line_of_numbers_and_gaps_is_not_a_header() {
    for text in ["1,nan\n1,2\n", "inf,1\n1,2\n", "-Infinity,1\n1,2\n"] {
        assert!(matches!(read_text(text, None), Err(Fault::NotFinite { sample: 1, .. })));
    }
    for text in ["1,,3\n1,2,3\n", "1,NA,3\n1,2,3\n"] {
        assert_eq!(line_of(&read_text(text, None).unwrap_err()), 1);
    }
}

#[test]
fn the_delimiter_is_the_one_the_first_line_shows() {
    for (text, delimiter) in [
        ("1,2", Some(Delimiter::Comma)),
        ("1;2", Some(Delimiter::Semicolon)),
        ("1,5;2,5;3,5", Some(Delimiter::Semicolon)),
        ("\n\n1\t2,3", Some(Delimiter::Tab)),
        ("\"a;b\",c", Some(Delimiter::Comma)),
        ("1\n2;3", None),
        ("", None),
    ] {
        assert_eq!(Delimiter::sniff(text.as_bytes()), delimiter, "{text:?}");
    }
}

#[test]
fn any_number_of_spaces_separates_fields_where_nothing_else_does() {
    let text = "  1.0   2.0\n 10.0  20.0 \n";
    let data = read::<f64>(Cursor::new(text), Delimiter::Spaces, &keyed(None)).unwrap();
    assert_eq!(data.into_dense().unwrap().x.as_slice(), [1.0, 2.0, 10.0, 20.0]);
    let ragged =
        read::<f64>(Cursor::new("1 2\n\n3\n"), Delimiter::Spaces, &keyed(None)).unwrap_err();
    assert_eq!(line_of(&ragged), 3);
}

#[test]
fn a_label_column_is_found_by_name_or_number_and_is_not_a_feature() {
    for key in ["kind", "2"] {
        let data = read_text("a,kind,b\n1,x,2\n3,,4\n5,w,6\n", Some(key)).unwrap();
        assert_eq!(data.x.as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(data.feature_names.unwrap(), ["a", "b"]);
        assert_eq!(data.attributes[0].name, "kind");
        assert_eq!(data.attributes[0].classes(), ["w", "x"]);
        assert_eq!(data.attributes[0].codes(), [Some(1), None, Some(0)]);
    }
}

#[test]
fn a_label_in_the_first_line_does_not_make_it_a_header() {
    let data = read_text("1,2,x\n3,4,y\n", Some("3")).unwrap();
    assert_eq!(data.samples(), 2);
    assert_eq!(data.attributes[0].name, "column 3");
    assert_eq!(data.feature_names, None);
}

#[test]
fn without_a_key_the_message_about_text_says_how_to_name_the_labels() {
    let named = read_text("a,my kind\n1,x\n", None).unwrap_err().to_string();
    assert!(named.contains("use --labels-key \"my kind\"; if"), "{named}");
    // The first line may well be a sample, so the column has a number, not a name.
    let unnamed = read_text("1,2,x\n3,4,y\n", None).unwrap_err().to_string();
    assert!(unnamed.contains("use --labels-key 3; if"), "{unnamed}");
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    for (text, line) in [
        ("1,2\n3,x\n", 2),
        ("1,2\r\n3,4\r\n5,x\r\n", 3),
        ("\n\n1,2\n\n\n3,x", 6),
        ("1,2\r3,4\r5,x\r", 3),
        ("1,2\r\n\r\n\r\n3\r\n", 4),
        ("a,b\n1,\"2\"\n3,\"x\ny\"\n", 3),
    ] {
        assert_eq!(line_of(&read_text(text, None).unwrap_err()), line, "{text:?}");
    }
}

#[test]
fn a_number_too_large_for_f32_is_no_infinity() {
    let read_f32 = |text| read::<f32>(Cursor::new(text), Delimiter::Comma, &keyed(None));
    assert!(matches!(read_f32("1,9\n3,1e300"), Err(Fault::TooLarge { sample: 2, .. })));
    assert!(matches!(read_f32("1,9\n3,inf"), Err(Fault::NotFinite { sample: 2, .. })));
}

#[test]
fn labels_that_are_not_text_are_refused_by_line() {
    let bytes: &[u8] = b"a,k\n1,x\n2,\xff\n";
    let fault = read::<f64>(Cursor::new(bytes), Delimiter::Comma, &keyed(Some("k"))).unwrap_err();
    assert_eq!(line_of(&fault), 3);
}

#[test]
fn fields_that_count_the_columns_are_a_header() {
    for text in ["0,1,2\n7,8,9\n", "1,2,3\n7,8,9\n", ",0,1,2\nx,7,8,9\n", ",1,2,3\nx,7,8,9\n"] {
        let data = read_text(text, None).unwrap();
        assert_eq!(data.x.as_slice(), [7.0, 8.0, 9.0], "{text:?}");
        let (first, names) = if text.contains('0') { ("0", "2") } else { ("1", "3") };
        let found = data.feature_names.unwrap();
        assert_eq!((found[0].as_str(), found[2].as_str()), (first, names));
        assert_eq!(data.sample_names.is_some(), text.starts_with(','), "{text:?}");
    }
}

#[test]
fn fields_that_only_look_like_counting_are_a_sample() {
    for text in ["1,2,4\n7,8,9\n", "2,3,4\n7,8,9\n", "0,1.0,2\n7,8,9\n", "0,01,2\n7,8,9\n"] {
        assert_eq!(read_text(text, None).unwrap().samples(), 2, "{text:?}");
    }
    assert_eq!(read_text("1\n2\n", None).unwrap().samples(), 2, "one number is no count");
    assert_eq!(read_text("1,2,3\n", None).unwrap().samples(), 1, "nothing follows");
}

#[test]
fn whether_there_is_a_header_can_be_said() {
    let say = |header| table(|t| t.header = header);
    assert_eq!(read_with("0,1\n2,3\n", &say(Header::No)).unwrap().samples(), 2);
    let named = read_with("5,6\n2,3\n", &say(Header::Yes)).unwrap();
    assert_eq!(named.feature_names.unwrap(), ["5", "6"]);
    assert!(matches!(read_with("a,b\n2,3\n", &say(Header::No)), Err(Fault::NotANumber { .. })));
}

#[test]
fn a_first_column_without_a_name_names_the_samples() {
    for text in
        [",a,b\nx,1,2\ny,3,4\n", "Unnamed: 0,a,b\nx,1,2\ny,3,4\n", "sample,a,b\nx,1,2\ny,3,4\n"]
    {
        let data = read_text(text, None).unwrap();
        assert_eq!(data.sample_names.unwrap(), ["x", "y"]);
        assert_eq!(data.feature_names.unwrap(), ["a", "b"]);
        assert_eq!(data.x.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    }
    let chosen = read_with(",a,b\nx,1,2\n", &table(|t| t.columns = owned(&["b"]))).unwrap();
    assert_eq!(chosen.sample_names.unwrap(), ["x"], "whichever columns are features");
    let numbers = read_with(",a\n7,1\n8,2\n", &table(|t| t.columns = owned(&["1", "a"]))).unwrap();
    assert_eq!(numbers.features(), 2, "unless it is said to be a feature");
}

#[test]
fn a_table_with_an_identifier_and_labels_is_read_at_once() {
    let text = "id,a,kind,b,note\nx,1,u,2,hm\ny,3,,4,\n";
    let mut options = table(|t| (t.names_key, t.drop) = (Some("id".into()), owned(&["note"])));
    options.labels_key = Some("kind".into());
    let expected = read_with(text, &options).unwrap();
    assert_eq!(expected.x.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(expected.sample_names.as_deref().unwrap(), ["x", "y"]);
    assert_eq!(expected.attributes[0].codes(), [Some(0), None]);
    options.table.drop.clear();
    options.table.columns = owned(&["b", "2"]);
    assert_eq!(read_with(text, &options).unwrap(), expected);
}

#[test]
fn several_columns_can_be_labels() {
    let data = read_text("pose,a,who\nup,1,x\nleft,2,y\n", Some("who,pose")).unwrap();
    let names: Vec<_> = data.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["who", "pose"]);
    assert_eq!(data.x.as_slice(), [1.0, 2.0]);
}

#[test]
fn words_for_nothing_are_missing_labels() {
    for word in ["", "NA", "N/A", "nan", "NaN", "NULL", "None", "?", "-"] {
        let data = read_text(&format!("a,k\n1,x\n2,{word}\n3,none\n"), Some("k")).unwrap();
        assert_eq!(data.attributes[0].classes(), ["none", "x"], "{word:?}");
        assert_eq!(data.attributes[0].missing(), 1, "{word:?}");
    }
}

#[test]
fn unknown_columns_are_refused_with_the_option_that_named_them() {
    for (flag, options) in [
        ("--columns", table(|t| t.columns = owned(&["c"]))),
        ("--drop", table(|t| t.drop = owned(&["c"]))),
        ("--names-key", table(|t| t.names_key = Some("c".into()))),
        ("--labels-key", keyed(Some("c"))),
    ] {
        let message = read_with("a,b\n1,2\n", &options).unwrap_err().to_string();
        assert!(message.contains("no column \"c\"") && message.contains(flag), "{message}");
    }
}

#[test]
fn duplicate_names_and_blank_lines_are_refused() {
    let message = read_text("a,b,a,c,b\n1,2,3,4,5\n", None).unwrap_err().to_string();
    assert!(message.contains("several columns \"a\", \"b\""), "{message}");
    let message = read_text("1,1,setosa\n2,2,virginica\n", None).unwrap_err().to_string();
    assert!(message.contains("--labels-key 3"), "a label in the first line: {message}");
    for (text, line) in [
        ("a,b\n1,2\n\n3,4\n", 3),
        ("1,9\r\n\r\n3,4\r\n", 2),
        ("\n1,9\n3,4\n\n\n5,6\n\n", 4),
        ("a,\"b\n\nc\"\n1,2\n\n3,4\n", 5),
    ] {
        match read_text(text, None) {
            Err(Fault::BlankLine { line: found }) => assert_eq!(found, line, "{text:?}"),
            other => panic!("{text:?} gives {other:?}"),
        }
    }
    for text in ["\n\n1,9\n3,4\n\n\n", "1,9\r\n3,4\r\n\r\n", "\"a\n\nb\",c\n1,9\n3,4"] {
        assert_eq!(read_text(text, None).unwrap().samples(), 2, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "[0-9a,;\t\"\r\n. -]{0,60}",
        key in prop::option::of("[0-9a]{1,2}"),
    ) {
        for delimiter in
            [Delimiter::Comma, Delimiter::Semicolon, Delimiter::Tab, Delimiter::Spaces]
        {
            let _ = read::<f32>(Cursor::new(&bytes), delimiter, &keyed(key.as_deref()));
            let _ = read::<f32>(Cursor::new(&text), delimiter, &keyed(key.as_deref()));
        }
    }

    #[test]
    fn numbers_come_back_as_they_were_written(
        rows in prop::collection::vec(prop::collection::vec(-1e300..1e300f64, 3), 1..20),
    ) {
        let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let text = rows.iter().map(line).collect::<Vec<_>>().join("\n");
        let options = table(|t| t.header = Header::No);
        prop_assert_eq!(read_with(&text, &options).unwrap().x.into_vec(), rows.concat());
    }
}
