//! Features of new samples in a layer whose neighbours are those in the data.
//!
//! A new sample minimises what the fit minimised for each of its own, the features of all others held. With weights
//! `w_l` of its nearest training samples that sum to one:
//!
//! ```text
//! |x - Z h|^2 + lambda sum_l w_l |Z h - Z h_l|^2        so  Z h ~ Z (Z^+ x + lambda sum_l w_l h_l) / (1 + lambda)
//! ```
//!
//! by the pseudo-inverse or over non-negative `h`. Samples are compared in the space that the basis spans, `Z Z^+ x`: of
//! the training samples the model keeps `Z^+ x`, not the data. Training samples are known by it and get the features of
//! the fit.

use super::near::{Compared, draw_to, give_own};
use super::{Projection, by_basis, gram_in_f64, non_negative_by_products};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, Whitening, product};
use crate::models::{Factors, Neighbourhood};

/// The features of the samples `x` at layer 1; `seen` holds `Z^+ x` of the training samples.
pub(super) fn features<T: Scalar>(
    neighbourhood: &Neighbourhood,
    factors: &Factors<T>,
    seen: &Matrix<T>,
    x: &dyn DataMatrix<T>,
    method: Projection,
) -> Result<Matrix<T>> {
    let (z, trained) = (&factors.z[0], &factors.h[0]);
    let gram = gram_in_f64(z);
    // Lengths of W Z^T Z b are those of Z b.
    let lengths = product(Whitening::of::<T>(&gram)?.w.view(), gram.view()).cast::<T>();
    let mut b = by_basis(x, z)?;
    let coordinates = |b: &Matrix<T>| product(lengths.view(), b.view());
    let (there, here) = (coordinates(seen), coordinates(&b));
    let rounding = T::EPSILON.to_f64().sqrt();
    let compared = Compared { trained: &there, new: &here, rounding };
    let near = compared.near(neighbourhood, 1, &|| x.go_on())?;
    draw_to(&mut b, &near, trained, neighbourhood.lambda);
    let mut h = match method {
        Projection::Basis => b,
        Projection::NonNegative => {
            let targets = product(gram.view(), b.cast::<f64>().view());
            non_negative_by_products(&targets, &gram).cast()
        }
    };
    give_own(&mut h, &near, trained);
    Ok(h)
}
