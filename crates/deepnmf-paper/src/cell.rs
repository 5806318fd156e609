//! A cell: the smallest piece of an experiment that is run, recorded and never run twice.

use std::sync::Arc;

use crate::record::{DataFacts, Machine, Outcome, Record};
use crate::sets::Set;
use crate::store::Store;
use crate::{Experiment, Method};

/// The version of the program, which is part of every key.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One method on one set, with everything that decides on its result.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) experiment: Experiment,
    pub(crate) set: Arc<Set>,
    pub(crate) auxiliary: Option<Arc<Set>>,
    pub(crate) method: Method,
    pub(crate) layers: Vec<usize>,
    pub(crate) seed: u64,
    pub(crate) repeats: usize,
    /// How many seconds it is expected to take on one core; decides on nothing but the order.
    pub(crate) expected: f64,
}

/// A fit, whatever is done with it.
#[derive(PartialEq)]
struct Fit<'a> {
    data: &'a DataFacts,
    method: Method,
    layers: &'a [usize],
    seed: u64,
}

impl<'a> Fit<'a> {
    fn of_record(record: &'a Record) -> Self {
        let Record { data, method, layers, seed, .. } = record;
        Self { data, method: *method, layers, seed: *seed }
    }
}

impl Cell {
    /// What tells this cell from all others.
    pub(crate) fn key(&self) -> String {
        let data = |set: &Set| format!("{}@{}", set.facts.name, set.facts.fingerprint);
        let mut key = vec![format!(
            "{}|{}|{:?}|{}|seed {}|repeats {}|{VERSION}",
            self.experiment.name(),
            data(&self.set),
            self.method,
            self.architecture(),
            self.seed,
            self.repeats
        )];
        key.extend(self.auxiliary.as_ref().map(|set| format!("after {}", data(set))));
        key.join("|")
    }

    /// The record of this cell, or of another that will do.
    pub(crate) fn found_in<'s>(&self, store: &'s Store) -> Option<&'s Record> {
        let will_do = |record: &&Record| {
            record.experiment == Experiment::Clustering.name()
                && record.version == VERSION
                && self.can_use(&Fit::of_record(record))
        };
        store.get(&self.key()).or_else(|| store.records().find(will_do))
    }

    /// Whether another cell, once run, will do for this one.
    pub(crate) fn is_covered_by(&self, other: &Self) -> bool {
        other.experiment == Experiment::Clustering && self.can_use(&other.fit())
    }

    /// Whether a clustering of that fit will do: it has all that the table of errors needs.
    fn can_use(&self, fit: &Fit<'_>) -> bool {
        self.experiment == Experiment::Reconstruction && self.fit() == *fit
    }

    fn fit(&self) -> Fit<'_> {
        Fit { data: &self.set.facts, method: self.method, layers: &self.layers, seed: self.seed }
    }

    /// The layers as the paper writes them.
    pub(crate) fn architecture(&self) -> String {
        let layers: Vec<String> = self.layers.iter().map(usize::to_string).collect();
        layers.join("-")
    }

    /// The components of the top layer.
    pub(crate) fn components(&self) -> usize {
        self.layers.last().copied().unwrap_or_default()
    }

    /// What this cell is, for those who watch.
    pub(crate) fn describe(&self) -> String {
        format!("{}: {} {}", self.set.facts.name, self.method, self.architecture())
    }

    /// The line of the records file.
    pub(crate) fn record(
        &self,
        outcome: Result<Outcome, String>,
        seconds: f64,
        machine: &Machine,
    ) -> Record {
        let facts = |set: &Arc<Set>| -> DataFacts { set.facts.clone() };
        let failure = outcome.as_ref().err().cloned();
        Record {
            key: self.key(),
            experiment: self.experiment.name().into(),
            data: facts(&self.set),
            auxiliary: self.auxiliary.as_ref().map(facts),
            method: self.method,
            layers: self.layers.clone(),
            seed: self.seed,
            repeats: self.repeats,
            outcome: outcome.unwrap_or_default(),
            seconds,
            version: VERSION.into(),
            machine: machine.clone(),
            failure,
        }
    }
}
