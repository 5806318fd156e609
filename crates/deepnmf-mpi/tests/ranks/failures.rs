//! Ranks that fail: nobody waits for them, and one of them says why.

use std::fs;
use std::time::{Duration, Instant};

use deepnmf::matrix::{Communicator, Reduction};
use deepnmf_mpi::World;

use crate::job::{Job, folder};

/// What one rank fails with.
const WHY: &str = "the disk is gone";

fn sum_of_ones(world: &World) -> f64 {
    let mut one = [1.0];
    world.reduce(Reduction::Sum, &mut one).unwrap();
    one[0]
}

/// The others wait for the last one, which never comes.
pub(crate) fn one_fails(world: &World) {
    sum_of_ones(world);
    if world.rank() == world.size() - 1 {
        world.fail(&WHY);
    }
    sum_of_ones(world);
}

pub(crate) fn one_panics(world: &World) {
    sum_of_ones(world);
    assert!(world.rank() > 0, "{WHY}");
    sum_of_ones(world);
}

/// All come to the same error, twice, and go on.
pub(crate) fn all_fail(world: &World) {
    for round in 0..2 {
        assert!(sum_of_ones(world) > 1.0);
        world.fail(&WHY);
        world.fail(&"whoever hears of it says it again");
        fs::write(folder().join(format!("round {round} of {}", world.rank())), "").unwrap();
    }
}

#[test]
fn a_rank_that_fails_alone_says_why_and_ends_the_job() {
    for ranks in [2, 4] {
        let begun = Instant::now();
        let job = Job::run("one fails", ranks);
        assert!(!job.status.success());
        let said = format!("error: rank {} of {ranks} has failed: {WHY}", ranks - 1);
        assert_eq!(job.stderr.matches(&said).count(), 1, "{}", job.stderr);
        assert_eq!(job.stderr.matches("has failed").count(), 1, "{}", job.stderr);
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn a_rank_that_panics_ends_the_job() {
    let job = Job::run("one panics", 3);
    assert!(!job.status.success());
    assert_eq!(job.stderr.matches(WHY).count(), 1, "{}", job.stderr);
}

#[test]
fn ranks_that_agree_on_an_error_end_in_order_and_may_go_on() {
    let job = Job::succeed("all fail", 3);
    assert!(!job.stderr.contains(WHY), "{}", job.stderr);
    for rank in 0..3 {
        job.read(&format!("round 1 of {rank}"));
    }
}
