//! Features of new samples where samples are sums of parts (`models/additive_semi_nmf`).
//!
//! ```text
//! h_1, h_2, .. = argmin |M^T (x - Z_1 h_1 - Z_2 h_2 - ..)|        h_i: a single one
//! ```
//!
//! all parts at once, in the metric of the fit. So samples of the fit get their own clusters back, and how their
//! features are asked for makes no difference.

use crate::error::Result;
use crate::matrix::{DataMatrix, Matrix, Scalar, Widened, product};
use crate::models::{Choice, Metric};

/// The memberships of samples, stacked: `k x n`.
pub(super) fn memberships<T: Scalar>(
    x: &dyn DataMatrix<T>,
    z: &Matrix<T>,
    Metric { parts, map }: &Metric<T>,
) -> Result<Matrix<T>> {
    let (n, map) = (x.shape().1, map.cast::<f64>());
    let mut y = Matrix::zeros(map.cols(), n);
    Widened(x).tr_mul(&map, &mut y)?;
    // About the first centre: the mean of the samples may be far from zero.
    let mut centres = product(map.t(), z.cast::<f64>().view());
    let first = centres.col(0).to_vec();
    let about = |columns: &mut [f64]| {
        for column in columns.chunks_exact_mut(first.len().max(1)) {
            column.iter_mut().zip(&first).for_each(|(v, first)| *v -= first);
        }
    };
    about(y.as_mut_slice());
    about(&mut centres.as_mut_slice()[..parts[0] * first.len()]);
    let inner = product(centres.t(), centres.view());
    let mut labels = vec![0; parts.len() * n];
    Choice::new(parts, &inner).choose(&centres, y.view(), &mut labels);
    let mut h = Matrix::zeros(z.cols(), n);
    for (j, labels) in labels.chunks_exact(parts.len()).enumerate() {
        let mut start = 0;
        for (label, size) in labels.iter().zip(parts) {
            h[(start + label, j)] = T::ONE;
            start += size;
        }
    }
    Ok(h)
}
