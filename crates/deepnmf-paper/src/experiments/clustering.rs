//! The four figures of clustering accuracy: XM2VTS and CMU PIE, pixels and gradient orientations.

use std::sync::Arc;

use deepnmf::CancelToken;
use deepnmf_eval::Scaling;
use deepnmf_eval::stats::{PairedTest, Verdict as TestVerdict};

use super::judge::{Score, Seen, cluster_features, series};
use super::{Bench, NO_PIE, Results, Study, Told, session, unique};
use crate::cell::Cell;
use crate::error::Result;
use crate::exhibit::Exhibit;
use crate::figures::lines;
use crate::printed::{COMPONENTS, FIRST_LAYER};
use crate::record::{FitFacts, Outcome};
use crate::rules::{Above, Claim, Finding, Verdict, above_all, compared, missing, told_chance};
use crate::section::{Figure, Table, slug};
use crate::sets::{Role, Set, View};
use crate::time_left::{fit_seconds, kmeans_seconds};
use crate::{Experiment, Method};

/// The experiment.
pub(super) struct Clustering;

/// The figures, in the paper's order.
const FIGURES: [(Role, View); 4] = [
    (Role::Xm2vts, View::Pixels),
    (Role::Pie, View::Pixels),
    (Role::Xm2vts, View::Igo),
    (Role::Pie, View::Igo),
];

/// The methods on data without negative numbers, those that are not in the paper last.
const ON_PIXELS: [Method; 10] = [
    Method::Nmf,
    Method::NeNmf,
    Method::Gnmf,
    Method::MultilayerNmf,
    Method::SemiNmf,
    Method::DeepLinear,
    Method::DeepStanh,
    Method::DeepSquare,
    Method::WhitenedPca,
    Method::DeepNeighbours,
];

/// The methods on data of any sign.
const ON_IGO: [Method; 6] = [
    Method::SemiNmf,
    Method::DeepLinear,
    Method::DeepStanh,
    Method::DeepSquare,
    Method::WhitenedPca,
    Method::DeepNeighbours,
];

/// The paper's proposals.
const PROPOSED: [Method; 3] = [Method::DeepLinear, Method::DeepStanh, Method::DeepSquare];

/// What the paper lacks; the others are what it compares its proposals with.
const NOT_IN_THE_PAPER: [Method; 2] = [Method::WhitenedPca, Method::DeepNeighbours];

/// The features as they are, which is the protocol, and with every sample at norm 1, which is not.
const SCALINGS: [Scaling; 2] = [Scaling::None, Scaling::UnitSamples];

impl Study for Clustering {
    fn plan(&self, bench: &mut Bench) -> Result<Vec<Cell>> {
        let repeats = bench.repeats(10, 2);
        let (components, first): (&[usize], _) =
            if bench.is_quick() { (&[8, 16], 40) } else { (&COMPONENTS, FIRST_LAYER) };
        let mut cells = Vec::new();
        for (role, view) in FIGURES {
            let methods: &[Method] = if view == View::Igo { &ON_IGO } else { &ON_PIXELS };
            for set in bench.library.sets(role, view)? {
                let (p, n) = set.x.shape();
                let people = set.labels("identity")?.classes().len();
                for (&method, &k) in
                    methods.iter().flat_map(|m| components.iter().map(move |k| (m, k)))
                {
                    let layers = method.layers(first.min(p).min(n), k);
                    let judging = kmeans_seconds((k, n), people, repeats * SCALINGS.len());
                    cells.push(Cell {
                        experiment: Experiment::Clustering,
                        set: Arc::clone(&set),
                        auxiliary: None,
                        method,
                        expected: fit_seconds(method, (p, n), &layers) + judging,
                        layers,
                        seed: 0,
                        repeats,
                    });
                }
            }
        }
        Ok(cells)
    }

    fn run(&self, cell: &Cell, cancel: &CancelToken) -> Result<Outcome> {
        let fitted = cell.method.fit(&cell.set.x, &cell.layers, cell.seed, &mut session(cancel))?;
        let features = fitted.factors.top_features();
        let clusterings = cluster_features(&cell.set, features, &SCALINGS, cell.repeats, cancel)?;
        Ok(Outcome { fits: vec![FitFacts::of(&fitted)], clusterings, ..Outcome::default() })
    }

