use std::io::Cursor;

use proptest::prelude::*;

use super::*;

fn read_text(text: &str, labels_key: Option<&str>) -> Result<Dataset<f64>, Fault> {
    let delimiter = Delimiter::sniff(text.as_bytes()).unwrap_or(Delimiter::Comma);
    read(Cursor::new(text), delimiter, labels_key)
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
    for text in ["1,2,3\n4,5,6\n", "a,b,c\n1,2,3\n4,5,6", "\u{feff}a,b,c\r\n1, 2 ,3\r\n4,5,6\r\n"] {
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
    let data = read::<f64>(Cursor::new(text), Delimiter::Spaces, None).unwrap();
    assert_eq!(data.x.as_slice(), [1.0, 2.0, 10.0, 20.0]);
    let ragged = read::<f64>(Cursor::new("1 2\n\n3\n"), Delimiter::Spaces, None).unwrap_err();
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
    assert!(named.ends_with("use --labels-key \"my kind\""), "{named}");
    // The first line may well be a sample, so the column has a number, not a name.
    let unnamed = read_text("1,2,x\n3,4,y\n", None).unwrap_err().to_string();
    assert!(unnamed.ends_with("use --labels-key 3"), "{unnamed}");
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
    let read_f32 = |text| read::<f32>(Cursor::new(text), Delimiter::Comma, None);
    assert!(matches!(read_f32("1,2\n3,1e300"), Err(Fault::TooLarge { sample: 2, .. })));
    assert!(matches!(read_f32("1,2\n3,inf"), Err(Fault::NotFinite { sample: 2, .. })));
}

#[test]
fn labels_that_are_not_text_are_refused_by_line() {
    let bytes: &[u8] = b"a,k\n1,x\n2,\xff\n";
    let fault = read::<f64>(Cursor::new(bytes), Delimiter::Comma, Some("k")).unwrap_err();
    assert_eq!(line_of(&fault), 3);
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
            let _ = read::<f32>(Cursor::new(&bytes), delimiter, key.as_deref());
            let _ = read::<f32>(Cursor::new(&text), delimiter, key.as_deref());
        }
    }

    #[test]
    fn numbers_come_back_as_they_were_written(
        rows in prop::collection::vec(prop::collection::vec(-1e300..1e300f64, 3), 1..20),
    ) {
        let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let text = rows.iter().map(line).collect::<Vec<_>>().join("\n");
        prop_assert_eq!(read_text(&text, None).unwrap().x.into_vec(), rows.concat());
    }
}
