//! All ranks, as MPI connects them.

use std::fmt::{self, Debug, Display};
use std::io::Write;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use deepnmf::Error;
use deepnmf::matrix::{Communicator, Reduction};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives, Destination, Source};

use crate::reduce::{Network, reduce};
use crate::{Communication, JoinError, launcher};

/// The tag of what a rank that fails sends to all others.
const FAILED: i32 = 1;

/// Bytes that MPI may need beside such a message.
const ENVELOPE: usize = 512;

/// How long a rank that fails waits for the others to fail, too.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two looks.
const LOOK: Duration = Duration::from_millis(2);

/// What the job returns where one rank failed alone, and where it broke down.
const FAILURE: i32 = 1;
const BREAKDOWN: i32 = 101;

/// All ranks that `mpirun` has started. MPI ends when it is dropped, which waits for the others to do the same.
pub struct World {
    rank: usize,
    size: usize,
    state: Mutex<State>,
    /// Ends MPI.
    _universe: Universe,
}

/// What calls change, one at a time: MPI takes them from any thread, but not from two at once.
#[derive(Default)]
struct State {
    communication: Communication,
    /// Whether all ranks have failed since the last reduction, and know it.
    all_failed: bool,
}

impl Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

impl World {
    /// Joins the other ranks, if there are any; all of them call it together.
    ///
    /// # Errors
    /// If MPI cannot work here, or works for others than those who were started together.
    pub fn join() -> Result<Option<Self>, JoinError> {
        let ranks = launcher::ranks();
        if ranks == 1 {
            return Ok(None);
        }
        let begun = mpi::initialize_with_threading(Threading::Serialized);
        let (mut universe, threading) = begun.ok_or(JoinError::Again)?;
        if threading < Threading::Serialized {
            return Err(JoinError::OneThread);
        }
        let [rank, size] = [universe.world().rank(), universe.world().size()]
            .map(|number| usize::try_from(number).unwrap_or(0));
        if size != ranks {
            return Err(JoinError::OtherLibrary { ranks, seen: size });
        }
        universe.set_buffer_size(ENVELOPE * size);
        Ok(Some(Self { rank, size, state: Mutex::default(), _universe: universe }))
    }

    /// Which of so many samples this rank should take: as many as the others, or one more.
    pub fn share_of(&self, samples: usize) -> Range<usize> {
        let (each, more) = (samples / self.size, samples % self.size);
        let start = |rank: usize| rank * each + rank.min(more);
        start(self.rank)..start(self.rank + 1)
    }

    /// What this rank has sent so far; the others have sent as much.
    pub fn communication(&self) -> Communication {
        self.state().communication
    }

    /// Tells the others that this rank has failed. If all of them have, each of them returns from here and may end in
    /// order. Otherwise this rank says why it has failed, and ends the job.
    pub fn fail(&self, why: &dyn Display) {
        let mut state = self.state();
        if state.all_failed {
            return; // they have met here before
        }
        let failed = self.failed_too();
        state.all_failed = failed.len() == self.size;
        if state.all_failed {
            return;
        }
        if failed.first() == Some(&self.rank) {
            // Standard error may be closed; nobody can read it then.
            let _ = writeln!(
                std::io::stderr(),
                "error: rank {} of {} has failed: {why}",
                self.rank,
                self.size
            );
        } else {
            thread::sleep(PATIENCE); // the first of them is about to end all
        }
        world().abort(FAILURE)
    }

    /// The ranks, in order, that fail as well and say so within some time; this one is among them.
    fn failed_too(&self) -> Vec<usize> {
        let world = world();
        let others = (0..self.size).filter(|rank| *rank != self.rank);
        let process = |rank: usize| world.process_at_rank(i32::try_from(rank).unwrap_or(0));
        for other in others.clone() {
            process(other).buffered_send_with_tag(&[1u8], FAILED);
        }
        let begun = Instant::now();
        let (mut failed, mut silent): (Vec<usize>, Vec<usize>) =
            (vec![self.rank], others.collect());
        while !silent.is_empty() && begun.elapsed() < PATIENCE {
            let has_failed = |rank: &usize| {
                let other = process(*rank);
                let said = other.immediate_probe_with_tag(FAILED).is_some();
                said.then(|| other.receive_with_tag::<u8>(FAILED)).is_some()
            };
            let (said, left) = silent.into_iter().partition(has_failed);
            failed.extend::<Vec<_>>(said);
            silent = left;
            thread::sleep(LOOK);
        }
        failed.sort_unstable();
        failed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who unwinds from a panic must not wait for others, who wait for it.
impl Drop for World {
    fn drop(&mut self) {
        if thread::panicking() {
            world().abort(BREAKDOWN);
        }
    }
}

fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

impl Communicator for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    /// Does not fail: where a rank has died or failed alone, MPI ends all others.
    fn reduce(&self, reduction: Reduction, values: &mut [f64]) -> deepnmf::Result<()> {
        let mut state = self.state();
        let sent = reduce(&world(), reduction, values);
        state.communication.add(reduction, values.len(), sent);
        state.all_failed = false;
        Ok(())
    }

    fn abort(&self, why: &Error) {
        self.fail(why);
    }
}

impl Network for SimpleCommunicator {
    fn ranks(&self) -> usize {
        usize::try_from(self.size()).unwrap_or(1)
    }

    fn all_gather(&self, own: &[f64], all: &mut [f64]) {
        self.all_gather_into(own, all);
    }

    fn all_to_all(&self, own: &[f64], all: &mut [f64]) {
        self.all_to_all_into(own, all);
    }
}
