//! Which centroid is nearest to each sample.
//!
//! Of every sample we keep an upper bound on the distance from its own centroid and a lower bound
//! on that from any other (Hamerly, "Making k-means even faster", 2010). When centroids move, the
//! bounds give way by as much; while they do not cross, the sample stays where it is. The samples
//! whose bounds cross are gathered and compared with all centroids in one matrix product.
//!
//! Both bounds leave room for the rounding of that product, so the labels are those of the plain
//! algorithm.

use std::sync::Mutex;

use deepnmf::matrix::mul;
use deepnmf::{Matrix, Scalar};
use rayon::prelude::*;

use super::Samples;
use crate::numbers::{distance_sq, rounding_share, squared_lengths, vectorised};

/// Samples that one task handles: their distances from a hundred centroids fit into the cache.
/// The blocks are the same whatever the number of threads.
pub(super) const BLOCK: usize = 512;

/// Widens a bound's move by more than sums of 300 roundings can amount to.
const OUTWARD: f64 = 1.0 + 1e-9;

/// Memory for one block at work.
#[derive(Debug, Default)]
pub(super) struct Scratch<T> {
    active: Vec<usize>,
    gathered: Vec<T>,
    along: Vec<T>,
    least: Least<T>,
}

/// For each active sample the place and the value of its least distance, and the least of the
/// others; all less the sample's own squared length.
#[derive(Debug, Default)]
struct Least<T> {
    place: Vec<u32>,
    value: Vec<T>,
    next: Vec<T>,
}

/// Scratch memory that tasks borrow, so that no iteration allocates.
#[derive(Debug, Default)]
pub(super) struct Pool<T>(Mutex<Vec<Scratch<T>>>);

impl<T: Scalar> Pool<T> {
    fn with<R>(&self, work: impl FnOnce(&mut Scratch<T>) -> R) -> R {
        // A poisoned lock only means that another task panicked; scratch has no invariants.
        let lock = || self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut scratch = lock().pop().unwrap_or_default();
        let result = work(&mut scratch);
        lock().push(scratch);
        result
    }
}

/// The nearest centroid of every sample so far, and what is known about its distance.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) labels: Vec<usize>,
    upper: Vec<f64>,
    lower: Vec<f64>,
}

impl Assignment {
    /// Nothing known: every sample will be compared with every centroid.
    pub(super) fn unknown(samples: usize) -> Self {
        Self {
            labels: vec![0; samples],
            upper: vec![f64::INFINITY; samples],
            lower: vec![0.0; samples],
        }
    }

    /// Gives every sample its nearest centroid, the first of them if they are several.
    pub(super) fn renew<T: Scalar>(&mut self, samples: &Samples<T>, centroids: &Matrix<T>) {
        let offsets = squared_lengths(centroids);
        let longest = offsets.iter().fold(0.0, |a: f64, b| a.max(*b));
        let meeting = Meeting { samples, centroids, offsets, longest };
        let blocks = self
            .labels
            .par_chunks_mut(BLOCK)
            .zip(self.upper.par_chunks_mut(BLOCK))
            .zip(self.lower.par_chunks_mut(BLOCK))
            .enumerate();
        blocks.for_each(|(block, ((labels, upper), lower))| {
            let part = Part { first: block * BLOCK, labels, upper, lower };
            samples.pool.with(|scratch| part.renew(&meeting, scratch));
        });
    }

    /// Puts a sample into another cluster. Nothing is known of its distances any more.
    pub(super) fn move_sample(&mut self, sample: usize, cluster: usize) {
        self.labels[sample] = cluster;
        self.upper[sample] = f64::INFINITY;
        self.lower[sample] = 0.0;
    }

    /// Widens the bounds after each centroid has moved by its `drift`.
    pub(super) fn widen(&mut self, drifts: &[f64]) {
        let farthest = |best: usize, c: usize| if drifts[c] > drifts[best] { c } else { best };
        let first = (0..drifts.len()).fold(0, farthest);
        let most = drifts[first] * OUTWARD;
        let others = drifts.iter().enumerate().filter(|(c, _)| *c != first);
        let second = others.fold(0.0, |a: f64, (_, d)| a.max(*d)) * OUTWARD;
        let bounds = self.upper.iter_mut().zip(&mut self.lower);
        for (label, (upper, lower)) in self.labels.iter().zip(bounds) {
            *upper += drifts[*label] * OUTWARD;
            *lower -= if *label == first { second } else { most };
        }
    }

    /// By how much the squared distance of each sample from its second nearest centroid exceeds
    /// that from its nearest, if the bounds are fresh.
    pub(super) fn gaps(&self) -> impl Iterator<Item = f64> {
        self.upper.iter().zip(&self.lower).map(|(upper, lower)| lower * lower - upper * upper)
    }

    /// Forgets the bounds.
    pub(super) fn forget(&mut self) {
        self.upper.fill(f64::INFINITY);
        self.lower.fill(0.0);
    }
}

