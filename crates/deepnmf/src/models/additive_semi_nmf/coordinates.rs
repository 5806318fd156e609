//! The leading principal coordinates of all samples, which is what parts are found in.
//!
//! ```text
//! Y = U^T (X - m 1^T), d x n          m: the mean sample,    U: the d leading principal directions, p x d
//! ```
//!
//! Data in parts gather them: every part has those of all samples, computes the same from them, and so has the same
//! bits.

use crate::error::Result;
use crate::matrix::{
    Centred, DataMatrix, Matrix, Parts, Scalar, SvdMethod, Widened, gram_of_rows, mean_column,
    truncated_svd,
};

/// The most coordinates: what is behind them is noise in all data that were tried.
const MOST: usize = 100;

/// Directions of less than this share of the largest singular value have no digits left in sums of squares.
const SMALLEST: f64 = 1e-5;

/// The coordinates, at most, of a model with these parts: the columns of its metric. None with less than two parts.
pub(crate) fn most_coordinates(sizes: &[usize], p: usize, n: usize) -> Option<usize> {
    (sizes.len() > 1).then(|| MOST.min(p).min(n))
}

/// The floor of a fit, as a share of the least of the samples' own eigenvalues. What parts leave over has smaller ones
/// than the samples, and directions below the floor have no say.
const FLOOR: f64 = 0.1;

/// Samples in their principal coordinates.
#[derive(Debug, Clone)]
pub(super) struct Coordinates {
    /// `Y`.
    pub(super) y: Matrix<f64>,
    /// `Y Y^T`.
    pub(super) scatter: Matrix<f64>,
    /// `t^2`.
    pub(super) floor: f64,
}

/// Where coordinates come from.
pub(super) struct Directions<T> {
    /// The mean sample.
    pub(super) mean: Vec<T>,
    /// `U`.
    pub(super) u: Matrix<T>,
}

impl<T: Scalar> Directions<T> {
    /// No directions: all samples are alike, or nobody has looked.
    pub(super) fn none(x: &dyn DataMatrix<T>) -> Result<Self> {
        Ok(Self { mean: mean_column(x)?, u: Matrix::zeros(x.shape().0, 0) })
    }

    /// The leading ones and their smallest singular value. All parts call it together.
    pub(super) fn leading(x: &dyn DataMatrix<T>, seed: u64) -> Result<(Self, f64)> {
        let (p, n) = (x.shape().0, x.parts().total());
        let mean = mean_column(x)?;
        let svd =
            truncated_svd(&Centred::new(x, &mean), MOST.min(p).min(n), SvdMethod::Auto, seed)?;
        // What the mean leaves behind of equal samples is rounding.
        let rounding = 4.0 * x.norm_sq()?.sqrt() * T::EPSILON.to_f64();
        let least = rounding.max(SMALLEST * svd.s[0]);
        let d = svd.s.iter().take_while(|s| **s > least).count();
        let t = if d > 0 { svd.s[d - 1] } else { 0.0 };
        Ok((Self { mean, u: svd.u.view_columns(0..d).to_matrix() }, t))
    }
}

impl Coordinates {
    /// Those of no directions.
    pub(super) fn none(samples: usize) -> Self {
        Self { y: Matrix::zeros(0, samples), scatter: Matrix::zeros(0, 0), floor: 0.0 }
    }

    /// Those of the samples of all parts, which call it together.
    pub(super) fn of<T: Scalar>(
        x: &dyn DataMatrix<T>,
        directions: &Directions<T>,
        t: f64,
    ) -> Result<Self> {
        let d = directions.u.cols();
        if d == 0 {
            return Ok(Self::none(x.parts().total()));
        }
        let mut own = Matrix::zeros(d, x.shape().1);
        let centred = Centred::new(x, &directions.mean);
        Widened(&centred).tr_mul(&directions.u.cast(), &mut own)?;
        Self::new(x.parts().gather(&own)?, t)
    }

    /// Of samples about their mean, with `t`.
    pub(super) fn new(y: Matrix<f64>, t: f64) -> Result<Self> {
        let mut scatter = Matrix::zeros(y.rows(), y.rows());
        gram_of_rows(&mut scatter, &y, Parts::whole(y.cols()))?;
        Ok(Self { y, scatter, floor: t * t })
    }

    /// The same with the floor of a fit, where it is the least of their own eigenvalues.
    pub(super) fn with_low_floor(self) -> Self {
        Self { floor: FLOOR * self.floor, ..self }
    }

    /// The number of coordinates.
    pub(super) fn dimension(&self) -> usize {
        self.y.rows()
    }

    /// The number of samples of all parts.
    pub(super) fn samples(&self) -> usize {
        self.y.cols()
    }
}
