//! Initialization: where `H` begins. `Z` follows from it by least squares.
//!
//! Where samples have weights, an initialization is that of samples as they are, each of which counts as often as its
//! weight says; then features are multiplied by the factors (`matrix/weighted.rs`).

mod kmeans;
mod nndsvd;
mod positive;
mod smooth;
mod svd;

#[cfg(test)]
mod tests;

pub(crate) use kmeans::{Clusters, clusters};
pub use nndsvd::NonNegativeStart;
pub(crate) use nndsvd::{StartedPair, begin_non_negative};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::matrix::{DataMatrix, Matrix, Scalar, Watched, gram_of_rows};
use crate::rng::{Purpose, uniform_columns};
use crate::stop::Watch;
use crate::update::{ZScratch, z_least_squares};

/// How the features of a layer begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Uniform random numbers.
    Random,
    /// The memberships of a k-means clustering plus 0.2 (Ding, Li & Jordan 2010).
    #[serde(rename = "kmeans")]
    KMeans,
    /// The singular value decomposition of rank `k - 1`, made non-negative by one more component
    /// (Gillis & Kumar 2014). Always possible.
    Svd,
    /// The best there is: the decomposition of rank `k` itself where its row space holds a
    /// positive vector (Gillis & Kumar 2014), otherwise that of rank `k - 1`, shifted by a constant component.
    #[default]
    Optimal,
}

/// Which factor carries the scale of a component.
///
/// A layer above reads `H`. If `Z` carries the scale, all rows of `H` look equally important to
/// it and it keeps arbitrary ones. Who reads the features of the last layer, though, does better if
/// they are equally important: k-means on `H` that carries the scale sees little but the first few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleIn {
    /// The basis in the last layer, the features in those below.
    #[default]
    Auto,
    /// The features: `H` holds singular values, columns of `Z` have about unit length.
    H,
    /// The basis.
    Z,
    /// Both by equal parts.
    Balanced,
    /// The basis, but components of small singular values `s` fade out of the features, which are those of
    /// whitened data times `s^2 / (s^2 + t^2)`: soft whitening. It needs no choice of how many components are no
    /// noise. `t` is half of the singular value whose number is that of the components of the layer above, or a
    /// fifth of the layer's own: that component keeps four fifths of its scale.
    Soft,
}

impl ScaleIn {
    /// What this means for the last layer or for one below.
    pub(crate) fn in_layer(self, last: bool) -> Self {
        match self {
            Self::Auto if last => Self::Z,
            Self::Auto => Self::H,
            other => other,
        }
    }

    /// From which component on those of a single layer with `k` components fade out.
    pub(crate) fn fade_of(k: usize) -> usize {
        k.div_ceil(5)
    }

    /// What the features carry of the scale `s` of a component; `ridge` is that from which on they fade out.
    fn share_of(self, s: f64, ridge: f64) -> f64 {
        match self {
            Self::H => s,
            Self::Auto | Self::Z => 1.0,
            Self::Balanced => s.sqrt(),
            Self::Soft if s > 0.0 => 1.0 / (1.0 + (ridge / s).powi(2)),
            Self::Soft => 0.0,
        }
    }
}

/// Features to begin with, and what was learnt of the data on the way.
#[derive(Debug)]
pub(crate) struct Started<T> {
    pub(crate) h: Matrix<T>,
    /// The leading singular values of the data, where the start computed them.
    pub(crate) singular_values: Option<Vec<f64>>,
    /// False where the optimal start fell back to rank `k - 1`.
    pub(crate) found_positive_vector: bool,
    /// Whether somebody stopped it, so that random features took its place.
    pub(crate) cut_short: bool,
}

/// Which features to begin with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begin {
    /// The number of components.
    pub(crate) components: usize,
    pub(crate) start: Start,
    pub(crate) scale: ScaleIn,
    pub(crate) seed: u64,
    /// The component where those of a softly whitened layer begin to fade out, counted from 1.
    pub(crate) fade: usize,
}

/// The ridge of soft whitening as a share of the scale of the component where components begin to fade out
/// (`studies/neighbours` has the measurements).
const RIDGE: f64 = 0.5;

/// The ridge of soft whitening, given all scales, which fall, and the component where they begin to fade out, counted
/// from 1.
pub(crate) fn ridge_of(scales: &[f64], fade: usize) -> f64 {
    RIDGE * scales.get(fade.max(1) - 1).or(scales.last()).copied().unwrap_or(0.0)
}

