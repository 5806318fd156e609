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

use std::collections::BTreeMap;

use crate::error::Result;
use crate::matrix::{
    Matrix, Parts, SampleWeights, Scalar, Whitening, dot, gram_of_columns, product, weight_of,
    weighted_row_sums,
};
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

/// A direction with a positive component in every non-zero column of `b`, if there is one. The columns
/// are those of this part. Rows are orthogonal, or have this
/// Gram matrix in another metric.
pub(super) fn positive_direction<T: Scalar>(
    b: &Matrix<T>,
    gram: Option<&Matrix<f64>>,
    parts: Parts<'_>,
    weights: Option<&SampleWeights>,
) -> Result<Option<Direction>> {
    if b.rows() == 0 {
        return Ok(None);
    }
    if let Some(y) = flattest(b, gram, parts, weights)? {
        return Ok(Some(Direction::Along(y)));
    }
    let units = Units::of(b, parts);
    let mut least = [f64::INFINITY; 2];
    for c in units.columns.columns() {
        least = [least[0].min(c[0]), least[1].min(-c[0])];
    }
    parts.min(&mut least)?;
    let [positive, negative] = least;
    let leading = positive.max(negative);
    let flipped = negative > positive;
    if leading >= COMFORTABLE {
        return Ok(Some(Direction::Leading { flipped }));
    }
    Ok(match units.widest_margin()? {
        Some(Margin { along, width }) if width > leading.max(SMALLEST) => {
            Some(Direction::Along(along))
        }
        _ if leading >= SMALLEST => Some(Direction::Leading { flipped }),
        _ => None,
    })
}

/// The direction of the vector nearest to a constant one in the space of the rows of `b`, which
/// are orthogonal or have this Gram matrix, if it is positive wherever a column is not zero.
///
/// The metric of a graph is `I + L`. Since `L 1 = 0`, products with a constant vector are the same in it.
fn flattest<T: Scalar>(
    b: &Matrix<T>,
    gram: Option<&Matrix<f64>>,
    parts: Parts<'_>,
    weights: Option<&SampleWeights>,
) -> Result<Option<Vec<f64>>> {
    let k = b.rows();
    let mut both = weighted_row_sums(b, weights);
    both.resize(2 * k, 0.0);
    for (j, column) in b.columns().enumerate() {
        let (squares, weight) = (both[k..].iter_mut().zip(column), weight_of(weights, j));
        squares.for_each(|(square, v)| *square += v.to_f64() * v.to_f64() * weight);
    }
    parts.sum(&mut both)?;
    let (sums, squares) = both.split_at(k);
    let mut y: Vec<f64> = match gram {
        None => sums.iter().zip(squares).map(|(sum, square)| sum / square).collect(),
        Some(gram) => {
            let sums = Matrix::from_vec(k, 1, sums.to_vec())?;
            product(Whitening::of::<f64>(gram)?.inverse.view(), sums.view()).into_vec()
        }
    };
    let along = |c: &[T]| c.iter().zip(&y).map(|(v, y)| v.to_f64() * y).sum::<f64>();
    let non_zero = |(_, c): &(usize, &[T])| c.iter().any(|v| *v != T::ZERO);
    let (mut least, mut sum) = ([f64::INFINITY], 0.0);
    for (j, column) in b.columns().enumerate().filter(non_zero) {
        let value = along(column);
        least[0] = least[0].min(value);
        sum += value * weight_of(weights, j);
    }
    parts.min(&mut least)?;
    let total = weights.map_or(parts.total() as f64, SampleWeights::total);
    let mean = parts.sum_of(sum)? / total;
    let length = dot(&y, &y).sqrt();
    for y in &mut y {
        *y /= length;
    }
    Ok((least[0] > FLAT * mean && length.is_normal()).then_some(y))
}

/// The non-zero columns of this part scaled to length one, in `f64`.
struct Units<'a> {
    columns: Matrix<f64>,
    /// Which sample each of them is, among those of all parts.
    samples: Vec<usize>,
    parts: Parts<'a>,
}

