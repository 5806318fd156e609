//! Two hundred architectures: does the number of layers matter?
//!
//! Every architecture is a linear Deep Semi-NMF. Its top features are computed by the closed form of
//! Algorithm 1 (`deepnmf::models`, the head of `deep_semi_nmf/algorithm.rs`): Semi-NMF layer by
//! layer, then Semi-NMF of the data from the top features so found. The features of the layers below
//! for the final bases, which are not needed here, would take most of the time.

use std::sync::Arc;

use deepnmf::rng::generator;
use deepnmf::{
    CancelToken, DataMatrix, Factorization, FitOptions, FitSession, Matrix, Model, ScaleIn,
    SemiNmf, WarmStart,
};
use deepnmf_eval::Scaling;
use deepnmf_eval::stats::spread;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp};

use super::judge::{Score, cluster_features, mean_score};
use super::{Bench, NO_PIE, Results, Study, Told, session};
use crate::cell::Cell;
use crate::error::Result;
use crate::figures::strip;
use crate::printed::{ARCHITECTURES, LAST_LAYER, MEAN_LAYER};
use crate::record::{FitFacts, Outcome};
use crate::rules::{Claim, Finding, Verdict, missing};
use crate::section::{Figure, Table, percent, slug};
use crate::sets::{Role, Set, View};
use crate::time_left::{fit_seconds, kmeans_seconds};
use crate::{Experiment, Method};

/// The experiment.
pub(super) struct Layers;

/// The numbers of layers; the paper prints no range, and its method sections have up to three.
const DEPTHS: [usize; 5] = [2, 3, 4, 5, 6];

/// By how much another depth has to be better for the claim about two layers to fail.
const BETTER: f64 = 0.02;

impl Study for Layers {
    fn plan(&self, bench: &mut Bench) -> Result<Vec<Cell>> {
        let repeats = bench.repeats(3, 1);
        let quick = bench.is_quick();
        let mut cells = Vec::new();
        for role in [Role::Xm2vts, Role::Pie] {
            for set in bench.library.sets(role, View::Pixels)? {
                let (p, n) = set.x.shape();
                let draw = Draw {
                    count: if quick { 6 } else { ARCHITECTURES },
                    depths: if quick { &DEPTHS[..3] } else { &DEPTHS },
                    mean: if quick { 40.0 } else { MEAN_LAYER },
                    last: if quick { 12 } else { LAST_LAYER },
                    most: p.min(n),
                };
                let people = set.labels("identity")?.classes().len();
                let judging = kmeans_seconds((draw.last, n), people, repeats);
                // One layer beside them, to compare with.
                let all = std::iter::once(vec![draw.last]).chain(draw.architectures(0));
                cells.extend(all.enumerate().map(|(number, layers)| Cell {
                    experiment: Experiment::Layers,
                    set: Arc::clone(&set),
                    auxiliary: None,
                    method: Method::DeepLinear,
                    // Without the features of lower layers, which take the other half.
                    expected: fit_seconds(Method::DeepLinear, (p, n), &layers) / 2.0 + judging,
                    layers,
                    seed: number as u64,
                    repeats,
                }));
            }
        }
        Ok(cells)
    }

    fn run(&self, cell: &Cell, cancel: &CancelToken) -> Result<Outcome> {
        let fitted = top_layer(&cell.set.x, &cell.layers, &mut session(cancel))?;
        let (features, repeats) = (fitted.factors.top_features(), cell.repeats);
        let clusterings = cluster_features(&cell.set, features, &[Scaling::None], repeats, cancel)?;
        Ok(Outcome { fits: vec![FitFacts::of(&fitted)], clusterings, ..Outcome::default() })
    }

    fn sum_up(&self, results: &Results<'_>) -> Result<Told> {
        let mut told = Told {
            protocol: PROTOCOL.map(Into::into).to_vec(),
            seeds: format!(
                "architectures drawn with seed 0 (a record's seed is the number of its \
                 architecture, 0 being one layer); seed 0 of every fit, no initialization is \
                 random; k-means seeds 0 to {}",
                results.repeats().saturating_sub(1)
            ),
            explanations: EXPLANATIONS.map(Into::into).to_vec(),
            ..Told::default()
        };
        for role in [Role::Xm2vts, Role::Pie] {
            let sets = results.sets(role, View::Pixels);
            if sets.is_empty() {
                told.claims.push(Claim::untestable(TWO, TWO_RULE, NO_PIE, "CMU PIE"));
            }
            for set in sets {
                let about = results.about(set);
                let groups = by_depth(&about);
                told.figures.push(figure(set, &groups));
                told.tables.push(table(set, &groups));
                let finding = if about.is_complete() {
                    two_layers_suffice(&groups)
                } else {
                    missing(about.done(), about.total())
                };
                told.claims.push(Claim::paper(TWO, TWO_RULE, finding, &set.facts));
            }
        }
        Ok(told)
    }
}

