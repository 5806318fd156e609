//! Components of counts as topics of documents, or programs of cells: what they are about, in which samples, and how
//! good they are.
//!
//! They are shown for models without negative numbers, whose data are no pictures and mostly zeros. A component weighs
//! by the sum of its basis vector: what it adds to a sample is its feature times that.
//!
//! ```text
//! coherence      mean over pairs of its top features of   log(p_ab / (p_a p_b)) / -log p_ab      (NPMI, -1 to 1)
//!                p: the share of the samples in which a feature is not zero, or both are
//! distinctness   the share of the top features of all topics that stand in one topic alone
//! ```

use deepnmf::{Matrix, Model, Scalar};
use serde::Serialize;

use crate::numbers::{largest, short};

/// The most topics of a layer that the page shows.
const MOST_SHOWN: usize = 60;
/// Top features of a topic.
const TOP: usize = 10;
/// Samples named for a topic.
const SAMPLES: usize = 6;
/// Topics of the layer below that are named, from which share on.
const BELOW: usize = 5;
const LEAST_SHARE: f64 = 0.02;
/// Data with so many zeros are counts of words, genes or the like.
const MOSTLY_ZEROS: f64 = 0.5;

/// The topics of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topics {
    /// The mean coherence of those that have one.
    pub coherence: Option<f32>,
    /// The share of their top features that stand in one topic alone.
    pub distinctness: f32,
    /// Those with the largest share first.
    pub topics: Vec<Topic>,
}

/// One topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topic {
    /// The component, counted from 0.
    pub component: usize,
    /// Its share of what all components add to the samples.
    pub share: f32,
    /// Its features of largest weight, each with its share of the topic.
    pub top: Vec<(usize, f32)>,
    /// Features that are often in this topic and seldom elsewhere, each with the share of it that is in this topic.
    pub own: Vec<(usize, f32)>,
    /// How often its top features come together, unless there are less than two.
    pub coherence: Option<f32>,
    /// The shown samples that are made of it most, each with its share of the sample.
    pub samples: Vec<(usize, f32)>,
    /// The topics of the layer below that it is made of, each with its share.
    pub below: Vec<(usize, f32)>,
}

/// Whether components are topics: of samples (columns) as the model sees them, which are no pictures.
pub(crate) fn are_topics<T: Scalar>(model: &Model<T>, judged: &Matrix<T>) -> bool {
    let zeros = judged.as_slice().iter().filter(|v| **v <= T::ZERO).count();
    let mostly = zeros as f64 >= MOSTLY_ZEROS * judged.as_slice().len().max(1) as f64;
    !model.settings.abilities().negative_data && mostly
}

/// A layer as topics see it.
pub(crate) struct Weighed<'a, T> {
    phi: &'a Matrix<T>,
    h: &'a Matrix<T>,
    /// The sum of each basis vector.
    sums: Vec<f64>,
}

impl<'a, T: Scalar> Weighed<'a, T> {
    /// The basis of a layer in the space of the data, and the features of the judged samples.
    pub(crate) fn new(phi: &'a Matrix<T>, h: &'a Matrix<T>) -> Self {
        Self { phi, h, sums: phi.columns().map(sum).collect() }
    }

    /// The topic that most of each sample is made of.
    pub(crate) fn main(&self) -> Vec<usize> {
        let main = |h: &[T]| largest(&self.added(h), 1).first().copied().unwrap_or(0);
        self.h.columns().map(main).collect()
    }

    /// What each component adds to a sample.
    fn added(&self, h: &[T]) -> Vec<f64> {
        h.iter().zip(&self.sums).map(|(h, sum)| h.to_f64() * sum).collect()
    }

    /// The topics; `shown` are the places of the shown samples among the judged, `of_below` the layer below with what
    /// this one makes of it.
    pub(crate) fn topics(
        &self,
        judged: &Matrix<T>,
        shown: &[usize],
        of_below: Option<(&Self, &Matrix<T>)>,
    ) -> Topics {
        let added: Vec<Vec<f64>> = self.h.columns().map(|h| self.added(h)).collect();
        let totals: Vec<f64> =
            (0..self.sums.len()).map(|r| added.iter().map(|sample| sample[r]).sum()).collect();
        let all: f64 = totals.iter().sum();
        let order = largest(&totals, MOST_SHOWN);
        let tops: Vec<Vec<usize>> = order.iter().map(|&r| self.top(r)).collect();
        let seen = Seen::of(judged, &tops);
        let topics: Vec<Topic> = order
            .iter()
            .zip(&tops)
            .map(|(&component, top)| Topic {
                component,
                share: share(totals[component], all),
                top: top
                    .iter()
                    .map(|&i| (i, share(self.phi[(i, component)].to_f64(), self.sums[component])))
                    .collect(),
                own: self.own(component, &totals),
                coherence: seen.coherence(top),
                samples: samples_of(component, &added, shown),
                below: of_below.map_or(vec![], |(below, z)| below.parts_of(z.col(component))),
            })
            .collect();
        let scores: Vec<f64> = topics.iter().filter_map(|t| t.coherence).map(f64::from).collect();
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        Topics {
            coherence: (!scores.is_empty()).then(|| short(mean)),
            distinctness: distinctness(&tops),
            topics,
        }
    }

    /// The features of largest weight of a topic.
    fn top(&self, component: usize) -> Vec<usize> {
        let weights: Vec<f64> = self.phi.col(component).iter().map(|v| v.to_f64()).collect();
        largest(&weights, TOP).into_iter().filter(|&i| weights[i] > 0.0).collect()
    }

