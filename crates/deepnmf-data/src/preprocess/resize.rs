//! Pictures of another size: every new pixel is a weighted mean of the old ones around it.
//!
//! The weights fall linearly to zero over one old pixel when enlarging (bilinear interpolation) and
//! over one new pixel when shrinking, so that no old pixel is passed over.

use deepnmf::{Matrix, Scalar};

use super::step::refuse;
use crate::load::memory;
use crate::{DataError, ImageShape, PixelOrder};

/// Resizes every sample.
pub(super) fn resize_samples<T: Scalar>(
    x: &Matrix<T>,
    from: ImageShape,
    to: ImageShape,
) -> Result<Matrix<T>, DataError> {
    // Down the columns or along the rows: the weights are the same, so only the order counts.
    let sides = |shape: ImageShape| match shape.order {
        PixelOrder::RowMajor => (shape.width, shape.height),
        PixelOrder::ColumnMajor => (shape.height, shape.width),
    };
    let pixels = to.width.checked_mul(to.height).filter(|&pixels| pixels > 0);
    let pixels = pixels.ok_or_else(|| refuse("resize", "needs a width and a height"))?;
    // A doctored model file may ask for any size.
    if memory::check_table(pixels, x.cols(), size_of::<T>()).is_err() {
        let ImageShape { width, height, .. } = to;
        return Err(refuse("resize", format!("to {width} x {height} needs too much memory")));
    }
    let mut result = Matrix::zeros(pixels, x.cols());
    for (sample, picture) in x.columns().enumerate() {
        let picture: Vec<f64> = picture.iter().map(|v| v.to_f64()).collect();
        let resized = resize(&picture, sides(from), sides(to));
        for (new, v) in result.col_mut(sample).iter_mut().zip(resized) {
            *new = T::from_f64(v);
        }
    }
    Ok(result)
}

/// Resizes one picture of `from.0 x from.1` pixels (width, height), stored row by row.
pub(crate) fn resize(pixels: &[f64], from: (usize, usize), to: (usize, usize)) -> Vec<f64> {
    if from == to {
        return pixels.to_vec();
    }
    let across = weights(from.0, to.0);
    let narrow: Vec<f64> =
        pixels.chunks_exact(from.0).flat_map(|row| across.iter().map(|w| w.of(row, 1))).collect();
    let down = weights(from.1, to.1);
    let column = |x: usize, w: &Weights| w.of(&narrow[x..], to.0);
    down.iter().flat_map(|w| (0..to.0).map(move |x| column(x, w))).collect()
}

/// The old pixels that one new pixel is made of.
struct Weights {
    first: usize,
    weights: Vec<f64>,
}

impl Weights {
    /// The mean of numbers that lie `stride` apart.
    fn of(&self, numbers: &[f64], stride: usize) -> f64 {
        let numbers = numbers.iter().skip(self.first * stride).step_by(stride);
        self.weights.iter().zip(numbers).map(|(w, v)| w * v).sum()
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped into the picture
fn weights(from: usize, to: usize) -> Vec<Weights> {
    let scale = from as f64 / to as f64;
    let reach = scale.max(1.0);
    let one = |i: usize| {
        let centre = (i as f64 + 0.5) * scale - 0.5;
        let first = (centre - reach).ceil().max(0.0) as usize;
        let last = ((centre + reach).floor() as usize).min(from - 1);
        let height = |j: usize| (1.0 - (j as f64 - centre).abs() / reach).max(0.0);
        let mut weights: Vec<f64> = (first..=last).map(height).collect();
        // At the edges some of the weight would lie outside of the picture.
        let sum: f64 = weights.iter().sum();
        for w in &mut weights {
            *w /= sum;
        }
        Weights { first, weights }
    };
    (0..to).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_picture_stays_flat() {
        for to in [(1, 1), (2, 5), (7, 3), (30, 31)] {
            let flat = resize(&[3.0; 7 * 5], (7, 5), to);
            assert_eq!(flat.len(), to.0 * to.1);
            assert!(flat.iter().all(|v| (v - 3.0).abs() < 1e-12), "{to:?}");
        }
    }

    #[test]
    fn sizes_beyond_memory_are_refused() {
        let shape = |width, height| ImageShape { width, height, order: PixelOrder::RowMajor };
        let x = Matrix::<f32>::zeros(4, 3);
        for side in [1 << 20, 1 << 31, usize::MAX] {
            assert!(resize_samples(&x, shape(2, 2), shape(side, side)).is_err());
        }
    }

    #[test]
    fn a_slope_keeps_its_direction_and_its_mean() {
        let slope: Vec<f64> = (0..8 * 4).map(|i| f64::from(i % 8)).collect();
        let small = resize(&slope, (8, 4), (4, 2));
        assert!(small.windows(2).take(3).all(|w| w[0] < w[1]));
        let mean: f64 = small.iter().sum::<f64>() / 8.0;
        assert!((mean - 3.5).abs() < 1e-12);
        assert_eq!(resize(&slope, (8, 4), (8, 4)), slope);
    }
}