const PROTOCOL: [&str; 3] = [
    "Two hundred linear Deep Semi-NMFs with two to six layers, forty of each. The last layer has 40 \
     components; the others are drawn from an exponential distribution with mean 400 and sorted in \
     decreasing order. A draw below 40 or above what the data allow is drawn again.",
    "The paper prints neither the range of layers nor any number of this figure; the range is ours. \
     One layer of 40 (Semi-NMF) is shown beside.",
    "Features of the last layer are clustered by k-means as in the clustering figures, as they are; AC \
     is the mean over the seeds of k-means.",
];

const EXPLANATIONS: [&str; 2] = [
    "A linear model ends as a Semi-NMF of its last layer that the layers below only initialize, so \
     the architecture changes the initialization and nothing else.",
    "Layers that keep most of the data's variance pass on an initialization that is nearly the \
     one-layer optimum; accuracies of all depths therefore lie close to each other and to \
     Semi-NMF's. On PIE every further layer makes the initialization a little better for k-means, \
     about two points from two layers to six; errors stay at the SVD bound.",
];

const TWO: &str = "Two layers are a reasonable compromise between speed and accuracy";
const TWO_RULE: &str = "holds if the mean AC of no other number of layers is above that of two layers \
                        by more than two points";

/// How architectures are drawn.
struct Draw<'a> {
    count: usize,
    depths: &'a [usize],
    mean: f64,
    last: usize,
    most: usize,
}

impl Draw<'_> {
    /// As many of each depth, up to one.
    fn architectures(&self, seed: u64) -> Vec<Vec<usize>> {
        let mut random = generator(seed, 0);
        let one = |number: usize| {
            let depth = self.depths[number % self.depths.len()];
            let mut layers: Vec<usize> = (1..depth).map(|_| self.one_layer(&mut random)).collect();
            layers.sort_unstable_by(|a, b| b.cmp(a));
            layers.push(self.last);
            layers
        };
        (0..self.count).map(one).collect()
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the range checked
    fn one_layer(&self, random: &mut ChaCha8Rng) -> usize {
        let Ok(sizes) = Exp::new(1.0 / self.mean) else { return self.last };
        loop {
            let size: f64 = sizes.sample(random);
            if size >= self.last as f64 && size < self.most as f64 {
                return size.round() as usize;
            }
        }
    }
}

/// The top layer of a linear Deep Semi-NMF in closed form, as a Semi-NMF of the data.
fn top_layer(
    x: &Matrix<f64>,
    layers: &[usize],
    session: &mut FitSession<'_>,
) -> deepnmf::Result<Model<f64>> {
    let (last, below) = layers.split_last().unwrap_or((&1, &[]));
    let quiet = FitOptions { measure_bound: false, ..FitOptions::default() };
    let mut features: Option<Matrix<f64>> = None;
    for &k in below {
        let input = features.as_ref().map_or(x as &dyn DataMatrix<f64>, |h| h);
        let options = quiet.clone().scale(ScaleIn::H);
        let mut layer = SemiNmf::new(k).with(options).fit_in(input, &[], session)?;
        features = layer.factors.h.pop();
    }
    let top = SemiNmf::new(*last);
    let Some(features) = features else { return top.fit_in(x, &[], session) };
    let start = top.clone().with(quiet).fit_in(&features, &[], session)?;
    top.fit_from(x, WarmStart::Factors(start.factors), session)
}

/// The accuracy of every finished architecture, by its number of layers.
fn by_depth(results: &Results<'_>) -> Vec<(usize, Vec<f64>)> {
    let mut groups: Vec<(usize, Vec<f64>)> = Vec::new();
    for record in results.records() {
        let Some(ac) = mean_score(record, Scaling::None, Score::Ac) else { continue };
        let depth = record.layers.len();
        match groups.iter_mut().find(|(known, _)| *known == depth) {
            Some((_, values)) => values.push(ac),
            None => groups.push((depth, vec![ac])),
        }
    }
    groups.sort_by_key(|(depth, _)| *depth);
    groups
}

