//! Supervised pre-training: bases learnt from labels of other faces initialize a fit without labels.

use std::sync::Arc;

use deepnmf::{CancelToken, DeepSemiNmf, DeepWsf, Variant};
use deepnmf_eval::Scaling;

use super::judge::{Score, Seen, cluster_features, series};
use super::{Bench, NO_PIE, Results, Study, Told, session};
use crate::cell::Cell;
use crate::error::Result;
use crate::figures::lines;
use crate::printed::{COMPONENTS, FIRST_LAYER, PRETRAINING_LAMBDA};
use crate::record::{FitFacts, Outcome};
use crate::rules::{Claim, Finding, Verdict, above_all, missing};
use crate::section::{Figure, Table};
use crate::sets::{Role, Set, View};
use crate::time_left::{fit_seconds, kmeans_seconds};
use crate::{Experiment, Method};

/// The experiment.
pub(super) struct Pretraining;

/// The features as they are, which is the protocol, and whitened, which is not: whatever an
/// invertible linear map does to features, whitening undoes.
const SCALINGS: [Scaling; 2] = [Scaling::None, Scaling::Whitened];

/// Without and with pre-training.
const METHODS: [Method; 2] = [Method::DeepLinear, Method::DeepPretrained];

impl Study for Pretraining {
    fn plan(&self, bench: &mut Bench) -> Result<Vec<Cell>> {
        let repeats = bench.repeats(10, 2);
        let (components, first): (&[usize], _) =
            if bench.is_quick() { (&[8, 16], 40) } else { (&COMPONENTS, FIRST_LAYER) };
        let mut cells = Vec::new();
        let auxiliary = bench.library.sets(Role::Xm2vts, View::PixelsAsPie)?;
        for (set, auxiliary) in bench.library.sets(Role::Pie, View::Pixels)?.iter().zip(&auxiliary)
        {
            let (p, n) = set.x.shape();
            let first = first.min(p).min(n).min(auxiliary.x.cols());
            let people = set.labels("identity")?.classes().len();
            for (method, &k) in METHODS.iter().flat_map(|m| components.iter().map(move |k| (m, k)))
            {
                let layers = vec![first, k];
                let judging = kmeans_seconds((k, n), people, repeats * SCALINGS.len());
                cells.push(Cell {
                    experiment: Experiment::Pretraining,
                    set: Arc::clone(set),
                    auxiliary: (*method == Method::DeepPretrained).then(|| Arc::clone(auxiliary)),
                    method: *method,
                    expected: fit_seconds(*method, (p, n), &layers) + judging,
                    layers,
                    seed: 0,
                    repeats,
                });
            }
        }
        Ok(cells)
    }

    fn run(&self, cell: &Cell, cancel: &CancelToken) -> Result<Outcome> {
        let x = &cell.set.x;
        let mut session = session(cancel);
        let (fits, fitted) = match &cell.auxiliary {
            None => {
                let fitted = cell.method.fit(x, &cell.layers, cell.seed, &mut session)?;
                (vec![FitFacts::of(&fitted)], fitted)
            }
            Some(auxiliary) => {
                let labels = auxiliary.labels("identity")?.codes();
                let (first, fitted) = DeepWsf::new(cell.layers.as_slice(), LAMBDA)
                    .variant(Variant::Printed)
                    .fit_then(
                        &auxiliary.x,
                        &[None, Some(labels)],
                        &DeepSemiNmf::new(cell.layers.as_slice()),
                        x,
                        &mut session,
                    )?;
                (vec![FitFacts::of(&first), FitFacts::of(&fitted)], fitted)
            }
        };
        let features = fitted.factors.top_features();
        let clusterings = cluster_features(&cell.set, features, &SCALINGS, cell.repeats, cancel)?;
        Ok(Outcome { fits, clusterings, ..Outcome::default() })
    }

    fn sum_up(&self, results: &Results<'_>) -> Result<Told> {
        let mut told = Told {
            protocol: PROTOCOL.map(Into::into).to_vec(),
            seeds: results.seeds_of_clusterings(),
            explanations: EXPLANATIONS.map(Into::into).to_vec(),
            ..Told::default()
        };
        let sets = results.sets(Role::Pie, View::Pixels);
        if sets.is_empty() {
            told.claims.push(Claim::untestable(BETTER, BETTER_RULE, NO_PIE, "CMU PIE"));
        }
        for set in sets {
            let about = results.about(set);
            let title = title(set, &about);
            for scaling in SCALINGS {
                told.figures.push(figure(&title, &about, scaling));
                told.tables.push(table(&title, &about, scaling));
                told.claims.push(claim(set, &about, scaling)?);
            }
        }
        Ok(told)
    }
}

