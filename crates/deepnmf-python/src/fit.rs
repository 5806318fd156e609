//! The one function that fits, whatever the model, and how it is watched and stopped.
//!
//! The fit runs on a pool of threads. The thread that called it waits, without the interpreter's
//! lock: signals reach only Python's main thread, and a callback should run where it was given.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

use deepnmf::persist::AnyModel;
use deepnmf::{
    CancelToken, Checkpoints, Event, Factorization, Factors, FitSession, FixedComponents, Labels,
    Learner, Observer, Provenance, Scalar, Settings, WarmStart,
};
use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPool;
use serde::de::DeserializeOwned;

use crate::array::{Given, Held, Samples, held, labels, view};
use crate::errors::{of_model, of_panic};
use crate::model::Model;
use crate::threads::{PATIENCE, pool};

/// Fits the model that `settings` describe (in the words of a model file). Returns it with what
/// interrupted the fit, if anything did: an exception of the callback, or Ctrl-C. `start` has features
/// (samples x components) and components (components x features) to begin from. With `batch` the samples are the first
/// of many. `fixed` has components and features that stay.
#[pyfunction]
#[pyo3(signature = (settings, x, attributes, provenance, *, threads, callback, checkpoint=None, start=None, batch=false, weights=None, fixed=(None, None)))]
#[allow(clippy::too_many_arguments)] // keywords of a Python function
pub(crate) fn fit<'py>(
    py: Python<'py>,
    settings: &str,
    x: Samples<'py>,
    attributes: Vec<Option<PyReadonlyArray1<'py, i64>>>,
    provenance: &str,
    threads: usize,
    callback: Option<Py<PyAny>>,
    checkpoint: Option<PathBuf>,
    start: Option<(Samples<'py>, Samples<'py>)>,
    batch: bool,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    fixed: (Option<Samples<'py>>, Option<Samples<'py>>),
) -> PyResult<(Model, Option<PyErr>)> {
    let settings: Settings = understood(settings)?;
    let provenance: Provenance = understood(provenance)?;
    let attributes: Vec<_> = attributes.iter().map(|a| a.as_ref().map(labels)).collect();
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let pool = pool(threads)?;
    let mut watcher = Watcher { callback, cancel: CancelToken::new(), interruption: None };
    let model = match x {
        Samples::F32(x) => {
            let from = match &start {
                Some((Samples::F32(h), Samples::F32(z))) => Some(factors(h, z)?),
                Some(_) => return Err(other_numbers()),
                None => None,
            };
            let bases = fixed.0.as_ref().map(narrow).transpose()?;
            let features = fixed.1.as_ref().map(narrow).transpose()?;
            let fixed = stays(bases, features)?;
            let x = held(&x)?;
            let job = Job { settings, x, attributes, checkpoint, from, weights, batch, fixed };
            let model = py.detach(|| watched(&pool, &job, &mut watcher));
            model.map(|model| AnyModel::F32(deepnmf::Model { provenance, ..model }))
        }
        Samples::F64(x) => {
            let from = match &start {
                Some((Samples::F64(h), Samples::F64(z))) => Some(factors(h, z)?),
                Some(_) => return Err(other_numbers()),
                None => None,
            };
            let bases = fixed.0.as_ref().map(wide).transpose()?;
            let features = fixed.1.as_ref().map(wide).transpose()?;
            let fixed = stays(bases, features)?;
            let x = held(&x)?;
            let job = Job { settings, x, attributes, checkpoint, from, weights, batch, fixed };
            let model = py.detach(|| watched(&pool, &job, &mut watcher));
            model.map(|model| AnyModel::F64(deepnmf::Model { provenance, ..model }))
        }
    };
    match (model, watcher.interruption) {
        (Ok(model), interruption) => Ok((Model::new(model), interruption)),
        // Who interrupts a fit does not care what else went wrong with it.
        (Err(_), Some(interruption)) => Err(interruption),
        (Err(error), None) => Err(error),
    }
}

/// Features and components as the paper has them.
fn factors<T: Scalar + Element>(h: &Given<'_, T>, z: &Given<'_, T>) -> PyResult<Factors<T>> {
    Ok(Factors::new(vec![view(z)?.to_matrix()], vec![view(h)?.to_matrix()]))
}

fn other_numbers() -> PyErr {
    PyTypeError::new_err("factors that are given must have the number type of the samples")
}

fn narrow<'a, 'py>(given: &'a Samples<'py>) -> PyResult<&'a Given<'py, f32>> {
    if let Samples::F32(given) = given { Ok(given) } else { Err(other_numbers()) }
}

fn wide<'a, 'py>(given: &'a Samples<'py>) -> PyResult<&'a Given<'py, f64>> {
    if let Samples::F64(given) = given { Ok(given) } else { Err(other_numbers()) }
}

/// Components (a row each) and features (samples x components) that stay, as the paper has them.
fn stays<T: Scalar + Element>(
    bases: Option<&Given<'_, T>>,
    features: Option<&Given<'_, T>>,
) -> PyResult<Option<FixedComponents<T>>> {
    if bases.is_none() && features.is_none() {
        return Ok(None);
    }
    let matrix = |given| Ok::<_, PyErr>(view(given)?.to_matrix());
    let (bases, features) = (bases.map(matrix).transpose()?, features.map(matrix).transpose()?);
    Ok(Some(FixedComponents { bases, features }))
}

