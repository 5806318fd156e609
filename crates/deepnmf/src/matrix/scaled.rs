//! Data in another unit: every entry times a power of two, which changes no digit.
//!
//! A fit sees its data in the unit in which samples have a mean squared length of about one
//! ([`unit_exponent`]). So its thresholds mean the same whatever the data are measured in, and squares
//! neither overflow nor vanish.

use std::ops::{ControlFlow, Range};

use super::data::{Visit, VisitSparse, norm_sq_of_blocks, residual_norm_sq_of_blocks};
use super::weighted::total_weight;
use super::{DataMatrix, Entry, Matrix, Parts, SampleWeights, Scalar, Sparse, scale};
use crate::error::Result;

/// Up to this exponent a product is computed as it is and scaled afterwards: nothing in it comes near the
/// limits of the number type.
const MILD: i32 = 32;

/// Squared norms within these limits have lost nothing to rounding near the limits of `f64`.
const SAFE_NORM_SQ: Range<f64> = 1e-200..1e200;

/// `2^e X`, without a copy of `X`.
pub(crate) struct Scaled<'a, T> {
    x: &'a dyn DataMatrix<T>,
    exponent: i32,
}

impl<'a, T: Scalar> Scaled<'a, T> {
    /// `2^exponent` times `x`; the exponent is brought into the range of the number type.
    pub(crate) fn new(x: &'a dyn DataMatrix<T>, exponent: i32) -> Self {
        Self { x, exponent: exponent.clamp(-T::MOST_EXPONENT, T::MOST_EXPONENT) }
    }
}

/// A product with the data as they are; its factors may be of another type than they are.
type Multiply<'a, A> = dyn Fn(&Matrix<A>, &mut Matrix<A>) -> Result<()> + 'a;

impl<T: Scalar> Scaled<'_, T> {
    /// A product with the scaled data. Where their unit is extreme, half of the power goes into the other factor,
    /// so that nothing on the way comes near the limits of the number type.
    fn multiply<A: Scalar>(
        &self,
        factor: &Matrix<A>,
        out: &mut Matrix<A>,
        multiply: &Multiply<'_, A>,
    ) -> Result<()> {
        if self.exponent.abs() <= MILD {
            multiply(factor, out)?;
            scale(out, power_of_two(self.exponent));
            return Ok(());
        }
        let mut half = factor.clone();
        scale(&mut half, power_of_two(self.exponent / 2));
        multiply(&half, out)?;
        scale(out, power_of_two(self.exponent - self.exponent / 2));
        Ok(())
    }
}

/// The exponent that brings a basis into the common unit, if its own is so far from it that squares would
/// suffer.
pub(crate) fn extreme_exponent<T: Scalar>(basis: &Matrix<T>) -> Result<Option<i32>> {
    let exponent = unit_exponent(basis)?;
    Ok((exponent.abs() > MILD).then_some(exponent))
}

/// `2^exponent`, where the result is a normal number.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

/// *Together*: the exponent by which data have to be scaled for their samples to have a mean squared length
/// from 1/2 to 2. Zero for data that are zero, or not finite.
pub(crate) fn unit_exponent<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<i32> {
    let samples = if x.parts().total() == 0 { 1.0 } else { total_weight(x) };
    let norm_sq = x.norm_sq()?;
    if SAFE_NORM_SQ.contains(&norm_sq) {
        return Ok(-root_exponent(norm_sq / samples));
    }
    let largest = largest_magnitude(x)?;
    if !(largest > 0.0 && largest.is_finite()) {
        return Ok(0);
    }
    let first = Scaled::new(x, -exponent_of(largest));
    let norm_sq = first.norm_sq()?;
    if !norm_sq.is_finite() {
        return Ok(0); // somebody else refuses them
    }
    let exponent = first.exponent - root_exponent(norm_sq / samples);
    Ok(exponent.clamp(-T::MOST_EXPONENT, T::MOST_EXPONENT))
}

