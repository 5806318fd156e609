//! The experiments, one a file: its protocol, its cells, how one is run, and what they show.

mod attributes;
mod clustering;
mod judge;
mod layers;
mod pretraining;
mod reconstruction;
mod xor;

use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::Arc;

use deepnmf::{CancelToken, FitSession};
use serde::{Deserialize, Serialize};

use crate::Method;
use crate::cell::Cell;
use crate::error::Result;
use crate::exhibit::Exhibit;
use crate::record::{Outcome, Record};
use crate::rules::Claim;
use crate::section::{Figure, Table};
use crate::sets::{Library, Role, Set, View};

/// An experiment of the paper's section 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// The example with two subjects in two poses.
    Xor,
    /// Clustering accuracy of many architectures.
    Layers,
    /// The table of reconstruction errors.
    Reconstruction,
    /// The four figures of clustering accuracy.
    Clustering,
    /// Clustering after learning from labels of other data.
    Pretraining,
    /// The table of classification accuracy, and the figure by layer.
    Attributes,
}

impl Experiment {
    /// All, in the paper's order.
    pub const ALL: [Self; 6] = [
        Self::Xor,
        Self::Layers,
        Self::Reconstruction,
        Self::Clustering,
        Self::Pretraining,
        Self::Attributes,
    ];

    /// What it is called on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xor => "xor",
            Self::Layers => "layers",
            Self::Reconstruction => "reconstruction",
            Self::Clustering => "clustering",
            Self::Pretraining => "pretraining",
            Self::Attributes => "attributes",
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Xor => "An example with multi-modal synthetic data",
            Self::Layers => "Number of layers",
            Self::Reconstruction => "Reconstruction error",
            Self::Clustering => "Clustering",
            Self::Pretraining => "Supervised pre-training",
            Self::Attributes => "Learning with respect to different attributes",
        }
    }

    /// Where in the paper it is.
    pub fn place(self) -> &'static str {
        match self {
            Self::Xor => "section 6.1, two figures",
            Self::Layers => "section 6.3, a figure for XM2VTS and one for CMU PIE",
            Self::Reconstruction => "section 6.4, Table 1",
            Self::Clustering => "section 6.5, four figures",
            Self::Pretraining => "section 6.6, a figure",
            Self::Attributes => "section 6.7, Table 2 and a figure",
        }
    }

    pub(crate) fn study(self) -> &'static dyn Study {
        match self {
            Self::Xor => &xor::Xor,
            Self::Layers => &layers::Layers,
            Self::Reconstruction => &reconstruction::Reconstruction,
            Self::Clustering => &clustering::Clustering,
            Self::Pretraining => &pretraining::Pretraining,
            Self::Attributes => &attributes::Attributes,
        }
    }
}

impl Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Experiment {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|experiment| experiment.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no experiment {name:?}: use {names} or all")
        })
    }
}

/// What an experiment may use to plan its cells.
pub(crate) struct Bench {
    pub(crate) library: Library,
    /// How often to repeat, if somebody has said so.
    pub(crate) repeats: Option<usize>,
}

impl Bench {
    pub(crate) fn is_quick(&self) -> bool {
        self.library.is_quick()
    }

    /// The repeats asked for, or else those of a full or of a quick run.
    fn repeats(&self, full: usize, quick: usize) -> usize {
        self.repeats.unwrap_or(if self.is_quick() { quick } else { full })
    }
}

/// One experiment.
pub(crate) trait Study: Sync {
    /// The cells, as far as there are data for them.
    fn plan(&self, bench: &mut Bench) -> Result<Vec<Cell>>;

    /// Carries out one of them.
    fn run(&self, cell: &Cell, cancel: &CancelToken) -> Result<Outcome>;

    /// What the finished cells show.
    fn sum_up(&self, results: &Results<'_>) -> Result<Told>;

    /// The cells whose models get a page of their own.
    fn exhibited<'c>(&self, _cells: &'c [Cell]) -> Vec<&'c Cell> {
        vec![]
    }

    /// The model of such a cell.
    fn exhibit(&self, _cell: &Cell, _cancel: &CancelToken) -> Result<Option<Exhibit>> {
        Ok(None)
    }
}

