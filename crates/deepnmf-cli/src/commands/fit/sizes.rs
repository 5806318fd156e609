//! `--layers auto`: how many components each layer has, found out before the fit.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use deepnmf::persist::write_atomically;
use deepnmf::{CancelToken, DataMatrix, Recorded, Scalar};
use deepnmf_select::{Choice, LayerChoice, LayerSize, Layers, Selection};
use serde_json::json;

use super::plan::one_layer;
use crate::args::{ChoiceArgs, FitArgs};
use crate::input::on_threads;
use crate::output::Output;
use crate::progress::Progress;

/// What came of the search.
pub(super) enum Answer {
    /// Sizes to fit with.
    Sizes {
        /// The flags with numbers in place of `auto`.
        args: Box<FitArgs>,
        /// Why, for the model file.
        record: Recorded,
    },
    /// Nothing is to be fitted: there is no structure, or other workers are not done.
    Nothing,
}

/// Finds the sizes out, and says why.
pub(super) fn choose<T: Scalar>(
    args: &FitArgs,
    x: &dyn DataMatrix<T>,
    cancel: &CancelToken,
    progress: &mut Progress,
    output: Output,
) -> Result<Answer> {
    let mut watch = |layer: usize, at: deepnmf_select::Progress<'_>| {
        progress.counting(at.done, at.known, || {
            let (size, loss) = (at.trial.task.size, at.trial.relative());
            format!("choosing layer {layer}: {size} components, held-out loss {loss:.4}")
        });
    };
    let (selection, model) = (selection(args), one_layer(args)?);
    let found = on_threads(args.threads, || {
        selection.choose_layers(x, &args.layers, &model, &mut watch, cancel)
    })??;
    let (sizes, choices) = match found {
        Layers::Found { sizes, choices } => (sizes, choices),
        Layers::Waiting { missing } => {
            let text = format!(
                "{missing} fits of other workers are missing; start this one again when they are done\n"
            );
            output.result(&text, &json!({ "missing": missing }))?;
            return Ok(Answer::Nothing);
        }
    };
    if let Some(path) = &args.choice.curves {
        let curves: Vec<Choice> = choices.iter().map(|layer| layer.choice.clone()).collect();
        let picture = Choice::picture(&curves);
        write_atomically(path, |file| file.write_all(picture.as_bytes()))?;
    }
    let mut text: String = choices.iter().map(table).collect();
    if sizes.is_empty() {
        output.result(&text, &json!({ "layers": sizes, "choice": choices }))?;
        return Ok(Answer::Nothing);
    }
    if sizes.len() < args.layers.len() {
        let (layer, all) = (sizes.len() + 1, args.layers.len());
        if args.model.is_some() {
            let why = choices.last().map_or("", |last| last.choice.reason.as_str());
            bail!("layer {layer} of {all} is not worth it ({why}): leave it out, or name its size");
        }
        let _ = writeln!(text, "layer {layer} is not worth it: the fit goes without");
    }
    if output.is_json() {
        output.remark(text.trim_end());
    } else {
        output.result(&text, &json!(null))?;
    }
    let layers = sizes.into_iter().map(LayerSize::Exactly).collect();
    let args = Box::new(FitArgs { layers, choice: ChoiceArgs::default(), ..args.clone() });
    Ok(Answer::Sizes { args, record: Recorded::of(&choices)? })
}

fn selection(args: &FitArgs) -> Selection {
    let (given, usual) = (&args.choice, Selection::default());
    Selection {
        share: given.held_out.unwrap_or(usual.share),
        masks: given.masks.unwrap_or(usual.masks),
        seed: args.seed,
        records: given.records.clone(),
        worker: given.worker_index.zip(given.total_workers),
    }
}

/// The curve as a table, and what follows from it.
fn table(LayerChoice { layer, choice }: &LayerChoice) -> String {
    let mut text = format!(
        "layer {layer}: {}\n  components  held-out loss  deviation  agreement  seconds\n",
        choice.reason
    );
    for point in &choice.curve {
        let agreement =
            point.stability.map_or("-".to_owned(), |stability| format!("{stability:.3}"));
        let mark = if point.size == choice.chosen { " <" } else { "" };
        let _ = writeln!(
            text,
            "  {:10}  {:13.4}  {:9.4}  {agreement:>9}  {:7.2}{mark}",
            point.size, point.held_out, point.deviation, point.seconds
        );
    }
    text
}
