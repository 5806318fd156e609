//! Threads that work on parts of the data and reduce for real: each waits until all have come.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::matrix::{Communicator, Parts, Reduction};

/// Threads that meet to reduce their numbers.
struct Meeting {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What those who have come have brought, by rank.
    brought: Vec<Option<(Reduction, Vec<f64>)>>,
    /// The answer, and how many have yet to take it.
    answer: Vec<f64>,
    leaving: usize,
    failure: Option<String>,
}

/// One of the threads.
struct Member<'a> {
    meeting: &'a Meeting,
    rank: usize,
}

impl Meeting {
    fn new(size: usize) -> Self {
        let state = State { brought: vec![None; size], ..State::default() };
        Self { size, state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl State {
    fn come(&self) -> usize {
        self.brought.iter().flatten().count()
    }

    /// The reduced numbers, in the order of the ranks.
    fn reduce(&mut self) {
        let mut all = self.brought.iter_mut().map(|b| b.take().expect("all have come"));
        let (reduction, mut answer) = all.next().expect("somebody has come");
        for (other, values) in all {
            assert_eq!(reduction, other, "all parts ask for the same reduction");
            assert_eq!(answer.len(), values.len(), "all parts bring as many numbers");
            for (a, v) in answer.iter_mut().zip(values) {
                *a = match reduction {
                    Reduction::Sum => *a + v,
                    Reduction::Min => a.min(v),
                    Reduction::Max => a.max(v),
                };
            }
        }
        self.answer = answer;
    }
}

impl Communicator for Member<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.meeting.size
    }

    fn reduce(&self, reduction: Reduction, values: &mut [f64]) -> Result<()> {
        let wait = |state| self.meeting.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        let mut state = self.meeting.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.leaving > 0 && state.failure.is_none() {
            state = wait(state); // the last meeting is not over
        }
        if let Some(failure) = state.failure.as_ref().filter(|_| state.leaving > 0) {
            return Err(Error::Numerical(format!("another part has failed: {failure}")));
        }
        state.brought[self.rank] = Some((reduction, values.to_vec()));
        if state.come() == self.meeting.size {
            state.reduce();
            state.leaving = self.meeting.size;
            self.meeting.changed.notify_all();
        }
        while state.leaving == 0 && state.failure.is_none() {
            state = wait(state);
        }
        // What all have come to is answered, even if one of them has failed since.
        if let (0, Some(failure)) = (state.leaving, &state.failure) {
            return Err(Error::Numerical(format!("another part has failed: {failure}")));
        }
        values.copy_from_slice(&state.answer);
        state.leaving -= 1;
        self.meeting.changed.notify_all();
        Ok(())
    }

    fn abort(&self, why: &Error) {
        let mut state = self.meeting.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failure.get_or_insert_with(|| why.to_string());
        self.meeting.changed.notify_all();
    }
}

/// Does `work` on parts of these sizes at the same time; gives what each has found.
pub(crate) fn on_parts<R: Send>(sizes: &[usize], work: impl Fn(Parts<'_>) -> R + Sync) -> Vec<R> {
    let meeting = Meeting::new(sizes.len());
    std::thread::scope(|scope| {
        let part = |(rank, &samples): (usize, &usize)| {
            let (meeting, work) = (&meeting, &work);
            scope.spawn(move || {
                let member = Member { meeting, rank };
                work(Parts::new(&member, samples).expect("nobody has failed yet"))
            })
        };
        let threads: Vec<_> = sizes.iter().enumerate().map(part).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}