/// A unit vector and its smallest component along some columns.
struct Margin {
    along: Vec<f64>,
    width: f64,
}

/// Columns that decide, by the number of their sample.
type Chosen = BTreeMap<usize, Vec<f64>>;

impl<'a> Units<'a> {
    fn of<T: Scalar>(b: &Matrix<T>, parts: Parts<'a>) -> Self {
        let (mut data, mut samples) = (Vec::with_capacity(b.rows() * b.cols()), vec![]);
        for (j, column) in b.columns().enumerate() {
            let norm = dot(column, column).sqrt();
            if norm > 0.0 {
                data.extend(column.iter().map(|v| v.to_f64() / norm));
                samples.push(parts.range().start + j);
            }
        }
        let columns = Matrix::from_fn(b.rows(), samples.len(), |i, j| data[i + j * b.rows()]);
        Self { columns, samples, parts }
    }

    /// The unit vector with the largest smallest component along all columns of all parts, if that is
    /// positive.
    fn widest_margin(&self) -> Result<Option<Margin>> {
        let mut mean = self.columns.row_sums();
        self.parts.sum(&mut mean)?;
        let mut chosen = self.with_least(&mean, f64::INFINITY)?;
        loop {
            let Some(best) = widest_margin_of(&chosen, self.columns.rows()) else {
                return Ok(None);
            };
            // What the chosen ones reach bounds what all can reach, so nothing below is a proof.
            let violated = self.with_least(&best.along, best.width - 1e-9)?;
            let before = chosen.len();
            chosen.extend(violated);
            if chosen.len() == before {
                let along = self.columns.columns().map(|c| dot(c, &best.along));
                let mut width = [along.fold(f64::INFINITY, f64::min)];
                self.parts.min(&mut width)?;
                return Ok((width[0] > 0.0).then_some(Margin { width: width[0], ..best }));
            }
        }
    }

    /// The columns of all parts with the smallest component along `y`, as far as it is below `limit`.
    fn with_least(&self, y: &[f64], limit: f64) -> Result<Chosen> {
        let (k, most) = (self.columns.rows(), ADDED.max(self.columns.rows()));
        let mut along: Vec<(f64, usize)> =
            self.columns.columns().enumerate().map(|(j, c)| (dot(c, y), j)).collect();
        along.retain(|(v, _)| *v < limit);
        along.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        along.truncate(most);
        // Each part proposes its own: the component, the sample, and the column.
        let mut proposed = Vec::with_capacity(along.len() * (k + 2));
        for (component, j) in along {
            proposed.extend([component, self.samples[j] as f64]);
            proposed.extend(self.columns.col(j));
        }
        let all = self.parts.gather_lists(&proposed)?;
        let mut all: Vec<&[f64]> = all.chunks_exact(k + 2).collect();
        all.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        all.truncate(most);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a sample's number
        Ok(all.into_iter().map(|column| (column[1] as usize, column[2..].to_vec())).collect())
    }
}

/// The answer for some of the columns alone.
fn widest_margin_of(chosen: &Chosen, rows: usize) -> Option<Margin> {
    let columns: Vec<&[f64]> = chosen.values().map(Vec::as_slice).collect();
    let part = Matrix::from_fn(rows, columns.len(), |i, j| columns[j][i]);
    let mut gram = Matrix::zeros(columns.len(), columns.len());
    gram_of_columns(&mut gram, &part);
    gram.as_mut_slice().iter_mut().for_each(|g| *g += 1.0);
    let ones = Matrix::from_fn(columns.len(), 1, |_, _| 1.0);
    let weights = h_exact(&gram, &ones, &Matrix::<f64>::zeros(columns.len(), 1));
    let mut y = vec![0.0; rows];
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
    let width = part.columns().map(|c| dot(c, &y)).fold(f64::INFINITY, f64::min);
    (width > SMALLEST / 10.0).then_some(Margin { along: y, width })
}
