//! The shown samples of a layer in two dimensions.
//!
//! Principal components keep large distances; t-SNE (by the crate `bhtsne`) keeps neighbours
//! together and begins from the former, so that both maps look alike. It runs on one thread, because
//! its sums would otherwise round differently from run to run.

use bhtsne::{Neighbor, tSNE};
use deepnmf::Matrix;
use deepnmf::graph::Neighbour;
use deepnmf::matrix::{SvdMethod, product, truncated_svd};
use serde::Serialize;

use crate::error::Result;
use crate::numbers::{moments, narrow, short};

/// Neighbours that t-SNE sees of every sample: three times its perplexity.
pub(crate) const NEIGHBOURS: usize = 90;
/// Fewer samples need no t-SNE map.
const FEWEST: usize = 12;
const ROUNDS: usize = 500;
/// A variance that is no larger than this share of the squares is rounding.
const ROUNDING: f64 = 1e-24;
/// Barnes and Hut's angle: smaller is more exact and slower.
const ANGLE: f32 = 0.5;

/// Points of the shown samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Map {
    /// From left to right.
    pub x: Vec<f32>,
    /// From bottom to top.
    pub y: Vec<f32>,
    /// The share of the variance that each axis shows, for principal components.
    pub explained: Option<[f32; 2]>,
}

/// The two leading principal components of all samples, seen for the shown ones.
pub(crate) fn principal(h: &Matrix<f64>, shown: &[usize], seed: u64) -> Result<Map> {
    let (mean, _) = moments(h);
    let centred = Matrix::from_fn(h.rows(), h.cols(), |i, j| h[(i, j)] - mean[i]);
    let total = centred.norm_sq();
    if total <= ROUNDING * h.norm_sq() {
        let nowhere = vec![0.0; shown.len()];
        return Ok(Map { x: nowhere.clone(), y: nowhere, explained: Some([0.0, 0.0]) });
    }
    let axes = 2.min(h.rows()).min(h.cols());
    let svd = truncated_svd(&centred, axes, SvdMethod::Auto, seed)?;
    let along = product(svd.u.t(), centred.view());
    let axis = |axis: usize| -> Vec<f32> {
        if axis >= axes {
            return vec![0.0; shown.len()];
        }
        let sign = sign_of(svd.u.col(axis));
        shown.iter().map(|&place| short(sign * along[(axis, place)])).collect()
    };
    let share = |axis: usize| {
        let variance = svd.s.get(axis).map_or(0.0, |s| s * s);
        short(variance / total)
    };
    Ok(Map { x: axis(0), y: axis(1), explained: Some([share(0), share(1)]) })
}

/// An axis may point either way; the largest entry decides.
fn sign_of(axis: &[f64]) -> f64 {
    let largest = axis.iter().fold(0.0f64, |m, v| if v.abs() > m.abs() { *v } else { m });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// A map by t-SNE that begins at `start`, or nothing for too few or identical samples.
pub(crate) fn tsne_map(near: &[Vec<Neighbour>], start: &Map) -> Result<Option<Map>> {
    if near.len() < FEWEST || near.iter().flatten().all(|near| near.distance == 0.0) {
        return Ok(None);
    }
    let begin = small(start);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let points = pool.install(|| embed(near, begin));
    if !points.iter().all(|v| v.is_finite()) {
        return Ok(None);
    }
    let axis = |axis: usize| points.iter().skip(axis).step_by(2).map(|v| short(f64::from(*v)));
    Ok(Some(Map { x: axis(0).collect(), y: axis(1).collect(), explained: None }))
}

fn embed(near: &[Vec<Neighbour>], begin: Vec<f32>) -> Vec<f32> {
    let table: Vec<Vec<Neighbor<f32>>> = near
        .iter()
        .map(|row| {
            let one = |n: &Neighbour| Neighbor { index: n.sample, distance: narrow(n.distance) };
            row.iter().map(one).collect()
        })
        .collect();
    let perplexity = narrow(near.first().map_or(3, Vec::len) as f64 / 3.0);
    // The samples themselves are not looked at, only their neighbours.
    let samples: Vec<usize> = (0..near.len()).collect();
    let mut tsne: tSNE<f32, usize> = tSNE::new(&samples);
    tsne.perplexity(perplexity).epochs(ROUNDS).initial_embedding(begin);
    tsne.barnes_hut_with_neighbors(ANGLE, &table);
    tsne.embedding()
}

/// The initialization at the size from which t-SNE unfolds well.
fn small(start: &Map) -> Vec<f32> {
    const SIZE: f32 = 1e-2;
    let widest = start.x.iter().chain(&start.y).fold(0.0f32, |m, v| m.max(v.abs()));
    let factor = if widest > 0.0 { SIZE / widest } else { 0.0 };
    let pairs = start.x.iter().zip(&start.y);
    // Samples at one and the same place would never part.
    let spread = |i: usize| 1e-6 * narrow((i % 97) as f64);
    pairs.enumerate().flat_map(|(i, (x, y))| [x * factor + spread(i), y * factor]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepnmf::graph::nearest_neighbours;

    /// Three groups far from each other, in five dimensions.
    fn groups() -> Matrix<f64> {
        Matrix::from_fn(5, 60, |i, j| {
            let centre = if i == j % 3 { 20.0 } else { 0.0 };
            centre + ((i + 1) * (j + 7) % 11) as f64 / 11.0
        })
    }

    /// Whether the points nearest to each are of its own group.
    fn keeps_groups_together(map: &Map) -> bool {
        let points = Matrix::from_fn(2, map.x.len(), |i, j| f64::from([&map.x, &map.y][i][j]));
        nearest_neighbours(&points, 5)
            .iter()
            .enumerate()
            .all(|(i, n)| n.iter().all(|n| n.sample % 3 == i % 3))
    }

    #[test]
    fn both_maps_keep_groups_together() {
        let h = groups();
        let shown: Vec<usize> = (0..60).collect();
        let principal = principal(&h, &shown, 0).unwrap();
        let [first, second] = principal.explained.unwrap();
        assert!(first >= second && first + second > 0.9);
        let near = nearest_neighbours(&h, 15);
        let tsne = tsne_map(&near, &principal).unwrap().unwrap();
        assert!(keeps_groups_together(&principal) && keeps_groups_together(&tsne));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let again = pool.install(|| tsne_map(&near, &principal).unwrap().unwrap());
        assert_eq!(tsne, again, "threads change nothing");
    }

    #[test]
    fn data_without_extent_have_a_point_and_no_t_sne_map() {
        for value in [0.0, 2.0, 0.1, 1e9 / 3.0] {
            let h = Matrix::from_fn(3, 20, |_, _| value);
            let shown: Vec<usize> = (0..20).collect();
            let map = principal(&h, &shown, 0).unwrap();
            assert!(map.x.iter().chain(&map.y).all(|v| *v == 0.0), "{value}: {map:?}");
            assert_eq!(tsne_map(&nearest_neighbours(&h, 15), &map).unwrap(), None);
        }
    }
}
