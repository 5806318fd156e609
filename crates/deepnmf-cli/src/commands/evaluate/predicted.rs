//! How well the machines of a model predict the attributes that it has learnt.

use std::fmt::Write as _;

use anyhow::Result;
use deepnmf::{Model, Scalar};
use deepnmf_data::{AnyDataset, Attribute};
use serde::Serialize;

/// What a machine says of every sample.
pub(super) struct Predicted {
    attribute: String,
    /// The layer in whose space it works.
    layer: usize,
    /// The share of the labelled samples of the fit that it gets wrong when it has not seen them.
    leave_one_out_error: f64,
    /// The class of each sample.
    classes: Vec<String>,
}

/// The same beside what is known.
#[derive(Serialize)]
pub(super) struct Accuracy {
    attribute: String,
    layer: usize,
    /// The share of the samples with a label whose class is predicted.
    #[serde(rename = "accuracy")]
    share: f64,
    /// How many these are.
    samples: usize,
    leave_one_out_error: f64,
}

/// What all machines of a model say.
pub(super) fn of_model<T: Scalar>(
    model: &Model<T>,
    data: &AnyDataset<T>,
) -> Result<Vec<Predicted>> {
    let provenance = &model.provenance;
    let mut found = vec![];
    for info in model.predictors.iter().map(|machine| &machine.info) {
        let Some(Some(attribute)) = provenance.attributes.get(info.attribute) else { continue };
        let Some(names) = provenance.classes.get(info.attribute) else { continue };
        let codes = model.predict(&data.x, info.attribute)?.classes;
        let name = |code: u32| names.get(code as usize).cloned().unwrap_or_default();
        found.push(Predicted {
            attribute: attribute.clone(),
            layer: info.layer,
            leave_one_out_error: info.error,
            classes: codes.into_iter().map(name).collect(),
        });
    }
    Ok(found)
}

/// Compares them with the labels.
pub(super) fn judge(predictions: &[Predicted], attributes: &[&Attribute]) -> Vec<Accuracy> {
    let of = |found: &Predicted| {
        let known = attributes.iter().find(|known| known.name == found.attribute)?;
        let labels = known.codes().iter().zip(&found.classes);
        let right: Vec<bool> = labels
            .filter_map(|(code, class)| {
                Some(known.classes()[code.as_ref().copied()? as usize] == *class)
            })
            .collect();
        let share = right.iter().filter(|right| **right).count() as f64 / right.len().max(1) as f64;
        (!right.is_empty()).then(|| Accuracy {
            attribute: found.attribute.clone(),
            layer: found.layer,
            share,
            samples: right.len(),
            leave_one_out_error: found.leave_one_out_error,
        })
    };
    predictions.iter().filter_map(of).collect()
}

/// The same as text.
pub(super) fn describe(text: &mut String, found: &[Accuracy], of_the_fit: bool) {
    if found.is_empty() {
        return;
    }
    text.push_str("\npredicted by the machines of the model, % of the samples with a label\n");
    for Accuracy { attribute, layer, share, samples, leave_one_out_error } in found {
        let _ = writeln!(
            text,
            "  {attribute:<18}{:>6.1} of {samples} samples, by layer {layer}; {:.1}% wrong in the fit when left out",
            100.0 * share,
            100.0 * leave_one_out_error,
        );
    }
    if of_the_fit {
        text.push_str("  samples whose labels the fit has seen are among them: judge by those left out, or by new ones\n");
    }
}
