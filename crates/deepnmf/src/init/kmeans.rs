//! Features from a k-means clustering (the start of Ding, Li & Jordan 2010): memberships plus 0.2.
//!
//! Lloyd's algorithm, seen through the data's products alone: with one-hot memberships `M`, the
//! centroids are `X M^T` divided by the cluster sizes, and `|x_j - c|^2 = |x_j|^2 - 2 c^T x_j +
//! |c|^2` needs `C^T X`.

use std::ops::ControlFlow;

use crate::matrix::{DataMatrix, Matrix, Scalar, dot};
use crate::rng::{Purpose, stream, uniform};

/// Rounds of Lloyd's algorithm: it is a start, not a result.
const ROUNDS: usize = 50;

/// What every sample owes to every cluster.
const FLOOR: f64 = 0.2;

/// Memberships of `k` clusters plus [`FLOOR`], `k x n`.
pub(super) fn memberships<T: Scalar>(x: &dyn DataMatrix<T>, k: usize, seed: u64) -> Matrix<T> {
    let lengths = squared_lengths(x);
    let mut centroids = spread_centroids(x, k, &lengths, seed);
    let mut labels = vec![usize::MAX; lengths.len()];
    for _ in 0..ROUNDS {
        let (new_labels, distances) = nearest(x, &centroids, &lengths);
        if new_labels == labels {
            break;
        }
        labels = new_labels;
        fill_empty_clusters(&mut labels, distances, k);
        centroids = means(x, &labels, k);
    }
    Matrix::from_fn(k, labels.len(), |i, j| {
        T::from_f64(if labels[j] == i { 1.0 + FLOOR } else { FLOOR })
    })
}

fn squared_lengths<T: Scalar>(x: &dyn DataMatrix<T>) -> Vec<f64> {
    let mut lengths = Vec::with_capacity(x.shape().1);
    x.blocks(&mut |_, block| {
        lengths.extend(
            (0..block.cols()).map(|j| block.col(j).map(|v| v.to_f64().powi(2)).sum::<f64>()),
        );
        ControlFlow::Continue(())
    });
    lengths
}

/// k-means++ (Arthur & Vassilvitskii 2007): each new centroid is a sample drawn with a chance
/// proportional to its squared distance from those chosen.
fn spread_centroids<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    lengths: &[f64],
    seed: u64,
) -> Matrix<T> {
    let (p, n) = x.shape();
    let mut rng = stream(seed, Purpose::KMeans);
    let mut centroids = Matrix::zeros(p, k);
    let mut distances = vec![1.0; n];
    let (mut pick, mut centroid, mut along) =
        (Matrix::zeros(1, n), Matrix::zeros(p, 1), Matrix::zeros(1, n));
    for c in 0..k {
        let chosen = draw(&distances, uniform(&mut rng));
        pick.as_mut_slice().fill(T::ZERO);
        pick.as_mut_slice()[chosen] = T::ONE;
        x.mul_tr(&pick, &mut centroid);
        centroids.col_mut(c).copy_from_slice(centroid.as_slice());
        x.tr_mul(&centroid, &mut along);
        for (j, distance) in distances.iter_mut().enumerate() {
            let new = lengths[j] - 2.0 * along.as_slice()[j].to_f64() + lengths[chosen];
            *distance = if c == 0 { new.max(0.0) } else { distance.min(new.max(0.0)) };
        }
    }
    centroids
}

/// An index drawn with chances proportional to `weights`.
fn draw(weights: &[f64], uniform: f64) -> usize {
    let mut rest = uniform * weights.iter().sum::<f64>();
    let drawn = weights.iter().position(|w| {
        rest -= w;
        rest < 0.0
    });
    drawn.unwrap_or(weights.len() - 1)
}

/// Each sample's nearest centroid and its squared distance.
fn nearest<T: Scalar>(
    x: &dyn DataMatrix<T>,
    centroids: &Matrix<T>,
    lengths: &[f64],
) -> (Vec<usize>, Vec<f64>) {
    let mut along = Matrix::zeros(centroids.cols(), lengths.len());
    x.tr_mul(centroids, &mut along);
    let offsets: Vec<f64> = centroids.columns().map(|c| dot(c, c)).collect();
    let closest = |(column, length): (&[T], &f64)| {
        let distance = |(a, o): (&T, &f64)| o - 2.0 * a.to_f64();
        let (label, least) = column
            .iter()
            .zip(&offsets)
            .map(distance)
            .enumerate()
            .fold((0, f64::INFINITY), |best, (i, d)| if d < best.1 { (i, d) } else { best });
        (label, (length + least).max(0.0))
    };
    along.columns().zip(lengths).map(closest).unzip()
}

/// Gives each empty cluster the sample that is farthest from its own centroid.
fn fill_empty_clusters(labels: &mut [usize], mut distances: Vec<f64>, k: usize) {
    let mut sizes = cluster_sizes(labels, k);
    for empty in 0..k {
        if sizes[empty] > 0 {
            continue;
        }
        let farthest = (0..labels.len())
            .filter(|j| sizes[labels[*j]] > 1)
            .max_by(|a, b| distances[*a].total_cmp(&distances[*b]));
        let Some(farthest) = farthest else { return };
        sizes[labels[farthest]] -= 1;
        sizes[empty] = 1;
        labels[farthest] = empty;
        distances[farthest] = 0.0;
    }
}

fn cluster_sizes(labels: &[usize], k: usize) -> Vec<usize> {
    let mut sizes = vec![0; k];
    for label in labels {
        sizes[*label] += 1;
    }
    sizes
}

fn means<T: Scalar>(x: &dyn DataMatrix<T>, labels: &[usize], k: usize) -> Matrix<T> {
    let sizes = cluster_sizes(labels, k);
    let shares = Matrix::from_fn(k, labels.len(), |i, j| {
        if labels[j] == i { T::from_f64(1.0 / sizes[i] as f64) } else { T::ZERO }
    });
    let mut centroids = Matrix::zeros(x.shape().0, k);
    x.mul_tr(&shares, &mut centroids);
    centroids
}
