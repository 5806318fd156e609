//! Numbers as a page needs them: short, and never more exact than a reader can see.

/// Rounds to four significant digits, which keeps the page small.
pub(crate) fn short(value: f64) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    // Far from 1 the power itself would overflow; such numbers need no rounding.
    let digits = 3.0 - value.abs().log10().floor();
    let power = 10f64.powf(digits);
    let rounded = (value * power).round() / power;
    narrow(if rounded.is_finite() { rounded } else { value })
}

/// The nearest number of half the size.
#[allow(clippy::cast_possible_truncation)] // that is what it is for
pub(crate) fn narrow(value: f64) -> f32 {
    value as f32
}

/// Mean and standard deviation of every row of samples (columns), which may be of any type.
pub(crate) fn moments<T: deepnmf::Scalar>(x: &deepnmf::Matrix<T>) -> (Vec<f64>, Vec<f64>) {
    let count = x.cols().max(1) as f64;
    let mut mean = vec![0.0; x.rows()];
    for column in x.columns() {
        mean.iter_mut().zip(column).for_each(|(m, v)| *m += v.to_f64() / count);
    }
    let mut variance = vec![0.0; x.rows()];
    for column in x.columns() {
        for ((s, v), m) in variance.iter_mut().zip(column).zip(&mean) {
            *s += (v.to_f64() - m).powi(2) / count;
        }
    }
    (mean, variance.into_iter().map(f64::sqrt).collect())
}

/// The places of the `count` largest numbers, the largest first; of equal ones the first.
pub(crate) fn largest(values: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    places.truncate(count);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits() {
        let kept = [(1.0 / 3.0, 0.3333), (-123_456.0, -123_500.0), (0.0, 0.0), (1e-9, 1e-9)];
        for (value, expected) in kept {
            assert!((short(value) - expected).abs() <= f32::EPSILON * expected.abs(), "{value}");
        }
        assert_eq!(serde_json::to_string(&short(2.0 / 3.0)).unwrap(), "0.6667");
        for odd in [f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX] {
            assert!(!short(odd).is_nan());
        }
    }

    #[test]
    fn the_largest_come_first_and_ties_keep_their_order() {
        assert_eq!(largest(&[1.0, 5.0, 3.0, 5.0], 3), [1, 3, 2]);
        assert!(largest(&[], 3).is_empty());
    }
}
