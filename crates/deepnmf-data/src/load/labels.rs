//! Numbers as labels.

use crate::Attribute;
use crate::error::Fault;

/// Whether a word stands for a missing label: what R, pandas, SQL and people write for it.
pub(super) fn is_missing_label(word: &str) -> bool {
    ["", "NA", "N/A", "nan", "NaN", "NULL", "None", "?", "-"].contains(&word)
}

/// An attribute from one number per sample; `NaN` stands for a missing label.
pub(super) fn from_numbers(name: &str, values: &[f64]) -> Result<Attribute, Fault> {
    let labels = values
        .iter()
        .enumerate()
        .map(|(sample, &value)| whole(value).map_err(|value| (sample, value)))
        .collect::<Result<Vec<_>, _>>();
    match labels {
        Ok(labels) => Ok(Attribute::from_ints(name, labels)),
        Err((sample, value)) => {
            Err(Fault::LabelNotWhole { name: name.into(), sample: sample + 1, value })
        }
    }
}

/// A label as a whole number; `NaN` stands for a missing one.
fn whole(value: f64) -> Result<Option<i64>, f64> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: above, not every whole number exists
    if value.is_nan() {
        return Ok(None);
    }
    if value.fract() != 0.0 || value.abs() > EXACT {
        return Err(value);
    }
    #[allow(clippy::cast_possible_truncation)] // whole and below 2^53
    Ok(Some(value as i64))
}
