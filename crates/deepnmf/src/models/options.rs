//! Settings that all models share.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::init::{ScaleIn, Start};
use crate::stop::StopRule;
use crate::update::HSolver;

/// Settings that all models share. The defaults need no thought.
///
/// ```
/// use deepnmf::{FitOptions, HSolver, Start};
/// let paper = FitOptions::default().start(Start::Svd).solver(HSolver::MULTIPLICATIVE).seed(7);
/// assert_eq!(paper.stop.max_iterations, 1000);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitOptions {
    /// Where the features begin.
    pub start: Start,
    /// Which factor carries the scale of a component.
    pub scale: ScaleIn,
    /// Which rule updates the features.
    pub solver: HSolver,
    /// When to stop.
    pub stop: StopRule,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether to compute the best error any factorization of this rank can have, to compare
    /// with. It costs a truncated singular value decomposition unless the start has it anyway.
    pub measure_bound: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            start: Start::default(),
            scale: ScaleIn::default(),
            solver: HSolver::default(),
            stop: StopRule::default(),
            seed: 0,
            measure_bound: true,
        }
    }
}

impl FitOptions {
    /// Sets where the features begin.
    #[must_use]
    pub fn start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Sets which factor carries the scale.
    #[must_use]
    pub fn scale(self, scale: ScaleIn) -> Self {
        Self { scale, ..self }
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