    fn sum_up(&self, results: &Results<'_>) -> Result<Told> {
        let mut told = Told {
            protocol: PROTOCOL.map(Into::into).to_vec(),
            seeds: results.seeds_of_clusterings(),
            explanations: EXPLANATIONS.map(Into::into).to_vec(),
            ..Told::default()
        };
        for (role, view) in FIGURES {
            let sets = results.sets(role, view);
            if sets.is_empty() {
                told.claims.push(Claim::untestable(BEST, BEST_RULE, NO_PIE, "CMU PIE"));
            }
            for set in sets {
                let about = results.about(set);
                for scaling in SCALINGS {
                    for score in Score::BOTH {
                        let seen = Seen { scaling, score };
                        told.figures.push(figure(set, &about, seen));
                        told.tables.push(table(set, &about, seen));
                    }
                    told.tables.push(tests(set, &about, scaling)?);
                }
                told.claims.extend(claims(set, &about)?);
            }
        }
        told.claims.extend(claims_on_igo(results));
        Ok(told)
    }

    /// The linear deep model of every set of pixels, with as many components as lie in the middle.
    fn exhibited<'c>(&self, cells: &'c [Cell]) -> Vec<&'c Cell> {
        let mut components: Vec<usize> = unique(cells.iter().map(Cell::components));
        components.sort_unstable();
        let middle = components.get(components.len() / 2);
        let wanted = |cell: &&Cell| {
            cell.method == Method::DeepLinear
                && cell.set.view == View::Pixels
                && middle == Some(&cell.components())
        };
        cells.iter().filter(wanted).collect()
    }

    fn exhibit(&self, cell: &Cell, cancel: &CancelToken) -> Result<Option<Exhibit>> {
        let model = cell.method.fit(&cell.set.x, &cell.layers, cell.seed, &mut session(cancel))?;
        Ok(Some(Exhibit::new(model, cell.set.data(), &[])?))
    }
}

const PROTOCOL: [&str; 4] = [
    "Features of the top layer are clustered by k-means into as many clusters as there are people; \
     AC is the accuracy after the best pairing of clusters with people, NMI the normalised mutual \
     information. Deep models have layers 625-a with a = 20 to 70. In brackets: the area under the \
     curve over the components, divided by its range.",
    "Pixels: every sample has unit norm. IGO: cosine and sine of the orientation of the gradient at \
     every pixel, which methods without negative numbers cannot take.",
    "Every method has the settings of the reconstruction table, and nonlinear models 150 \
     iterations of L-BFGS with variable projection. All initializations are deterministic, so a \
     method is fitted once for each number of components and the repeats differ by the seed of \
     k-means alone. k-means takes the best of ten starts and then swaps centroids until ten swaps \
     bring no gain. A paired t-test compares two methods over all pairs of equal components and \
     seed, as the paper seems to do. Ten pairs share the same two fits, so such a test says little \
     more than that k-means was not lucky; beside it stands a test over fits, which has one pair \
     for each number of components.",
    "The paper's protocol takes the features as they are. The same with every sample of the \
     features scaled to unit norm is not the paper's and is marked as such. Whitened PCA is not in \
     the paper; it is the baseline. Nor is the linear deep model with neighbours, whose top layer draws \
     samples to those of their five nearest in the layer below that have them among theirs.",
];

const EXPLANATIONS: [&str; 6] = [
    "The linear deep model collapses to a Semi-NMF of its top layer (see the reconstruction \
     table), so it can differ from Semi-NMF only by its initialization. The paper compares models \
     with different initializations that were stopped before they converged.",
    "The paper's Semi-NMF comes from an initialization of one rank less and a slow multiplicative \
     rule; the closed-form optimum used here clusters better, and leaves less for depth to gain.",
    "What depth can gain comes with a nonlinearity: it adds directions that no linear model of the \
     same size has, above all with few components. Which nonlinearity helps depends on the data: \
     squares suit the orientations of PIE, stanh its pixels, and each can be worse where the other \
     is better.",
    "Orientations of drawn faces are worse than their pixels for every method: where a drawn face \
     is flat, the added noise determines the orientation, and most of a drawn face is flat. XM2VTS, \
     which they stand in for, consists of photographs.",
    "Scaling matters as much as the method: k-means uses distances, and where one factor carries \
     the scale of the components, a few of them dominate. That is why results for unit samples are \
     shown as well.",
    "Whitened PCA gives all directions the same weight, which is most of what the good methods do as \
     well. The paper has no such baseline.",
];