/// The whole number nearest to the binary logarithm of the square root.
fn root_exponent(square: f64) -> i32 {
    (exponent_of(square) + 1).div_euclid(2)
}

/// The binary logarithm, rounded down. It must not depend on rounding, as a logarithm would.
fn exponent_of(value: f64) -> i32 {
    let biased = |value: f64| i32::try_from(value.to_bits() >> 52 & 0x7ff).unwrap_or(0);
    match biased(value) {
        0 => biased(value * power_of_two(100)) - 1123, // below the normal numbers
        exponent => exponent - 1023,
    }
}

fn largest_magnitude<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<f64> {
    let mut largest = [0.0f64];
    let is_sparse = x.sparse_blocks(&mut |_, x| {
        largest[0] = largest[0].max(x.largest_magnitude());
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |_, block| {
            for j in 0..block.cols() {
                largest[0] = block.col(j).fold(largest[0], |most, v| most.max(v.to_f64().abs()));
            }
            ControlFlow::Continue(())
        })?;
    }
    x.parts().max(&mut largest)?;
    Ok(largest[0])
}

/// Multiplies by a power of two in two steps: its halves are numbers even where it is none.
pub(crate) fn scale_by_power<T: Scalar>(a: &mut Matrix<T>, exponent: i32) {
    if exponent != 0 {
        scale(a, power_of_two(exponent / 2));
        scale(a, power_of_two(exponent - exponent / 2));
    }
}

