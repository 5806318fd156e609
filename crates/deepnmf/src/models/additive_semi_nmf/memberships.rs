//! Which cluster of every part each sample belongs to.

use std::ops::Range;

use crate::matrix::{Matrix, Scalar};

/// One cluster of every part for each sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Memberships {
    /// The clusters of each part. A part that is not there yet has one, to which all samples belong.
    pub(super) sizes: Vec<usize>,
    /// The clusters of the first sample, one for each part, then those of the second, and so on.
    pub(super) labels: Vec<usize>,
    /// Which parts are known: their clusters are classes of an attribute, and no sample changes them.
    pub(super) held: Vec<bool>,
}

/// The rows of each part among the clusters of all.
pub(crate) fn rows_of(sizes: &[usize]) -> impl Iterator<Item = Range<usize>> {
    sizes.iter().scan(0, |end, size| {
        let start = *end;
        *end += size;
        Some(start..*end)
    })
}

impl Memberships {
    /// All samples in the first cluster of every part.
    pub(super) fn together(sizes: Vec<usize>, samples: usize) -> Self {
        let (labels, held) = (vec![0; sizes.len() * samples], vec![false; sizes.len()]);
        Self { sizes, labels, held }
    }

    /// The parts that are not known.
    pub(super) fn free(&self) -> Vec<usize> {
        (0..self.sizes.len()).filter(|part| !self.held[*part]).collect()
    }

    /// The clusters of samples in one part.
    pub(super) fn of_part(&self, part: usize) -> Vec<usize> {
        self.of_samples().map(|labels| labels[part]).collect()
    }

    /// The clusters of each sample.
    pub(super) fn of_samples(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.labels.chunks_exact(self.sizes.len())
    }

    /// The clusters of all parts together.
    pub(super) fn clusters(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The first row of each part.
    pub(super) fn starts(&self) -> Vec<usize> {
        rows_of(&self.sizes).map(|rows| rows.start).collect()
    }

    /// `H H^T`: how many samples two clusters share. Its diagonal are the sizes of clusters.
    pub(super) fn shared(&self) -> Matrix<f64> {
        self.shared_with(self)
    }

    /// The same of these clusters and others: `H H'^T`.
    pub(super) fn shared_with(&self, other: &Self) -> Matrix<f64> {
        let (starts, others) = (self.starts(), other.starts());
        let mut shared = Matrix::zeros(self.clusters(), other.clusters());
        for (labels, theirs) in self.of_samples().zip(other.of_samples()) {
            for (a, i) in labels.iter().zip(&starts) {
                for (b, j) in theirs.iter().zip(&others) {
                    shared[(i + a, j + b)] += 1.0;
                }
            }
        }
        shared
    }

    /// `H`, of some of the samples.
    pub(super) fn one_hot<T: Scalar>(&self, samples: Range<usize>) -> Matrix<T> {
        let (starts, width) = (self.starts(), self.sizes.len());
        let mut h = Matrix::zeros(self.clusters(), samples.len());
        for (column, j) in samples.enumerate() {
            let labels = &self.labels[j * width..(j + 1) * width];
            for (label, start) in labels.iter().zip(&starts) {
                h[(start + label, column)] = T::ONE;
            }
        }
        h
    }

    /// The same with other clusters in one part.
    pub(super) fn with_part(&self, part: usize, size: usize, of_samples: &[usize]) -> Self {
        let (mut other, width) = (self.clone(), self.sizes.len());
        other.sizes[part] = size;
        for (labels, label) in other.labels.chunks_exact_mut(width).zip(of_samples) {
            labels[part] = *label;
        }
        other
    }

    /// The same clusters numbered by their sizes, the largest first; of equally large ones the first to have a sample.
    /// So equal partitions have equal numbers, however they were found. Known parts keep theirs.
    pub(super) fn in_order(&self) -> Self {
        let ordered = |all: Self, part| all.merged(part, self.sizes[part], &self.order(part));
        self.free().into_iter().fold(self.clone(), ordered)
    }

    /// The place of each cluster of a part in that order.
    pub(super) fn order(&self, part: usize) -> Vec<usize> {
        let (size, n) = (self.sizes[part], self.of_samples().len());
        let (mut members, mut first) = (vec![0usize; size], vec![n; size]);
        for (j, labels) in self.of_samples().enumerate() {
            members[labels[part]] += 1;
            first[labels[part]] = first[labels[part]].min(j);
        }
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by_key(|a| (std::cmp::Reverse(members[*a]), first[*a]));
        let mut place = vec![0; size];
        order.iter().enumerate().for_each(|(now, a)| place[*a] = now);
        place
    }

    /// The same with so many clusters in a part; `places` says what becomes of each that it has.
    pub(super) fn merged(&self, part: usize, size: usize, places: &[usize]) -> Self {
        let (mut other, width) = (self.clone(), self.sizes.len());
        other.sizes[part] = size;
        for labels in other.labels.chunks_exact_mut(width) {
            labels[part] = places[labels[part]];
        }
        other
    }
}
