//! Whether fits to other entries, from other seeds, find the same components.

use deepnmf::matrix::{dot, product};
use deepnmf::{Matrix, Scalar};
use deepnmf_eval::metrics::match_columns;

/// Matching is of whole numbers; a cosine keeps so many digits.
const DIGITS: f64 = 1e9;

/// Columns of length one, or of zeros.
pub(crate) fn directions<T: Scalar>(basis: &Matrix<T>) -> Matrix<f64> {
    let mut wide = basis.cast::<f64>();
    for r in 0..wide.cols() {
        let length = dot(wide.col(r), wide.col(r)).sqrt();
        if length > 0.0 {
            wide.col_mut(r).iter_mut().for_each(|v| *v /= length);
        }
    }
    wide
}

/// For each component of `a` that of `b` that it is matched with, and their cosine: the pairing with the largest sum. All
/// columns have length one.
pub(crate) fn matched(a: &Matrix<f64>, b: &Matrix<f64>) -> Vec<(usize, f64)> {
    let cosines = product(a.t(), b.view());
    let (rows, columns) = cosines.shape();
    // From 0 to 2, because a table of matches has no negative entries.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let entry = |i, j| ((cosines[(i, j)].clamp(-1.0, 1.0) + 1.0) * DIGITS) as u64;
    let table: Vec<Vec<u64>> =
        (0..rows).map(|i| (0..columns).map(|j| entry(i, j)).collect()).collect();
    let of_row = |(i, j): (usize, Option<usize>)| j.map(|j| (j, cosines[(i, j)]));
    match_columns(&table).into_iter().enumerate().filter_map(of_row).collect()
}

/// The mean cosine of matched components, for every pair of fits.
pub(crate) fn agreements(bases: &[Matrix<f64>]) -> Vec<f64> {
    let mut of_pairs = Vec::new();
    for (at, a) in bases.iter().enumerate() {
        for b in &bases[at + 1..] {
            let pairs = matched(a, b);
            let sum: f64 = pairs.iter().map(|(_, cosine)| cosine).sum();
            of_pairs.push(sum / pairs.len().max(1) as f64);
        }
    }
    of_pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_components_in_another_order_agree() {
        let a = directions(&Matrix::<f64>::from_fn(6, 3, |i, j| ((i * 3 + j * 5) % 7) as f64));
        let turned = Matrix::from_fn(6, 3, |i, j| a[(i, (j + 1) % 3)]);
        for (r, (other, cosine)) in matched(&a, &turned).into_iter().enumerate() {
            assert_eq!((other + 1) % 3, r);
            assert!((cosine - 1.0).abs() < 1e-12);
        }
        assert!((agreements(&[a.clone(), turned, a])[2] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_best_pairing_is_found_among_all() {
        let a =
            directions(&Matrix::<f64>::from_fn(5, 4, |i, j| ((i * i + 3 * j) % 11) as f64 - 4.0));
        let b =
            directions(&Matrix::<f64>::from_fn(5, 4, |i, j| ((2 * i + j * j) % 9) as f64 - 3.0));
        let found: f64 = matched(&a, &b).iter().map(|(_, cosine)| cosine).sum();
        let cosines = product(a.t(), b.view());
        let mut best = f64::NEG_INFINITY;
        for order in 0..256 {
            let places: Vec<usize> = (0..4).map(|i| order >> (2 * i) & 3).collect();
            let distinct = (0..4).all(|j| places.contains(&j));
            if distinct {
                best = best.max((0..4).map(|i| cosines[(i, places[i])]).sum());
            }
        }
        assert!((found - best).abs() < 1e-8, "{found} and {best}");
    }
}
