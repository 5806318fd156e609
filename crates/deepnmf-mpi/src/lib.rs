//! Fits on many machines: the samples are spread over the processes (ranks) that `mpirun` starts.
//!
//! [`World`] is how they reach each other. It is a [`Communicator`](deepnmf::matrix::Communicator), so every model of
//! `deepnmf` fits data whose samples each rank holds a part of:
//!
//! ```no_run
//! use deepnmf::matrix::{DataMatrix, PartData, Parts};
//! use deepnmf::{Factorization, Matrix, SemiNmf};
//! use deepnmf_mpi::World;
//!
//! # fn samples(range: std::ops::Range<usize>) -> Matrix<f64> { Matrix::zeros(9, range.len()) }
//! let world = World::join()?.ok_or("start this with mpirun")?;
//! let own = samples(world.share_of(1000));
//! let x = PartData::new(&own, Parts::new(&world, own.cols())?)?;
//! let model = SemiNmf::new(4).fit(&x)?;
//! if let Some(model) = model.gathered(x.parts())? {
//!     model.save("m.safetensors".as_ref())?; // the first rank alone
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without the feature `mpi` nothing of MPI is needed to build this crate. [`World::join`] then refuses to be one of
//! several ranks.

mod launcher;
#[cfg(feature = "mpi")]
mod reduce;
mod volume;
#[cfg_attr(not(feature = "mpi"), path = "without.rs")]
mod world;

pub use launcher::{JoinError, ranks_on_this_machine};
pub use volume::{Communication, Volume};
pub use world::World;
