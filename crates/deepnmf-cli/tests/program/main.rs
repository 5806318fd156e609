//! The program as people run it. One test program for all of it: each would be linked anew.

#![allow(clippy::unwrap_used, clippy::panic)] // as in every test

mod bad_input;
mod batches;
mod cluster;
mod common;
mod demo;
mod evaluate;
mod export;
#[cfg(feature = "images")]
mod faces;
mod fit;
mod fixed;
#[cfg(unix)]
mod interrupt;
mod labels;
mod memory;
mod missing;
mod pictures;
mod pie;
#[cfg(all(unix, feature = "mpi"))]
mod ranks;
mod reading;
#[cfg(unix)]
mod reliability;
mod report;
mod reproduce;
mod sizes;
mod sparse;
mod transform;
mod weights;
mod zeros;
