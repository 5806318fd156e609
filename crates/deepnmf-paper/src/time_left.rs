//! How long cells take, expected and measured.
//!
//! The expectations are counts of operations times what one was measured to cost on one core of a
//! machine with AVX-512; a run corrects them by the cells that it has finished.

use std::collections::BTreeMap;

use crate::cell::Cell;
use crate::{Experiment, Method};

/// Seconds per entry and column of an exact singular value decomposition.
const SVD: f64 = 0.4e-9;
/// Seconds per multiplication and addition in an iteration, whatever else it does included.
const PRODUCT: f64 = 0.11e-9;

/// The expected seconds of a fit to data of this shape, `p` features of `n` samples, on one core.
pub(crate) fn fit_seconds(method: Method, shape: (usize, usize), layers: &[usize]) -> f64 {
    let (p, n) = (shape.0 as f64, shape.1 as f64);
    let first = layers.first().map_or(1.0, |k| *k as f64);
    let k = layers.last().map_or(1.0, |k| *k as f64);
    let svd = SVD * p * n * p.min(n).min(3.0 * first);
    let iterations = |count: f64| count * PRODUCT * 2.0 * p * n * k;
    let joint = |count: f64| count * PRODUCT * 2.0 * n * first * (p + first);
    // Sweeps over the features of the layers below the top.
    let below: f64 = layers.windows(2).map(|pair| (pair[0] as f64).powi(2)).sum();
    let deep = svd + PRODUCT * 35.0 * n * below + iterations(100.0);
    match method {
        Method::Data => 0.0,
        Method::WhitenedPca | Method::SemiNmf => svd + iterations(10.0),
        Method::Nmf | Method::Gnmf | Method::GnmfDescent | Method::Cnmf | Method::Dnmf => {
            svd + iterations(1000.0)
        }
        Method::NeNmf => svd + iterations(1500.0),
        Method::MultilayerNmf => svd + joint(180.0),
        Method::Wsf | Method::WsfMa => svd + iterations(200.0),
        Method::DeepLinear
        | Method::DeepNeighbours
        | Method::DeepWsf
        | Method::DeepWsfScaleFree => deep,
        Method::DeepPretrained => 4.0 * deep,
        Method::DeepStanh | Method::DeepSquare | Method::DeepRelu => deep + joint(150.0),
        Method::DeepWsfStanh | Method::DeepWsfSquare | Method::DeepWsfRelu => deep + joint(200.0),
    }
}

/// The expected seconds of `runs` k-means clusterings of features of this shape, `k` of each of `n` samples.
pub(crate) fn kmeans_seconds(shape: (usize, usize), clusters: usize, runs: usize) -> f64 {
    let (k, n) = (shape.0 as f64, shape.1 as f64);
    let [clusters, runs] = [clusters, runs].map(|v| v as f64);
    runs * 300.0 * PRODUCT * n * (k + 20.0) * clusters
}

/// Expected against measured seconds.
#[derive(Debug, Default, Clone, Copy)]
struct Pace {
    expected: f64,
    measured: f64,
}

impl Pace {
    fn add(&mut self, expected: f64, measured: f64) {
        self.expected += expected;
        self.measured += measured;
    }

    fn factor(self) -> Option<f64> {
        (self.expected > 0.0).then(|| self.measured / self.expected)
    }
}

/// Estimates how long a run still takes.
#[derive(Debug, Default)]
pub(crate) struct TimeLeft {
    open: BTreeMap<(Experiment, Method), f64>,
    pace: BTreeMap<(Experiment, Method), Pace>,
    all: Pace,
}

impl TimeLeft {
    /// Cells that are still to be run.
    pub(crate) fn of<'a>(open: impl Iterator<Item = &'a Cell>) -> Self {
        let mut this = Self::default();
        open.for_each(|cell| *this.open.entry(kind(cell)).or_default() += cell.expected);
        this
    }

    /// Learns how long a cell took.
    pub(crate) fn finished(&mut self, cell: &Cell, seconds: f64) {
        let left = self.open.entry(kind(cell)).or_default();
        *left = (*left - cell.expected).max(0.0);
        self.pace.entry(kind(cell)).or_default().add(cell.expected, seconds);
        self.all.add(cell.expected, seconds);
    }

    /// Seconds until all is done by that many workers.
    pub(crate) fn seconds(&self, workers: usize) -> f64 {
        let overall = self.all.factor().unwrap_or(1.0);
        let one = |(kind, expected): (&(Experiment, Method), &f64)| {
            let pace = self.pace.get(kind).and_then(|pace| pace.factor());
            expected * pace.unwrap_or(overall)
        };
        self.open.iter().map(one).sum::<f64>() / workers.max(1) as f64
    }
}

fn kind(cell: &Cell) -> (Experiment, Method) {
    (cell.experiment, cell.method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::{DataOptions, Library, Role, View};

    #[test]
    fn estimates_follow_what_is_measured_of_the_same_kind() {
        let mut library = Library::open(DataOptions::default(), true).unwrap();
        let set = library.sets(Role::Xor, View::Raw).unwrap().remove(0);
        let cell = |method: Method, expected: f64| Cell {
            experiment: Experiment::Xor,
            set: std::sync::Arc::clone(&set),
            auxiliary: None,
            method,
            layers: vec![2],
            seed: 0,
            repeats: 0,
            expected,
        };
        let slow = [cell(Method::Nmf, 10.0), cell(Method::Nmf, 10.0)];
        let fast = [cell(Method::SemiNmf, 1.0), cell(Method::SemiNmf, 1.0)];
        let mut left = TimeLeft::of(slow.iter().chain(&fast));
        assert!((left.seconds(2) - 11.0).abs() < 1e-12, "as expected, by two workers");
        left.finished(&slow[0], 30.0);
        assert!((left.seconds(1) - 36.0).abs() < 1e-12, "three times as slow as expected");
        left.finished(&fast[0], 1.0);
        assert!((left.seconds(1) - 31.0).abs() < 1e-12, "but not of this kind");
    }

    #[test]
    fn more_components_and_more_samples_take_longer() {
        for method in [Method::SemiNmf, Method::Nmf, Method::DeepLinear, Method::DeepStanh] {
            let layers = |k: usize| if method.is_deep() { vec![4 * k, k] } else { vec![k] };
            let small = fit_seconds(method, (1024, 2856), &layers(20));
            assert!(fit_seconds(method, (1024, 2856), &layers(70)) > small);
            assert!(fit_seconds(method, (1024, 5712), &layers(20)) > small);
        }
        assert!(kmeans_seconds((5, 100), 3, 2) < kmeans_seconds((5, 100), 6, 2));
    }
}
