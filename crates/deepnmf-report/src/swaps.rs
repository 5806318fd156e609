//! One part exchanged: what a cluster of the first part looks like with each cluster of another.

use deepnmf::Scalar;
use serde::Serialize;

use crate::error::Result;
use crate::features::Layer;
use crate::pictures::{Atlas, Levels, Picture, Tiles};

/// The most clusters of each part that are combined.
const MOST_ROWS: usize = 8;
const MOST_COLUMNS: usize = 8;
/// The most pixels of all combinations with one part.
const PIXELS: usize = 300_000;

/// Sums of clusters of the first part (rows) and of another (columns), the largest clusters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Swaps {
    /// The other part, counted from 0.
    pub part: usize,
    /// The clusters of the first part.
    pub rows: Vec<usize>,
    /// The clusters of the other.
    pub columns: Vec<usize>,
    /// The sums, row by row.
    pub tiles: Atlas,
}

/// The sums for every part beside the first, where samples are pictures.
pub(crate) fn swaps<T: Scalar>(
    layers: &[Layer<T>],
    picture: Option<Picture>,
) -> Result<Vec<Swaps>> {
    let (Some(picture), [first, others @ ..]) = (picture, layers) else { return Ok(vec![]) };
    if first.part.is_none() {
        return Ok(vec![]);
    }
    let of = |(place, other): (usize, &Layer<T>)| {
        let (rows, columns) = (largest(first, MOST_ROWS), largest(other, MOST_COLUMNS));
        let signed = picture.is_signed();
        let size = picture.fitting(rows.len() * columns.len(), PIXELS);
        let mut tiles = Tiles::new(picture, size, signed);
        for &row in &rows {
            for &column in &columns {
                let pair = first.phi.col(row).iter().zip(other.phi.col(column));
                let sum: Vec<T> = pair.map(|(a, b)| *a + *b).collect();
                tiles.add(
                    &sum,
                    if signed { Levels::Signed } else { Levels::of(first.phi.col(row)) },
                );
            }
        }
        Ok(Swaps { part: place + 1, rows, columns, tiles: tiles.atlas()? })
    };
    others.iter().enumerate().map(of).collect()
}

/// The clusters of a part with most samples, in their order.
fn largest<T: Scalar>(layer: &Layer<T>, most: usize) -> Vec<usize> {
    let mut sizes = vec![0usize; layer.h.rows()];
    if let Some(part) = &layer.part {
        part.clusters.iter().for_each(|cluster| sizes[*cluster] += 1);
    }
    let mut order: Vec<usize> = (0..sizes.len()).filter(|cluster| sizes[*cluster] > 0).collect();
    order.sort_by_key(|cluster| std::cmp::Reverse(sizes[*cluster])); // stable
    order.truncate(most);
    order.sort_unstable();
    order
}
