//! Whole numbers of 32 or 64 bits, borrowed or owned: the places and the bounds of sparse data.

use std::borrow::Cow;

use super::Error;
use crate::error::Result;

/// Whole numbers as somebody holds them: signed ones without a negative number have the bits of unsigned ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whole<'a> {
    /// Of 32 bits.
    Narrow(Cow<'a, [u32]>),
    /// Of 64 bits.
    Wide(Cow<'a, [u64]>),
}

impl<'a> Whole<'a> {
    /// Borrows signed numbers of 32 bits, as SciPy holds them.
    ///
    /// # Errors
    /// If one is negative; `what` is what the message calls them.
    pub fn of_i32(what: &str, numbers: &'a [i32]) -> Result<Self> {
        match numbers.iter().position(|number| *number < 0) {
            None => Ok(Self::Narrow(Cow::Borrowed(bytemuck::cast_slice(numbers)))),
            Some(at) => Err(negative(what, at, i64::from(numbers[at]))),
        }
    }

    /// Borrows signed numbers of 64 bits.
    ///
    /// # Errors
    /// As [`of_i32`](Self::of_i32).
    pub fn of_i64(what: &str, numbers: &'a [i64]) -> Result<Self> {
        match numbers.iter().position(|number| *number < 0) {
            None => Ok(Self::Wide(Cow::Borrowed(bytemuck::cast_slice(numbers)))),
            Some(at) => Err(negative(what, at, numbers[at])),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(numbers) => numbers.len(),
            Self::Wide(numbers) => numbers.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a place; one that this machine cannot count to is its largest.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline(always)]
    pub fn get(&self, at: usize) -> usize {
        match self {
            Self::Narrow(numbers) => numbers[at].place(),
            Self::Wide(numbers) => numbers[at].place(),
        }
    }

    /// The same numbers, borrowed.
    pub(super) fn borrowed(&self) -> Whole<'_> {
        match self {
            Self::Narrow(numbers) => Whole::Narrow(Cow::Borrowed(numbers)),
            Self::Wide(numbers) => Whole::Wide(Cow::Borrowed(numbers)),
        }
    }

    /// The same numbers in memory of their own.
    pub(super) fn owned(self) -> Whole<'static> {
        match self {
            Self::Narrow(numbers) => Whole::Narrow(Cow::Owned(numbers.into_owned())),
            Self::Wide(numbers) => Whole::Wide(Cow::Owned(numbers.into_owned())),
        }
    }

    /// Whether somebody else holds them.
    pub(super) fn is_borrowed(&self) -> bool {
        match self {
            Self::Narrow(numbers) => matches!(numbers, Cow::Borrowed(_)),
            Self::Wide(numbers) => matches!(numbers, Cow::Borrowed(_)),
        }
    }

    /// Zeros, to be replaced by numbers of at most `limit`, as narrow as these can be.
    pub(super) fn zeros(limit: usize, count: usize) -> Whole<'static> {
        if u32::try_from(limit).is_ok() {
            vec![0u32; count].into()
        } else {
            vec![0u64; count].into()
        }
    }

    /// Puts a number in its place. It must be no larger than those that were announced.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // it is no larger
    pub(super) fn set(&mut self, at: usize, number: usize) {
        match self {
            Self::Narrow(numbers) => numbers.to_mut()[at] = number as u32,
            Self::Wide(numbers) => numbers.to_mut()[at] = number as u64,
        }
    }

    /// Appends a number. It must be no larger than those that were announced.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // it is no larger
    pub(super) fn push(&mut self, number: usize) {
        match self {
            Self::Narrow(numbers) => numbers.to_mut().push(number as u32),
            Self::Wide(numbers) => numbers.to_mut().push(number as u64),
        }
    }

    /// Numbers below `limit`, as narrow as they can be.
    pub(super) fn collected(limit: usize, numbers: impl Iterator<Item = usize>) -> Whole<'static> {
        #[allow(clippy::cast_possible_truncation)] // they are below the limit
        if u32::try_from(limit).is_ok() {
            Whole::Narrow(Cow::Owned(numbers.map(|number| number as u32).collect()))
        } else {
            Whole::Wide(Cow::Owned(numbers.map(|number| number as u64).collect()))
        }
    }
}

fn negative(what: &str, at: usize, number: i64) -> Error {
    Error::parameter(format!("number {} of {what}", at + 1), number, "it must not be negative")
}

impl<'a> From<&'a [u32]> for Whole<'a> {
    fn from(numbers: &'a [u32]) -> Self {
        Self::Narrow(Cow::Borrowed(numbers))
    }
}

impl<'a> From<&'a [u64]> for Whole<'a> {
    fn from(numbers: &'a [u64]) -> Self {
        Self::Wide(Cow::Borrowed(numbers))
    }
}

impl From<Vec<u32>> for Whole<'_> {
    fn from(numbers: Vec<u32>) -> Self {
        Self::Narrow(Cow::Owned(numbers))
    }
}

impl From<Vec<u64>> for Whole<'_> {
    fn from(numbers: Vec<u64>) -> Self {
        Self::Wide(Cow::Owned(numbers))
    }
}

/// A whole number that names a place.
pub(super) trait Index: Copy + Ord + Send + Sync {
    /// As a place; one that this machine cannot count to is its largest.
    fn place(self) -> usize;
}

impl Index for u32 {
    #[inline(always)]
    fn place(self) -> usize {
        self as usize // every machine that this runs on counts that far
    }
}

impl Index for u64 {
    #[inline(always)]
    fn place(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}
