//! Work without the interpreter's lock, on threads of its own, that Ctrl-C can stop.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::available_parallelism;
use std::time::Duration;

use deepnmf::CancelToken;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::of_panic;

/// How long a Ctrl-C may stay unnoticed.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// The cores that this process may use: affinity and the quota of a container count.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// As many threads as asked for, but no more than cores, or one per core for 0. A pool per call, because a
/// process that is forked (as Python's multiprocessing does) would find a shared one without its threads.
pub(crate) fn pool(threads: usize) -> PyResult<ThreadPool> {
    let threads = if threads == 0 { cores() } else { threads.min(cores()) };
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
    })
}

/// The cores that this process may use.
#[pyfunction]
pub(crate) fn available_cores() -> usize {
    cores()
}

/// Runs `work` while Python goes on. Ctrl-C asks it to stop, and is raised when it has.
pub(crate) fn on_threads<R: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&CancelToken) -> R + Send,
) -> PyResult<R> {
    match interruptible(py, threads, work)? {
        (_, Some(interruption)) => Err(interruption),
        (result, None) => Ok(result),
    }
}

/// The same for work that has something to show when it is stopped: its result, and what stopped it.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&CancelToken) -> R + Send,
) -> PyResult<(R, Option<PyErr>)> {
    let (pool, cancel) = (pool(threads)?, CancelToken::new());
    let (mut result, mut interruption) = (None, None);
    let done = py.detach(|| {
        catch_unwind(AssertUnwindSafe(|| {
            let (working, ended) = sync_channel::<()>(0);
            pool.in_place_scope(|scope| {
                let (result, cancel) = (&mut result, &cancel);
                scope.spawn(move |_| {
                    let _until_the_end = working;
                    *result = Some(work(cancel));
                });
                while ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    if interruption.is_none() {
                        #[allow(clippy::redundant_closure_for_method_calls)] // any lifetime
                        let told = Python::attach(|py| py.check_signals());
                        interruption = told.err();
                    }
                    if interruption.is_some() {
                        cancel.cancel();
                    }
                }
            });
        }))
    });
    done.map_err(|payload| of_panic(payload.as_ref()))?;
    let result = result.ok_or_else(|| of_panic(&"the work has no outcome"))?;
    Ok((result, interruption))
}
