//! Who has started this process: `mpirun` and its like say so in the environment.

use std::env;

/// Where launchers write how many ranks there are: Open MPI; MPICH, Intel MPI and Slurm; MVAPICH.
const RANKS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];

/// The same for launchers that speak `PMIx`, as Slurm does where it is told to.
const PMIX: (&str, &str) = ("PMIX_RANK", "SLURM_STEP_NUM_TASKS");

/// Where they write how many of them are on this machine.
const RANKS_HERE: [&str; 3] =
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"];

/// Why a process cannot work with the others that were started with it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// It was built without MPI.
    #[error(
        "this is one of {ranks} processes that were started together, but the program was built without MPI: build it \
         with `cargo install --path crates/deepnmf-cli --features mpi`, or start it without mpirun"
    )]
    BuiltWithout {
        /// How many there are.
        ranks: usize,
    },
    /// It was built with another MPI.
    #[error(
        "this is one of {ranks} processes, but its MPI library sees {seen}: start it with the mpirun of the library \
         that it was built with"
    )]
    OtherLibrary {
        /// How many there are.
        ranks: usize,
        /// How many the library knows of.
        seen: usize,
    },
    /// The library wants all calls from the thread that began.
    #[error(
        "the MPI library takes calls from one thread only: use one that supports MPI_THREAD_SERIALIZED"
    )]
    OneThread,
    /// This process has joined before.
    #[error("MPI was begun before in this process: join once")]
    Again,
}

/// How many ranks were started together; one where nobody says so.
pub(crate) fn ranks() -> usize {
    let pmix = env::var_os(PMIX.0).and_then(|_| number(PMIX.1));
    RANKS.into_iter().find_map(number).or(pmix).unwrap_or(1)
}

/// How many ranks share this machine; one where nobody says so.
pub fn ranks_on_this_machine() -> usize {
    RANKS_HERE.into_iter().find_map(number).unwrap_or(1)
}

fn number(variable: &str) -> Option<usize> {
    env::var(variable).ok()?.trim().parse().ok().filter(|count| *count > 0)
}