    /// Features by the product of two shares: the feature's of the topic, and the topic's of the feature.
    fn own(&self, component: usize, totals: &[f64]) -> Vec<(usize, f32)> {
        // In all samples together, each component is used so often.
        let used: Vec<f64> = totals
            .iter()
            .zip(&self.sums)
            .map(|(total, sum)| if *sum > 0.0 { total / sum } else { 0.0 })
            .collect();
        let of_feature = |i: usize| -> f64 {
            let all: f64 =
                used.iter().enumerate().map(|(r, u)| u * self.phi[(i, r)].to_f64()).sum();
            let own = used[component] * self.phi[(i, component)].to_f64();
            if all > 0.0 { own / all } else { 0.0 }
        };
        let shares: Vec<f64> = (0..self.phi.rows()).map(of_feature).collect();
        let weights = self.phi.col(component).iter().zip(&shares);
        let worth: Vec<f64> = weights.map(|(weight, share)| weight.to_f64() * share).collect();
        let best = largest(&worth, TOP).into_iter().filter(|&i| worth[i] > 0.0);
        best.map(|i| (i, short(shares[i]))).collect()
    }

    /// The components of this layer that a column `z` of the next basis is made of.
    fn parts_of(&self, z: &[T]) -> Vec<(usize, f32)> {
        let weights = self.added(z);
        let all: f64 = weights.iter().sum();
        let parts = largest(&weights, BELOW).into_iter();
        parts
            .filter(|&c| weights[c] > LEAST_SHARE * all)
            .map(|c| (c, share(weights[c], all)))
            .collect()
    }
}

impl Topics {
    /// The topics of a layer in a sentence; `named` gives a feature its name.
    pub(crate) fn sentence(&self, layer: usize, named: impl Fn(usize) -> String) -> String {
        let first = self.topics.iter().take(3).map(|topic| {
            let words: Vec<String> = topic.top.iter().take(4).map(|(i, _)| named(*i)).collect();
            format!("{} ({:.0}%)", words.join(", "), 100.0 * topic.share)
        });
        let coherence = self.coherence.map_or(String::new(), |c| {
            format!(" The mean coherence of their top {TOP} features is {c:.2} (NPMI: 1 if they always come together, 0 by chance);")
        });
        format!(
            "Layer {} has {} topics, the largest: {}.{coherence} {:.0}% of these features stand in one topic alone.",
            layer + 1,
            self.topics.len(),
            first.collect::<Vec<String>>().join("; "),
            100.0 * self.distinctness,
        )
    }
}

fn sum<T: Scalar>(column: &[T]) -> f64 {
    column.iter().map(|v| v.to_f64()).sum()
}

fn share(part: f64, all: f64) -> f32 {
    if all > 0.0 { short(part / all) } else { 0.0 }
}

/// The shown samples of which a component has the largest share; of equal ones those it adds most to.
fn samples_of(component: usize, added: &[Vec<f64>], shown: &[usize]) -> Vec<(usize, f32)> {
    let mut found: Vec<(usize, f64, f64)> = shown
        .iter()
        .enumerate()
        .map(|(number, &place)| {
            let all: f64 = added[place].iter().sum();
            let own = added[place][component];
            (number, if all > 0.0 { own / all } else { 0.0 }, own)
        })
        .filter(|(_, share, _)| *share > 0.0)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.2.total_cmp(&a.2)));
    found.into_iter().take(SAMPLES).map(|(number, share, _)| (number, short(share))).collect()
}

/// The share of the top features that stand in one topic alone.
fn distinctness(tops: &[Vec<usize>]) -> f32 {
    let mut all: Vec<usize> = tops.concat();
    all.sort_unstable();
    let alone = all.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).count();
    share(alone as f64, all.len() as f64)
}

/// In which samples features are not zero, a bit each.
struct Seen {
    samples: usize,
    features: Vec<usize>,
    bits: Vec<Vec<u64>>,
}

impl Seen {
    fn of<T: Scalar>(judged: &Matrix<T>, tops: &[Vec<usize>]) -> Self {
        let mut features = tops.concat();
        features.sort_unstable();
        features.dedup();
        let mut bits = vec![vec![0; judged.cols().div_ceil(64)]; features.len()];
        for (j, sample) in judged.columns().enumerate() {
            for (bits, i) in bits.iter_mut().zip(&features) {
                bits[j / 64] |= u64::from(sample[*i] > T::ZERO) << (j % 64);
            }
        }
        Self { samples: judged.cols(), features, bits }
    }

    /// The mean NPMI of all pairs of features.
    fn coherence(&self, top: &[usize]) -> Option<f32> {
        let of = |i: &usize| self.features.binary_search(i).ok().map(|at| &self.bits[at]);
        let bits: Vec<&Vec<u64>> = top.iter().filter_map(of).collect();
        let pairs = (1..bits.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let scores: Vec<f64> = pairs.map(|(a, b)| self.npmi(bits[a], bits[b])).collect();
        (!scores.is_empty()).then(|| short(scores.iter().sum::<f64>() / scores.len() as f64))
    }

    fn npmi(&self, a: &[u64], b: &[u64]) -> f64 {
        let share = |count: u32| f64::from(count) / self.samples.max(1) as f64;
        let count = |bits: &[u64]| bits.iter().map(|word| word.count_ones()).sum::<u32>();
        let both: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
        let (of_a, of_b, of_both) = (share(count(a)), share(count(b)), share(both));
        if both == 0 {
            return -1.0; // never together
        }
        if of_both >= 1.0 {
            return 0.0; // in every sample: nothing is known of them
        }
        (of_both / (of_a * of_b)).ln() / -of_both.ln()
    }
}

#[cfg(test)]
mod tests;
