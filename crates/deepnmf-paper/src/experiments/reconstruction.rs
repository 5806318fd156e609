//! Table 1: the reconstruction errors of the methods on CMU PIE.

use std::sync::Arc;

use deepnmf::CancelToken;

use super::{Bench, NO_PIE, Results, Study, Told, session};
use crate::cell::Cell;
use crate::error::Result;
use crate::printed::{COMPONENTS, ErrorRow, FIRST_LAYER, RECONSTRUCTION};
use crate::record::{FitFacts, Outcome};
use crate::rules::{Claim, Finding, ROUNDING, Verdict, at_or_below, missing};
use crate::section::{Table, decimals};
use crate::sets::{Role, Set, View};
use crate::time_left::fit_seconds;
use crate::{Experiment, Method};

/// The experiment.
pub(super) struct Reconstruction;

impl Study for Reconstruction {
    fn plan(&self, bench: &mut Bench) -> Result<Vec<Cell>> {
        let quick = bench.is_quick();
        let (components, first): (&[usize], _) =
            if quick { (&[8, 16], 40) } else { (&COMPONENTS, FIRST_LAYER) };
        let mut cells = Vec::new();
        for set in bench.library.sets(Role::Pie, View::Pixels)? {
            for method in RECONSTRUCTION.iter().flat_map(|row| rules(row.method)) {
                for &k in components {
                    let layers = method.layers(first, k);
                    cells.push(Cell {
                        experiment: Experiment::Reconstruction,
                        set: Arc::clone(&set),
                        auxiliary: None,
                        method,
                        expected: fit_seconds(method, set.x.shape(), &layers),
                        layers,
                        seed: 0,
                        repeats: 0,
                    });
                }
            }
        }
        Ok(cells)
    }

    fn run(&self, cell: &Cell, cancel: &CancelToken) -> Result<Outcome> {
        let fitted = cell.method.fit(&cell.set.x, &cell.layers, cell.seed, &mut session(cancel))?;
        Ok(Outcome { fits: vec![FitFacts::of(&fitted)], ..Outcome::default() })
    }

    fn sum_up(&self, results: &Results<'_>) -> Result<Told> {
        let mut told = Told {
            protocol: PROTOCOL.map(Into::into).to_vec(),
            seeds: "seed 0 of every fit; no initialization is random".into(),
            explanations: EXPLANATIONS.map(Into::into).to_vec(),
            ..Told::default()
        };
        let sets = results.sets(Role::Pie, View::Pixels);
        for set in &sets {
            let about = results.about(set);
            told.tables.push(table(set, &about));
            told.claims.extend(claims(set, &about));
        }
        if sets.is_empty() {
            told.claims.push(Claim::untestable("All of Table 1", BELOW, NO_PIE, "CMU PIE"));
        }
        Ok(told)
    }
}

const PROTOCOL: [&str; 2] = [
    "Every method factorizes the 2856 pictures of 32 x 32 pixels of CMU PIE (pose 27), every \
     sample scaled to unit norm, into 20 to 70 components; deep ones have a first layer of 625. As \
     the paper says, a loop ends after 1000 iterations or when the error falls by no more than 1e-6 \
     max(1, error), NMF is initialized by NNDSVD (zeros filled with the mean of the data, because a \
     multiplicative rule never leaves zero), Semi-NMF and Deep Semi-NMF by a singular value \
     decomposition (Gillis & Kumar's optimal initialization), and GNMF has five neighbours. \
     Multi-layer NMF factorizes every layer alone first, in 50 iterations, and then all of them \
     together.",
    "The error is the Frobenius norm of the difference. The caption in the paper squares it, but its \
     numbers are norms: their squares would be far above what even the worst method reaches.",
];

const EXPLANATIONS: [&str; 4] = [
    "Semi-NMF: for non-negative data the best error that any rank allows is known in closed form \
     (Gillis & Kumar 2014), and the initialization used here reaches it. The paper's initialization \
     has one rank less and its multiplicative rule is slow, so its numbers stay up to 11% above the \
     bound.",
    "Deep Semi-NMF: the printed algorithm collapses. After one step the product of all bases is \
     the least-squares basis of the top features, so the top layer is a Semi-NMF of the data that \
     the layers below only initialize. Its error cannot be below that of Semi-NMF, and with the \
     optimal initialization it is not above it either.",
    "NMF, NeNMF and Multi-layer NMF depend on the initialization and the number of iterations.",
    "GNMF also depends on the weight of its graph penalty, which the paper does not print; here it \
     is its authors' 100. With it their multiplicative rule is far from convergence after 1000 \
     iterations: features can shrink and bases grow at no cost to the error, which makes the graph \
     penalty small, and the rule does so slowly. Coordinate descent on the same objective does so \
     faster and ends below all printed errors; a low error of GNMF thus means that its graph \
     penalty has little effect.",
];

const BELOW: &str = "holds if each of our errors is at or below the printed one, rounding aside \
                     (0.005), for every number of components";

