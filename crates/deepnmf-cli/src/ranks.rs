//! The processes that fit together: this one alone, or those that `mpirun` has started.
//!
//! Each rank keeps the samples of its share. The first one speaks and writes for all.

use anyhow::Result;
use deepnmf::matrix::{Centred, Communicator, PartData, Parts};
use deepnmf::{DataMatrix, Matrix, Scalar};
use deepnmf_data::preprocess::{Pipeline, Step, ZeroSamples, Zeros};
use deepnmf_data::{AnyDataset, DataError, Values};
use deepnmf_mpi::{JoinError, World};
use serde_json::{Value, json};

use crate::args::UsageError;
use crate::resources::bytes;

/// This process, or all that work together.
pub(crate) struct Ranks(Option<World>);

impl Ranks {
    /// Joins those that were started together with this one.
    ///
    /// # Errors
    /// If the program cannot be one of several.
    pub(crate) fn join() -> Result<Self, JoinError> {
        World::join().map(Self)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.as_ref().map_or(1, Communicator::size)
    }

    /// Whether this one speaks and writes.
    pub(crate) fn is_first(&self) -> bool {
        self.0.as_ref().is_none_or(|world| world.rank() == 0)
    }

    /// Ends all of them, unless the others have failed as well: then each may end in order.
    pub(crate) fn fail(&self, why: &str) {
        if let Some(world) = &self.0 {
            world.fail(&why);
        }
    }

    /// Refuses what several ranks cannot do yet.
    pub(crate) fn refuse(&self, flags: &[(&str, bool)]) -> Result<(), UsageError> {
        match flags.iter().find(|(_, given)| *given) {
            Some((flag, _)) if self.count() > 1 => Err(UsageError(format!(
                "{flag} does not work on several ranks: leave it out, or start the program without mpirun"
            ))),
            _ => Ok(()),
        }
    }

    /// The samples of this rank out of all.
    pub(crate) fn own_samples<T: Scalar>(&self, all: AnyDataset<T>) -> Result<AnyDataset<T>> {
        let Some(world) = &self.0 else { return Ok(all) };
        Ok(all.select(&world.share_of(all.samples()).collect::<Vec<_>>())?)
    }

    /// Where so many samples of this rank stand among all.
    pub(crate) fn parts(&self, samples: usize) -> deepnmf::Result<Parts<'_>> {
        self.0.as_ref().map_or(Ok(Parts::whole(samples)), |world| Parts::new(world, samples))
    }

    /// Learns the steps from the samples of all ranks, and takes them with those of this one.
    pub(crate) fn prepare<T: Scalar>(
        &self,
        steps: &mut Pipeline,
        data: &mut AnyDataset<T>,
        zeros: ZeroSamples,
    ) -> Result<Zeros> {
        if self.count() == 1 {
            return Ok(steps.fit_apply_with(data, zeros)?);
        }
        let learns = |step: &Step| matches!(step.name(), "standardize" | "min-max" | "tf-idf");
        let changes_features = |step: &&Step| matches!(step.name(), "igo" | "resize");
        let parts = self.parts(data.samples())?;
        match steps.steps().iter().find(changes_features) {
            None => {
                steps.fit_lazily(&PartData::new(&data.x, parts)?)?;
                Ok(steps.apply_with(data, zeros)?)
            }
            Some(step) if steps.steps().iter().any(learns) => {
                let text = format!(
                    "--normalize {steps} does not work on several ranks: leave {step} out, or start the program \
                     without mpirun"
                );
                Err(UsageError(text).into())
            }
            // Every sample by itself.
            Some(_) => {
                let first = parts.range().start;
                steps.fit_apply_with(data, zeros).map_err(|error| numbered(error, first))
            }
        }
    }

    /// What a plan adds to memory and time, which are those of this rank.
    pub(crate) fn plan_text(&self, samples: usize) -> String {
        match self.count() {
            1 => String::new(),
            count => format!(
                "  ranks       {count}; memory and time are those of the first, of {samples} samples\n"
            ),
        }
    }

    /// How many ranks there are and what each has sent, for people.
    pub(crate) fn text(&self) -> String {
        let Some(world) = &self.0 else { return String::new() };
        let sent = world.communication().total();
        let (count, calls) = (self.count(), sent.calls);
        format!(
            "  ranks       {count}; each has sent {} in {calls} reductions\n",
            bytes(sent.bytes)
        )
    }

    /// The same for programs.
    pub(crate) fn object(&self) -> Value {
        let Some(world) = &self.0 else { return json!({}) };
        let sent = world.communication().total();
        let (calls, numbers, bytes) = (sent.calls, sent.numbers, sent.bytes);
        let sent = json!({ "calls": calls, "numbers": numbers, "bytes": bytes });
        json!({ "ranks": self.count(), "communication": sent })
    }
}

/// A sample by its number among those of all ranks.
fn numbered(error: DataError, first: usize) -> anyhow::Error {
    match error {
        DataError::NoUnitNorm { sample, what } => {
            DataError::NoUnitNorm { sample: first + sample, what }.into()
        }
        other => other.into(),
    }
}

/// Lets `see` look at the samples of this rank as a part of all.
pub(crate) fn as_part<T: Scalar, R>(
    x: &Values<T>,
    parts: Parts<'_>,
    see: impl FnOnce(&dyn DataMatrix<T>) -> deepnmf::Result<R>,
) -> deepnmf::Result<R> {
    if parts.is_whole() {
        return see(x);
    }
    match x {
        // Sums over the samples, then the offset.
        Values::Centred { x, offset } => {
            see(&Centred::new(&PartData::new(x.as_ref(), parts)?, offset))
        }
        held => see(&PartData::new(held, parts)?),
    }
}

/// The columns of this rank, out of those of all samples.
pub(crate) fn own_columns<T: Scalar>(all: Matrix<T>, parts: Parts<'_>) -> Matrix<T> {
    if parts.is_whole() || all.cols() != parts.total() {
        return all; // of other samples, which the fit refuses
    }
    all.view_columns(parts.range()).to_matrix()
}
