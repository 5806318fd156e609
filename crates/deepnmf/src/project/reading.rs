//! Features of new samples at a layer with neighbours (`models/deep_semi_nmf/layered.rs`).
//!
//! A new sample reads its own features of the layer below, `y`, and finds its nearest training samples there. With
//! weights `w_l` that sum to one it is drawn to what the layer sees of them, as those were drawn to each other, and put
//! to unit length in the space that the basis `V` spans:
//!
//! ```text
//! g = (y + lambda sum_l w_l V h_l) / (1 + lambda)        r = ( u(V V^+ g) ; 1 )        V h ~ r
//! ```
//!
//! by the pseudo-inverse of `V` or over non-negative `h`. Training samples are known by `y` and get the features of
//! the fit.

use super::near::{Compared, draw_to, give_own};
use super::{Projection, by_basis, non_negative};
use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, PartColumns, Parts, Scalar, product};
use crate::models::reading::{Lens, to_unit_length};
use crate::models::{Factors, Neighbourhood};

/// Unit features nearer than this are the same but for rounding.
fn rounding<T: Scalar>() -> f64 {
    64.0 * T::EPSILON.to_f64().sqrt()
}

/// A layer that reads the features of the one below.
pub(super) struct Reading<'a, T> {
    pub(super) neighbourhood: &'a Neighbourhood,
    pub(super) factors: &'a Factors<T>,
    /// The layer, counted from 1.
    pub(super) layer: usize,
    /// Its basis.
    pub(super) v: &'a Matrix<T>,
    /// From which component on those of the layer below fade out.
    pub(super) fade: usize,
}

impl<T: Scalar> Reading<'_, T> {
    /// The features of the samples `x`, whose features of the layer below are known.
    pub(super) fn features(
        &self,
        below: &Matrix<T>,
        x: &dyn DataMatrix<T>,
        method: Projection,
    ) -> Result<Matrix<T>> {
        let Self { neighbourhood, factors, layer, v, fade } = *self;
        let (trained, top) = (&factors.h[layer - 2], &factors.h[layer - 1]);
        let lens = Lens::new(factors, layer - 1, fade, Parts::whole(trained.cols()))?;
        let mut y = lens.unit_features(below);
        let seen = lens.unit_features(trained);
        let compared = Compared { trained: &seen, new: &y, rounding: rounding::<T>() };
        let near = compared.near(neighbourhood, layer, &|| x.go_on())?;
        if neighbourhood.of_layer(layer) > 0 {
            // V^+ g, since V has full rank.
            let mut along = by_basis(&PartColumns::new(y.view(), x.parts()), v)?;
            draw_to(&mut along, &near, top, neighbourhood.lambda);
            y = product(v.view(), along.view());
            to_unit_length(&mut y);
        }
        let target = PartColumns::new(y.view(), x.parts());
        let mut h = match method {
            Projection::Basis => by_basis(&target, v)?,
            Projection::NonNegative => non_negative(&target, v)?,
        };
        give_own(&mut h, &near, top);
        Ok(h)
    }
}
