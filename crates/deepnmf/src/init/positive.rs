//! Is there a positive vector in a row space? A linear program, and the best answer to it.
//!
//! Wanted is `y` with `b_j . y > 0` for every (non-zero) column `b_j` of `B`. By Gordan's theorem
//! either such a `y` exists or some convex combination of the columns is zero. Both are read off
//! the non-negative least squares problem
//!
//! ```text
//! min over l >= 0 of  | [b_1/|b_1| ... b_n/|b_n|; 1 ... 1] l - [0; 1] |
//! ```
//!
//! whose residual is zero in the second case, while in the first `y = sum_j l_j b_j/|b_j|` is the
//! direction with the largest margin `min_j cos(b_j, y)`, which is what keeps the shifts small.
//! Few columns decide: those that the current answer violates most are added until none is left.
//!
//! Before that, the vector of the row space that is nearest to a constant one is tried. Where it is
//! positive, no other serves better: what is shifted along it stays as far apart as it was, while a
//! shift along the leading vector mixes each sample's length into all features.

use crate::matrix::{Matrix, Scalar, dot, gram_of_columns};
use crate::update::h_exact;

/// A leading vector this far from every sample's right angle is taken without further search.
const COMFORTABLE: f64 = 1e-2;

/// A vector whose least entry is above this share of its mean is taken for flat.
const FLAT: f64 = 0.05;

/// Below this margin a positive vector cannot be told from rounding.
const SMALLEST: f64 = 1e-6;

/// Columns added in one round.
const ADDED: usize = 64;

/// A direction along which all columns have a positive component.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Direction {
    /// The first row, or its negative.
    Leading {
        /// Whether it is the negative.
        flipped: bool,
    },
    /// Another unit vector.
    Along(Vec<f64>),
}

/// A direction with a positive component in every non-zero column of `b`, if there is one.
pub(super) fn positive_direction<T: Scalar>(b: &Matrix<T>) -> Option<Direction> {
    if b.rows() == 0 {
        return None;
    }
    if let Some(y) = flattest(b) {
        return Some(Direction::Along(y));
    }
    let columns = unit_columns(b);
    let (positive, negative) = columns
        .columns()
        .fold((f64::INFINITY, f64::INFINITY), |m, c| (m.0.min(c[0]), m.1.min(-c[0])));
    let leading = positive.max(negative);
    let flipped = negative > positive;
    if leading >= COMFORTABLE {
        return Some(Direction::Leading { flipped });
    }
    match widest_margin(&columns) {
        Some((y, margin)) if margin > leading.max(SMALLEST) => Some(Direction::Along(y)),
        _ if leading >= SMALLEST => Some(Direction::Leading { flipped }),
        _ => None,
    }
}

/// The direction of the vector nearest to a constant one in the space of the rows of `b`, which
/// are orthogonal, if it is positive wherever a column is not zero.
fn flattest<T: Scalar>(b: &Matrix<T>) -> Option<Vec<f64>> {
    let mut sums = vec![0.0; b.rows()];
    let mut squares = vec![0.0; b.rows()];
    for column in b.columns() {
        for ((sum, square), v) in sums.iter_mut().zip(&mut squares).zip(column) {
            *sum += v.to_f64();
            *square += v.to_f64() * v.to_f64();
        }
    }
    let mut y: Vec<f64> = sums.iter().zip(&squares).map(|(sum, square)| sum / square).collect();
    let along = |c: &[T]| c.iter().zip(&y).map(|(v, y)| v.to_f64() * y).sum::<f64>();
    let non_zero = |c: &&[T]| c.iter().any(|v| *v != T::ZERO);
    let (mut least, mut sum) = (f64::INFINITY, 0.0);
    for value in b.columns().filter(non_zero).map(along) {
        least = least.min(value);
        sum += value;
    }
    let length = dot(&y, &y).sqrt();
    for y in &mut y {
        *y /= length;
    }
    (least > FLAT * sum / b.cols() as f64 && length.is_normal()).then_some(y)
}

/// The non-zero columns scaled to length one, in `f64`.
fn unit_columns<T: Scalar>(b: &Matrix<T>) -> Matrix<f64> {
    let mut data = Vec::with_capacity(b.rows() * b.cols());
    for column in b.columns() {
        let norm = dot(column, column).sqrt();
        if norm > 0.0 {
            data.extend(column.iter().map(|v| v.to_f64() / norm));
        }
    }
    let cols = data.len() / b.rows();
    Matrix::from_fn(b.rows(), cols, |i, j| data[i + j * b.rows()])
}

/// The unit vector with the largest smallest component along the given unit columns, and that
/// component, if it is positive.
fn widest_margin(columns: &Matrix<f64>) -> Option<(Vec<f64>, f64)> {
    let mut chosen = columns_with_least(columns, &mean_of(columns), f64::INFINITY);
    loop {
        let (y, wanted) = widest_margin_of(columns, &chosen)?;
        // What the chosen ones reach bounds what all can reach, so nothing below is a proof.
        let violated = columns_with_least(columns, &y, wanted - 1e-9);
        let before = chosen.len();
        chosen.extend(violated);
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.len() == before {
            let margin = columns.columns().map(|c| dot(c, &y)).fold(f64::INFINITY, f64::min);
            return (margin > 0.0).then_some((y, margin));
        }
    }
}

fn mean_of(columns: &Matrix<f64>) -> Vec<f64> {
    let mut mean = vec![0.0; columns.rows()];
    for column in columns.columns() {
        mean.iter_mut().zip(column).for_each(|(m, c)| *m += c);
    }
    mean
}

/// The columns with the smallest component along `y`, as far as it is below `limit`.
fn columns_with_least(columns: &Matrix<f64>, y: &[f64], limit: f64) -> Vec<usize> {
    let mut along: Vec<(f64, usize)> =
        columns.columns().enumerate().map(|(j, c)| (dot(c, y), j)).collect();
    along.retain(|(v, _)| *v < limit);
    along.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    along.truncate(ADDED.max(columns.rows()));
    along.into_iter().map(|(_, j)| j).collect()
}

/// The answer for some of the columns alone: the direction and its margin.
fn widest_margin_of(columns: &Matrix<f64>, chosen: &[usize]) -> Option<(Vec<f64>, f64)> {
    let part = Matrix::from_fn(columns.rows(), chosen.len(), |i, j| columns[(i, chosen[j])]);
    let mut gram = Matrix::zeros(chosen.len(), chosen.len());
    gram_of_columns(&mut gram, &part);
    gram.as_mut_slice().iter_mut().for_each(|g| *g += 1.0);
    let ones = Matrix::from_fn(chosen.len(), 1, |_, _| 1.0);
    let weights = h_exact(&gram, &ones, &Matrix::<f64>::zeros(chosen.len(), 1));
    let mut y = vec![0.0; columns.rows()];
    for (column, weight) in part.columns().zip(weights.col(0)) {
        y.iter_mut().zip(column).for_each(|(y, c)| *y += weight * c);
    }
    let length = dot(&y, &y).sqrt();
    if length < f64::EPSILON {
        return None; // a convex combination of the columns is zero
    }
    for y in &mut y {
        *y /= length;
    }
    let margin = part.columns().map(|c| dot(c, &y)).fold(f64::INFINITY, f64::min);
    (margin > SMALLEST / 10.0).then_some((y, margin))
}
