//! What was found, in plain words, and no stronger than the numbers allow.

use deepnmf_eval::metrics::nmi;
use serde::Serialize;

use crate::attributes::Known;
use crate::content::Fit;
use crate::features::Part;
use crate::scores::{Cell, Measure};

/// From which lift on clusters are said to match an attribute, and to do so clearly.
const MATCHES: f32 = 0.25;
const CLEARLY: f32 = 0.6;
/// Below this lift clusters are said to match no attribute.
const WEAKLY: f32 = 0.08;

/// Below the first, the mutual information of two parts is said to be none; below the second, little.
const INDEPENDENT: f64 = 0.1;
const DEPENDENT: f64 = 0.3;

/// The page in sentences.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Words {
    /// The answer in one sentence: which attribute each layer predicts best.
    pub headline: String,
    /// What the data are.
    pub data: String,
    /// What the model is.
    pub model: String,
    /// How good the fit is.
    pub quality: String,
    /// A sentence for every layer.
    pub layers: Vec<String>,
    /// A sentence for every attribute that layers are evaluated by.
    pub attributes: Vec<String>,
    /// A sentence for every attribute that the model has learnt to predict.
    pub predictions: Vec<String>,
    /// What topics there are, and how good they are, for every layer.
    pub topics: Vec<String>,
    /// What parts of an additive model make up, and how independent they are.
    pub parts: Vec<String>,
}

/// Facts that sentences are made of.
pub(crate) struct Facts<'a> {
    pub(crate) samples: usize,
    pub(crate) features: usize,
    pub(crate) picture: Option<(usize, usize)>,
    pub(crate) known: &'a [Known],
    pub(crate) model: &'a str,
    pub(crate) preprocessing: &'a str,
    pub(crate) nonlinear: bool,
    pub(crate) components: Vec<usize>,
    /// The parts of an additive model; of others none.
    pub(crate) parts: Vec<&'a Part>,
    pub(crate) fit: &'a Fit,
    pub(crate) cells: &'a [Cell],
}

