//! Work without the interpreter's lock, on threads of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::of_panic;

/// As many threads as asked for, or one per core for 0. A pool per call, because a process that is
/// forked (as Python's multiprocessing does) would find a shared one without its threads.
pub(crate) fn pool(threads: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
    })
}

/// Runs `work` while Python goes on.
pub(crate) fn on_threads<R: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    py.detach(|| catch_unwind(AssertUnwindSafe(|| pool.install(work))))
        .map_err(|payload| of_panic(payload.as_ref()))
}