impl<T: Scalar> DataMatrix<T> for Scaled<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn parts(&self) -> Parts<'_> {
        self.x.parts()
    }

    fn tr_mul(&self, z: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.multiply(z, out, &|z, out| self.x.tr_mul(z, out))
    }

    fn mul_tr(&self, h: &Matrix<T>, out: &mut Matrix<T>) -> Result<()> {
        self.multiply(h, out, &|h, out| self.x.mul_tr(h, out))
    }

    fn wide_tr_mul(&self, z: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.multiply(z, out, &|z, out| self.x.wide_tr_mul(z, out))
    }

    fn wide_mul_tr(&self, h: &Matrix<f64>, out: &mut Matrix<f64>) -> Result<()> {
        self.multiply(h, out, &|h, out| self.x.wide_mul_tr(h, out))
    }

    /// A copy of the values; their places stay where they are.
    fn sparse(&self) -> Option<Sparse<'_, T>> {
        Some(self.x.sparse()?.times_power(self.exponent))
    }

    fn sparse_blocks(&self, visit: &mut VisitSparse<'_, T>) -> Result<bool> {
        self.x.sparse_blocks(&mut |start, x| visit(start, &x.view().times_power(self.exponent)))
    }

    fn entries_held(&self) -> Option<usize> {
        self.x.entries_held()
    }

    fn blocks(&self, visit: &mut Visit<'_, T>) -> Result<()> {
        self.x.blocks(&mut |start, block| {
            let mut copy = block.to_matrix();
            scale_by_power(&mut copy, self.exponent);
            visit(start, copy.view())
        })
    }

    /// Where nothing can be lost, from what the data themselves answer.
    fn norm_sq(&self) -> Result<f64> {
        if self.exponent.abs() <= MILD {
            return Ok(self.x.norm_sq()? * power_of_two(2 * self.exponent));
        }
        match self.x.incomplete() {
            Some(x) => self.parts().sum_of(x.norm_sq_in_unit(self.exponent)),
            None => norm_sq_of_blocks(self),
        }
    }

    /// Where nothing can be lost, in the unit of the data.
    fn residual_norm_sq(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<f64> {
        if self.exponent.abs() <= MILD {
            let mut there = phi.clone();
            scale_by_power(&mut there, -self.exponent);
            return Ok(self.x.residual_norm_sq(&there, h)? * power_of_two(2 * self.exponent));
        }
        match self.x.incomplete() {
            Some(x) => self.parts().sum_of(x.residual_in_unit(self.exponent, phi, h)?),
            None => residual_norm_sq_of_blocks(self, phi, h),
        }
    }

    fn weights(&self) -> Option<&SampleWeights> {
        self.x.weights()
    }

    fn missing(&self) -> usize {
        self.x.missing()
    }

    fn is_incomplete(&self) -> bool {
        self.x.is_incomplete()
    }

    fn fill_in(&self, phi: &Matrix<T>, h: &Matrix<T>) -> Result<Option<f64>> {
        if !self.is_incomplete() {
            return Ok(None);
        }
        let mut there = phi.clone();
        scale_by_power(&mut there, -self.exponent);
        let left = self.x.fill_in(&there, h)?;
        Ok(left.map(|left| left * power_of_two(self.exponent).powi(2)))
    }

    fn entry_sum(&self) -> Result<f64> {
        Ok(self.x.entry_sum()? * power_of_two(self.exponent))
    }

    /// The value found is the one that stands in the data, in their own unit.
    fn find_entry(&self, wanted: &dyn Fn(T) -> bool) -> Result<Option<Entry>> {
        self.x.find_entry(wanted)
    }

    fn may_densify(&self) -> bool {
        self.x.may_densify()
    }

    fn go_on(&self) -> Result<()> {
        self.x.go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::normal;

    #[test]
    fn exponents_are_those_of_the_definition() {
        for exponent in [-1060, -1022, -900, -1, 0, 1, 30, 1023] {
            let value = f64::from(exponent / 2).exp2() * f64::from(exponent - exponent / 2).exp2();
            assert_eq!(exponent_of(value), exponent);
            assert_eq!(exponent_of(value * 1.75), exponent);
        }
        for (square, exponent) in [(0.5, 0), (1.99, 0), (2.0, 1), (7.9, 1), (0.49, -1), (0.125, -1)]
        {
            assert_eq!(root_exponent(square), exponent, "{square}");
        }
    }

    #[test]
    fn samples_of_length_one_keep_their_unit() {
        let mut x = normal::<f64>(9, 40, 1);
        for j in 0..40 {
            let length = crate::matrix::dot(x.col(j), x.col(j)).sqrt();
            x.col_mut(j).iter_mut().for_each(|v| *v /= length);
        }
        assert_eq!(unit_exponent(&x).unwrap(), 0);
        assert_eq!(unit_exponent(&x.map(|v| v * 1024.0)).unwrap(), -10);
        assert_eq!(unit_exponent(&Matrix::<f64>::zeros(3, 4)).unwrap(), 0);
    }

    #[test]
    fn a_unit_changes_no_digit() {
        let (x, z, h) =
            (normal::<f64>(9, 300, 1), normal::<f64>(9, 4, 2), normal::<f64>(5, 300, 3));
        let first = unit_exponent(&x).unwrap();
        let reference = Scaled::new(&x, first);
        for j in [-900, -450, -33, -1, 7, 40, 899] {
            let other = {
                let mut other = x.clone();
                scale_by_power(&mut other, j);
                other
            };
            let exponent = unit_exponent(&other).unwrap();
            assert_eq!(exponent, first - j);
            let same = Scaled::new(&other, exponent);
            let (mut a, mut b) = (Matrix::zeros(4, 300), Matrix::zeros(4, 300));
            reference.tr_mul(&z, &mut a).unwrap();
            same.tr_mul(&z, &mut b).unwrap();
            assert_eq!(a, b);
            let (mut a, mut b) = (Matrix::zeros(9, 5), Matrix::zeros(9, 5));
            reference.mul_tr(&h, &mut a).unwrap();
            same.mul_tr(&h, &mut b).unwrap();
            assert_eq!(a, b);
            assert_eq!(reference.to_dense().unwrap(), same.to_dense().unwrap());
            assert_eq!(reference.norm_sq().unwrap().to_bits(), same.norm_sq().unwrap().to_bits());
            let bits = |x: &Scaled<'_, f64>| x.entry_sum().unwrap().to_bits();
            assert_eq!(bits(&reference), bits(&same));
        }
    }
}
