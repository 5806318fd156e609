//! The table of classes against clusters, or against predicted classes.

use serde::{Deserialize, Serialize};

use super::contingency::{Contingency, Label};
use super::matching::match_columns;
use crate::error::Result;

/// How many samples of each class are in each cluster, or were taken for each class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    /// The classes, a row each.
    pub classes: Vec<usize>,
    /// The clusters or predicted classes, a column each.
    pub clusters: Vec<usize>,
    /// Samples of class `i` in cluster `j`, as `counts[i][j]`.
    pub counts: Vec<Vec<u64>>,
}

/// Counts samples by class and cluster, both in the order of their labels.
///
/// # Errors
/// If the lists differ in length, no sample has both labels, or the table is too large.
pub fn confusion<A: Label, B: Label>(classes: &[A], clusters: &[B]) -> Result<Confusion> {
    let found = Contingency::of(classes, clusters)?;
    let counts = found.table()?;
    Ok(Confusion { classes: found.classes, clusters: found.clusters, counts })
}

impl Confusion {
    /// The same table with the columns in the order of the classes they match best, so that
    /// agreement shows on the diagonal; columns that match no class come last.
    ///
    /// ```
    /// use deepnmf_eval::metrics::confusion;
    /// let table = confusion(&[0usize, 0, 1], &[5usize, 5, 4])?;
    /// assert_eq!(table.counts, [[0, 2], [1, 0]]);
    /// assert_eq!(table.matched().clusters, [5, 4]);
    /// # Ok::<(), deepnmf_eval::EvalError>(())
    /// ```
    #[must_use]
    pub fn matched(&self) -> Self {
        let mut order: Vec<usize> = match_columns(&self.counts).into_iter().flatten().collect();
        let alone: Vec<usize> = (0..self.clusters.len()).filter(|j| !order.contains(j)).collect();
        order.extend(alone);
        let pick = |row: &Vec<u64>| order.iter().map(|j| row[*j]).collect();
        Self {
            classes: self.classes.clone(),
            clusters: order.iter().map(|j| self.clusters[*j]).collect(),
            counts: self.counts.iter().map(pick).collect(),
        }
    }
}
