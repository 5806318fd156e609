//! A number that tells samples from others, their order included.
//!
//! Every entry that is not zero gives a number that depends on its value, its feature and its sample; the
//! fingerprint is their sum. So it does not matter how the data are held, in which blocks or parts, and zeros
//! cost nothing. It guards against mistakes, not against malice.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::{DataMatrix, Parts, Scalar};
use crate::error::Result;

/// Odd numbers without pattern.
const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// What tells samples from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Of this and something else.
    pub(crate) fn with(self, other: Self) -> Self {
        Self(entry(self.0, other.0, FACTORS[1]))
    }

    /// Of any bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let mut sum = 0u64;
        for (i, chunk) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            sum = sum.wrapping_add(entry(u64::from_le_bytes(word), i as u64, chunk.len() as u64));
        }
        Self(sum)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Fingerprint> for String {
    fn from(print: Fingerprint) -> Self {
        print.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> std::result::Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self)
    }
}

#[inline(always)]
fn entry(bits: u64, feature: u64, sample_key: u64) -> u64 {
    let mut mixed = bits ^ sample_key.wrapping_add(feature.wrapping_mul(FACTORS[0]));
    mixed = mixed.wrapping_mul(FACTORS[1]);
    mixed = (mixed ^ (mixed >> 32)).wrapping_mul(FACTORS[2]);
    mixed ^ (mixed >> 29)
}

/// What stands for a sample, by its number among all.
#[inline(always)]
fn sample_key(sample: usize) -> u64 {
    entry(sample as u64, 0, FACTORS[0])
}

/// What one entry adds; a zero adds nothing.
#[inline(always)]
fn keyed_entry(key: u64, feature: usize, value: f64) -> u64 {
    if value == 0.0 { 0 } else { entry(value.to_bits(), feature as u64, key) }
}

/// What one entry adds to the fingerprint of all.
#[inline(always)]
pub(super) fn of_entry(feature: usize, sample: usize, value: f64) -> u64 {
    keyed_entry(sample_key(sample), feature, value)
}

/// The fingerprint of all samples, block by block; all parts call it together.
pub(super) fn of_blocks<T: Scalar>(x: &(impl DataMatrix<T> + ?Sized)) -> Result<Fingerprint> {
    let first = x.parts().range().start;
    let mut sum = 0u64;
    let is_sparse = x.sparse_blocks(&mut |start, x| {
        x.for_each(|feature, sample, v| {
            sum = sum.wrapping_add(of_entry(feature, first + start + sample, v.to_f64()));
        });
        Ok(())
    })?;
    if is_sparse {
        return of_all_parts(sum, x.parts());
    }
    x.blocks(&mut |start, block| {
        for j in 0..block.cols() {
            let key = sample_key(first + start + j);
            for (i, v) in block.col(j).enumerate() {
                sum = sum.wrapping_add(keyed_entry(key, i, v.to_f64()));
            }
        }
        ControlFlow::Continue(())
    })?;
    of_all_parts(sum, x.parts())
}

/// The sum over all parts, modulo `2^64`, in pieces that sums of `f64` keep exact.
pub(super) fn of_all_parts(own: u64, parts: Parts<'_>) -> Result<Fingerprint> {
    let mut pieces = [own & 0xffff_ffff, own >> 32].map(|half| half as f64);
    parts.sum(&mut pieces)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole numbers
    let [low, high] = pieces.map(|half| half as u64);
    Ok(Fingerprint(low.wrapping_add(high << 32)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::testing::normal;

    #[test]
    fn order_values_and_places_matter_and_how_the_data_are_held_does_not() {
        let x = normal::<f32>(7, 600, 1);
        let print = x.fingerprint().unwrap();
        assert_eq!(x.cast::<f64>().fingerprint().unwrap(), print);
        let strided = x.t().to_matrix();
        assert_eq!(strided.t().fingerprint().unwrap(), print);
        let swapped = Matrix::from_fn(7, 600, |i, j| x[(i, if j < 2 { 1 - j } else { j })]);
        assert_ne!(swapped.fingerprint().unwrap(), print);
        let features = Matrix::from_fn(7, 600, |i, j| x[(6 - i, j)]);
        assert_ne!(features.fingerprint().unwrap(), print);
        let mut one = x.clone();
        one[(3, 599)] = f32::from_bits(one[(3, 599)].to_bits() ^ 1);
        assert_ne!(one.fingerprint().unwrap(), print);
        let zeros = Matrix::<f64>::zeros(3, 3);
        assert_eq!(zeros.fingerprint().unwrap(), zeros.map(|v| -v).fingerprint().unwrap());
    }
}