/// Settings and the like, which cross as JSON.
pub(crate) fn understood<S: DeserializeOwned>(text: &str) -> PyResult<S> {
    serde_json::from_str(text)
        .map_err(|error| PyValueError::new_err(format!("settings are not understood: {error}")))
}

/// What is to be done.
struct Job<'a, T: Scalar> {
    settings: Settings,
    x: Held<'a, T>,
    attributes: Vec<Option<Vec<Option<u32>>>>,
    /// Where checkpoints are written, and taken up.
    checkpoint: Option<PathBuf>,
    /// What to begin from, if not from the initialization that the settings name.
    from: Option<Factors<T>>,
    /// The weights of the samples, if they have any.
    weights: Option<Vec<f64>>,
    /// Whether more samples will come.
    batch: bool,
    /// Components that stay, if any do.
    fixed: Option<FixedComponents<T>>,
}

impl<T: Scalar> Job<'_, T> {
    fn run(&self, session: &mut FitSession<'_>) -> deepnmf::Result<deepnmf::Model<T>> {
        if self.batch {
            let begun = Learner::begin_in(&self.settings, self.x.data(), session)?;
            return Ok(begun.into_model());
        }
        if let Some(fixed) = &self.fixed {
            let weights = self.weights.as_deref();
            return self.settings.fit_fixed(self.x.data(), fixed.clone(), weights, session);
        }
        if let Some(weights) = &self.weights {
            let from = self.from.clone().map(WarmStart::Factors);
            return self.settings.fit_weighted(self.x.data(), weights, from, session);
        }
        if let Some(from) = &self.from {
            return self.settings.fit_from(
                self.x.data(),
                WarmStart::Factors(from.clone()),
                session,
            );
        }
        let attributes: Vec<Option<&Labels>> =
            self.attributes.iter().map(|labels| labels.as_deref()).collect();
        self.settings.fit(self.x.data(), &attributes, session)
    }
}

/// Does the job on the pool while this thread listens.
fn watched<T: Scalar>(
    pool: &ThreadPool,
    job: &Job<'_, T>,
    watcher: &mut Watcher,
) -> PyResult<deepnmf::Model<T>> {
    let (tell, told) = sync_channel(0);
    let (answer, answered) = sync_channel(1);
    let mut relay = Relay { wanted: watcher.callback.is_some(), tell, answered };
    let cancel = watcher.cancel.clone();
    let mut outcome = None;
    let done = catch_unwind(AssertUnwindSafe(|| {
        pool.in_place_scope(|scope| {
            let outcome = &mut outcome;
            scope.spawn(move |_| {
                let mut session = FitSession::new().observed_by(&mut relay).stopped_by(cancel);
                if let Some(folder) = &job.checkpoint {
                    session = session.checkpointed(Checkpoints::new(folder).resume(true));
                }
                *outcome = Some(job.run(&mut session));
            });
            watcher.listen(&told, &answer);
        });
    }));
    done.map_err(|payload| of_panic(payload.as_ref()))?;
    match outcome {
        Some(model) => model.map_err(of_model),
        None => Err(of_panic(&"the fit has no outcome")),
    }
}

/// Carries events from the fit to the thread that listens, and waits for its answer. Its end closes
/// the channel.
struct Relay {
    wanted: bool,
    tell: SyncSender<Event>,
    answered: Receiver<()>,
}

impl Observer for Relay {
    fn on_event(&mut self, event: &Event) {
        if self.wanted && self.tell.send(*event).is_ok() {
            // Without an answer nobody listens any more, and the fit goes on.
            let _ = self.answered.recv();
        }
    }
}

/// The thread that called.
struct Watcher {
    callback: Option<Py<PyAny>>,
    cancel: CancelToken,
    interruption: Option<PyErr>,
}

impl Watcher {
    /// Listens until the fit is over.
    fn listen(&mut self, told: &Receiver<Event>, answer: &SyncSender<()>) {
        loop {
            match told.recv_timeout(PATIENCE) {
                Ok(event) => {
                    self.attend(|callback, py| callback.map_or(Ok(false), |c| ask(c, py, &event)));
                    let _ = answer.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.attend(|_, py| py.check_signals().map(|()| false));
        }
    }

    /// Stops the fit if `question` says so or fails; after that no more is asked.
    fn attend(&mut self, question: impl FnOnce(Option<&Py<PyAny>>, Python<'_>) -> PyResult<bool>) {
        if self.cancel.is_cancelled() {
            return;
        }
        match Python::attach(|py| question(self.callback.as_ref(), py)) {
            Ok(false) => {}
            Ok(true) => self.cancel.cancel(),
            Err(error) => {
                self.interruption = Some(error);
                self.cancel.cancel();
            }
        }
    }
}

/// Whether the callback wants to stop.
fn ask(callback: &Py<PyAny>, py: Python<'_>, event: &Event) -> PyResult<bool> {
    let answer = match event {
        Event::Starting { stage } => {
            callback.call1(py, (stage.to_string(), None::<usize>, None::<usize>, None::<f64>))
        }
        Event::Iteration { stage, iteration, max_iterations, error } => {
            callback.call1(py, (stage.to_string(), iteration, max_iterations, error))
        }
    };
    answer?.bind(py).is_truthy()
}
