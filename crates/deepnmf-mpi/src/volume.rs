//! How much ranks tell each other.

use std::iter::Sum;

#[cfg(feature = "mpi")]
use deepnmf::matrix::Reduction;

/// What one rank has sent. All ranks send equally much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Volume {
    /// Reductions.
    pub calls: u64,
    /// Numbers that were reduced.
    pub numbers: u64,
    /// Bytes sent to other ranks. With `m` ranks a reduction of `N` numbers costs `8 (m - 1) N` up to 128 numbers, and
    /// `16 (m - 1) ceil(N / m)` above (in pieces of `2^22`).
    pub bytes: u64,
}

impl Sum for Volume {
    fn sum<I: Iterator<Item = Self>>(volumes: I) -> Self {
        volumes.fold(Self::default(), |a, b| Self {
            calls: a.calls + b.calls,
            numbers: a.numbers + b.numbers,
            bytes: a.bytes + b.bytes,
        })
    }
}

/// What one rank has sent, by what was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Communication {
    /// For sums.
    pub sum: Volume,
    /// For minima.
    pub min: Volume,
    /// For maxima.
    pub max: Volume,
}

impl Communication {
    /// All of it.
    pub fn total(&self) -> Volume {
        [self.sum, self.min, self.max].into_iter().sum()
    }

    #[cfg(feature = "mpi")]
    pub(crate) fn add(&mut self, reduction: Reduction, numbers: usize, sent: usize) {
        let volume = match reduction {
            Reduction::Sum => &mut self.sum,
            Reduction::Min => &mut self.min,
            Reduction::Max => &mut self.max,
        };
        let bytes = (sent * size_of::<f64>()) as u64;
        *volume = [*volume, Volume { calls: 1, numbers: numbers as u64, bytes }].into_iter().sum();
    }
}
