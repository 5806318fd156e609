//! Features from a k-means clustering (the start of Ding, Li & Jordan 2010): memberships plus 0.2.
//!
//! Lloyd's algorithm, seen through the data's products alone: with one-hot memberships `M`, the
//! centroids are `X M^T` divided by the cluster sizes, and `|x_j - c|^2 = |x_j|^2 - 2 c^T x_j +
//! |c|^2` needs `C^T X`. So it runs on any data, in any parts. Clusters that somebody looks at come from
//! `deepnmf-eval`, whose k-means restarts, bounds distances and improves its result, on features in memory.

use rand_chacha::ChaCha8Rng;

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Parts, Scalar, dot, first_least, weight_of};
use crate::rng::{Purpose, stream, uniform};

/// Rounds of Lloyd's algorithm: it is a start, not a result.
const ROUNDS: usize = 50;

/// What every sample owes to every cluster.
const FLOOR: f64 = 0.2;

/// Memberships of `k` clusters plus [`FLOOR`], `k x n`.
pub(super) fn memberships<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    seed: u64,
) -> Result<Matrix<T>> {
    let Clusters { labels, .. } = clusters(x, k, &mut stream(seed, Purpose::KMeans))?;
    Ok(Matrix::from_fn(k, labels.len(), |i, j| {
        T::from_f64(if labels[j] == i { 1.0 + FLOOR } else { FLOOR })
    }))
}

/// What k-means has found.
pub(crate) struct Clusters {
    /// The cluster of each sample of this part.
    pub(crate) labels: Vec<usize>,
    /// The sum of squared distances to the centroids, over all parts.
    pub(crate) scatter: f64,
}

/// `k` clusters from one start. All parts call it together.
pub(crate) fn clusters<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Clusters> {
    let mut lengths = x.sample_norms_sq()?;
    for (j, length) in lengths.iter_mut().enumerate() {
        *length /= factor_of(x, j).powi(2);
    }
    let mut centroids = spread_centroids(x, k, &lengths, rng)?;
    let (mut labels, mut scatter) = (vec![usize::MAX; lengths.len()], 0.0);
    for _ in 0..ROUNDS {
        let (new_labels, distances) = nearest(x, &centroids, &lengths)?;
        scatter = weighed(x, &distances).iter().sum();
        let mut changed = [f64::from(u8::from(new_labels != labels))];
        x.parts().max(&mut changed)?;
        if changed[0] == 0.0 {
            break;
        }
        labels = new_labels;
        let mut sizes = cluster_sizes(&labels, k, x)?;
        fill_empty_clusters(&mut labels, distances, &mut sizes, x)?;
        centroids = means(x, &labels, &sizes)?;
    }
    Ok(Clusters { labels, scatter: x.parts().sum_of(scatter)? })
}

/// What a sample was multiplied by.
fn factor_of<T: Scalar>(x: &dyn DataMatrix<T>, sample: usize) -> f64 {
    x.weights().map_or(1.0, |weights| weights.factors()[sample])
}

/// Numbers of samples times their weights.
fn weighed<T: Scalar>(x: &dyn DataMatrix<T>, of_samples: &[f64]) -> Vec<f64> {
    let numbers = of_samples.iter().enumerate();
    numbers.map(|(j, number)| number * weight_of(x.weights(), j)).collect()
}

/// k-means++ (Arthur & Vassilvitskii 2007): each new centroid is a sample drawn with a chance
/// proportional to its squared distance from those chosen.
fn spread_centroids<T: Scalar>(
    x: &dyn DataMatrix<T>,
    k: usize,
    lengths: &[f64],
    rng: &mut ChaCha8Rng,
) -> Result<Matrix<T>> {
    let (p, n) = x.shape();
    let mut centroids = Matrix::zeros(p, k);
    let mut distances = vec![1.0; n];
    let (mut pick, mut centroid, mut along) =
        (Matrix::zeros(1, n), Matrix::zeros(p, 1), Matrix::zeros(1, n));
    for c in 0..k {
        let chosen = draw(&weighed(x, &distances), uniform(rng), x.parts())?;
        pick.as_mut_slice().fill(T::ZERO);
        if let Some(own) = chosen {
            pick.as_mut_slice()[own] = T::from_f64(1.0 / factor_of(x, own));
        }
        let length = x.parts().sum_of(chosen.map_or(0.0, |own| lengths[own]))?;
        x.mul_tr(&pick, &mut centroid)?;
        centroids.col_mut(c).copy_from_slice(centroid.as_slice());
        x.tr_mul(&centroid, &mut along)?;
        for (j, distance) in distances.iter_mut().enumerate() {
            let along = along.as_slice()[j].to_f64() / factor_of(x, j);
            let new = lengths[j] - 2.0 * along + length;
            *distance = if c == 0 { new.max(0.0) } else { distance.min(new.max(0.0)) };
        }
    }
    Ok(centroids)
}

