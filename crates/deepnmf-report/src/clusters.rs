//! Clusters of every layer: what is in them, and how samples flow from one layer's to the next's.

use deepnmf::{Matrix, Scalar};
use deepnmf_eval::metrics::{Contingency, match_columns};
use serde::Serialize;

use crate::attributes::Known;
use crate::error::Result;
use crate::numbers::{largest, moments, short};
use crate::pictures::Atlas;

/// Examples kept of every cluster.
const EXAMPLES: usize = 8;
/// Top features named for a cluster, for data that are no pictures.
const TOP_FEATURES: usize = 5;

/// The clusters of one layer, as they are looked at in one way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clustering {
    /// The layer, counted from 0.
    pub layer: usize,
    /// The attribute that has as many classes as there are clusters, unless somebody chose a number.
    pub attribute: Option<usize>,
    /// Whether a cluster is the samples of one component, which has its number.
    pub as_found: bool,
    /// The cluster of every shown sample.
    pub labels: Vec<usize>,
    /// What is in each cluster.
    pub clusters: Vec<Cluster>,
    /// Judged samples of the attribute by `(class, cluster, samples)`.
    pub confusion: Vec<(usize, usize, u64)>,
    /// The mean picture of each cluster.
    pub means: Option<Atlas>,
}

/// One cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cluster {
    /// Its judged samples.
    pub size: usize,
    /// For every attribute its most frequent class and the share of the members that have it.
    pub mostly: Vec<Option<(usize, f32)>>,
    /// The shown samples nearest to its centre.
    pub examples: Vec<usize>,
    /// The features whose mean differs most from that of all samples, as `(feature, deviations)`.
    pub top_features: Vec<(usize, f32)>,
}

/// One way to look at all layers: a clustering of each, and how samples flow between them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grouping {
    /// The attribute that all layers are clustered by; none where each has its own.
    pub attribute: Option<usize>,
    /// How many clusters somebody asked for.
    pub asked: Option<usize>,
    /// Whether clusters are what the model has found itself: those of its parts, or the main topics of samples.
    pub as_found: bool,
    /// The clustering of each layer, by its place in the list of clusterings.
    pub clusterings: Vec<usize>,
    /// From each layer to the next, `(cluster, cluster above, samples)`.
    pub flows: Vec<Vec<(usize, usize, u64)>>,
}

/// Clusters of the judged samples, in an order that helps to read them.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) layer: usize,
    pub(crate) attribute: Option<usize>,
    /// Whether a cluster is the samples of one component.
    pub(crate) own: bool,
    pub(crate) labels: Vec<usize>,
    pub(crate) centres: Matrix<f64>,
}

impl Found {
    /// Sorts clusters by the class that they match best, or by size where none is known.
    pub(crate) fn new(
        layer: usize,
        of: Option<(usize, &Known)>,
        found: &deepnmf_eval::Clustering<f64>,
    ) -> Result<Self> {
        let k = found.centroids.cols();
        let order = match of {
            Some((_, known)) => by_class(known, &found.labels, k)?,
            None => by_size(&found.labels, k),
        };
        Ok(Self::ordered(layer, of, (&found.labels, &found.centroids), &order))
    }

    /// The clusters that a part, or a layer of topics, has found, in their own order. `h` is what it sees.
    pub(crate) fn as_found(
        layer: usize,
        of: Option<(usize, &Known)>,
        (labels, k): (&[usize], usize),
        h: &Matrix<f64>,
    ) -> Self {
        let sizes = sizes(labels, k);
        let mut centres = Matrix::zeros(h.rows(), k);
        for (sample, &label) in h.columns().zip(labels) {
            let share = 1.0 / sizes[label] as f64;
            centres.col_mut(label).iter_mut().zip(sample).for_each(|(c, v)| *c += share * v);
        }
        let order: Vec<usize> = (0..k).collect();
        Self { own: true, ..Self::ordered(layer, of, (labels, &centres), &order) }
    }

    fn ordered(
        layer: usize,
        of: Option<(usize, &Known)>,
        (labels, centres): (&[usize], &Matrix<f64>),
        order: &[usize],
    ) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        Self {
            layer,
            attribute: of.map(|(attribute, _)| attribute),
            own: false,
            labels: labels.iter().map(|&label| place[label]).collect(),
            centres: crate::features::columns(centres, order),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.centres.cols()
    }
}

/// The clusters in the order of the classes that they are matched with.
fn by_class(known: &Known, labels: &[usize], k: usize) -> Result<Vec<usize>> {
    let met = Contingency::of(&known.codes, labels)?;
    let mut table = vec![vec![0; k]; known.classes.len()];
    for &(class, cluster, samples) in &met.cells {
        table[met.classes[class]][met.clusters[cluster]] = samples;
    }
    let mut order: Vec<usize> = match_columns(&table).into_iter().flatten().collect();
    let rest: Vec<usize> = (0..k).filter(|cluster| !order.contains(cluster)).collect();
    order.extend(rest);
    Ok(order)
}

fn by_size(labels: &[usize], k: usize) -> Vec<usize> {
    largest(&sizes(labels, k).iter().map(|&size| size as f64).collect::<Vec<_>>(), k)
}