/// Theirs, ours and the difference, method by method.
fn table(set: &Set, results: &Results<'_>) -> Table {
    let components = results.components();
    let head = ["method", "whose"].map(str::to_owned);
    let head = head.into_iter().chain(components.iter().map(usize::to_string));
    let caption = format!(
        "Reconstruction error by number of components. Ours: {}. Paper: CMU PIE.",
        set.title()
    );
    let mut table = Table::new(name("reconstruction", set), caption, head);
    let bound = |k: &usize| results.record(Method::SemiNmf, *k)?.outcome.fits.first()?.svd_bound;
    let bounds = components.iter().map(|k| decimals(bound(k), 4));
    table.row(["SVD bound of rank k".into(), "ours".into()].into_iter().chain(bounds));
    for row in RECONSTRUCTION {
        let theirs = |k: &usize| printed(row.method, *k);
        let mut line = |method: Method, whose: &str, number: &dyn Fn(&usize) -> String| {
            let names = [method.label(), whose].map(str::to_owned);
            table.row(names.into_iter().chain(components.iter().map(number)));
        };
        line(row.method, "paper", &|k| decimals(theirs(k), 2));
        for method in rules(row.method) {
            let ours = |k: &usize| error(results, method, *k);
            let difference = |k: &usize| Some(ours(k)? - theirs(k)?);
            line(method, "ours", &|k| decimals(ours(k), 4));
            line(method, "difference", &|k| decimals(difference(k), 2));
        }
    }
    table
}

fn name(what: &str, set: &Set) -> String {
    format!("{what}-{}", crate::section::slug(&set.facts.name))
}

/// By which rules a row of the paper's table is computed here; the last one counts.
fn rules(method: Method) -> Vec<Method> {
    match method {
        Method::Gnmf => vec![Method::Gnmf, Method::GnmfDescent],
        other => vec![other],
    }
}

fn printed(method: Method, k: usize) -> Option<f64> {
    let place = COMPONENTS.iter().position(|known| *known == k)?;
    RECONSTRUCTION.iter().find(|row| row.method == method).map(|row| row.errors[place])
}

fn error(results: &Results<'_>, method: Method, k: usize) -> Option<f64> {
    results.record(method, k)?.outcome.fits.first().map(|fit| fit.error)
}

fn claims(set: &Set, results: &Results<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    let rules = |row: ErrorRow| rules(row.method).into_iter().map(move |rule| (row, rule));
    for (row, method) in RECONSTRUCTION.into_iter().flat_map(rules) {
        let claim = format!("Table 1, {method}: the printed errors can be reached");
        let about = results.by(method);
        let pairs: Vec<(f64, f64)> = about
            .components()
            .into_iter()
            .filter_map(|k| Some((error(results, method, k)?, printed(row.method, k)?)))
            .collect();
        let finding = complete(&about, || at_or_below(&pairs));
        claims.push(Claim::paper(&claim, BELOW, finding, &set.facts));
    }
    let non_negative = [Method::Nmf, Method::NeNmf, Method::Gnmf, Method::MultilayerNmf];
    claims.push(Claim::paper(
        "Semi-NMF reaches a much lower reconstruction error than the other methods consistently",
        "holds if its error is below those of NMF, NeNMF, GNMF and Multi-layer NMF for every number \
         of components",
        complete(results, || ordered(results, &[Method::SemiNmf], &non_negative)),
        &set.facts,
    ));
    claims.push(Claim::paper(
        "Deep Semi-NMF models do not have a significantly lower error than Semi-NMF, although they \
         have more factors",
        "holds if the error of Deep Semi-NMF is nowhere below that of Semi-NMF by more than 0.005",
        complete(results, || nowhere_below(results)),
        &set.facts,
    ));
    claims.push(Claim::paper(
        "Multi-layer NMF and GNMF have a larger error than NMF",
        "holds if the errors of both are above that of NMF for every number of components",
        complete(results, || {
            ordered(results, &[Method::Nmf], &[Method::Gnmf, Method::MultilayerNmf])
        }),
        &set.facts,
    ));
    claims
}

/// A finding once all cells are there.
fn complete(results: &Results<'_>, finding: impl FnOnce() -> Finding) -> Finding {
    if results.is_complete() { finding() } else { missing(results.done(), results.total()) }
}

/// Whether the first methods are below the others for every number of components.
fn ordered(results: &Results<'_>, below: &[Method], above: &[Method]) -> Finding {
    let mut counter = Vec::new();
    for k in results.components() {
        for (low, high) in below.iter().flat_map(|low| above.iter().map(move |high| (low, high))) {
            let errors = error(results, *low, k).zip(error(results, *high, k));
            if let Some((a, b)) = errors.filter(|(a, b)| a >= b) {
                counter.push(format!("{k} components: {low} {a:.3}, {high} {b:.3}"));
            }
        }
    }
    let found = if counter.is_empty() { "it is, everywhere".into() } else { counter.join("; ") };
    (Verdict::of(counter.is_empty()), found)
}

fn nowhere_below(results: &Results<'_>) -> Finding {
    let differences: Vec<f64> = results
        .components()
        .into_iter()
        .filter_map(|k| {
            Some(error(results, Method::DeepLinear, k)? - error(results, Method::SemiNmf, k)?)
        })
        .collect();
    let least = differences.iter().copied().fold(f64::INFINITY, f64::min);
    let most = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let found = format!("Deep Semi-NMF less Semi-NMF is between {least:.4} and {most:.4}");
    (Verdict::of(least >= -ROUNDING), found)
}
