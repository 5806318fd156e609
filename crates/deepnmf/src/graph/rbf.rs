//! Samples of one class connected by how near they are (the RBF weights of the paper's weak
//! supervision).
//!
//! ```text
//! w_jl = exp(-|x_j - x_l|^2 / (2 sigma^2))        d_j = sum_l w_jl        inside a class
//! ```
//!
//! The kernel is positive definite, and so is `W`. Without a given width, `sigma` is the median
//! distance between two samples of one class, so that the weights say something whatever the
//! scale of the data.
//!
//! A class keeps its `n_c x n_c` weights while all weights together are no larger than the
//! labelled samples themselves, or than a fixed moderate memory; a larger class keeps its samples,
//! and every product computes its weights anew, tile by tile.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::groups::Groups;
use super::samples::Samples;
use super::tiles::{Columns, Strip, mul_tiles, tiles};
use super::{Graph, Labels};
use crate::error::{Error, Result};
use crate::matrix::{DataMatrix, Matrix, MatrixView, Parts, Scalar, mul_block};
use crate::rng::{below, generator};

/// Pairs of samples whose distances decide the width.
const PAIRS: usize = 10_000;

/// Weights that may be kept however small the data are, 128 megabytes in `f64`: a product of `k`
/// rows with weights computed anew costs about `p / k` times what it costs with kept ones.
const ALWAYS_KEPT: usize = 1 << 24;

/// The graph that connects samples of one class by a radial basis function of their distance.
#[derive(Debug, Clone)]
pub struct Rbf<T: Scalar> {
    groups: Groups,
    classes: Vec<Class<T>>,
    degrees: Vec<T>,
    sigma: f64,
}

#[derive(Debug, Clone)]
enum Class<T: Scalar> {
    /// `W_c`, `n_c x n_c`.
    Weights(Matrix<T>),
    /// `X_c`, `p x n_c`.
    Samples(Samples<T>),
}

impl<T: Scalar> Rbf<T> {
    /// The graph of these samples, all in one place; there must be one label (or `None`) for each.
    ///
    /// # Errors
    /// If a width is given that is not above zero, or not finite, or the data cannot be read.
    pub fn new(x: &dyn DataMatrix<T>, labels: &Labels, sigma: Option<f64>) -> Result<Self> {
        let labelled = labels.iter().flatten().count();
        // Classes of at most that many samples have that many weights per sample, together at
        // most as many as the samples have entries or as are always kept.
        let of_a_sample = x.entries_held().map_or(x.shape().0, |held| held / x.shape().1.max(1));
        let largest_kept = of_a_sample.max(ALWAYS_KEPT / labelled.max(1));
        Self::keeping(x, labels, sigma, largest_kept)
    }

    /// The graph with the weights of classes of at most `largest_kept` samples in memory.
    pub(super) fn keeping(
        x: &dyn DataMatrix<T>,
        labels: &Labels,
        sigma: Option<f64>,
        largest_kept: usize,
    ) -> Result<Self> {
        check_width(sigma)?;
        let groups = Groups::new(labels, Parts::whole(labels.len()))?;
        let samples = groups.split_data(x)?;
        let sigma = sigma.unwrap_or_else(|| {
            let columns: Vec<_> = samples.par_iter().map(Samples::about_the_mean).collect();
            median_or_one(distances_within(&columns))
        });
        let class = |x| Class::new(x, sigma, largest_kept);
        let (classes, sums): (Vec<_>, Vec<_>) = samples.into_par_iter().map(class).unzip();
        let degrees = groups.spread(sums.into_iter().flatten());
        Ok(Self { groups, classes, degrees, sigma })
    }

    /// The width of the kernel.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }
}

impl<T: Scalar> Graph<T> for Rbf<T> {
    fn parts(&self) -> Parts<'_> {
        Parts::whole(self.degrees.len())
    }

    fn degrees(&self) -> &[T] {
        &self.degrees
    }

    fn add_product(&self, factor: f64, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.groups.add_by_class(factor, h, out, |c, h, out| match &self.classes[c] {
            Class::Weights(w) => mul_tiles(out, h, w.view()),
            Class::Samples(x) => {
                streamed_product(&x.about_the_mean(), self.sigma, h, out);
            }
        });
        Ok(())
    }

    /// The Gaussian kernel is positive definite.
    fn is_positive(&self) -> bool {
        true
    }
}

