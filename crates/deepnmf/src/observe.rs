//! Watching a fit. Libraries never print: a progress bar, a log or a callback is an observer.

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

/// The part of a fit that is under way. Layers count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "kebab-case")]
pub enum Stage {
    /// The only loop of a model with one layer.
    Fitting,
    /// Greedy factorization of one layer's input.
    Pretraining {
        /// The layer.
        layer: usize,
    },
    /// One layer of a model whose layers are fitted one after the other.
    Layer {
        /// The layer.
        layer: usize,
    },
    /// All layers together (Algorithm 1).
    FineTuning,
    /// The features of a layer below the top, for the final basis.
    LowerFeatures {
        /// The layer.
        layer: usize,
    },
}

impl Stage {
    /// The layer that is fitted, where it is one.
    pub(crate) fn layer(self) -> Option<usize> {
        match self {
            Self::Fitting | Self::FineTuning => None,
            Self::Pretraining { layer } | Self::Layer { layer } | Self::LowerFeatures { layer } => {
                Some(layer)
            }
        }
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fitting => write!(f, "fitting"),
            Self::Pretraining { layer } => write!(f, "pre-training layer {layer}"),
            Self::Layer { layer } => write!(f, "fitting layer {layer}"),
            Self::FineTuning => write!(f, "fine-tuning"),
            Self::LowerFeatures { layer } => write!(f, "features of layer {layer}"),
        }
    }
}

/// What an observer is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// A start is being computed, which can take a while.
    Starting {
        /// The part of the fit.
        stage: Stage,
    },
    /// An iteration is done; iteration 0 is the start.
    Iteration {
        /// The part of the fit.
        stage: Stage,
        /// Iterations done.
        iteration: usize,
        /// The most that will be done.
        max_iterations: usize,
        /// The reconstruction error now.
        error: f64,
    },
}

/// Somebody who watches a fit.
pub trait Observer {
    /// Called on the fitting thread after each event: be quick.
    fn on_event(&mut self, event: &Event);
}

impl<F: FnMut(&Event)> Observer for F {
    fn on_event(&mut self, event: &Event) {
        self(event);
    }
}
