use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::super::test_load::{fixture, loaded};
use super::*;

fn options(labels_key: &str) -> LoadOptions {
    LoadOptions { labels_key: Some(labels_key.into()), ..LoadOptions::default() }
}

/// Two groups of rows: `x` a number that may be missing, `n` a whole number, `who` text.
fn written(xs: [Option<f64>; 2]) -> Vec<u8> {
    let schema = "message m { optional double x; required int64 n; required binary who (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    for ((group, number), x) in [(0, 0i64), (1, 1)].into_iter().zip(xs) {
        let mut rows = writer.next_row_group().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let values: Vec<f64> = x.into_iter().collect();
        let levels = [i16::from(x.is_some())];
        column.typed::<DoubleType>().write_batch(&values, Some(&levels), None).unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[number], None, None).unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let who = [ByteArray::from(["eva", "jo"][group])];
        column.typed::<ByteArrayType>().write_batch(&who, None, None).unwrap();
        column.close().unwrap();
        rows.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

#[test]
fn columns_of_numbers_are_features_and_the_one_asked_for_is_labels() {
    let data = loaded::<f64>("x", &fixture("snappy.parquet"), &options("kind")).unwrap();
    assert_eq!(data.feature_names.as_deref().unwrap(), ["a", "b", "c"]);
    assert_eq!(data.x.col(0), &[1.5, 1.0, 1.0]);
    assert_eq!(data.x.col(2), &[3.5, 3.0, 1.0]);
    assert_eq!(data.attributes[0].classes(), ["x", "y"]);
    assert_eq!(data.attributes[0].missing(), 1);
}

#[test]
fn several_columns_and_whole_numbers_can_be_labels() {
    let bytes = written([Some(0.5), Some(1.5)]);
    let data = loaded::<f64>("x.parquet", &bytes, &options("who,n")).unwrap();
    assert_eq!(data.x.as_slice(), &[0.5, 1.5]);
    assert_eq!(data.attributes[0].classes(), ["eva", "jo"]);
    assert_eq!(data.attributes[1].classes(), ["0", "1"]);
}

#[test]
fn text_that_is_not_asked_for_gaps_and_unknown_columns_are_named() {
    let bytes = written([Some(0.5), None]);
    let said = |options: &LoadOptions| {
        loaded::<f64>("x.parquet", &bytes, options).unwrap_err().to_string()
    };
    assert_eq!(
        said(&LoadOptions::default()),
        "column \"who\" holds text, which are no numbers: if they are labels, use --labels-key who; \
         if they name the samples, --names-key who; otherwise --drop who"
    );
    let message = said(&options("who"));
    assert!(message.starts_with("sample 2, feature 1 (\"x\") is NaN"), "{message}");
    let message = said(&options("kind"));
    assert!(message.contains("the file holds the columns \"x\", \"n\", \"who\""), "{message}");
    let zstd = loaded::<f64>("x", &fixture("zstd.parquet"), &options("kind")).unwrap_err();
    assert!(zstd.to_string().contains("compression=\"snappy\""), "{zstd}");
}

#[test]
fn columns_can_be_names_features_or_left_out() {
    let bytes = written([Some(0.5), Some(1.5)]);
    let mut options = LoadOptions::default();
    options.table.names_key = Some("who".into());
    let data = loaded::<f64>("x.parquet", &bytes, &options).unwrap();
    assert_eq!(data.sample_names.unwrap(), ["eva", "jo"]);
    assert_eq!(data.feature_names.unwrap(), ["x", "n"]);
    options.table.drop = vec!["n".into()];
    assert_eq!(loaded::<f64>("x.parquet", &bytes, &options).unwrap().feature_names.unwrap(), ["x"]);
    let mut options = LoadOptions::default();
    options.table.columns = vec!["n".into()];
    let data = loaded::<f64>("x.parquet", &bytes, &options).unwrap();
    assert_eq!((data.feature_names.unwrap(), data.sample_names), (vec!["n".to_owned()], None));
    options.table.columns = vec!["m".into()];
    assert!(loaded::<f64>("x.parquet", &bytes, &options).is_err());
}
