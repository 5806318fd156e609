//! Which layer best predicts which attribute: k-means and a linear SVM, each beside its chance level.

use deepnmf::Matrix;
use deepnmf::rng::{generator, shuffle};
use deepnmf_data::preprocess::Split;
use deepnmf_data::{Attribute, Dataset};
use deepnmf_eval::metrics::{Average, Contingency};
use deepnmf_eval::{ClassifyOptions, Clustering, KMeans, Scaling, classify};
use serde::Serialize;

use crate::attributes::Known;
use crate::error::Result;
use crate::features::columns;
use crate::numbers::short;

/// The most samples that the SVM learns from and is judged by.
pub(crate) const MOST_CLASSIFIED: usize = 3000;
/// The share of them that it is judged by.
const TEST_SHARE: f64 = 0.3;
/// How often labels are shuffled to estimate the chance level.
const SHUFFLES: usize = 5;
/// Starts of k-means.
const RESTARTS: usize = 10;

/// One measure beside its chance level, which features unrelated to the labels reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measure {
    /// The value, 0 to 1.
    pub value: f32,
    /// The chance level.
    pub chance: f32,
}

impl Measure {
    fn new(value: f64, chance: f64) -> Self {
        Self { value: short(value), chance: short(chance) }
    }

    /// The share of the way from the chance level to 1: 0 is chance, 1 is perfect.
    pub fn lift(self) -> f32 {
        let open = 1.0 - self.chance;
        if open > 1e-6 { ((self.value - self.chance) / open).max(0.0) } else { 0.0 }
    }
}

/// How well one layer predicts one attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The layer, counted from 0.
    pub layer: usize,
    /// The place of the attribute in the list of attributes.
    pub attribute: usize,
    /// Clustering accuracy: k-means with as many clusters as classes.
    pub ac: Measure,
    /// Normalised mutual information of the same clusters.
    pub nmi: Measure,
    /// Accuracy of a linear SVM on held-out samples, unless classes are too small for one.
    pub svm: Option<Measure>,
}

/// Clusters the features of a layer.
pub(crate) fn clustering(h: &Matrix<f64>, k: usize, seed: u64) -> Result<Clustering<f64>> {
    let k = k.clamp(1, h.cols().max(1));
    Ok(KMeans::new(k).restarts(RESTARTS).seed(seed).fit(h)?)
}

/// Compares clusters and a classifier with the known classes.
pub(crate) fn judge(
    (layer, h): (usize, &Matrix<f64>),
    (attribute, known): (usize, &Known),
    clusters: &[usize],
    seed: u64,
) -> Result<Cell> {
    let found = agreement(&known.codes, clusters)?;
    let mut random = generator(seed, 0);
    let mut chance = (0.0, 0.0);
    let mut shuffled = known.codes.clone();
    for _ in 0..SHUFFLES {
        shuffle(&mut shuffled, &mut random);
        let (ac, nmi) = agreement(&shuffled, clusters)?;
        chance.0 += ac / SHUFFLES as f64;
        chance.1 += nmi / SHUFFLES as f64;
    }
    Ok(Cell {
        layer,
        attribute,
        ac: Measure::new(found.0, chance.0),
        nmi: Measure::new(found.1, chance.1),
        svm: svm(h, known, seed),
    })
}

fn agreement(codes: &[Option<u32>], clusters: &[usize]) -> Result<(f64, f64)> {
    let table = Contingency::of(codes, clusters)?;
    Ok((table.accuracy()?, table.nmi(Average::Geometric)))
}

/// The accuracy on held-out samples, beside the share of the largest class among them.
fn svm(h: &Matrix<f64>, known: &Known, seed: u64) -> Option<Measure> {
    let labelled: Vec<usize> =
        (0..known.codes.len()).filter(|&place| known.codes[place].is_some()).collect();
    // Every so-many-th: the places themselves are already drawn at random where they are many.
    let step = labelled.len().div_ceil(MOST_CLASSIFIED).max(1);
    let taken: Vec<usize> = labelled.into_iter().step_by(step).collect();
    let codes = taken.iter().map(|&place| known.codes[place].map(i64::from));
    let attributes = vec![Attribute::from_ints("class", codes)];
    let data = Dataset { attributes, ..Dataset::new(columns(h, &taken)) };
    let split = Split::stratified(&data, Some("class"), TEST_SHARE, seed).ok()?;
    let (train, test) = (data.select(&split.train).ok()?, data.select(&split.test).ok()?);
    // Features are scaled already.
    let options = ClassifyOptions { seed, scale: Scaling::None, ..ClassifyOptions::default() };
    let labels = |part: &Dataset<f64>| part.attributes[0].codes().to_vec();
    let score = classify(&train.x, &labels(&train), &test.x, &labels(&test), &options).ok()?;
    let largest = test.attributes[0].counts().into_iter().max().unwrap_or(0);
    Some(Measure::new(score.accuracy, largest as f64 / score.tested_on.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(classes: usize, n: usize) -> Known {
        let codes = (0..n).map(|j| u32::try_from(j % classes).ok()).collect();
        let classes = (0..classes).map(|c| c.to_string()).collect();
        Known { name: "kind".into(), classes, codes, usable: true }
    }

    #[test]
    fn features_that_are_the_class_score_one_and_noise_scores_chance() {
        let known = known(3, 120);
        let told = Matrix::from_fn(3, 120, |i, j| if i == j % 3 { 5.0 } else { 0.0 });
        let noise = Matrix::from_fn(3, 120, |i, j| ((i + 3) * (j + 11) * (j + 5) % 31) as f64);
        let cell = |h: &Matrix<f64>| {
            let clusters = clustering(h, 3, 0).unwrap().labels;
            judge((0, h), (0, &known), &clusters, 1).unwrap()
        };
        let (told, noise) = (cell(&told), cell(&noise));
        assert_eq!((told.ac.value, told.nmi.value, told.svm.unwrap().value), (1.0, 1.0, 1.0));
        assert!(told.ac.chance < 0.5 && told.ac.chance > 1.0 / 3.0);
        assert!((told.ac.lift() - 1.0).abs() < 1e-6);
        assert!(noise.ac.lift() < 0.3, "{noise:?}");
        assert!(noise.svm.unwrap().lift() < 0.3, "{noise:?}");
    }

    #[test]
    fn chance_that_leaves_nothing_open_gives_no_lift() {
        assert!(Measure { value: 1.0, chance: 1.0 }.lift().abs() < 1e-9);
        assert!(Measure { value: 0.2, chance: 0.3 }.lift().abs() < 1e-9, "never negative");
    }
}
