//! Chance levels: the scores of features that are unrelated to the labels.

use anyhow::Result;
use deepnmf::Matrix;
use deepnmf::rng::{generator, shuffle};
use deepnmf_data::{Attribute, Dataset};
use deepnmf_eval::metrics::{Average, Contingency};
use deepnmf_eval::{ClusterOptions, KMeans};
use serde::Serialize;

/// How often labels are shuffled.
const SHUFFLES: usize = 5;

/// What k-means scores by chance.
#[derive(Serialize)]
pub(super) struct ClusterChance {
    pub(super) ac: f64,
    pub(super) nmi: f64,
}

/// The mean score of the clusters against shuffled labels.
pub(super) fn of_clusters(
    features: &Matrix<f64>,
    attribute: &Attribute,
    options: &ClusterOptions,
) -> Result<ClusterChance> {
    let mut codes = attribute.codes().to_vec();
    let classes = attribute.counts().iter().filter(|count| **count > 0).count();
    let scaled = options.scale.apply(features)?;
    let settings = KMeans::new(classes).restarts(options.restarts).swaps(options.swaps);
    let clusters = settings.seed(options.seed).fit(&scaled)?.labels;
    let mut random = generator(options.seed, 0);
    let mut chance = ClusterChance { ac: 0.0, nmi: 0.0 };
    for _ in 0..SHUFFLES {
        shuffle(&mut codes, &mut random);
        let table = Contingency::of(&codes, &clusters)?;
        chance.ac += table.accuracy()? / SHUFFLES as f64;
        chance.nmi += table.nmi(Average::Geometric) / SHUFFLES as f64;
    }
    Ok(chance)
}

/// The share of the largest class among the test samples.
pub(super) fn of_classifier(test: &Dataset<f64>) -> f64 {
    let counts = test.attributes[0].counts();
    let largest = counts.iter().copied().max().unwrap_or(0);
    largest as f64 / counts.iter().sum::<usize>().max(1) as f64
}
