//! How many samples each pair of class and cluster has.

use std::collections::BTreeMap;

use crate::error::{EvalError, Result, check_lengths, counted};

/// What can stand for the class or the cluster of a sample: a number, or nothing.
pub trait Label: Copy {
    /// The number, unless the label is missing.
    fn number(self) -> Option<usize>;
}

impl Label for usize {
    fn number(self) -> Option<usize> {
        Some(self)
    }
}

impl Label for u32 {
    fn number(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

impl<L: Label> Label for Option<L> {
    fn number(self) -> Option<usize> {
        self.and_then(L::number)
    }
}

/// More cells than this are never laid out as a table: 16 million, a matching of which would take
/// minutes.
const MOST_CELLS: usize = 1 << 24;

/// How many samples each class and each cluster have in common.
///
/// Only cells that are not zero are stored, so a label of its own for every sample does no harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingency {
    /// The labels of the classes, in order.
    pub classes: Vec<usize>,
    /// The labels of the clusters, in order.
    pub clusters: Vec<usize>,
    /// `(class, cluster, samples)`, the first two by place in the lists above, sorted, none zero.
    pub cells: Vec<(usize, usize, u64)>,
    /// The samples of each class.
    pub class_sizes: Vec<u64>,
    /// The samples of each cluster.
    pub cluster_sizes: Vec<u64>,
    /// All samples that were counted.
    pub samples: u64,
}

impl Contingency {
    /// Counts the samples of which both the class and the cluster are known.
    ///
    /// # Errors
    /// If there are not as many classes as clusters, or if no sample has both.
    pub fn of(classes: &[impl Label], clusters: &[impl Label]) -> Result<Self> {
        check_lengths(
            counted("the list of classes", classes.len()),
            counted("the list of clusters", clusters.len()),
        )?;
        let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (class, cluster) in classes.iter().zip(clusters) {
            if let (Some(class), Some(cluster)) = (class.number(), cluster.number()) {
                *counts.entry((class, cluster)).or_default() += 1;
            }
        }
        if counts.is_empty() {
            let what = "samples with a class and a cluster";
            return Err(EvalError::TooFew { what, needed: 1, found: 0 });
        }
        let class_names = places(counts.keys().map(|key| key.0));
        let cluster_names = places(counts.keys().map(|key| key.1));
        let cells = counts
            .iter()
            .map(|((class, cluster), count)| (class_names[class], cluster_names[cluster], *count));
        Ok(Self::from_cells(
            class_names.keys().copied().collect(),
            cluster_names.keys().copied().collect(),
            cells.collect(),
        ))
    }

    fn from_cells(
        classes: Vec<usize>,
        clusters: Vec<usize>,
        cells: Vec<(usize, usize, u64)>,
    ) -> Self {
        let mut class_sizes = vec![0; classes.len()];
        let mut cluster_sizes = vec![0; clusters.len()];
        for (class, cluster, count) in &cells {
            class_sizes[*class] += count;
            cluster_sizes[*cluster] += count;
        }
        let samples = class_sizes.iter().sum();
        Self { classes, clusters, cells, class_sizes, cluster_sizes, samples }
    }

    /// The whole table, a row per class.
    ///
    /// # Errors
    /// If it would have more than sixteen million cells.
    pub fn table(&self) -> Result<Vec<Vec<u64>>> {
        let (rows, columns) = (self.classes.len(), self.clusters.len());
        if rows.checked_mul(columns).is_none_or(|cells| cells > MOST_CELLS) {
            return Err(EvalError::TableTooLarge { rows, columns });
        }
        let mut table = vec![vec![0; columns]; rows];
        for (class, cluster, count) in &self.cells {
            table[*class][*cluster] = *count;
        }
        Ok(table)
    }
}

/// The distinct labels with their places in sorted order.
fn places(labels: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut places: BTreeMap<usize, usize> = labels.map(|label| (label, 0)).collect();
    for (place, entry) in places.values_mut().enumerate() {
        *entry = place;
    }
    places
}
