//! Samples brought to the same sum: what is counted of a cell or a document depends on how long one looks at it.

use deepnmf::matrix::Entry;
use deepnmf::{DataMatrix, Matrix, Scalar};

use super::scale::each_column;
use super::step::refuse;
use crate::DataError;

/// Scales every sample to the sum `total`; samples without a count stay as they are.
pub(super) fn counts_per<T: Scalar>(x: &mut Matrix<T>, total: f64) -> Result<(), DataError> {
    let factors = factors(x, total)?;
    for (sample, factor) in factors.into_iter().enumerate() {
        x.col_mut(sample).iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() * factor));
    }
    Ok(())
}

/// Refuses a number that is negative, and so no count.
pub(super) fn check<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<(), DataError> {
    if let Some(Entry { sample, feature, value }) = x.find_entry(&|v| v < T::ZERO)? {
        let why = format!(
            "needs counts, but feature {} of sample {} (counted from 1) is {value}: leave the step out",
            feature + 1,
            sample + 1
        );
        return Err(refuse("counts-per", why));
    }
    Ok(())
}

/// By what every sample is scaled.
///
/// # Errors
/// As [`check`].
pub(super) fn factors<T: Scalar>(x: &dyn DataMatrix<T>, total: f64) -> Result<Vec<f64>, DataError> {
    check(x)?;
    let (p, n) = x.shape();
    let mut sums = Matrix::<f64>::zeros(1, n);
    x.wide_tr_mul(&Matrix::from_fn(p, 1, |_, _| 1.0), &mut sums)?;
    if sums.as_slice().iter().any(|sum| sum.is_nan()) {
        // Of samples with missing entries what was counted counts.
        let mut observed = vec![];
        each_column(x, &mut |column| observed.push(column.filter(|v| !v.is_nan()).sum()))?;
        sums = Matrix::from_vec(1, n, observed)?;
    }
    let factor = |sum: f64| if sum > 0.0 { total / sum } else { 1.0 };
    Ok(sums.into_vec().into_iter().map(factor).collect())
}
