//! Nesterov's optimal gradient method as NeNMF has it (Guan, Tao, Luo & Yuan 2012):
//!
//! ```text
//! H_new <- max(0, Y - (G Y - B) / L),   L = |G|_2
//! a_new <- (1 + sqrt(4 a^2 + 1)) / 2
//! Y     <- H_new + (a - 1) / a_new * (H_new - H)
//! ```
//!
//! from `Y = H`, `a = 1`, until the projected gradient at `H` is as short as asked. All columns share one
//! momentum, there is no restart: [`h_accelerated`](super::h_accelerated) is the better rule, this one is
//! for comparison.

use super::BasisProducts;
use crate::error::Result;
use crate::matrix::{Matrix, Parts, Scalar, mul, symmetric_eigen};

/// When the steps on one factor end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// A projected gradient no longer than this is short enough.
    pub(crate) tolerance: f64,
    /// The most steps.
    pub(crate) most: usize,
}

/// Steps on `h`, whose columns belong to these parts; returns how many there were.
///
/// # Errors
/// If the largest eigenvalue of `G` cannot be found, or another part has failed.
pub(crate) fn h_nesterov<T: Scalar>(
    h: &mut Matrix<T>,
    products: &BasisProducts<T>,
    limits: Limits,
    parts: Parts<'_>,
) -> Result<usize> {
    let BasisProducts { phi_t_x: b, phi_t_phi: g } = products;
    let (values, _) = symmetric_eigen(&g.cast())?;
    let curvature = values.first().copied().unwrap_or(0.0);
    if curvature <= 0.0 {
        return Ok(0); // a zero basis: every H is as good
    }
    let step = T::from_f64(1.0 / curvature);
    let (mut y, mut a) = (h.clone(), 1.0f64);
    let mut slope = Matrix::zeros(h.rows(), h.cols());
    for done in 1..=limits.most {
        gradient(&mut slope, g, b, &y);
        let mut new = y.clone();
        let moves = new.as_mut_slice().iter_mut().zip(slope.as_slice());
        moves.for_each(|(v, s)| *v = (*v - step * *s).larger(T::ZERO));
        let a_new = f64::midpoint(1.0, (4.0 * a * a + 1.0).sqrt());
        let momentum = T::from_f64((a - 1.0) / a_new);
        let both = y.as_mut_slice().iter_mut().zip(new.as_slice()).zip(h.as_slice());
        both.for_each(|((y, new), old)| *y = *new + momentum * (*new - *old));
        (*h, a) = (new, a_new);
        gradient(&mut slope, g, b, h);
        if projected_length(&slope, h, parts)? <= limits.tolerance {
            return Ok(done);
        }
    }
    Ok(limits.most)
}

/// The length of the gradient of `|X - Phi H|^2 / 2` where `h` may follow it: all of it where `h` is
/// positive, the part that points upwards (of `h`) where it is zero.
pub(crate) fn projected_gradient<T: Scalar>(
    h: &Matrix<T>,
    products: &BasisProducts<T>,
    parts: Parts<'_>,
) -> Result<f64> {
    let mut slope = Matrix::zeros(h.rows(), h.cols());
    gradient(&mut slope, &products.phi_t_phi, &products.phi_t_x, h);
    projected_length(&slope, h, parts)
}

/// `slope = G Y - B`.
fn gradient<T: Scalar>(slope: &mut Matrix<T>, g: &Matrix<T>, b: &Matrix<T>, y: &Matrix<T>) {
    mul(slope, g.view(), y.view());
    slope.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(s, b)| *s -= *b);
}

fn projected_length<T: Scalar>(slope: &Matrix<T>, h: &Matrix<T>, parts: Parts<'_>) -> Result<f64> {
    let counts = |(s, h): (&T, &T)| if *h > T::ZERO { s.to_f64() } else { s.to_f64().min(0.0) };
    let own = slope.as_slice().iter().zip(h.as_slice()).map(counts);
    Ok(parts.sum_of(own.map(|v| v * v).sum())?.sqrt())
}
