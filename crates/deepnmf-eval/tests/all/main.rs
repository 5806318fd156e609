//! Our numbers beside those of others. One test program for all of it: each would be linked anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests

mod against_scikit_learn;
mod parts;
mod pie;
