//! Single numbers that say how far classes and clusters agree.

use serde::{Deserialize, Serialize};

use super::contingency::{Contingency, Label};
use super::matching::match_columns;
use crate::error::Result;

/// How the entropies of classes and clusters are averaged in NMI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Average {
    /// The root of their product: the paper's.
    #[default]
    Geometric,
    /// Half their sum: scikit-learn's.
    Arithmetic,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl Average {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Geometric => (a * b).sqrt(),
            Self::Arithmetic => f64::midpoint(a, b),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
        }
    }
}

/// AC: the share of samples in the right cluster after clusters and classes have been paired in
/// the best possible way.
///
/// # Errors
/// If the lists differ in length, no sample has both labels, or the table is too large.
pub fn accuracy<A: Label, B: Label>(classes: &[A], clusters: &[B]) -> Result<f64> {
    Contingency::of(classes, clusters)?.accuracy()
}

/// Normalised mutual information `I / sqrt(H(classes) H(clusters))`.
///
/// # Errors
/// If the lists differ in length, or if no sample has both labels.
pub fn nmi<A: Label, B: Label>(classes: &[A], clusters: &[B]) -> Result<f64> {
    nmi_with(Average::Geometric, classes, clusters)
}

/// Normalised mutual information with another average of the entropies.
///
/// # Errors
/// As [`nmi`].
pub fn nmi_with(average: Average, classes: &[impl Label], clusters: &[impl Label]) -> Result<f64> {
    Ok(Contingency::of(classes, clusters)?.nmi(average))
}

/// The Rand index, adjusted so that chance gives 0 and agreement 1.
///
/// # Errors
/// If the lists differ in length, or if no sample has both labels.
pub fn ari<A: Label, B: Label>(classes: &[A], clusters: &[B]) -> Result<f64> {
    Ok(Contingency::of(classes, clusters)?.ari())
}

/// The share of samples that belong to the most frequent class of their cluster.
///
/// # Errors
/// If the lists differ in length, or if no sample has both labels.
pub fn purity<A: Label, B: Label>(classes: &[A], clusters: &[B]) -> Result<f64> {
    Ok(Contingency::of(classes, clusters)?.purity())
}

impl Contingency {
    /// See [`accuracy`].
    ///
    /// # Errors
    /// If the table is too large.
    pub fn accuracy(&self) -> Result<f64> {
        let table = self.table()?;
        let matched = match_columns(&table);
        let right: u64 = table.iter().zip(matched).filter_map(|(row, c)| Some(row[c?])).sum();
        Ok(right as f64 / self.samples as f64)
    }

    /// See [`nmi_with`]. One class in one cluster agree fully; one class spread over several
    /// clusters, or the other way round, have no mutual information.
    pub fn nmi(&self, average: Average) -> f64 {
        if self.classes.len() == 1 && self.clusters.len() == 1 {
            return 1.0;
        }
        let n = self.samples as f64;
        let term = |&(class, cluster, count): &(usize, usize, u64)| {
            let (a, b) = (self.class_sizes[class] as f64, self.cluster_sizes[cluster] as f64);
            let count = count as f64;
            count / n * (count.ln() - n.ln() + (n.ln() - a.ln()) + (n.ln() - b.ln()))
        };
        let shared: f64 = self.cells.iter().map(term).sum();
        // As scikit-learn: what is left of cancelling logarithms is no information.
        if shared <= f64::EPSILON {
            return 0.0;
        }
        let whole = average.of(entropy(&self.class_sizes, n), entropy(&self.cluster_sizes, n));
        if whole > 0.0 { shared / whole } else { 0.0 }
    }

    /// See [`ari`].
    pub fn ari(&self) -> f64 {
        let squares = |sizes: &mut dyn Iterator<Item = u64>| -> i128 {
            sizes.map(|s| i128::from(s) * i128::from(s)).sum()
        };
        let n = i128::from(self.samples);
        let both = squares(&mut self.cells.iter().map(|cell| cell.2));
        let class = squares(&mut self.class_sizes.iter().copied());
        let cluster = squares(&mut self.cluster_sizes.iter().copied());
        // Ordered pairs of samples: together in both, in one only, in neither.
        let together = both - n;
        let (class_only, cluster_only) = (class - both, cluster - both);
        let neither = n * n - class - cluster + both;
        if class_only == 0 && cluster_only == 0 {
            return 1.0;
        }
        #[allow(clippy::cast_precision_loss)] // quotients of counts
        let real = |count: i128| count as f64;
        let (t, a, b, s) = (real(together), real(class_only), real(cluster_only), real(neither));
        2.0 * (t * s - a * b) / ((t + a) * (a + s) + (t + b) * (b + s))
    }

    /// See [`purity`].
    pub fn purity(&self) -> f64 {
        let mut most = vec![0; self.clusters.len()];
        for (_, cluster, count) in &self.cells {
            most[*cluster] = (*count).max(most[*cluster]);
        }
        most.iter().sum::<u64>() as f64 / self.samples as f64
    }
}

fn entropy(sizes: &[u64], n: f64) -> f64 {
    let term = |size: &u64| {
        let size = *size as f64;
        size / n * (n.ln() - size.ln())
    };
    sizes.iter().map(term).sum()
}
