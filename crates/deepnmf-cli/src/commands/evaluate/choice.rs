//! Which attributes are evaluated.

use anyhow::{Context, Result, bail};
use deepnmf_data::Attribute;

use crate::output::Output;

/// With more classes the evaluation takes minutes, so that it has to be asked for.
const MOST_CLASSES: usize = 2000;

/// The attributes asked for, or all with at least two classes that are no identifiers.
pub(super) fn chosen<'a>(
    attributes: &'a [Attribute],
    names: &[String],
    output: Output,
) -> Result<Vec<&'a Attribute>> {
    if names.is_empty() {
        return usual(attributes, output);
    }
    let find = |name: &String| {
        attributes.iter().find(|a| &a.name == name).with_context(|| {
            let known: Vec<&str> = attributes.iter().map(|a| a.name.as_str()).collect();
            format!("there is no attribute {name:?}: use one of {}", known.join(", "))
        })
    };
    let found = names.iter().map(find).collect::<Result<Vec<_>>>()?;
    for attribute in found.iter().filter(|a| a.classes().len() > MOST_CLASSES) {
        output.remark(format!(
            "note: {} has {} classes: k-means with as many clusters, and a classifier with as many \
             classes, take minutes to hours for each layer and repeat; --repeats 1 takes the least",
            attribute.name,
            attribute.classes().len()
        ));
    }
    Ok(found)
}

fn usual(attributes: &[Attribute], output: Output) -> Result<Vec<&Attribute>> {
    let several: Vec<_> = attributes.iter().filter(|a| a.classes().len() > 1).collect();
    if several.is_empty() {
        bail!("no attribute has two classes: there is nothing to predict");
    }
    let (identifiers, usable): (Vec<&Attribute>, Vec<&Attribute>) =
        several.into_iter().partition(|attribute| attribute.is_identifier());
    for attribute in &identifiers {
        let (classes, labelled) =
            (attribute.classes().len(), attribute.len() - attribute.missing());
        let said = format!(
            "{} has {classes} classes for {labelled} labelled samples: it is an identifier and not \
             evaluated; --attributes {} evaluates it all the same",
            attribute.name, attribute.name
        );
        if usable.is_empty() {
            bail!("{said}");
        }
        output.remark(format!("note: {said}"));
    }
    if let Some(attribute) = usable.iter().find(|a| a.classes().len() > MOST_CLASSES) {
        bail!(
            "{} has {} classes, which would take minutes to hours to evaluate: name the attributes \
             to evaluate with --attributes, this one too if you have the time",
            attribute.name,
            attribute.classes().len()
        );
    }
    Ok(usable)
}
