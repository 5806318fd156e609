//! The Kullback-Leibler divergence, from the entries that are not zero:
//!
//! ```text
//! D(X | Z H) = sum_ij x_ij log(x_ij / (Z H)_ij) - x_ij + (Z H)_ij
//! ```
//!
//! `Z H` is formed where `X` is not zero; elsewhere its sum is that of all, less that. The error that is reported is
//! `sqrt(2 D)`.

use std::ops::ControlFlow;

use crate::error::Result;
use crate::matrix::{
    DataMatrix, Matrix, Parts, Scalar, Scaled, Sparse, columns_of, power_of_two, unit_exponent,
};
use crate::update::{KlProblem, Penalty, sums_of_rows};

/// Below this relative difference the terms of the divergence are summed up as a series.
const NEAR: f64 = 0.01;

/// `x log(x / y) - x + y` for `x >= 0` and `y > 0`. Never negative, and exact to most digits where both are near.
#[inline(always)]
pub(crate) fn kl_term(x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return y;
    }
    let d = (y - x) / x;
    if d.abs() < NEAR {
        // d - log(1 + d)
        let series = 0.5
            - d * (1.0 / 3.0
                - d * (0.25 - d * (0.2 - d * (1.0 / 6.0 - d * (1.0 / 7.0 - d * 0.125)))));
        return x * d * d * series;
    }
    x * (x / y).ln() - x + y
}

/// *Together*: `D(X | Z H)`, where `h` holds the features of this part.
pub(crate) fn kl_divergence<T: Scalar>(
    x: &dyn DataMatrix<T>,
    z: &Matrix<T>,
    h: &Matrix<T>,
) -> Result<f64> {
    let factor = z.t().to_matrix();
    let sums = sums_of_rows(&factor, Parts::whole(factor.cols()))?;
    let of = |entries: &Sparse<'_, T>, h: &Matrix<T>| {
        let penalty = Penalty::NONE;
        KlProblem { entries, factor: &factor, sums: &sums, penalty }.divergence(h)
    };
    let mut own = 0.0;
    let is_sparse = x.sparse_blocks(&mut |start, entries| {
        own += of(entries, &columns_of(h, start..start + entries.shape().1));
        Ok(())
    })?;
    if !is_sparse {
        x.blocks(&mut |start, block| {
            let entries = Sparse::from_dense(&block.to_matrix());
            own += of(&entries, &h.view_columns(start..start + block.cols()).to_matrix());
            ControlFlow::Continue(())
        })?;
    }
    x.parts().sum_of(own)
}

/// *Together*: the divergence of the best factorization with one component, which is the product of the sums of
/// features and samples.
pub(crate) fn kl_of_one_component<T: Scalar>(x: &dyn DataMatrix<T>) -> Result<f64> {
    let exponent = unit_exponent(x)?;
    let x = Scaled::new(x, exponent);
    let (p, n) = x.shape();
    let (mut of_features, mut of_samples) = (Matrix::zeros(p, 1), Matrix::zeros(1, n));
    let ones = |rows, cols| Matrix::from_fn(rows, cols, |_, _| 1.0);
    x.wide_mul_tr(&ones(1, n), &mut of_features)?;
    x.wide_tr_mul(&ones(p, 1), &mut of_samples)?;
    let all = x.entry_sum()?;
    if all <= 0.0 {
        return Ok(0.0);
    }
    let shares = of_samples.map(|sum: f64| sum / all);
    Ok(kl_divergence(&x, &of_features.cast(), &shares.cast())? * power_of_two(-exponent))
}
