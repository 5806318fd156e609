//! Tables and raw scores as comma-separated values.

use crate::record::{DataFacts, Outcome, Record};
use crate::section::Table;

/// One table with its head.
pub(crate) fn table(table: &Table) -> String {
    let mut text = line(table.head.iter().map(String::as_str));
    for row in &table.rows {
        text += &line(row.iter().map(String::as_str));
    }
    text
}

/// Every score of every record, a line each.
pub(crate) fn cells<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let mut text = String::from(
        "experiment,data,stand_in_for,auxiliary,method,layers,seed,score,layer,attribute,features,\
         scaling,kmeans_seed,value,seconds\n",
    );
    records.for_each(|record| scores(&mut text, record));
    text
}

fn scores(text: &mut String, record: &Record) {
    let layers: Vec<String> = record.layers.iter().map(usize::to_string).collect();
    let auxiliary = record.auxiliary.as_ref().map(DataFacts::title).unwrap_or_default();
    let head = [
        record.experiment.clone(),
        record.data.name.clone(),
        record.data.stand_in_for.clone().unwrap_or_default(),
        auxiliary,
        record.method.label().to_owned(),
        layers.join("-"),
        record.seed.to_string(),
    ];
    let mut add = |what: [&str; 6], value: f64| {
        let (value, seconds) = (value.to_string(), format!("{:.2}", record.seconds));
        let fields = head.iter().map(String::as_str).chain(what);
        text.push_str(&line(fields.chain([value.as_str(), seconds.as_str()])));
    };
    let Outcome { fits, clusterings, accuracies, .. } = &record.outcome;
    for fit in fits {
        add(["error", "", "", "", "", ""], fit.error);
    }
    for run in clusterings {
        let (scaling, seed) = (run.scaling.to_string(), run.seed.to_string());
        add(["ac", "", "identity", "fit", &scaling, &seed], run.ac);
        add(["nmi", "", "identity", "fit", &scaling, &seed], run.nmi);
    }
    for run in accuracies {
        let (layer, scaling) = (run.layer.to_string(), run.scaling.to_string());
        let features = run.features.to_string();
        add(["accuracy", &layer, &run.attribute, &features, &scaling, ""], run.accuracy);
    }
}

/// Fields with commas between them, in quotes where they need them.
fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted = fields.map(|field| {
        if field.contains([',', '"', '\n']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.to_owned()
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}