impl Begin {
    /// What the features carry of each of these scales, which fall.
    fn shares(&self, scales: &[f64]) -> Vec<f64> {
        let ridge = ridge_of(scales, self.fade);
        scales.iter().map(|s| self.scale.share_of(*s, ridge)).collect()
    }
}

/// Features for a factorization of `x`, random ones if somebody stops it on the way; all parts of `x` call
/// it together. Where the objective has a scale-free graph penalty, the graph is given.
pub(crate) fn begin_watched<T: Scalar>(
    x: &dyn DataMatrix<T>,
    watch: &Watch,
    wanted: Begin,
    graph: Option<&dyn Graph<T>>,
) -> Result<Started<T>> {
    match begin(&Watched::new(x, watch), wanted, graph) {
        Err(Error::Interrupted(_)) => {
            let random = begin(x, Begin { start: Start::Random, ..wanted }, None)?;
            Ok(Started { cut_short: true, ..random })
        }
        started => started,
    }
}

/// The same for non-negative models.
pub(crate) fn begin_non_negative_watched<T: Scalar>(
    x: &dyn DataMatrix<T>,
    watch: &Watch,
    k: usize,
    start: NonNegativeStart,
    seed: u64,
) -> Result<StartedPair<T>> {
    match begin_non_negative(&Watched::new(x, watch), k, start, seed) {
        Err(Error::Interrupted(_)) => {
            let random = begin_non_negative(x, k, NonNegativeStart::Random, seed)?;
            Ok(StartedPair { cut_short: true, ..random })
        }
        started => started,
    }
}

/// Features for a factorization of `x`; all parts of `x` call it together.
pub(crate) fn begin<T: Scalar>(
    x: &dyn DataMatrix<T>,
    begin: Begin,
    graph: Option<&dyn Graph<T>>,
) -> Result<Started<T>> {
    let Begin { components: k, start, seed, .. } = begin;
    let plain =
        |h| Started { h, singular_values: None, found_positive_vector: true, cut_short: false };
    match start {
        Start::Random => {
            let h = uniform_columns(k, x.parts().range(), seed, Purpose::Start);
            Ok(plain(place_scale(x, weighted(x, h), begin)?))
        }
        Start::KMeans => {
            let h = kmeans::memberships(x, k, seed)?;
            Ok(plain(place_scale(x, weighted(x, h), begin)?))
        }
        Start::Svd => svd::rank_minus_one(x, begin, graph),
        Start::Optimal => svd::optimal(x, begin, graph),
    }
}

/// Features of the samples as they are, for data that are samples times factors.
fn weighted<T: Scalar>(x: &dyn DataMatrix<T>, mut h: Matrix<T>) -> Matrix<T> {
    if let Some(weights) = x.weights() {
        weights.put_on(&mut h);
    }
    h
}

/// Scales the rows of `h` such that the columns of `Z = X H^+` have length one (scale in `H`),
/// the rows of `H` have (scale in `Z`), or both have the same.
fn place_scale<T: Scalar>(
    x: &dyn DataMatrix<T>,
    mut h: Matrix<T>,
    begin: Begin,
) -> Result<Matrix<T>> {
    let (p, _) = x.shape();
    let k = h.rows();
    let mut hht = Matrix::zeros(k, k);
    gram_of_rows(&mut hht, &h, x.parts())?;
    let mut z = Matrix::zeros(p, k);
    z_least_squares(&mut z, x, &h, &hht, &mut ZScratch::new(p, k))?;
    let in_h = |i: usize| hht[(i, i)].sqrt();
    let size = |i: usize| in_h(i) * crate::matrix::dot(z.col(i), z.col(i)).sqrt();
    let mut falling: Vec<f64> = (0..k).map(size).collect();
    falling.sort_by(|a, b| b.total_cmp(a));
    let ridge = ridge_of(&falling, begin.fade);
    let factors: Vec<T> = (0..k)
        .map(|i| {
            let factor = begin.scale.share_of(size(i), ridge) / in_h(i);
            T::from_f64(if factor.is_normal() { factor } else { 1.0 })
        })
        .collect();
    for column in h.as_mut_slice().chunks_exact_mut(k) {
        column.iter_mut().zip(&factors).for_each(|(h, f)| *h *= *f);
    }
    Ok(h)
}