/// The weights of the graph penalty, layer by layer.
const LAMBDA: [f64; 2] = [0.0, PRETRAINING_LAMBDA];

const PROTOCOL: [&str; 2] = [
    "A linear Deep WSF with layers 625-a and weights 0 and 0.01 learns from the identities of \
     auxiliary faces at 32 x 32 pixels (the paper: XM2VTS); its bases initialize an unsupervised \
     Deep Semi-NMF of the same layers on CMU PIE, whose features are first projected onto them. The \
     paper splits the auxiliary set into training and validation to choose weights; it prints them, \
     so all of the set is for training here.",
    "Beside it the same Deep Semi-NMF without pre-training. Features of the top layer are \
     clustered as in the clustering figures, as they are and, which is not the paper's protocol, \
     whitened.",
];

const EXPLANATIONS: [&str; 2] = [
    "Fine-tuning a linear model is Semi-NMF with another initialization (see the reconstruction \
     table), and both models end at the SVD bound of their rank. Their features then span the same \
     space and differ by an invertible linear map alone. That map changes distances, and with them \
     k-means; whitening removes it, and both then cluster alike.",
    "What the labels of other people teach about these is thus only in the scale of the features, \
     not in the space that they span.",
];

const BETTER: &str = "All models with supervised pre-training outperform the ones without";
const BETTER_RULE: &str = "holds if the mean AC with pre-training is above that without for every \
                           number of components, and over all components and seeds with p < 0.01 in a \
                           paired t-test";

/// What is clustered after learning from what.
fn title(set: &Set, results: &Results<'_>) -> String {
    let auxiliary = results.all_sets().into_iter().find(|known| known.role == Role::Xm2vts);
    let auxiliary = auxiliary.map_or("nothing yet".into(), |set| set.title());
    format!("{} after {auxiliary}", set.title())
}

/// The name of a file.
fn name(scaling: Scaling) -> String {
    format!("pretraining-ac{}", if scaling == Scaling::None { "" } else { "-whitened" })
}

fn told_scaling(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::None => "features as they are",
        _ => "whitened features, which is not the paper's protocol",
    }
}

fn figure(title: &str, results: &Results<'_>, scaling: Scaling) -> Figure {
    let all = Seen { scaling, score: Score::Ac }.lines(results);
    Figure {
        name: name(scaling),
        svg: lines(title, "components", "AC in %", &all),
        caption: format!(
            "{title}: AC with and without supervised pre-training, {}.",
            told_scaling(scaling)
        ),
    }
}

fn table(title: &str, results: &Results<'_>, scaling: Scaling) -> Table {
    let caption = format!(
        "{title}: AC in %, mean over seeds of k-means, {}. The paper prints no numbers of this figure \
         in its text.",
        told_scaling(scaling)
    );
    Seen { scaling, score: Score::Ac }.table(results, name(scaling), caption)
}

fn claim(set: &Arc<Set>, results: &Results<'_>, scaling: Scaling) -> Result<Claim> {
    let finding = if results.is_complete() {
        outperforms(results, scaling)?
    } else {
        missing(results.done(), results.total())
    };
    let mut claim = if scaling == Scaling::None {
        Claim::paper(BETTER, BETTER_RULE, finding, &set.facts)
    } else {
        let better = format!("{BETTER}, features whitened");
        Claim::ours(&better, BETTER_RULE, finding, &set.facts)
    };
    let auxiliary = results.all_sets().into_iter().find(|known| known.role == Role::Xm2vts);
    if let Some(auxiliary) = auxiliary {
        claim.data = title(set, results);
        // A claim about two sets is tested only where both are the paper's.
        claim.stand_in_for = claim.stand_in_for.or(auxiliary.facts.stand_in_for.clone());
    }
    Ok(claim)
}

fn outperforms(results: &Results<'_>, scaling: Scaling) -> Result<Finding> {
    let [without, with] = METHODS;
    let everywhere = Seen { scaling, score: Score::Ac }.is_above(results, with, without);
    let [without, with] = METHODS.map(|m| series(results, m, scaling, Score::Ac));
    let (verdict, evidence) = above_all(&with, &[without])?;
    let place = if everywhere { "above everywhere" } else { "not above everywhere" };
    Ok((Verdict::of(everywhere && verdict == Verdict::Holds), format!("{evidence}; {place}")))
}
