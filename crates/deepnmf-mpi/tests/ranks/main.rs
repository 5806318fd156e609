//! Starts itself by `mpirun` and looks at what the ranks do. Messages take the way over shared memory, so no network
//! is needed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // as in every test

#[path = "../../../deepnmf/src/split_tests/cases.rs"]
mod cases;
mod failures;
mod job;
mod models;
mod reductions;

use std::env;

use deepnmf_mpi::World;

/// Names what a rank is to do.
const TASK: &str = "DEEPNMF_TEST_TASK";

/// What every rank is.
#[test]
#[ignore = "mpirun starts it"]
fn one_of_several_ranks() {
    let Ok(task) = env::var(TASK) else { return };
    let world = World::join().unwrap().expect("mpirun has started it");
    match task.as_str() {
        "models" => models::fit(&world),
        "reductions" => reductions::reduce(&world),
        "one fails" => failures::one_fails(&world),
        "one panics" => failures::one_panics(&world),
        "all fail" => failures::all_fail(&world),
        other => panic!("there is no task {other}"),
    }
}
