//! What is worth a word after a fit.

use std::path::Path;

use deepnmf::{Model, Scalar};

use crate::args::FitArgs;
use crate::output::Output;

/// Says that a layer has more components than features could ever need. More than samples are refused
/// by the library.
pub(super) fn remark_on_sizes<T: Scalar>(model: &Model<T>, output: Output) {
    let features = model.summary.features;
    for (layer, components) in (1..).zip(model.settings.layers()) {
        if components > features {
            output.remark(format!(
                "note: layer {layer} has {components} components, more than the {features} features: \
                 {features} can represent such data without error"
            ));
        }
    }
}

/// What can be done with the model, for those who read the result at a terminal.
pub(super) fn next_commands(args: &FitArgs, out: &Path) -> String {
    let (model, data) = (quoted(out), args.data.data.first().map_or(String::new(), |d| quoted(d)));
    format!(
        "next:\n  \
         deepnmf info {model}\n  \
         deepnmf transform {model} {data} --out features.csv\n  \
         deepnmf evaluate {model} --data {data}\n  \
         deepnmf report {model} --data {data}\n"
    )
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "._-/:=,".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