const BEST: &str = "Deep Semi-NMF significantly outperforms every method it is compared with";
const BEST_RULE: &str = "holds if the mean AC over all components and seeds is above that of every \
                         method of the paper's comparison, each with p < 0.01 in a paired t-test";

/// The one case for which the paper claims no significance.
const BEST_IGO_ON_PIE: &str = "Deep Semi-NMF outperforms Semi-NMF";
const BEST_IGO_ON_PIE_RULE: &str = "holds if the mean AC over all components and seeds is above that \
                                    of Semi-NMF; the paper claims no significance in this case";

fn told_scaling(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::None => "features as they are",
        _ => "features of unit norm, which is not the paper's protocol",
    }
}

fn name(what: &str, set: &Set, scaling: Scaling) -> String {
    let scaling = if scaling == Scaling::None { "" } else { "-unit" };
    format!("clustering-{}-{what}{scaling}", slug(&set.facts.name))
}

fn figure(set: &Set, results: &Results<'_>, seen: Seen) -> Figure {
    let (title, score) = (set.title(), seen.score.name());
    let all = seen.lines(results);
    Figure {
        name: name(&score.to_lowercase(), set, seen.scaling),
        svg: lines(&title, "components", &format!("{score} in %"), &all),
        caption: format!(
            "{title}: {score} of k-means by number of components, {}. In brackets the area under the \
             curve.",
            told_scaling(seen.scaling)
        ),
    }
}

fn table(set: &Set, results: &Results<'_>, seen: Seen) -> Table {
    let score = seen.score.name();
    let caption = format!(
        "{}: {score} in %, mean over seeds of k-means, by number of components; {}. The paper prints no \
         numbers of this figure in its text.",
        set.title(),
        told_scaling(seen.scaling)
    );
    seen.table(results, name(&score.to_lowercase(), set, seen.scaling), caption)
}

/// Every proposed method against every other.
fn tests(set: &Set, results: &Results<'_>, scaling: Scaling) -> Result<Table> {
    let caption = format!(
        "{}: paired t-tests on AC over components and seeds, {}; the difference is in points.",
        set.title(),
        told_scaling(scaling)
    );
    let head =
        ["method", "against", "difference", "pairs", "chance", "effect size", "chance over fits"];
    let mut table = Table::new(name("t-tests", set, scaling), caption, head);
    table.aside = true;
    for proposed in PROPOSED {
        for rival in results.methods().into_iter().filter(|m| *m != proposed) {
            let first = series(results, proposed, scaling, Score::Ac);
            let second = series(results, rival, scaling, Score::Ac);
            if first.values.len() < 2 || first.values.len() != second.values.len() {
                continue;
            }
            let (test, over_fits) = first.tested(&second)?;
            let difference = format!("{:+.1}", 100.0 * test.mean_difference);
            let pairs = test.pairs.to_string();
            let over_fits = over_fits.map_or("-".into(), |test| told_chance(&test));
            let [p, effect] = [told_chance(&test), effect_size(&test)];
            table.row([first.name, second.name, difference, pairs, p, effect, over_fits]);
        }
    }
    Ok(table)
}

fn effect_size(test: &PairedTest) -> String {
    match test.verdict {
        TestVerdict::Tested { effect_size, .. } => format!("{effect_size:.2}"),
        _ => "-".into(),
    }
}

