//! Random numbers: one seed, one independent stream per purpose, the same on every machine.
//!
//! Numbers for samples belong to the sample by its number among all, not to whoever draws them: a stream
//! can be entered at any place, so parts of the data draw what one place would.

use std::ops::Range;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::matrix::{Matrix, Scalar};

/// What random numbers are drawn for. Each purpose has a stream of its own, so that asking for
/// more of one kind never changes another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Start = 1,
    Svd = 2,
    KMeans = 3,
    Neighbours = 4,
    Proposals = 5,
}

/// Words of the stream that one sample's normal numbers may use. The method that makes them takes one or
/// two words for nearly every number, but has no upper limit.
const WORDS_OF_A_SAMPLE: u128 = 1 << 24;

/// Words that a uniform number takes.
const WORDS_OF_A_NUMBER: u128 = 2;

/// The random numbers of one of many tasks with the same seed; tasks can run in any order.
pub fn generator(seed: u64, task: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(task);
    rng
}

/// The random numbers of built-in data and of splits of data. Their bits are part of what these are, so
/// they keep their own rule: the seed and the purpose are the key itself, with nothing stretched.
pub fn keyed(seed: u64, purpose: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&purpose.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// The stream of random numbers for one purpose.
pub(crate) fn stream(seed: u64, purpose: Purpose) -> ChaCha8Rng {
    generator(seed, purpose as u64)
}

/// The stream of random numbers for one of many tasks with the same purpose.
pub(crate) fn numbered_stream(seed: u64, purpose: Purpose, number: u64) -> ChaCha8Rng {
    generator(seed, purpose as u64 | number << 8)
}

/// Columns of standard normal numbers, those of the given samples.
pub(crate) fn normal_columns<T: Scalar>(
    rows: usize,
    samples: Range<usize>,
    seed: u64,
    purpose: Purpose,
) -> Matrix<T> {
    let mut rng = stream(seed, purpose);
    let first = samples.start;
    Matrix::from_fn(rows, samples.len(), |i, j| {
        if i == 0 {
            rng.set_word_pos((first + j) as u128 * WORDS_OF_A_SAMPLE);
        }
        let value: f64 = StandardNormal.sample(&mut rng);
        T::from_f64(value)
    })
}

/// Columns of numbers between 0 and 1, those of the given samples.
pub(crate) fn uniform_columns<T: Scalar>(
    rows: usize,
    samples: Range<usize>,
    seed: u64,
    purpose: Purpose,
) -> Matrix<T> {
    let mut rng = stream(seed, purpose);
    rng.set_word_pos(samples.start as u128 * rows as u128 * WORDS_OF_A_NUMBER);
    Matrix::from_fn(rows, samples.len(), |_, _| T::from_f64(uniform(&mut rng)))
}

/// A number from 0 up to but not including 1.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A whole number below `bound`, which is not zero.
pub fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    let wide = u128::from(rng.next_u64()) * bound as u128;
    #[allow(clippy::cast_possible_truncation)] // it is below `bound`
    let drawn = (wide >> 64) as usize;
    drawn
}

/// Puts `items` into random order (Fisher & Yates).
pub fn shuffle<I>(items: &mut [I], rng: &mut ChaCha8Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(rng, i + 1));
    }
}
