//! Steps over the entries that are observed.

use deepnmf::Matrix;

use super::*;
use crate::{Dataset, Missing, Values};

/// Counts of which some are missing.
fn counts() -> Dataset<f64> {
    let x = Matrix::from_fn(4, 9, |i, j| ((3 * i + 5 * j) % 7 + 1) as f64);
    let missing = |i, j| (i + 2 * j) % 5 == 0;
    let nan = |i, j| if missing(i, j) { f64::NAN } else { x[(i, j)] };
    Dataset::new(Matrix::from_fn(4, 9, nan))
}

fn observed(column: impl Iterator<Item = f64>) -> Vec<f64> {
    column.filter(|v| !v.is_nan()).collect()
}

#[test]
fn every_step_sees_the_observed_entries_alone() {
    for text in ["unit", "standardize", "min-max", "log1p", "counts-per=10", "tf-idf"] {
        let (mut data, raw) = (counts(), counts());
        let mut steps: Pipeline = text.parse().unwrap();
        steps.fit_apply(&mut data).unwrap();
        for (a, b) in data.x.as_slice().iter().zip(raw.x.as_slice()) {
            assert_eq!(a.is_nan(), b.is_nan(), "{text}");
        }
        for j in 0..9 {
            let column = observed(data.x.col(j).iter().copied());
            match text {
                "unit" => {
                    let norm = column.iter().map(|v| v * v).sum::<f64>();
                    assert!((norm - 1.0).abs() < 1e-12);
                }
                "counts-per=10" => assert!((column.iter().sum::<f64>() - 10.0).abs() < 1e-12),
                _ => {}
            }
        }
        for i in 0..4 {
            let row = observed((0..9).map(|j| data.x[(i, j)]));
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            match text {
                "standardize" => {
                    let variance = row.iter().map(|v| v * v).sum::<f64>() / row.len() as f64;
                    assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12);
                }
                "min-max" => {
                    let least = row.iter().copied().fold(f64::INFINITY, f64::min);
                    let most = row.iter().copied().fold(0.0, f64::max);
                    assert!(least.abs() < 1e-12 && (most - 1.0).abs() < 1e-12);
                }
                _ => {}
            }
        }
        // Steps are undone for what is filled in; what was observed keeps its bits.
        let filled = data.x.map(|v| if v.is_nan() { 0.25 } else { v });
        let back = steps.fill_in(&raw, filled.clone()).unwrap();
        let mut again = Dataset::new(back.clone());
        steps.apply(&mut again).unwrap();
        for (at, known) in raw.x.as_slice().iter().enumerate() {
            if !known.is_nan() {
                assert_eq!(back.as_slice()[at].to_bits(), known.to_bits());
            } else if !matches!(text, "unit" | "counts-per=10") {
                assert!((again.x.as_slice()[at] - 0.25).abs() < 1e-12, "{text}");
            }
        }
    }
}

#[test]
fn what_moves_zeros_or_pixels_does_not_go_with_missing_entries() {
    let x = Matrix::from_fn(4, 9, |i, j| ((i + j) % 3) as f64);
    let mut data = crate::DatasetOf::new(Values::Sparse(deepnmf::Sparse::from_dense(&x)));
    "standardize".parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap();
    let error = data.x.declared(Missing::Zeros).unwrap_err().to_string();
    assert!(error.contains("standardize or min-max"), "{error}");
    let shape = crate::ImageShape { width: 2, height: 2, order: crate::PixelOrder::RowMajor };
    let mut data = Dataset { image_shape: Some(shape), ..counts() };
    let error = "igo".parse::<Pipeline>().unwrap().fit_apply(&mut data).unwrap_err().to_string();
    assert!(error.contains("no pixel is missing"), "{error}");
}