fn claims(set: &Set, results: &Results<'_>) -> Result<Vec<Claim>> {
    let others = |m: &Method| !PROPOSED.contains(m) && !NOT_IN_THE_PAPER.contains(m);
    let papers: Vec<Method> = results.methods().into_iter().filter(others).collect();
    let all = |methods: &[Method], scaling| {
        methods.iter().map(|m| series(results, *m, scaling, Score::Ac)).collect::<Vec<_>>()
    };
    let (best, rule, above) = match (set.role, set.view) {
        (Role::Pie, View::Igo) => (BEST_IGO_ON_PIE, BEST_IGO_ON_PIE_RULE, Above::Mean),
        _ => (BEST, BEST_RULE, Above::Significantly),
    };
    let mut claims = Vec::new();
    for proposed in PROPOSED {
        for scaling in SCALINGS {
            let candidate = series(results, proposed, scaling, Score::Ac);
            let finding = if results.is_complete() {
                compared(&candidate, &all(&papers, scaling), above)?
            } else {
                missing(results.done(), results.total())
            };
            let claim = match proposed {
                Method::DeepLinear => format!("{best} (linear)"),
                other => format!("{best} ({})", other.activation()),
            };
            claims.push(if scaling == Scaling::None {
                Claim::paper(&claim, rule, finding, &set.facts)
            } else {
                let claim = format!("{claim}, features of unit norm");
                Claim::ours(&claim, rule, finding, &set.facts)
            });
        }
    }
    claims.extend(claims_on_whitened_pca(set, results)?);
    claims.push(claim_on_neighbours(set, results)?);
    Ok(claims)
}

/// Do neighbours help where the paper's models do not?
fn claim_on_neighbours(set: &Set, results: &Results<'_>) -> Result<Claim> {
    let rule = "holds if the mean AC over all components and seeds, features as they are, is above that of \
                whitened PCA with unit samples, the better of its two scalings on most sets, with p < 0.01 in a \
                paired t-test";
    let candidate = series(results, Method::DeepNeighbours, Scaling::None, Score::Ac);
    let baseline = series(results, Method::WhitenedPca, Scaling::UnitSamples, Score::Ac);
    let finding = if results.is_complete() {
        above_all(&candidate, &[baseline])?
    } else {
        missing(results.done(), results.total())
    };
    let claim = "Neighbours in the layer below make the linear deep model better than whitened PCA";
    Ok(Claim::ours(claim, rule, finding, &set.facts))
}

/// The baseline that the paper lacks.
fn claims_on_whitened_pca(set: &Set, results: &Results<'_>) -> Result<Vec<Claim>> {
    let rule = "holds if the mean AC of any of the three deep models over all components and seeds \
                is above that of whitened PCA, with p < 0.01 in a paired t-test";
    let one = |scaling: Scaling| {
        let baseline = [series(results, Method::WhitenedPca, scaling, Score::Ac)];
        let findings = PROPOSED
            .iter()
            .map(|m| above_all(&series(results, *m, scaling, Score::Ac), &baseline))
            .collect::<Result<Vec<Finding>>>()?;
        let finding = if results.is_complete() {
            let any = findings.iter().any(|(verdict, _)| *verdict == Verdict::Holds);
            let evidence: Vec<String> = findings.into_iter().map(|(_, told)| told).collect();
            (Verdict::of(any), evidence.join(" / "))
        } else {
            missing(results.done(), results.total())
        };
        let claim = format!("A deep model beats whitened PCA, {}", told_scaling(scaling));
        Ok(Claim::ours(&claim, rule, finding, &set.facts))
    };
    SCALINGS.into_iter().map(one).collect()
}

/// Do gradient orientations help?
fn claims_on_igo(results: &Results<'_>) -> Vec<Claim> {
    let rule = "holds if the mean AC over all components and seeds is higher with IGO than with \
                pixels, for Semi-NMF and all three deep models";
    let mut claims = Vec::new();
    for role in [Role::Xm2vts, Role::Pie] {
        let pairs = results.sets(role, View::Pixels).into_iter().zip(results.sets(role, View::Igo));
        for (pixels, igo) in pairs {
            let (on_pixels, on_igo) = (results.about(pixels), results.about(igo));
            let mean = |about: &Results<'_>, m| series(about, m, Scaling::None, Score::Ac).mean();
            let methods = [&[Method::SemiNmf][..], &PROPOSED].concat();
            let told = methods.iter().map(|m| {
                let (before, after) = (mean(&on_pixels, *m), mean(&on_igo, *m));
                (after > before, format!("{m} {:.1} to {:.1}", 100.0 * before, 100.0 * after))
            });
            let (better, told): (Vec<bool>, Vec<String>) = told.unzip();
            let finding = if on_pixels.is_complete() && on_igo.is_complete() {
                (Verdict::of(better.iter().all(|b| *b)), told.join("; "))
            } else {
                missing(results.done(), results.total())
            };
            let claim = "Gradient orientations improve the clustering accuracy considerably";
            claims.push(Claim::paper(claim, rule, finding, &igo.facts));
        }
    }
    claims
}
