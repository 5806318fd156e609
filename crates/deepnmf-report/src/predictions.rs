//! What the machines of a model say of the shown samples.

use deepnmf::{Matrix, Model, Scalar};
use serde::Serialize;

use crate::attributes::cut;
use crate::error::Result;
use crate::numbers::short;

/// One attribute as the model predicts it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Predicted {
    /// The name of the attribute.
    pub name: String,
    /// The layer in whose space the machine works, counted from 0.
    pub layer: usize,
    /// The share of the labelled samples of the fit that are predicted wrong when left out.
    pub error: f32,
    /// The classes that it knows.
    pub classes: Vec<String>,
    /// For every shown sample the place of its class.
    pub codes: Vec<usize>,
    /// By how much that is ahead of the next.
    pub margins: Vec<f32>,
}

impl Predicted {
    /// A sentence.
    pub(crate) fn sentence(&self) -> String {
        format!(
            "{}: {:.0}% of the labelled samples of the fit are predicted right when left out, by a linear machine in \
             the space of layer {}.",
            self.name,
            100.0 * (1.0 - self.error),
            self.layer + 1
        )
    }
}

/// All attributes that a model predicts, for these samples.
pub(crate) fn predictions<T: Scalar>(model: &Model<T>, x: &Matrix<T>) -> Result<Vec<Predicted>> {
    let provenance = &model.provenance;
    let mut found = vec![];
    for info in model.predictors.iter().map(|machine| &machine.info) {
        let place = info.attribute;
        let name = provenance.attributes.get(place).cloned().flatten();
        let known = provenance.classes.get(place).map_or(&[][..], Vec::as_slice);
        let class = |code: &u32| known.get(*code as usize).map_or(code.to_string(), |c| cut(c));
        let prediction = model.predict(x, place)?;
        let code = |code: &u32| info.classes.binary_search(code).unwrap_or_default();
        found.push(Predicted {
            name: name.map_or_else(|| format!("attribute {}", place + 1), |name| cut(&name)),
            layer: info.layer - 1,
            error: short(info.error),
            classes: info.classes.iter().map(class).collect(),
            codes: prediction.classes.iter().map(code).collect(),
            margins: prediction.margins.into_iter().map(short).collect(),
        });
    }
    Ok(found)
}