impl<T: Scalar> Class<T> {
    /// What is kept of a class, and its degrees.
    fn new(x: Samples<T>, sigma: f64, largest_kept: usize) -> (Self, Vec<f64>) {
        let columns = x.about_the_mean();
        let kernel = |strip: &mut Strip<'_, T>, rows| {
            strip.squared_distances(rows);
            apply_kernel::<T>(strip.tile(), sigma);
        };
        if columns.count() <= largest_kept {
            let weights = columns.all_pairs(kernel);
            let sums = weights.columns().map(|w| w.iter().map(|w| w.to_f64()).sum()).collect();
            (Self::Weights(weights), sums)
        } else {
            let sums = columns.absolute_sums(kernel);
            (Self::Samples(x), sums)
        }
    }
}

/// `out = H_c W_c` with weights that are forgotten again.
fn streamed_product<T: Scalar>(
    columns: &Columns<'_, T>,
    sigma: f64,
    h: MatrixView<'_, T>,
    out: &mut [T],
) {
    let size = (h.rows() * columns.strip_width()).max(1);
    out.par_chunks_mut(size).enumerate().for_each(|(t, out)| {
        let mut strip = columns.strip_at(t);
        let mut part = vec![T::ZERO; out.len()];
        let mut weights = Vec::new();
        for rows in tiles(columns.count()) {
            strip.squared_distances(rows.clone());
            apply_kernel::<T>(strip.tile(), sigma);
            weights.clear();
            weights.extend(strip.tile().iter().map(|w| T::from_f64(*w)));
            let weights = MatrixView::contiguous(&weights, rows.len(), strip.cols().len());
            mul_block(&mut part, h.columns(rows.start, rows.len()), weights);
            out.iter_mut().zip(&part).for_each(|(o, v)| *o += *v);
        }
    });
}

fn apply_kernel<T: Scalar>(tile: &mut [f64], sigma: f64) {
    for value in tile {
        *value = heat::<T>(*value, sigma);
    }
}

/// `exp(-d^2 / (2 sigma^2))`, without the square of `sigma`, which might not be above zero. A
/// weight too small to count is zero: denormal numbers would slow products down.
pub(super) fn heat<T: Scalar>(squared_distance: f64, sigma: f64) -> f64 {
    let weight = (-0.5 * squared_distance / sigma / sigma).exp();
    if weight < T::FLUSH.to_f64() { 0.0 } else { weight }
}

/// Refuses a width that is not above zero.
pub(super) fn check_width(sigma: Option<f64>) -> Result<()> {
    match sigma {
        Some(sigma) if !(sigma.is_finite() && sigma > 0.0) => Err(Error::parameter(
            "the width sigma of the graph",
            sigma,
            "it must be a finite number above zero, or left out for the median distance",
        )),
        _ => Ok(()),
    }
}

/// The median; 1 where there is none or it is zero, since a width must be above zero.
pub(super) fn median_or_one(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let median = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
    if median > 0.0 && median.is_finite() { median } else { 1.0 }
}

/// Distances between different samples of one class: of all pairs, or of [`PAIRS`] random ones.
fn distances_within<T: Scalar>(classes: &[Columns<'_, T>]) -> Vec<f64> {
    let pairs_until: Vec<usize> = classes
        .iter()
        .scan(0usize, |total, class| {
            *total = total.saturating_add(class.count() * class.count().saturating_sub(1) / 2);
            Some(*total)
        })
        .collect();
    let total = pairs_until.last().copied().unwrap_or(0);
    let pairs: Vec<(usize, usize, usize)> = if total <= PAIRS {
        (0..classes.len()).flat_map(|c| all_pairs(c, classes[c].count())).collect()
    } else {
        // The same pairs in every run: the width is no matter of a fit's seed.
        let mut rng = generator(0, 0);
        (0..PAIRS).map(|_| random_pair(classes, &pairs_until, &mut rng)).collect()
    };
    pairs.into_par_iter().map(|(c, j, l)| classes[c].squared_distance(j, l).sqrt()).collect()
}

fn all_pairs(c: usize, count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..count).flat_map(move |j| (0..j).map(move |l| (c, j, l)))
}

/// One of all pairs inside classes, each with the same chance.
fn random_pair<T: Scalar>(
    classes: &[Columns<'_, T>],
    pairs_until: &[usize],
    rng: &mut ChaCha8Rng,
) -> (usize, usize, usize) {
    let total = pairs_until.last().copied().unwrap_or(0);
    let pair = below(rng, total);
    let c = pairs_until.partition_point(|until| *until <= pair);
    let count = classes[c].count();
    let (j, other) = (below(rng, count), below(rng, count - 1));
    (c, j, if other < j { other } else { other + 1 })
}
