//! The nearest of some samples to samples that are not among them.

use rayon::prelude::*;

use super::Neighbour;
use crate::error::Result;
use crate::graph::tiles::tiles;
use crate::matrix::{Matrix, Scalar, mul_block, sum_of_pairs};

/// Candidates beyond those asked for: products rank near ones as rounding wants.
pub(super) const SPARE: usize = 4;

/// For every column of `new` the `count` nearest columns of `known`, the nearest first; of equally near ones the
/// first. There are fewer where there are not so many.
///
/// # Errors
/// What `go_on` says.
pub(crate) fn nearest_to<T: Scalar>(
    known: &Matrix<T>,
    new: &Matrix<T>,
    count: usize,
    go_on: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Vec<Vec<Neighbour>>> {
    let squares: Vec<f64> =
        known.columns().map(|column| sum_of_pairs(column, column, |a, b| a * b)).collect();
    let strips: Vec<_> = tiles(new.cols()).collect();
    let of_strip = |strip: std::ops::Range<usize>| {
        go_on()?;
        let right = new.view_columns(strip.clone()).to_matrix().cast::<f64>();
        let mut nearest = vec![Vec::with_capacity(count + SPARE + 1); strip.len()];
        for rows in tiles(known.cols()) {
            let left = known.view_columns(rows.clone()).to_matrix().cast::<f64>();
            let mut products = vec![0.0; rows.len() * strip.len()];
            mul_block(&mut products, left.t(), right.view());
            for (nearest, products) in nearest.iter_mut().zip(products.chunks_exact(rows.len())) {
                for (sample, product) in rows.clone().zip(products) {
                    // The square of the new sample's length is the same for all.
                    offer(nearest, (squares[sample] - 2.0 * product, sample), count + SPARE);
                }
            }
        }
        let measured =
            strip.zip(nearest).map(|(j, nearest)| measure(known, new.col(j), nearest, count));
        Ok(measured.collect::<Vec<_>>())
    };
    let found: Vec<Vec<Vec<Neighbour>>> =
        strips.into_par_iter().map(of_strip).collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Keeps the `most` smallest in order; equal ones in the order they came.
fn offer(nearest: &mut Vec<(f64, usize)>, candidate: (f64, usize), most: usize) {
    if nearest.len() == most && nearest[most - 1].0 <= candidate.0 {
        return;
    }
    let place = nearest.partition_point(|other| other.0 <= candidate.0);
    nearest.insert(place, candidate);
    nearest.truncate(most);
}

/// The nearest candidates by the definition of a distance.
fn measure<T: Scalar>(
    known: &Matrix<T>,
    new: &[T],
    candidates: Vec<(f64, usize)>,
    count: usize,
) -> Vec<Neighbour> {
    let mut found: Vec<Neighbour> = candidates
        .into_iter()
        .map(|(_, sample)| {
            let square = sum_of_pairs(known.col(sample), new, |a, b| (a - b) * (a - b));
            Neighbour { sample, distance: square.sqrt() }
        })
        .collect();
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.sample.cmp(&b.sample)));
    found.truncate(count);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::nearest_neighbours;
    use crate::testing::normal;

    #[test]
    fn samples_themselves_find_themselves_first_and_then_their_neighbours() {
        let x = normal::<f64>(5, 300, 1);
        let found = nearest_to(&x, &x, 4, &|| Ok(())).unwrap();
        for (j, (found, near)) in found.iter().zip(nearest_neighbours(&x, 3)).enumerate() {
            assert_eq!((found[0].sample, found[0].distance), (j, 0.0));
            assert_eq!(found[1..], near);
        }
    }
}
