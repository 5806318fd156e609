use deepnmf::Matrix;

use super::*;
use crate::preprocess::Pipeline;
use crate::{Attribute, Dataset};

/// Four samples, of which the second and fourth are zero.
fn data() -> Dataset<f64> {
    let x = Matrix::from_vec(2, 4, vec![3.0, 4.0, 0.0, 0.0, 0.0, 2.0, 0.0, -0.0]).unwrap();
    Dataset {
        sample_names: Some(["a", "b", "c", "d"].map(str::to_owned).to_vec()),
        attributes: vec![Attribute::from_strings("kind", ["u", "v", "w", "v"].map(Some))],
        ..Dataset::new(x)
    }
}

fn applied(chain: &str, how: ZeroSamples) -> Result<(Dataset<f64>, Zeros), DataError> {
    let (mut data, mut chain) = (data(), chain.parse::<Pipeline>()?);
    let zeros = chain.fit_apply_with(&mut data, how)?;
    let (mut again, expected) = (self::data(), data.clone());
    assert_eq!(chain.apply_with(&mut again, how)?, zeros, "new samples fare as those of the fit");
    assert_eq!(again, expected);
    Ok((data, zeros))
}

#[test]
fn a_zero_sample_is_refused_by_default_with_what_would_work() {
    let message = applied("unit", ZeroSamples::default()).unwrap_err().to_string();
    assert!(message.contains("sample 2 (counted from 1) is all zero"), "{message}");
    assert!(message.contains("--zero-samples keep or drop"), "{message}");
    assert!(applied("none", ZeroSamples::default()).is_ok());
}

#[test]
fn a_zero_sample_that_is_kept_stays_zero() {
    let (data, zeros) = applied("unit", ZeroSamples::Keep).unwrap();
    assert_eq!(data.x.as_slice(), [0.6, 0.8, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(zeros, Zeros { kept: vec![1, 3], dropped: vec![] });
    assert_eq!(data.sample_names.unwrap().len(), 4);
}

#[test]
fn a_zero_sample_that_is_dropped_takes_its_name_and_label_along() {
    for chain in ["unit", "log1p,unit", "none"] {
        let (data, zeros) = applied(chain, ZeroSamples::Drop).unwrap();
        assert_eq!(data.samples(), 2, "{chain}");
        assert_eq!(zeros, Zeros { kept: vec![], dropped: vec![1, 3] });
        assert_eq!(data.sample_names.unwrap(), ["a", "c"]);
        assert_eq!(data.attributes[0].class_of(1), Some("w"));
    }
}

#[test]
fn samples_that_a_step_makes_zero_are_dropped_too() {
    let mut data = Dataset::new(Matrix::from_vec(1, 3, vec![1.0, 2.0, 3.0]).unwrap());
    let mut chain: Pipeline = "standardize,unit".parse().unwrap();
    let zeros = chain.fit_apply_with(&mut data, ZeroSamples::Drop).unwrap();
    assert_eq!((zeros.dropped, data.x.as_slice()), (vec![1], &[-1.0, 1.0][..]));
}

#[test]
fn data_of_nothing_but_zeros_leave_no_samples() {
    let mut data = Dataset::<f64>::new(Matrix::zeros(2, 3));
    let mut chain: Pipeline = "unit".parse().unwrap();
    let error = chain.fit_apply_with(&mut data, ZeroSamples::Drop).unwrap_err();
    assert!(error.to_string().contains("all 3 samples are zero"), "{error}");
}

#[test]
fn what_is_recorded_does_not_know_of_zeros() {
    let (mut data, mut chain) = (data(), "unit".parse::<Pipeline>().unwrap());
    chain.fit_apply_with(&mut data, ZeroSamples::Drop).unwrap();
    assert_eq!(serde_json::to_string(&chain).unwrap(), "[\"unit\"]");
}