fn two_layers_suffice(groups: &[(usize, Vec<f64>)]) -> Finding {
    let means: Vec<(usize, f64)> = groups
        .iter()
        .filter_map(|(depth, values)| Some((*depth, spread(values).ok()?.mean)))
        .collect();
    let Some((_, two)) = means.iter().find(|(depth, _)| *depth == 2) else {
        return (Verdict::CannotBeTested, "no architecture has two layers".into());
    };
    let better = means.iter().any(|(_, mean)| mean - two > BETTER);
    let told: Vec<String> =
        means.iter().map(|(depth, mean)| format!("{depth}: {:.1}", 100.0 * mean)).collect();
    (Verdict::of(!better), format!("mean AC by number of layers {}", told.join(", ")))
}

fn figure(set: &Set, groups: &[(usize, Vec<f64>)]) -> Figure {
    let shown: Vec<(usize, Vec<f64>)> = groups
        .iter()
        .map(|(depth, values)| (*depth, values.iter().map(|ac| 100.0 * ac).collect()))
        .collect();
    let title = set.title();
    Figure {
        name: format!("layers-{}", slug(&set.facts.name)),
        svg: strip(&title, "layers", "AC in %", &shown),
        caption: format!(
            "{title}: AC by number of layers, a dot an architecture; diamonds are means."
        ),
    }
}

fn table(set: &Set, groups: &[(usize, Vec<f64>)]) -> Table {
    let caption = format!("{}: AC in % by number of layers", set.title());
    let head = ["layers", "architectures", "mean", "deviation", "least", "most"];
    let mut table = Table::new(format!("layers-{}", slug(&set.facts.name)), caption, head);
    for (depth, values) in groups {
        let Ok(all) = spread(values) else { continue };
        let numbers = [Some(all.mean), all.deviation, Some(all.min), Some(all.max)].map(percent);
        table.row([depth.to_string(), values.len().to_string()].into_iter().chain(numbers));
    }
    table
}

#[cfg(test)]
mod tests {
    use deepnmf::DeepSemiNmf;

    use super::*;

    fn draw() -> Draw<'static> {
        Draw { count: 200, depths: &DEPTHS, mean: MEAN_LAYER, last: LAST_LAYER, most: 1024 }
    }

    #[test]
    fn architectures_shrink_to_forty_within_what_the_data_allow() {
        let all = draw().architectures(0);
        assert_eq!(all.len(), 200);
        for depth in DEPTHS {
            assert_eq!(all.iter().filter(|layers| layers.len() == depth).count(), 40);
        }
        for layers in &all {
            assert!(layers.windows(2).all(|pair| pair[0] >= pair[1]), "{layers:?}");
            assert!(layers[0] <= 1024 && layers[layers.len() - 1] == 40, "{layers:?}");
        }
        assert_eq!(all, draw().architectures(0));
        assert_ne!(all, draw().architectures(1));
    }

    #[test]
    fn sizes_are_those_of_an_exponential_cut_at_both_ends() {
        let all = draw().architectures(0);
        let sizes: Vec<f64> =
            all.iter().flat_map(|l| &l[..l.len() - 1]).map(|k| *k as f64).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        // The mean of an exponential of mean 400 between 40 and 1024 is 348.
        assert!((mean - 348.0).abs() < 30.0, "{mean}");
    }

    #[test]
    fn the_closed_form_has_the_top_features_of_the_deep_model() {
        let x = Matrix::from_fn(24, 60, |i, j| {
            1.2 + ((i * 7 + j * 3) as f64).sin()
                + ((i + 2 * j) as f64 * 0.37).cos() * 0.5
                + ((i * j) as f64 * 0.11).sin() * 0.6
        });
        for layers in [vec![5], vec![12, 5], vec![16, 9, 4]] {
            let deep = DeepSemiNmf::new(layers.as_slice()).fit(&x).unwrap();
            let short = top_layer(&x, &layers, &mut FitSession::new()).unwrap();
            let (a, b) = (deep.factors.top_features(), short.factors.top_features());
            let largest = a.as_slice().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let pairs = a.as_slice().iter().zip(b.as_slice());
            let apart = pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(apart <= 1e-9 * largest, "{layers:?}: {apart} of {largest}");
            assert!((deep.summary.error - short.summary.error).abs() < 1e-9);
        }
    }

    #[test]
    fn two_layers_suffice_unless_others_are_clearly_better() {
        let groups = |three: f64| vec![(2, vec![0.70, 0.72]), (3, vec![three, three])];
        assert_eq!(two_layers_suffice(&groups(0.72)).0, Verdict::Holds);
        assert_eq!(two_layers_suffice(&groups(0.74)).0, Verdict::DoesNotHold);
        assert_eq!(two_layers_suffice(&[(3, vec![0.5])]).0, Verdict::CannotBeTested);
    }
}
