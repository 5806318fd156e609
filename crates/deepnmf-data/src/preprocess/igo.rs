//! Image gradient orientations: `[cos phi; sin phi] / sqrt(p)` with `phi = atan2(dI/dy, dI/dx)`.
//!
//! Every sample has norm 1 by construction, since each of its `p` pixels adds `1/p`. Where a picture
//! is flat the angle is 0. Derivatives are central differences, one-sided at the edges.

use deepnmf::{Matrix, Scalar};

use super::step::refuse;
use crate::{DataError, ImageShape, PixelOrder};

/// The orientations of all pictures, `2p x n`.
pub(super) fn gradients<T: Scalar>(
    x: &Matrix<T>,
    shape: ImageShape,
) -> Result<Matrix<T>, DataError> {
    let p = x.rows();
    let rows = p.checked_mul(2).ok_or_else(|| refuse("igo", "needs smaller pictures"))?;
    let mut result = Matrix::zeros(rows, x.cols());
    let root = (p as f64).sqrt();
    for (sample, picture) in x.columns().enumerate() {
        let (cosines, sines) = result.col_mut(sample).split_at_mut(p);
        for i in 0..p {
            let (dx, dy) = gradient(picture, shape, i);
            let (sine, cosine) = dy.atan2(dx).sin_cos();
            cosines[i] = T::from_f64(cosine / root);
            sines[i] = T::from_f64(sine / root);
        }
    }
    Ok(result)
}

/// The derivatives of a picture to the right and downwards at feature `i`.
fn gradient<T: Scalar>(picture: &[T], shape: ImageShape, i: usize) -> (f64, f64) {
    let ImageShape { width, height, order } = shape;
    // Along the faster of the two directions neighbours are one feature apart.
    let (fast, slow) = match order {
        PixelOrder::RowMajor => (width, height),
        PixelOrder::ColumnMajor => (height, width),
    };
    let along_fast = difference(picture, i, i % fast, fast, 1);
    let along_slow = difference(picture, i, i / fast, slow, fast);
    match order {
        PixelOrder::RowMajor => (along_fast, along_slow),
        PixelOrder::ColumnMajor => (along_slow, along_fast),
    }
}

/// The slope at place `at` of `length` places that are `stride` features apart.
fn difference<T: Scalar>(picture: &[T], i: usize, at: usize, length: usize, stride: usize) -> f64 {
    let before = if at > 0 { i - stride } else { i };
    let after = if at + 1 < length { i + stride } else { i };
    let distance = (after - before) / stride;
    match distance {
        0 => 0.0,
        distance => (picture[after].to_f64() - picture[before].to_f64()) / distance as f64,
    }
}

#[cfg(test)]
#[path = "igo_tests.rs"]
mod tests;
