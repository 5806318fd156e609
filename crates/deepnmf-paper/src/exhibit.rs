//! Exhibited models: each has a page that explores it.

use std::path::Path;
use std::time::Instant;

use deepnmf::{CancelToken, Model, Provenance, Recorded};
use deepnmf_data::Dataset;
use deepnmf_data::preprocess::{Pipeline, Step};
use deepnmf_report::{Draft, Options};

use crate::cell::Cell;
use crate::error::Result;
use crate::experiments::Study;
use crate::record::{FitFacts, Machine, Outcome, Record};
use crate::section::slug;
use crate::store::Store;

/// Where the pages are, below the folder of a run.
pub(crate) const FOLDER: &str = "models";

/// A model with the samples to look at it with.
pub(crate) struct Exhibit {
    pub(crate) model: Model<f64>,
    pub(crate) samples: Dataset<f64>,
    /// What samples they are, if not those of the fit.
    pub(crate) remark: &'static str,
}

impl Exhibit {
    /// One of samples that were scaled to unit norm, with the attributes that it has learnt from.
    pub(crate) fn new(
        model: Model<f64>,
        samples: Dataset<f64>,
        learnt: &[&str],
    ) -> deepnmf::Result<Self> {
        let provenance = Provenance {
            preprocessing: Recorded::of(&Pipeline::new([Step::Unit]))?,
            attributes: learnt.iter().map(|name| Some((*name).to_owned())).collect(),
            ..Provenance::default()
        };
        Ok(Self { model: Model { provenance, ..model }, samples, remark: "" })
    }
}

/// The page of a cell's model, below the folder of a run.
pub(crate) fn file(cell: &Cell) -> String {
    let (set, method) = (slug(&cell.set.facts.name), slug(cell.method.label()));
    format!("{FOLDER}/{set}-{method}-{}.html", cell.architecture())
}

/// What tells this page from all others.
fn key(cell: &Cell) -> String {
    format!("page|{}", cell.key())
}

/// Whether the page was written before.
pub(crate) fn is_done(cell: &Cell, out: &Path, store: &Store) -> bool {
    store.get(&key(cell)).is_some() && out.join(file(cell)).exists()
}

/// Fits the model of a cell and writes its page. Gives its record, unless somebody has stopped it.
pub(crate) fn write(
    study: &dyn Study,
    cell: &Cell,
    out: &Path,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<Record>> {
    let begun = Instant::now();
    let Some(exhibit) = study.exhibit(cell, cancel)? else { return Ok(None) };
    let options = Options {
        title: Some(format!(
            "{}: {} {}{}",
            cell.set.title(),
            cell.method,
            cell.architecture(),
            exhibit.remark
        )),
        data_name: Some(cell.set.title()),
        seed: cell.seed,
        ..Options::default()
    };
    let draft = Draft::new(&exhibit.samples, options);
    let report = draft.finish(&exhibit.model, &exhibit.samples, tell)?;
    if cancel.is_cancelled() {
        return Ok(None);
    }
    report.write(&out.join(file(cell)))?;
    let fits = vec![FitFacts::of(&exhibit.model)];
    let outcome = Ok(Outcome { fits, ..Outcome::default() });
    let record = cell.record(outcome, begun.elapsed().as_secs_f64(), &Machine::this());
    Ok(Some(Record { key: key(cell), experiment: "page".into(), ..record }))
}