/// What an experiment has to tell.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) protocol: Vec<String>,
    pub(crate) seeds: String,
    pub(crate) claims: Vec<Claim>,
    pub(crate) tables: Vec<Table>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) explanations: Vec<String>,
}

/// The cells of an experiment with the records that there are.
pub(crate) struct Results<'a> {
    cells: Vec<(&'a Cell, Option<&'a Record>)>,
}

impl<'a> Results<'a> {
    pub(crate) fn new(cells: Vec<(&'a Cell, Option<&'a Record>)>) -> Self {
        Self { cells }
    }

    /// The seeds of an experiment whose fits have one each, and are clustered several times.
    pub(crate) fn seeds_of_clusterings(&self) -> String {
        let last = self.repeats().saturating_sub(1);
        format!("seed 0 of every fit, no initialization is random; k-means seeds 0 to {last}")
    }

    /// Finished cells.
    pub(crate) fn done(&self) -> usize {
        self.records().count()
    }

    /// All cells.
    pub(crate) fn total(&self) -> usize {
        self.cells.len()
    }

    /// Seconds that the experiment's own cells took, without what it took from another.
    pub(crate) fn seconds_of(&self, experiment: Experiment) -> f64 {
        let own = self.records().filter(|record| record.experiment == experiment.name());
        own.map(|record| record.seconds).sum()
    }

    /// The records of the finished cells.
    pub(crate) fn records(&self) -> impl Iterator<Item = &'a Record> {
        self.cells.iter().filter_map(|(_, record)| *record)
    }

    /// All sets of the experiment, each once.
    pub(crate) fn all_sets(&self) -> Vec<&'a Arc<Set>> {
        let mut sets: Vec<&Arc<Set>> = Vec::new();
        let auxiliary = |cell: &'a Cell| cell.auxiliary.as_ref();
        for set in self.cells.iter().flat_map(|(cell, _)| [Some(&cell.set), auxiliary(cell)]) {
            if let Some(set) = set.filter(|set| !sets.iter().any(|known| Arc::ptr_eq(known, set))) {
                sets.push(set);
            }
        }
        sets
    }

    /// The sets that play a role.
    fn sets(&self, role: Role, view: View) -> Vec<&'a Arc<Set>> {
        let plays = |set: &&Arc<Set>| (set.role, set.view) == (role, view);
        self.all_sets().into_iter().filter(plays).collect()
    }

    /// The cells about one set.
    fn about(&self, set: &Arc<Set>) -> Results<'a> {
        let same = |cell: &Cell| Arc::ptr_eq(&cell.set, set);
        Self { cells: self.cells.iter().filter(|(cell, _)| same(cell)).copied().collect() }
    }

    /// The cells of one method.
    fn by(&self, method: Method) -> Results<'a> {
        Self { cells: self.cells.iter().filter(|(c, _)| c.method == method).copied().collect() }
    }

    /// The methods, in the order of their first cells.
    fn methods(&self) -> Vec<Method> {
        unique(self.cells.iter().map(|(cell, _)| cell.method))
    }

    /// The numbers of components of the top layer, in order.
    fn components(&self) -> Vec<usize> {
        let mut all = unique(self.cells.iter().map(|(cell, _)| cell.components()));
        all.sort_unstable();
        all
    }

    /// The record of a method with so many components, if there is one.
    fn record(&self, method: Method, components: usize) -> Option<&'a Record> {
        let wanted = |cell: &Cell| cell.method == method && cell.components() == components;
        self.cells.iter().find(|(cell, _)| wanted(cell)).and_then(|(_, record)| *record)
    }

    /// How many repeats the cells have.
    fn repeats(&self) -> usize {
        self.cells.first().map_or(0, |(cell, _)| cell.repeats)
    }

    fn is_complete(&self) -> bool {
        self.total() > 0 && self.done() == self.total()
    }
}

fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut seen, value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
        seen
    })
}

/// A session that stops when the run does.
fn session(cancel: &CancelToken) -> FitSession<'static> {
    FitSession::new().stopped_by(cancel.clone())
}

/// Why nothing can be said about PIE.
const NO_PIE: &str = "PIE_pose27.mat was not found: name its folder with --data, or get it with \
                      `deepnmf datasets fetch pie-pose27`";
