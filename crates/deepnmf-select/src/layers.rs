//! The sizes of several layers: each is judged by entries of the features below it, the first by those of the data.

use std::path::PathBuf;

use deepnmf::{
    CancelToken, DataMatrix, Error, Factorization, FitSession, Matrix, Result, Scalar, Settings,
    StopReason,
};
use serde::{Deserialize, Serialize};

use crate::{Choice, Outcome, Progress, Selection, Task};

/// What is said of the size of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerSize {
    /// So many components.
    Exactly(usize),
    /// As many as the data have, within these limits if there are any.
    Auto(Option<(usize, usize)>),
}

/// The choice for one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerChoice {
    /// The layer, counted from 1.
    pub layer: usize,
    /// What was found out.
    pub choice: Choice,
}

/// What came of the search for all layers.
#[derive(Debug, Clone, PartialEq)]
pub enum Layers {
    /// The sizes of the layers that are worth it, from the first on: none where the data have no structure.
    Found {
        /// The sizes.
        sizes: Vec<usize>,
        /// Why, for each layer whose size was not given.
        choices: Vec<LayerChoice>,
    },
    /// Fits of other workers are missing.
    Waiting {
        /// How many.
        missing: usize,
    },
}

impl Selection {
    /// Finds out the size of each layer, from the data upwards. Numbers of components are compared by `model`, a Semi-NMF or
    /// an NMF whose size does not matter; `watch` is told of every fit and its layer.
    ///
    /// A second layer is worth it if it finds at least two components, and fewer than there are below: with one it tells how
    /// large a sample is, and with as many it copies.
    ///
    /// # Errors
    /// As [`choose`](Self::choose).
    pub fn choose_layers<T: Scalar>(
        &self,
        x: &dyn DataMatrix<T>,
        layers: &[LayerSize],
        model: &Settings,
        watch: &mut dyn FnMut(usize, Progress<'_>),
        cancel: &CancelToken,
    ) -> Result<Layers> {
        check_model(model)?;
        let (mut sizes, mut choices): (Vec<usize>, Vec<LayerChoice>) = (vec![], vec![]);
        let mut below: Option<Matrix<T>> = None;
        for (at, layer) in layers.iter().enumerate() {
            let data: &dyn DataMatrix<T> = below.as_ref().map_or(x, |h| h);
            let size = match *layer {
                LayerSize::Exactly(size) => size,
                LayerSize::Auto(limits) => {
                    let (p, n) = data.shape();
                    // As many components as there are features would tell all of them.
                    let most = sizes.last().map_or(p.min(n) / 2, |below| below - 1).max(1);
                    let (least, most) = limits.unwrap_or((1, most));
                    let number = at + 1;
                    let of_layer = |folder: &PathBuf| folder.join(format!("layer-{number}"));
                    let selection =
                        Self { records: self.records.as_ref().map(of_layer), ..self.clone() };
                    let found = selection.choose(
                        data,
                        least..=most,
                        &|task| of_task(model, task),
                        &mut |progress| watch(number, progress),
                        Some(cancel.clone()),
                    )?;
                    let choice = match found {
                        Outcome::Answer(choice) => choice,
                        Outcome::Waiting { missing } => return Ok(Layers::Waiting { missing }),
                    };
                    let size = worthwhile(&choice, at);
                    choices.push(LayerChoice { layer: number, choice });
                    match size {
                        Some(size) => size,
                        None => break,
                    }
                }
            };
            sizes.push(size);
            if layers[at + 1..].iter().any(|layer| matches!(layer, LayerSize::Auto(_))) {
                below = Some(features(data, &of_task(model, Task { size, mask: 0 }), cancel)?);
            }
        }
        Ok(Layers::Found { sizes, choices })
    }
}

fn check_model(model: &Settings) -> Result<()> {
    if matches!(model, Settings::SemiNmf(_) | Settings::Nmf(_)) {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "the model by which sizes are compared".into(),
        value: model.name().into(),
        accepted: "semi-nmf and nmf can do so".into(),
    })
}

/// The model of a task: its size, and a seed of its own for each mask.
fn of_task(model: &Settings, Task { size, mask }: Task) -> Settings {
    let mut settings = model.clone();
    match &mut settings {
        Settings::SemiNmf(model) => {
            model.components = size;
            model.options.seed = model.options.seed.wrapping_add(mask as u64);
            model.options.measure_bound = false;
        }
        Settings::Nmf(model) => {
            model.components = size;
            model.options.seed = model.options.seed.wrapping_add(mask as u64);
            model.options.measure_bound = false;
        }
        _ => {}
    }
    settings
}

/// The features of a layer, which are the data of the next one.
fn features<T: Scalar>(
    x: &dyn DataMatrix<T>,
    settings: &Settings,
    cancel: &CancelToken,
) -> Result<Matrix<T>> {
    let mut model = settings.fit_in(x, &[], &mut FitSession::new().stopped_by(cancel.clone()))?;
    if model.summary.runs.iter().any(|run| run.stop == StopReason::Cancelled) {
        return Err(Error::Interrupted(StopReason::Cancelled));
    }
    Ok(model.factors.h.remove(0))
}

fn worthwhile(choice: &Choice, at: usize) -> Option<usize> {
    let copies = choice.at_the_limit && choice.chosen == choice.best;
    let finds = if at == 0 { choice.chosen > 0 } else { choice.chosen > 1 && !copies };
    finds.then_some(choice.chosen)
}
