use deepnmf::Matrix;

use super::*;
use crate::{Dataset, ImageShape, PixelOrder};

fn data(rows: usize, values: &[f64]) -> Dataset<f64> {
    let x = Matrix::from_vec(rows, values.len() / rows, values.to_vec()).unwrap();
    Dataset::new(x)
}

fn pictures(width: usize, height: usize, order: PixelOrder, values: &[f64]) -> Dataset<f64> {
    let image_shape = Some(ImageShape { width, height, order });
    Dataset { image_shape, ..data(width * height, values) }
}

fn done(steps: &str, mut data: Dataset<f64>) -> Dataset<f64> {
    steps.parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap();
    data
}

#[test]
fn a_chain_of_unit_alone_is_written_as_model_files_have_it() {
    let unit = Pipeline::new([Step::Unit]);
    assert_eq!(serde_json::to_string(&unit).unwrap(), r#"["unit"]"#);
    assert_eq!(serde_json::from_str::<Pipeline>(r#"["unit"]"#).unwrap(), unit);
    assert_eq!(serde_json::from_str::<Pipeline>("[]").unwrap(), Pipeline::default());
}

#[test]
fn what_was_learnt_survives_storage_bit_by_bit() {
    let mut pipeline: Pipeline = "tf-idf,standardize,min-max".parse().unwrap();
    pipeline.fit_apply(&mut data(2, &[1.0, 0.1, 3.0, 0.7, 0.3, 1e-7])).unwrap();
    let text = serde_json::to_string(&pipeline).unwrap();
    assert_eq!(serde_json::from_str::<Pipeline>(&text).unwrap(), pipeline);
}

#[test]
fn training_data_given_again_come_out_the_same() {
    let values: Vec<f64> = (0..12 * 5).map(|i| f64::from(i * i % 17)).collect();
    for steps in
        ["standardize", "min-max,unit", "log1p,tf-idf", "resize=2x2,igo", "igo,standardize"]
    {
        let train = pictures(4, 3, PixelOrder::RowMajor, &values);
        let mut pipeline: Pipeline = steps.parse().unwrap();
        let (mut first, mut second) = (train.clone(), train);
        pipeline.fit_apply(&mut first).unwrap();
        pipeline.apply(&mut second).unwrap();
        assert_eq!(first, second, "{steps}");
    }
}

#[test]
fn standardized_features_have_mean_zero_and_variance_one() {
    let result = done("standardize", data(2, &[1.0, 5.0, 2.0, 5.0, 6.0, 5.0]));
    let row: Vec<f64> = (0..3).map(|j| result.x[(0, j)]).collect();
    assert!(row.iter().sum::<f64>().abs() < 1e-12);
    assert!((row.iter().map(|v| v * v).sum::<f64>() / 3.0 - 1.0).abs() < 1e-12);
    assert!((0..3).all(|j| result.x[(1, j)].abs() < 1e-12), "a constant feature becomes 0");
}

#[test]
fn new_data_use_the_old_range() {
    let mut pipeline: Pipeline = "min-max".parse().unwrap();
    pipeline.fit_apply(&mut data(1, &[2.0, 4.0])).unwrap();
    let mut new = data(1, &[3.0, 6.0]);
    pipeline.apply(&mut new).unwrap();
    assert_eq!(new.x.as_slice(), &[0.5, 2.0]);
}

/// From scikit-learn: `TfidfTransformer(norm=None).fit_transform([[1, 0], [2, 3]])`.
#[test]
fn tf_idf_weighs_as_scikit_learn_does() {
    let result = done("tf-idf", data(2, &[1.0, 0.0, 2.0, 3.0]));
    let rare = 1.0 + (3.0f64 / 2.0).ln();
    for (found, expected) in result.x.as_slice().iter().zip([1.0, 0.0, 2.0, 3.0 * rare]) {
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn orientations_of_a_slope_point_up_the_slope() {
    let to_the_right: Vec<f64> = (0..6).map(|i| f64::from(i % 3)).collect();
    let down: Vec<f64> = (0..6).map(|i| f64::from(i / 3)).collect();
    let unit = 1.0 / 6.0f64.sqrt();
    for (order, across, below) in [
        (PixelOrder::RowMajor, &to_the_right, &down),
        (PixelOrder::ColumnMajor, &down, &to_the_right),
    ] {
        let (width, height) = if order == PixelOrder::RowMajor { (3, 2) } else { (2, 3) };
        let across = done("igo", pictures(width, height, order, across));
        assert_eq!(across.x.rows(), 12);
        assert!(across.x.col(0)[..6].iter().all(|v| (v - unit).abs() < 1e-12), "{across:?}");
        assert!(across.x.col(0)[6..].iter().all(|v| v.abs() < 1e-12));
        let below = done("igo", pictures(width, height, order, below));
        assert!(below.x.col(0)[..6].iter().all(|v| v.abs() < 1e-12), "{below:?}");
        assert!(below.x.col(0)[6..].iter().all(|v| (v - unit).abs() < 1e-12));
    }
}

#[test]
fn orientations_have_norm_one_whatever_the_light() {
    let values: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 11)).collect();
    let dark = done("igo", pictures(5, 4, PixelOrder::RowMajor, &values));
    let bright: Vec<f64> = values.iter().map(|v| 3.0 * v + 40.0).collect();
    let bright = done("igo", pictures(5, 4, PixelOrder::RowMajor, &bright));
    assert!((dark.x.col(0).iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
    for (a, b) in dark.x.as_slice().iter().zip(bright.x.as_slice()) {
        assert!((a - b).abs() < 1e-12);
    }
}

#[test]
fn a_resized_data_set_knows_its_new_shape() {
    let mut result = pictures(4, 2, PixelOrder::ColumnMajor, &[1.0; 8]);
    result.feature_names = Some(vec![String::new(); 8]);
    let result = done("resize=2x3", result);
    assert_eq!(result.features(), 6);
    let expected = ImageShape { width: 2, height: 3, order: PixelOrder::ColumnMajor };
    assert_eq!(result.image_shape, Some(expected));
    assert_eq!(result.feature_names, None);
}

#[test]
fn steps_that_cannot_be_taken_say_why() {
    let said = |steps: &str, mut data: Dataset<f64>| {
        steps.parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap_err().to_string()
    };
    assert!(said("igo", data(2, &[1.0, 2.0])).contains("igo needs pictures, but nothing says"));
    assert!(said("log1p", data(1, &[-1.0])).contains("feature 1 of sample 1"));
    assert!(said("tf-idf", data(1, &[-1.0])).contains("is negative"));
    let unfitted: Pipeline = "min-max".parse().unwrap();
    let message = unfitted.apply(&mut data(1, &[1.0])).unwrap_err().to_string();
    assert!(message.contains("has not been fitted"), "{message}");
    let mut fitted = unfitted;
    fitted.fit_apply(&mut data(1, &[1.0])).unwrap();
    let message = fitted.apply(&mut data(2, &[1.0, 2.0])).unwrap_err().to_string();
    assert!(message.contains("was fitted to 1 features, but the data have 2"), "{message}");
    for bad in ["units", "resize", "resize=0x3", "resize=3", "unit,,igo"] {
        assert!(bad.parse::<Pipeline>().is_err(), "{bad}");
    }
}

#[test]
fn a_doctored_chain_fails_but_never_panics() {
    for text in [
        r#"[{"standardize":{"mean":[0,0],"deviation":[1]}}]"#,
        r#"[{"min-max":{"low":[],"high":[]}}]"#,
        r#"[{"standardize":{"mean":[0],"deviation":[0]}}]"#,
        r#"[{"igo":{"width":0,"height":0,"order":"row-major"}}]"#,
        r#"[{"resize":{"width":0,"height":9,"from":{"width":1,"height":1,"order":"row-major"}}}]"#,
        r#"[{"igo":{"width":18446744073709551615,"height":2,"order":"row-major"}}]"#,
    ] {
        let chain: Pipeline = serde_json::from_str(text).unwrap();
        assert!(chain.apply(&mut data(1, &[1.0])).is_err(), "{text}");
    }
}

#[test]
fn a_chain_is_written_as_it_is_read() {
    for text in ["none", "unit", "resize=8x9,igo", "log1p,tf-idf,standardize,min-max"] {
        assert_eq!(text.parse::<Pipeline>().unwrap().to_string(), text);
    }
}
