//! The report of an experiment, for any format: HTML, Markdown, CSV or JSON.

use serde::Serialize;

use crate::Experiment;
use crate::rules::Claim;

/// The report of one experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    /// The experiment.
    pub experiment: Experiment,
    /// Its title.
    pub title: String,
    /// Where in the paper it is.
    pub place: String,
    /// What was done, paragraph by paragraph.
    pub protocol: Vec<String>,
    /// The data, with what they stand in for.
    pub data: Vec<String>,
    /// The command that gives these numbers, and the seeds that it uses.
    pub command: String,
    /// The seeds behind the numbers.
    pub seeds: String,
    /// The claims and their verdicts.
    pub claims: Vec<Claim>,
    /// The numbers.
    pub tables: Vec<Table>,
    /// The pictures.
    pub figures: Vec<Figure>,
    /// Pages that explore some of the models, below the folder of the run.
    pub models: Vec<String>,
    /// What explains the differences, as far as we know.
    pub explanations: Vec<String>,
    /// Finished cells.
    pub done: usize,
    /// All cells.
    pub cells: usize,
    /// Seconds that the finished cells took, one by one.
    pub seconds: f64,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The name of its file, without an extension.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The heads of its columns.
    pub head: Vec<String>,
    /// Its rows, as long as the head.
    pub rows: Vec<Vec<String>>,
    /// Whether it is beside the paper's protocol, or detail: a page may fold it up.
    pub aside: bool,
}

impl Table {
    pub(crate) fn new(
        name: impl Into<String>,
        caption: impl Into<String>,
        head: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let head = head.into_iter().map(Into::into).collect();
        Self { name: name.into(), caption: caption.into(), head, rows: vec![], aside: false }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let row: Vec<String> = cells.into_iter().map(Into::into).collect();
        debug_assert_eq!(row.len(), self.head.len(), "{}", self.name);
        self.rows.push(row);
    }
}

/// A picture.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The name of its file, without an extension.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The picture as SVG.
    #[serde(skip)]
    pub svg: String,
}

/// A number in percent, or nothing.
pub(crate) fn percent(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{:.1}", 100.0 * value))
}

/// A number with some decimals, or nothing.
pub(crate) fn decimals(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.digits$}"))
}

/// A name as part of a file's.
pub(crate) fn slug(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' });
    let words: String = letters.collect();
    words.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}