/// A sample of any part, drawn with chances proportional to `weights`; its index if it is one of this
/// part.
fn draw(weights: &[f64], uniform: f64, parts: Parts<'_>) -> Result<Option<usize>> {
    let sums = parts.of_each_part(weights.iter().sum())?;
    let counts = parts.of_each_part(weights.len() as f64)?;
    let mut rest = uniform * sums.iter().sum::<f64>();
    // Rounding may leave a rest behind the last sample: it is meant then.
    let last = counts.iter().rposition(|count| *count > 0.0).unwrap_or(0);
    let mut rank = 0;
    while rank < last && (rest >= sums[rank] || counts[rank] == 0.0) {
        rest -= sums[rank];
        rank += 1;
    }
    if rank != parts.rank() {
        return Ok(None);
    }
    let drawn = weights.iter().position(|w| {
        rest -= w;
        rest < 0.0
    });
    Ok(Some(drawn.unwrap_or(weights.len() - 1)))
}

/// Each sample's nearest centroid and its squared distance.
fn nearest<T: Scalar>(
    x: &dyn DataMatrix<T>,
    centroids: &Matrix<T>,
    lengths: &[f64],
) -> Result<(Vec<usize>, Vec<f64>)> {
    let mut along = Matrix::zeros(centroids.cols(), lengths.len());
    x.tr_mul(centroids, &mut along)?;
    if let Some(weights) = x.weights() {
        weights.take_off(&mut along);
    }
    let offsets: Vec<f64> = centroids.columns().map(|c| dot(c, c)).collect();
    let mut distances = vec![0.0; offsets.len()];
    let closest = |(column, length): (&[T], &f64)| {
        for (distance, (a, o)) in distances.iter_mut().zip(column.iter().zip(&offsets)) {
            *distance = o - 2.0 * a.to_f64();
        }
        let label = first_least(&distances);
        (label, (length + distances[label]).max(0.0))
    };
    Ok(along.columns().zip(lengths).map(closest).unzip())
}

/// Gives each empty cluster the sample that is farthest from its own centroid.
fn fill_empty_clusters<T: Scalar>(
    labels: &mut [usize],
    mut distances: Vec<f64>,
    sizes: &mut [f64],
    x: &dyn DataMatrix<T>,
) -> Result<()> {
    let (parts, weights) = (x.parts(), x.weights());
    for empty in 0..sizes.len() {
        if sizes[empty] > 0.0 {
            continue;
        }
        let own = (0..labels.len())
            .filter(|j| sizes[labels[*j]] > weight_of(weights, *j)) // not alone
            .max_by(|a, b| distances[*a].total_cmp(&distances[*b]));
        let Some(farthest) = farthest_of_all(own, &distances, parts)? else { return Ok(()) };
        let own = farthest.checked_sub(parts.range().start).filter(|j| *j < labels.len());
        // Its cluster, counted from 1 so that the others add nothing.
        let cluster = parts.sum_of(own.map_or(0.0, |j| (labels[j] + 1) as f64))?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cluster's number
        let cluster = cluster as usize - 1;
        let weight = parts.sum_of(own.map_or(0.0, |j| weight_of(weights, j)))?;
        sizes[cluster] -= weight;
        sizes[empty] = weight;
        if let Some(j) = own {
            labels[j] = empty;
            distances[j] = 0.0;
        }
    }
    Ok(())
}

/// The farthest of the samples that parts propose, by its number among all; of equally far ones the last.
fn farthest_of_all(
    own: Option<usize>,
    distances: &[f64],
    parts: Parts<'_>,
) -> Result<Option<usize>> {
    let mut most = [own.map_or(-1.0, |j| distances[j])];
    parts.max(&mut most)?;
    let first = parts.range().start;
    #[allow(clippy::float_cmp)] // one of them is the same number
    let mine = own.filter(|j| distances[*j] == most[0]);
    let mut place = [mine.map_or(-1.0, |j| (first + j) as f64)];
    parts.max(&mut place)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a sample's number
    Ok((place[0] >= 0.0).then_some(place[0] as usize))
}

/// The samples of each cluster on all parts, or the sum of their weights.
fn cluster_sizes<T: Scalar>(labels: &[usize], k: usize, x: &dyn DataMatrix<T>) -> Result<Vec<f64>> {
    let mut sizes = vec![0.0; k];
    for (j, label) in labels.iter().enumerate() {
        sizes[*label] += weight_of(x.weights(), j);
    }
    x.parts().sum(&mut sizes)?;
    Ok(sizes)
}

fn means<T: Scalar>(x: &dyn DataMatrix<T>, labels: &[usize], sizes: &[f64]) -> Result<Matrix<T>> {
    let shares = Matrix::from_fn(sizes.len(), labels.len(), |i, j| {
        let share = weight_of(x.weights(), j) / (factor_of(x, j) * sizes[i]);
        if labels[j] == i { T::from_f64(share) } else { T::ZERO }
    });
    let mut centroids = Matrix::zeros(x.shape().0, sizes.len());
    x.mul_tr(&shares, &mut centroids)?;
    Ok(centroids)
}