fn sizes(labels: &[usize], k: usize) -> Vec<usize> {
    let mut sizes = vec![0; k];
    for &label in labels {
        sizes[label] += 1;
    }
    sizes
}

/// How many samples are in a cluster of one layer and in one of the next.
pub(crate) fn flows(below: &Found, above: &Found) -> Result<Vec<(usize, usize, u64)>> {
    let met = Contingency::of(&below.labels, &above.labels)?;
    let named = |&(a, b, samples): &(usize, usize, u64)| (met.classes[a], met.clusters[b], samples);
    Ok(met.cells.iter().map(named).collect())
}

/// What describes clusters: the features of a layer, and the samples in the space of the data.
pub(crate) struct Material<'a, T> {
    pub(crate) known: &'a [Known],
    /// Places of the shown samples among the judged.
    pub(crate) shown: &'a [usize],
    /// All judged samples, unless they are pictures, which describe themselves.
    pub(crate) data: Option<&'a Matrix<T>>,
}

impl<T: Scalar> Material<'_, T> {
    /// Describes every cluster.
    pub(crate) fn describe(&self, found: &Found, h: &Matrix<f64>) -> Result<Clustering> {
        let k = found.count();
        let sizes = sizes(&found.labels, k);
        let mostly: Vec<Vec<Option<(usize, f32)>>> =
            self.known.iter().map(|known| majorities(known, &found.labels, k)).collect();
        let top_features = self.data.map(|x| top_features(x, &found.labels, k));
        let clusters = (0..k).map(|cluster| Cluster {
            size: sizes[cluster],
            mostly: mostly.iter().map(|of| of[cluster]).collect(),
            examples: self.examples(found, h, cluster),
            top_features: top_features.as_ref().map_or(vec![], |t| t[cluster].clone()),
        });
        Ok(Clustering {
            layer: found.layer,
            attribute: found.attribute,
            as_found: found.own,
            labels: self.shown.iter().map(|&place| found.labels[place]).collect(),
            clusters: clusters.collect(),
            confusion: self.confusion(found)?,
            means: None,
        })
    }

    /// The shown members nearest to the centre.
    fn examples(&self, found: &Found, h: &Matrix<f64>, cluster: usize) -> Vec<usize> {
        let centre = found.centres.col(cluster);
        let distance = |place: usize| -> f64 {
            h.col(place).iter().zip(centre).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let members = self.shown.iter().enumerate();
        let mut members: Vec<(usize, f64)> = members
            .filter(|(_, place)| found.labels[**place] == cluster)
            .map(|(number, &place)| (number, distance(place)))
            .collect();
        members.sort_by(|a, b| a.1.total_cmp(&b.1));
        members.into_iter().take(EXAMPLES).map(|(number, _)| number).collect()
    }

    fn confusion(&self, found: &Found) -> Result<Vec<(usize, usize, u64)>> {
        let Some(attribute) = found.attribute else { return Ok(vec![]) };
        let met = Contingency::of(&self.known[attribute].codes, &found.labels)?;
        let named = |&(a, b, n): &(usize, usize, u64)| (met.classes[a], met.clusters[b], n);
        Ok(met.cells.iter().map(named).collect())
    }
}

/// The most frequent class of every cluster, and its share of the members that have a class.
fn majorities(known: &Known, labels: &[usize], k: usize) -> Vec<Option<(usize, f32)>> {
    let mut counts = vec![vec![0u64; if known.usable { known.classes.len() } else { 0 }]; k];
    if known.usable {
        for (code, &label) in known.codes.iter().zip(labels) {
            if let Some(code) = code {
                counts[label][*code as usize] += 1;
            }
        }
    }
    let majority = |counts: &Vec<u64>| {
        let all: u64 = counts.iter().sum();
        let (class, most) = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count)?;
        (all > 0).then(|| (class, short(*most as f64 / all as f64)))
    };
    counts.iter().map(majority).collect()
}

/// For every cluster the features whose mean is most deviations away from that of all samples.
fn top_features<T: Scalar>(x: &Matrix<T>, labels: &[usize], k: usize) -> Vec<Vec<(usize, f32)>> {
    let (mean, deviation) = moments(x);
    let sizes = sizes(labels, k);
    let mut sums = Matrix::<f64>::zeros(x.rows(), k);
    for (sample, &label) in x.columns().zip(labels) {
        sums.col_mut(label).iter_mut().zip(sample).for_each(|(s, v)| *s += v.to_f64());
    }
    let of = |cluster: usize| {
        let count = sizes[cluster].max(1) as f64;
        let away = |feature: usize| match deviation[feature] {
            spread if spread > 0.0 => (sums[(feature, cluster)] / count - mean[feature]) / spread,
            _ => 0.0,
        };
        let all: Vec<f64> = (0..x.rows()).map(away).collect();
        let strengths: Vec<f64> = all.iter().map(|v| v.abs()).collect();
        let top = largest(&strengths, TOP_FEATURES).into_iter().filter(|&f| strengths[f] > 0.0);
        top.map(|feature| (feature, short(all[feature]))).collect()
    };
    (0..k).map(of).collect()
}

#[cfg(test)]
mod tests;