impl Facts<'_> {
    pub(crate) fn words(&self) -> Words {
        Words {
            headline: self.headline(),
            data: self.data(),
            model: self.model(),
            quality: self.quality(),
            layers: (0..self.components.len()).map(|layer| self.layer(layer)).collect(),
            attributes: self.usable().map(|(attribute, _)| self.attribute(attribute)).collect(),
            predictions: vec![],
            topics: vec![],
            parts: self.parts(),
        }
    }

    /// What stands side by side.
    fn noun(&self) -> &'static str {
        if self.parts.is_empty() { "layer" } else { "part" }
    }

    fn parts(&self) -> Vec<String> {
        let shares = self.parts.iter().enumerate().map(|(i, part)| {
            format!(
                "Part {} has {}; {} of the scatter of the samples is between them.",
                i + 1,
                counted(self.components[i], "cluster"),
                percent(part.share)
            )
        });
        let mut sentences: Vec<String> = shares.collect();
        for (i, one) in self.parts.iter().enumerate() {
            for (j, other) in self.parts.iter().enumerate().skip(i + 1) {
                let Ok(shared) = nmi(&one.clusters, &other.clusters) else { continue };
                let judgement = match shared {
                    shared if shared < INDEPENDENT => "they are as good as independent",
                    shared if shared < DEPENDENT => "they share a little",
                    _ => "they share much: one may be a part too many, or an attribute is no sum",
                };
                sentences.push(format!(
                    "Parts {} and {} have {} mutual information: {judgement}.",
                    i + 1,
                    j + 1,
                    percent(shared)
                ));
            }
        }
        sentences
    }

    fn usable(&self) -> impl Iterator<Item = (usize, &Known)> {
        self.known.iter().enumerate().filter(|(_, known)| known.usable)
    }

    fn data(&self) -> String {
        let kind = match self.picture {
            Some((width, height)) => format!("pictures of {width} × {height} pixels"),
            None => format!("samples of {}", counted(self.features, "feature")),
        };
        let known: Vec<String> = self
            .usable()
            .map(|(_, known)| format!("{} ({})", known.name, known.classes.len()))
            .collect();
        let labels = if known.is_empty() {
            "without labels to evaluate by".to_owned()
        } else {
            format!("labelled by {}", listed(&known))
        };
        format!("{} {kind}, {labels}.", grouped(self.samples))
    }

    fn model(&self) -> String {
        let sizes: Vec<String> = self.components.iter().map(|k| grouped(*k)).collect();
        let layers = match self.components.as_slice() {
            many if !self.parts.is_empty() => {
                format!("a sum of {} parts of {} clusters", many.len(), listed(&sizes))
            }
            [k] => format!("one layer of {}", counted(*k, "component")),
            many => format!("{} layers of {} components", many.len(), listed(&sizes)),
        };
        let between = if self.nonlinear { ", with a nonlinearity between them" } else { "" };
        let first = match self.preprocessing {
            "none" => String::new(),
            "unit" => "; every sample was scaled to unit norm first".to_owned(),
            steps => format!("; samples were preprocessed by {steps} first"),
        };
        format!("{}, {layers}{between}{first}.", name(self.model))
    }

    fn quality(&self) -> String {
        let all: usize = self.components.iter().sum();
        let rank = if self.parts.is_empty() { self.components.last().copied() } else { Some(all) };
        let rank = rank.unwrap_or(0);
        let error = format!(
            "The reconstruction error is {} of {}",
            percent(self.fit.relative_error),
            self.fit.relative_to
        );
        let Some(gap) = self.fit.gap else { return format!("{error}.") };
        let bound = format!(
            "the SVD bound, the least that any linear model with {} can reach",
            counted(rank, "component")
        );
        if gap < -1e-9 {
            return format!("{error}, {} below {bound}: the nonlinearity helps.", percent(-gap));
        }
        let judgement = match gap {
            gap if gap < 1e-3 => "there is practically nothing left to gain at this size",
            gap if gap < 0.05 => "close to the best possible at this size",
            _ => "the constraints of the model cost this much, or the fit could go on",
        };
        format!("{error}, {} above {bound}: {judgement}.", percent(gap))
    }

    /// The attribute that the clusters of a layer match best.
    fn best_of_layer(&self, layer: usize) -> Option<&Cell> {
        best(self.cells.iter().filter(|cell| cell.layer == layer), |cell| Some(cell.ac))
    }

    fn layer(&self, layer: usize) -> String {
        let of = if self.parts.is_empty() { "component" } else { "cluster" };
        let name = capital(self.noun());
        let start = format!("{name} {} ({})", layer + 1, counted(self.components[layer], of));
        let Some(cell) = self.best_of_layer(layer) else {
            return format!("{start}: no labels are known to compare its clusters with.");
        };
        let attribute = &self.known[cell.attribute].name;
        let score = beside_chance("AC", cell.ac);
        match cell.ac.lift() {
            lift if lift >= CLEARLY => format!("{start} clearly predicts {attribute}: {score}."),
            lift if lift >= MATCHES => format!("{start} predicts {attribute}: {score}."),
            lift if lift >= WEAKLY => format!("{start} weakly predicts {attribute}: {score}."),
            _ => format!(
                "{start} has clusters that match no known attribute; the best is {attribute}, {score}."
            ),
        }
    }

    fn attribute(&self, attribute: usize) -> String {
        let (known, noun) = (&self.known[attribute], self.noun());
        let cells = || self.cells.iter().filter(|cell| cell.attribute == attribute);
        let start = format!("{} ({} classes)", known.name, known.classes.len());
        let Some(found) = best(cells(), |cell| Some(cell.ac)) else { return format!("{start}.") };
        let score = beside_chance("AC", found.ac);
        let clusters = match found.ac.lift() {
            lift if lift >= MATCHES => {
                format!("clusters of {noun} {} match it, {score}", found.layer + 1)
            }
            lift if lift >= WEAKLY => {
                format!("clusters hardly match it, best in {noun} {}, {score}", found.layer + 1)
            }
            _ => format!("no {noun}'s clusters match it, {score} at best"),
        };
        let top = best(cells(), |cell| cell.svm).and_then(|cell| Some((cell.layer, cell.svm?)));
        let classifier = match top {
            None => String::new(),
            Some((layer, svm)) if svm.lift() >= MATCHES => format!(
                "; a linear classifier predicts it from {noun} {} with {} (chance {})",
                layer + 1,
                percent(svm.value.into()),
                percent(svm.chance.into())
            ),
            Some(_) => format!("; a linear classifier hardly predicts it from any {noun}"),
        };
        format!("{start}: {clusters}{classifier}.")
    }

    /// Layers that best predict the same attribute share a clause.
    fn headline(&self) -> String {
        let noun = self.noun();
        if self.cells.is_empty() {
            return format!(
                "No labels are known: the clusters are what the {noun}s found by themselves."
            );
        }
        let mut told: Vec<(usize, Vec<String>)> = Vec::new();
        for layer in 0..self.components.len() {
            let Some(cell) = self.best_of_layer(layer).filter(|c| c.ac.lift() >= MATCHES) else {
                continue;
            };
            let number = (layer + 1).to_string();
            match told.iter_mut().find(|(attribute, _)| *attribute == cell.attribute) {
                Some((_, layers)) => layers.push(number),
                None => told.push((cell.attribute, vec![number])),
            }
        }
        if told.is_empty() {
            return format!(
                "No {noun}'s clusters match a known attribute much better than chance."
            );
        }
        let part = |(attribute, layers): &(usize, Vec<String>)| {
            let name = &self.known[*attribute].name;
            match layers.len() {
                1 => format!("{noun} {} best predicts {name}", layers[0]),
                _ => format!("{noun}s {} best predict {name}", listed(layers)),
            }
        };
        capital(&told.iter().map(part).collect::<Vec<_>>().join("; ")) + "."
    }
}

/// The cell whose measure is furthest above chance.
fn best<'c>(
    cells: impl Iterator<Item = &'c Cell>,
    measure: impl Fn(&Cell) -> Option<Measure>,
) -> Option<&'c Cell> {
    let lift = |cell: &Cell| measure(cell).map_or(-1.0, Measure::lift);
    // Of equals the first: `max_by` would take the last.
    cells.fold(None, |best, cell| match best {
        Some(best) if lift(best) >= lift(cell) => Some(best),
        _ => Some(cell),
    })
}

/// The attribute that a layer predicts best.
pub(crate) fn best_attribute(cells: &[Cell], layer: usize) -> Option<usize> {
    let found = best(cells.iter().filter(|cell| cell.layer == layer), |cell| Some(cell.ac));
    found.map(|cell| cell.attribute)
}

fn beside_chance(what: &str, measure: Measure) -> String {
    format!("{what} {} (chance {})", percent(measure.value.into()), percent(measure.chance.into()))
}

/// The name of a model as people write it.
pub(crate) fn name(model: &str) -> &str {
    let listed = deepnmf::Settings::MODELS.iter().find(|listed| listed.name == model);
    listed.map_or(model, |listed| listed.title)
}

/// A share in percent, with three digits that count.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        p if p >= 10.0 => format!("{percent:.0}%"),
        p if p >= 1.0 => format!("{percent:.1}%"),
        p if p >= 0.01 => format!("{percent:.2}%"),
        0.0 => "0%".into(),
        _ => "less than 0.01%".into(),
    }
}

/// A number with its thousands apart.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn counted(number: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests;
