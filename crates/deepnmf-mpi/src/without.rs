//! What is left of the ranks in a program without MPI: this one.

use std::fmt::Display;
use std::ops::Range;

use deepnmf::Error;
use deepnmf::matrix::{Communicator, Reduction};

use crate::{Communication, JoinError, launcher};

/// All ranks; there are none without the feature `mpi`.
#[derive(Debug)]
pub enum World {}

impl World {
    /// Finds out whether this process is alone.
    ///
    /// # Errors
    /// If it is not.
    pub fn join() -> Result<Option<Self>, JoinError> {
        match launcher::ranks() {
            1 => Ok(None),
            ranks => Err(JoinError::BuiltWithout { ranks }),
        }
    }

    /// The samples of this rank.
    pub fn share_of(&self, _: usize) -> Range<usize> {
        match *self {}
    }

    /// What this rank has sent.
    pub fn communication(&self) -> Communication {
        match *self {}
    }

    /// Ends all ranks.
    pub fn fail(&self, _: &dyn Display) {
        match *self {}
    }
}

impl Communicator for World {
    fn rank(&self) -> usize {
        match *self {}
    }

    fn size(&self) -> usize {
        match *self {}
    }

    fn reduce(&self, _: Reduction, _: &mut [f64]) -> deepnmf::Result<()> {
        match *self {}
    }

    fn abort(&self, _: &Error) {
        match *self {}
    }
}
