//! The two number types everything is generic over.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// The number type of a matrix, as it is named in files and on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
}

impl Display for Dtype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`: what data and factors are made of.
///
/// The trait is sealed. Sums that decide something (objectives, norms) are always carried out in
/// `f64`, whatever the data are made of.
pub trait Scalar:
    sealed::Sealed
    + super::kernels::Kernels
    + super::sparse::SparseKernels
    + crate::instances::Instances
    + Copy
    + bytemuck::Pod
    + Default
    + Debug
    + Display
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The distance from one to the next larger number.
    const EPSILON: Self;
    /// Below this a non-negative feature is flushed to zero: products of such numbers would be
    /// denormal, and denormals slow a matrix product down many times over.
    const FLUSH: Self;
    /// The largest `e` for which both `2^e` and `2^-e` are normal numbers with room to spare.
    const MOST_EXPONENT: i32;
    /// The type's name in files.
    const DTYPE: Dtype;

    /// Rounds to this type.
    fn from_f64(value: f64) -> Self;
    /// Widens without loss.
    fn to_f64(self) -> f64;
    /// The square root.
    #[must_use]
    fn root(self) -> Self;
    /// `self` to the power of `exponent`.
    #[must_use]
    fn power(self, exponent: Self) -> Self;
    /// The absolute value.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The larger of two numbers; never `NaN` if one of them is a number.
    #[must_use]
    fn larger(self, other: Self) -> Self;
    /// Neither infinite nor `NaN`.
    fn finite(self) -> bool;
}

macro_rules! scalar {
    ($type:ty, $dtype:expr, $flush:expr, $most_exponent:expr) => {
        // Between the two types, `as` is the rounding and the identity that is meant here.
        #[allow(clippy::cast_possible_truncation, clippy::cast_lossless)]
        impl Scalar for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = <$type>::EPSILON;
            const FLUSH: Self = $flush;
            const MOST_EXPONENT: i32 = $most_exponent;
            const DTYPE: Dtype = $dtype;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn power(self, exponent: Self) -> Self {
                self.powf(exponent)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn finite(self) -> bool {
                self.is_finite()
            }
        }
    };
}

scalar!(f32, Dtype::F32, 1e-18, 120);
scalar!(f64, Dtype::F64, 1e-150, 1000);