/// What all blocks of one assignment share.
struct Meeting<'a, T> {
    samples: &'a Samples<T>,
    centroids: &'a Matrix<T>,
    offsets: Vec<f64>,
    longest: f64,
}

/// One block of samples.
struct Part<'a> {
    first: usize,
    labels: &'a mut [usize],
    upper: &'a mut [f64],
    lower: &'a mut [f64],
}

impl Part<'_> {
    fn renew<T: Scalar>(mut self, meeting: &Meeting<'_, T>, scratch: &mut Scratch<T>) {
        let mut active = std::mem::take(&mut scratch.active);
        active.clear();
        pulp::Arch::new().dispatch(Sieve { part: &mut self, meeting, active: &mut active });
        if !active.is_empty() {
            self.meet_all(&active, meeting, scratch);
        }
        scratch.active = active;
    }

    /// Whether sample `j` certainly keeps its label; tightens its upper bound if that may help.
    #[inline(always)]
    fn stays<T: Scalar>(&mut self, j: usize, meeting: &Meeting<'_, T>) -> bool {
        if self.upper[j] < self.lower[j] {
            return true;
        }
        if self.lower[j] <= 0.0 || self.upper[j].is_infinite() {
            return false;
        }
        let sample = meeting.samples.x.col(self.first + j);
        let distance = distance_sq(sample, meeting.centroids.col(self.labels[j])).sqrt();
        self.upper[j] = distance * OUTWARD;
        self.upper[j] < self.lower[j]
    }

    /// All distances of the active samples, by one product.
    fn meet_all<T: Scalar>(
        &mut self,
        active: &[usize],
        meeting: &Meeting<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let (p, k) = meeting.centroids.shape();
        let mut gathered = std::mem::take(&mut scratch.gathered);
        gathered.clear();
        for j in active {
            gathered.extend_from_slice(meeting.samples.x.col(self.first + j));
        }
        let mut along = std::mem::take(&mut scratch.along);
        along.resize(active.len() * k, T::ZERO);
        // Both shapes are right by construction.
        let Ok(gathered) = Matrix::from_vec(p, active.len(), gathered) else { return };
        let Ok(mut along) = Matrix::from_vec(active.len(), k, along) else { return };
        mul(&mut along, gathered.t(), meeting.centroids.view());
        scratch.least.find(&along, &meeting.offsets);
        for (row, j) in active.iter().enumerate() {
            self.settle(*j, row, &scratch.least, meeting);
        }
        scratch.gathered = gathered.into_vec();
        scratch.along = along.into_vec();
    }

    /// Label and bounds of sample `j` from its least distances.
    fn settle<T: Scalar>(
        &mut self,
        j: usize,
        row: usize,
        found: &Least<T>,
        meeting: &Meeting<'_, T>,
    ) {
        let length = meeting.samples.lengths[self.first + j];
        let room = rounding_share::<T>(meeting.centroids.rows()) * (length + meeting.longest);
        self.labels[j] = found.place[row] as usize;
        self.upper[j] = ((length + found.value[row].to_f64()).max(0.0) + room).sqrt();
        self.lower[j] = (length + found.next[row].to_f64() - room).max(0.0).sqrt();
    }
}

/// Collects the samples whose bounds cross. A loop of this size inlines only if it says so, which
/// a closure cannot.
struct Sieve<'a, 'b, T> {
    part: &'a mut Part<'b>,
    meeting: &'a Meeting<'a, T>,
    active: &'a mut Vec<usize>,
}

impl<T: Scalar> pulp::NullaryFnOnce for Sieve<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for j in 0..self.part.labels.len() {
            if !self.part.stays(j, self.meeting) {
                self.active.push(j);
            }
        }
    }
}

impl<T: Scalar> Least<T> {
    /// `along` holds a row per sample and a column per centroid, so that each step of the inner
    /// loop is another sample and the loop vectorises.
    fn find(&mut self, along: &Matrix<T>, offsets: &[f64]) {
        let samples = along.rows();
        let infinity = T::from_f64(f64::INFINITY);
        for list in [&mut self.value, &mut self.next] {
            list.clear();
            list.resize(samples, infinity);
        }
        self.place.clear();
        self.place.resize(samples, 0);
        let columns = (0u32..).zip(along.columns()).zip(offsets);
        vectorised(|| {
            for ((cluster, along), offset) in columns {
                self.compare(cluster, along, T::from_f64(*offset));
            }
        });
    }

    #[inline(always)]
    fn compare(&mut self, cluster: u32, along: &[T], offset: T) {
        let lists = self.place.iter_mut().zip(&mut self.value).zip(&mut self.next);
        for (a, ((place, value), next)) in along.iter().zip(lists) {
            let new = offset - (*a + *a);
            let nearer = new < *value;
            let loser = if nearer { *value } else { new };
            *next = if loser < *next { loser } else { *next };
            *value = if nearer { new } else { *value };
            *place = if nearer { cluster } else { *place };
        }
    }
}
