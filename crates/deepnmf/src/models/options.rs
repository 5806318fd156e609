//! Settings that models share.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::init::{NonNegativeStart, ScaleIn, Start};
use crate::stop::StopRule;
use crate::update::HSolver;

/// Settings that all models share: `S` is the kind of initialization they have. The defaults fit most
/// data.
///
/// ```
/// use deepnmf::{FitOptions, HSolver, Start};
/// let paper = FitOptions::default().start(Start::Svd).solver(HSolver::MULTIPLICATIVE).seed(7);
/// assert_eq!(paper.stop.max_iterations, 1000);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitOptions<S = Start> {
    /// Where the factors begin.
    pub start: S,
    /// Which factor carries the scale of a component. Non-negative models ignore it: their factors begin
    /// with equal shares.
    #[serde(default)]
    pub scale: ScaleIn,
    /// From which component on those of softly whitened features fade out ([`ScaleIn::Soft`], and what a layer with
    /// neighbours reads); if not given, the number of components of the layer above, or a fifth of the layer's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fade: Option<usize>,
    /// Which rule updates the features (in non-negative models both factors).
    pub solver: HSolver,
    /// When to stop.
    pub stop: StopRule,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether to compute the best error any factorization of this rank can have, to compare
    /// with. It costs a truncated singular value decomposition unless the start has it anyway.
    pub measure_bound: bool,
}

/// Settings of models whose factors are both non-negative.
pub type NonNegativeOptions = FitOptions<NonNegativeStart>;

impl<S: Default> Default for FitOptions<S> {
    fn default() -> Self {
        Self {
            start: S::default(),
            scale: ScaleIn::default(),
            fade: None,
            solver: HSolver::default(),
            stop: StopRule::default(),
            seed: 0,
            measure_bound: true,
        }
    }
}

impl<S> FitOptions<S> {
    /// Sets where the factors begin.
    #[must_use]
    pub fn start(self, start: S) -> Self {
        Self { start, ..self }
    }

    /// Sets which factor carries the scale.
    #[must_use]
    pub fn scale(self, scale: ScaleIn) -> Self {
        Self { scale, ..self }
    }

    /// Sets from which component on those of softly whitened features fade out.
    #[must_use]
    pub fn fade(self, fade: Option<usize>) -> Self {
        Self { fade, ..self }
    }

    /// Sets the rule for the features.
    #[must_use]
    pub fn solver(self, solver: HSolver) -> Self {
        Self { solver, ..self }
    }

    /// Sets when to stop.
    #[must_use]
    pub fn stop(self, stop: StopRule) -> Self {
        Self { stop, ..self }
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.fade == Some(0) {
            let accepted = "it is counted from 1";
            return Err(Error::parameter(
                "the component from which on others fade out",
                0,
                accepted,
            ));
        }
        self.solver.check()?;
        self.stop.check()
    }
}

/// Refuses layer sizes that no data with `n` samples can fill.
pub(crate) fn check_layers(layers: &[usize], n: usize) -> Result<()> {
    if layers.is_empty() {
        return Err(Error::parameter("the list of layers", "empty", "name at least one layer"));
    }
    for (i, &k) in layers.iter().enumerate() {
        if k == 0 || k > n {
            let name = match layers.len() {
                1 => "the number of components".to_owned(),
                _ => format!("the number of components of layer {}", i + 1),
            };
            let accepted = format!("with {n} samples it must be between 1 and {n}");
            return Err(Error::parameter(name, k, accepted));
        }
    }
    Ok(())
}
