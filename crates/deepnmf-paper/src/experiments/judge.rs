//! Features evaluated by clustering, and the curves of their scores.

use deepnmf::{CancelToken, Matrix};
use deepnmf_eval::stats::{area_under_curve, spread};
use deepnmf_eval::{ClusterOptions, Scaling, cluster};

use super::Results;
use crate::Method;
use crate::error::Result;
use crate::figures::Line;
use crate::record::{ClusterRun, Record};
use crate::rules::Series;
use crate::section::{Table, percent};
use crate::sets::Set;

/// Which of the two scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Score {
    Ac,
    Nmi,
}

impl Score {
    pub(super) const BOTH: [Self; 2] = [Self::Ac, Self::Nmi];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ac => "AC",
            Self::Nmi => "NMI",
        }
    }

    fn of(self, run: &ClusterRun) -> f64 {
        match self {
            Self::Ac => run.ac,
            Self::Nmi => run.nmi,
        }
    }
}

/// Clusters features into as many clusters as there are people, with every seed and scaling.
pub(super) fn cluster_features(
    set: &Set,
    features: &Matrix<f64>,
    scalings: &[Scaling],
    repeats: usize,
    cancel: &CancelToken,
) -> Result<Vec<ClusterRun>> {
    let identity = set.labels("identity")?;
    let mut runs = Vec::with_capacity(scalings.len() * repeats);
    for &scaling in scalings {
        for seed in (0..repeats as u64).take_while(|_| !cancel.is_cancelled()) {
            let options = ClusterOptions { seed, scale: scaling, ..ClusterOptions::default() };
            let score = cluster(features, identity.codes(), &options)?;
            runs.push(ClusterRun { scaling, seed, ac: score.ac, nmi: score.nmi });
        }
    }
    Ok(runs)
}

/// The scores of a record under one scaling, seed by seed.
pub(super) fn scores(record: &Record, scaling: Scaling, score: Score) -> Vec<f64> {
    let runs = record.outcome.clusterings.iter();
    runs.filter(|run| run.scaling == scaling).map(|run| score.of(run)).collect()
}

/// Their mean.
pub(super) fn mean_score(record: &Record, scaling: Scaling, score: Score) -> Option<f64> {
    spread(&scores(record, scaling, score)).ok().map(|spread| spread.mean)
}

/// Which features and which score a figure or a table is about.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) scaling: Scaling,
    pub(super) score: Score,
}

impl Seen {
    /// The mean score of a method over the number of components, as far as there are records.
    fn curve(self, results: &Results<'_>, method: Method) -> Vec<(f64, f64)> {
        let point = |k: usize| {
            let mean = mean_score(results.record(method, k)?, self.scaling, self.score)?;
            Some((k as f64, mean))
        };
        results.components().into_iter().filter_map(point).collect()
    }

    /// A line for every method, in percent, with the area under it if it has all its points.
    pub(super) fn lines(self, results: &Results<'_>) -> Vec<Line> {
        let points = results.components().len();
        let line = |method: Method| {
            let curve = self.curve(results, method);
            let area = area(&curve, points).map(|area| 100.0 * area);
            let points = curve.into_iter().map(|(k, mean)| (k, 100.0 * mean)).collect();
            Line { name: method.label().into(), points, area }
        };
        results.methods().into_iter().map(line).collect()
    }

    /// The same in numbers; what is not the paper's protocol is an aside.
    pub(super) fn table(self, results: &Results<'_>, name: String, caption: String) -> Table {
        let components = results.components();
        let columns = components.iter().map(usize::to_string);
        let head = std::iter::once("method".to_owned()).chain(columns).chain(["AUC".to_owned()]);
        let mut table = Table::new(name, caption, head);
        table.aside = self.scaling != Scaling::None;
        for method in results.methods() {
            let at = |k: &usize| mean_score(results.record(method, *k)?, self.scaling, self.score);
            let means = components.iter().map(|k| percent(at(k)));
            let area = area(&self.curve(results, method), components.len());
            let first = std::iter::once(method.label().to_owned());
            table.row(first.chain(means).chain([percent(area)]));
        }
        table
    }

    /// Whether one method has the higher mean for every number of components.
    pub(super) fn is_above(self, results: &Results<'_>, method: Method, other: Method) -> bool {
        let [above, below] = [method, other].map(|method| self.curve(results, method));
        above.iter().zip(&below).all(|((_, above), (_, below))| above > below)
    }
}

/// The area under a curve that has all its points.
fn area(curve: &[(f64, f64)], points: usize) -> Option<f64> {
    (curve.len() == points).then(|| area_under_curve(curve).ok()).flatten()
}

/// The scores of a method in all runs: every number of components, every seed.
pub(super) fn series(
    results: &Results<'_>,
    method: Method,
    scaling: Scaling,
    score: Score,
) -> Series {
    let records = results.components().into_iter().filter_map(|k| results.record(method, k));
    let values = records.flat_map(|record| scores(record, scaling, score)).collect();
    Series { name: method.label().into(), values, of_a_fit: results.repeats() }
}
