//! The library as others use it. One test program for all of it: each would be linked anew.

#![allow(clippy::unwrap_used, clippy::panic)] // as in every test
#![allow(clippy::float_cmp)] // whole numbers are exact

mod bad_input;
mod cut;
mod faces_sheet;
#[cfg(feature = "images")]
mod few_labels;
mod hostile;
mod real_data;
