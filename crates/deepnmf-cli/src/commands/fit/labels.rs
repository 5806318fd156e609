//! The labels that a fit learns from.

use anyhow::{Result, bail};
use deepnmf::{Labels, Scalar};
use deepnmf_data::preprocess::keep_labels;
use deepnmf_data::{AnyDataset, Attribute};

use crate::args::FitArgs;

/// For each place that may have an attribute, the labels; those to be forgotten are gone.
pub(super) fn attributes<T: Scalar>(
    args: &FitArgs,
    data: &AnyDataset<T>,
) -> Result<Vec<Option<Attribute>>> {
    let share = args.labels.label_fraction.unwrap_or(1.0);
    let find = |name: Option<&str>| -> Result<Option<Attribute>> {
        let Some(name) = name else { return Ok(None) };
        match data.attribute(name) {
            Some(attribute) => Ok(Some(keep_labels(attribute, share, args.seed))),
            None => bail!("there is no attribute {name:?}: {}", known(data)),
        }
    };
    args.attribute_names().into_iter().map(find).collect()
}

fn known<T: Scalar>(data: &AnyDataset<T>) -> String {
    let names: Vec<_> = data.attributes.iter().map(|a| a.name.as_str()).collect();
    match names.as_slice() {
        [] => "the data have no labels, name them with --labels-key, --labels-file or --pattern"
            .into(),
        names => format!("there are {}", names.join(", ")),
    }
}

/// The labels as the library takes them.
pub(super) fn codes(attributes: &[Option<Attribute>]) -> Vec<Option<&Labels>> {
    attributes.iter().map(|attribute| attribute.as_ref().map(Attribute::codes)).collect()
}
