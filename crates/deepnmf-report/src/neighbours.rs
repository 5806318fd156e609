//! The nearest of the shown samples, exactly.

use deepnmf::Matrix;
use deepnmf::matrix::product;
use rayon::prelude::*;

/// Another sample and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) sample: usize,
    pub(crate) distance: f64,
}

/// For every sample (column) the `count` nearest others, the nearest first; fewer where there are
/// not so many.
pub(crate) fn nearest(h: &Matrix<f64>, count: usize) -> Vec<Vec<Near>> {
    let m = h.cols();
    let count = count.min(m.saturating_sub(1));
    let products = product(h.t(), h.view());
    let one = |i: usize| {
        let distance = |j: usize| {
            (products[(i, i)] + products[(j, j)] - 2.0 * products[(i, j)]).max(0.0).sqrt()
        };
        let others = (0..m).filter(|&j| j != i);
        let mut near: Vec<Near> =
            others.map(|j| Near { sample: j, distance: distance(j) }).collect();
        let by_distance =
            |a: &Near, b: &Near| a.distance.total_cmp(&b.distance).then(a.sample.cmp(&b.sample));
        if count < near.len() {
            near.select_nth_unstable_by(count, by_distance);
            near.truncate(count);
        }
        near.sort_by(by_distance);
        near
    };
    (0..m).into_par_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_come_in_the_order_of_their_distance() {
        let h = Matrix::from_vec(1, 4, vec![0.0, 3.0, 1.0, 7.0]).unwrap();
        let near = nearest(&h, 2);
        let samples = |i: usize| near[i].iter().map(|n| n.sample).collect::<Vec<_>>();
        assert_eq!([samples(0), samples(3)], [[2, 1], [1, 2]]);
        assert!((near[3][0].distance - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_single_sample_has_no_neighbour() {
        let h = Matrix::from_vec(2, 1, vec![1.0, 2.0]).unwrap();
        assert_eq!(nearest(&h, 5), [vec![]]);
    }
}
